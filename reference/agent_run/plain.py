"""Plain data: what JSON can carry without loss, checked and copied once, immutable from then on.

No foreign code runs here: only objects of the exact built-in types are looked into; nothing else is converted
to text, iterated or compared.
"""

import math
import re
from types import MappingProxyType
from typing import Any, NoReturn

LARGEST_INT = 2**53 - 1
DEEPEST = 100

_Trail = tuple[str | int, ...]
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
# The C getter itself: `cls.__name__` would run a metaclass that overrides it.
_class_name = type.__dict__["__name__"].__get__


def freeze(value: object, name: str = "value") -> object:
    """Return an immutable copy of plain data: a dict becomes a read-only mapping, a list or tuple a tuple.

    Blocks on nothing; any thread; the same data gives an equal copy each time; `name` begins the path in
    messages. TypeError: a key that is no str, or an object of any other class (subclasses of str, int or dict
    too). ValueError: NaN, an infinity, a lone surrogate, an int beyond 2**53 - 1, nesting deeper than 100 (so
    also a cycle). Serves EVENT-11, EVENT-14, RESULT-11, LEAF-5.
    """
    return _frozen(value, name, ())


def thaw(frozen: object) -> Any:
    """Return a fresh copy, of dicts and lists, of what `freeze` returned.

    Blocks on nothing; any thread; each call gives a copy of its own; no errors. Serves EVENT-14, RESULT-9.
    """
    if type(frozen) is MappingProxyType:
        return {key: thaw(item) for key, item in frozen.items()}
    if type(frozen) is tuple:
        return [thaw(item) for item in frozen]
    return frozen


def class_name(value: object) -> str:
    """Return the name of the value's class without running any code of that class.

    Blocks on nothing; any thread; no errors. Serves LEAF-5.
    """
    return str(_class_name(type(value)))


def _frozen(value: object, name: str, trail: _Trail) -> object:
    if value is None or type(value) is bool:
        return value
    if type(value) is str:
        return _text(value, name, trail)
    if type(value) is int or type(value) is float:
        return _number(value, name, trail)
    return _container(value, name, trail)


def _container(value: object, name: str, trail: _Trail) -> object:
    if type(value) is not dict and type(value) is not list and type(value) is not tuple:
        hint = "use None, bool, int, float, str, list or dict"
        _refuse(TypeError, name, trail, f"an object of class {class_name(value)} is not plain data; {hint}")
    if len(trail) >= DEEPEST:
        _refuse(ValueError, name, (), f"nested deeper than {DEEPEST} levels or in itself; flatten it")
    if type(value) is dict:
        return MappingProxyType(
            {_key(key, name, trail): _frozen(item, name, (*trail, key)) for key, item in value.items()}
        )
    return tuple([_frozen(item, name, (*trail, index)) for index, item in enumerate(value)])


def _key(key: object, name: str, trail: _Trail) -> str:
    if type(key) is not str:
        _refuse(TypeError, name, trail, f"a key of class {class_name(key)} is not plain data; use str keys")
    return _text(key, name, (*trail, key))


def _text(text: str, name: str, trail: _Trail) -> str:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            _refuse(ValueError, name, trail, "a lone surrogate is not plain data; decode the text properly")
    return text


def _number(number: int | float, name: str, trail: _Trail) -> int | float:
    if type(number) is int:
        if not -LARGEST_INT <= number <= LARGEST_INT:
            _refuse(ValueError, name, trail, "an int beyond 2**53 - 1 is not plain data; send it as text")
    elif math.isnan(number):
        _refuse(ValueError, name, trail, "NaN is not plain data; leave the key out or use None")
    elif math.isinf(number):
        _refuse(ValueError, name, trail, "an infinity is not plain data; leave the key out or use None")
    return number


def _refuse(error: type[Exception], name: str, trail: _Trail, reason: str) -> NoReturn:
    raise error(f"{name}{''.join(map(_step, trail))}: {reason}") from None


def _step(part: str | int) -> str:
    if type(part) is str and _PLAIN_KEY.fullmatch(part):
        return f".{part}"
    return f"[{part!r}]"
