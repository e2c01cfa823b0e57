"""Events and values of classes of the user's own, which act whenever code of theirs runs."""

from collections.abc import Callable, Iterator
from typing import Any

Act = Callable[[], object]

# What copying, comparing, converting to text and looking inside may run.
METHODS = [
    "__attrs_post_init__", "__bool__", "__contains__", "__copy__", "__deepcopy__", "__eq__",
    "__format__", "__getattribute__", "__getitem__", "__getstate__", "__hash__", "__init__",
    "__iter__", "__len__", "__ne__", "__post_init__", "__reduce__", "__reduce_ex__",
    "__replace__", "__repr__", "__setattr__", "__str__",
]  # fmt: skip


class Thing:
    """An object that is no plain data, though it can be copied, compared, converted and looked into."""

    def __copy__(self) -> "Thing":
        return self

    def __deepcopy__(self, memo: object) -> "Thing":
        return self

    def __iter__(self) -> Iterator[str]:
        return iter(("item",))

    def __len__(self) -> int:
        return 1

    def __getitem__(self, key: object) -> object:
        raise IndexError(key)


BASES: tuple[tuple[type, tuple[Any, ...]], ...] = (
    (Thing, ()),
    (str, ("text",)),
    (list, (["item"],)),
    (dict, ({"key": "item"},)),
)
FOREIGN_VALUES = 3 * len(BASES)


def foreign_values(act: Act) -> Iterator[Any]:
    """Values whose classes act, bare and inside plain containers."""
    for base, arguments in BASES:
        value = _class(base, act)(*arguments)
        yield from (value, [value], {"key": value})


def foreign_event(event: Any, act: Act) -> Any:
    """The event as one of a subclass that acts; None where the implementation has no room for such a thing."""
    try:
        own = _class(type(event), act)
        return _moved(event, own)
    except Exception:
        return None


def _moved(event: Any, own: type) -> Any:
    try:
        object.__setattr__(event, "__class__", own)
    except TypeError:  # objects of built-in classes keep their class; they can be copied into the new one
        return own(event)
    return event


def _class(base: type, act: Act) -> type:
    inherited = {name: getattr(base, name, None) for name in METHODS}
    acting = {
        name: _acting(act, method)
        for name, method in inherited.items()
        if method is not None and method is not object.__init__  # that one takes no arguments
    }
    return type(f"Foreign{base.__name__}", (base,), {"__slots__": (), **acting})


def _acting(act: Act, inherited: Callable[..., Any]) -> Callable[..., Any]:
    def method(*args: Any, **kwargs: Any) -> Any:
        act()
        return inherited(*args, **kwargs)

    return method
