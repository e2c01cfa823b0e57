"""What all events share: the envelope, the checks of their fields, the plain form, and how a run stamps them.

An event checks and copies its data when it is made, so every event that exists has a plain form. Events
compare by identity; compare `plain()` for equal content. Making and reading events blocks on nothing and is
safe on any thread.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType, NoneType, UnionType
from typing import Any, ClassVar, Literal, TypeVar, dataclass_transform, get_args, get_origin

import attrs

from agent_run.plain import class_name, freeze, thaw

Number = int | float
JsonObject = Mapping[str, object]
JsonArray = Sequence[object]

OMITTED_WHEN_EMPTY = {"empty": "omitted"}
# What an annotation admits once the value is frozen, and what messages call it.
_FROZEN_AS: dict[Any, type] = {JsonObject: MappingProxyType, JsonArray: tuple}
_JSON_NAMES = {
    NoneType: "null", bool: "boolean", int: "integer", float: "number", str: "string",
    MappingProxyType: "object", tuple: "array",
}  # fmt: skip

_E = TypeVar("_E", bound=type)
_ENVELOPE = ("ts", "run_id", "seq")
_kinds: dict[str, type["Event"]] = {}
KINDS: Mapping[str, type["Event"]] = MappingProxyType(_kinds)
# By identity: looking a class up by equality would run the __eq__ and __hash__ of a foreign metaclass.
_sealed: set[int] = set()


def _utc(moment: object) -> datetime:
    if type(moment) is not datetime:
        raise TypeError(f"ts: an object of class {class_name(moment)} is no datetime; give an aware datetime")
    if moment.utcoffset() is None:
        raise ValueError("ts: the datetime has no time zone; give an aware one, such as datetime.now(UTC)")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("ts: the moment lies outside the years 1 to 9999 in UTC; give one inside") from None


def _now() -> datetime:
    return datetime.now(UTC)


def _checked(cls: type, fields: list["attrs.Attribute[Any]"]) -> list["attrs.Attribute[Any]"]:
    """Give each field that has no converter yet the check that its annotation asks for."""
    kind = getattr(cls, "kind", "event")
    return [field if field.converter else field.evolve(converter=_check(kind, field)) for field in fields]


def _check(kind: str, field: "attrs.Attribute[Any]") -> Callable[[object], object]:
    path = f"{kind}.{_wire_name(field.name)}"
    admitted, values = _admitted(field.type)
    omit_empty = field.metadata == OMITTED_WHEN_EMPTY

    def check(value: object) -> object:
        frozen = freeze(value, path)
        if admitted and type(frozen) not in admitted:
            raise TypeError(f"{path}: expected {_either(admitted)}, got {_JSON_NAMES[type(frozen)]}")
        if values and frozen not in values:
            raise ValueError(f"{path}: {frozen!r} is not a known value; use one of {', '.join(values)}")
        return None if omit_empty and not frozen else frozen

    return check


def _admitted(annotation: Any) -> tuple[tuple[type, ...], tuple[str, ...]]:
    """Return the exact frozen types and the closed values of an annotation; nothing means anything goes."""
    if annotation is object:
        return (), ()
    if get_origin(annotation) is Literal:
        return (str,), get_args(annotation)
    members = get_args(annotation) if isinstance(annotation, UnionType) else (annotation,)
    return tuple(_FROZEN_AS.get(member, member) for member in members), ()


def _either(types: tuple[type, ...]) -> str:
    # Every integer is a number.
    return " or ".join(_JSON_NAMES[kind] for kind in types if not (kind is int and float in types))


def _wire_name(attribute: str) -> str:
    return attribute.replace("_", "-")


@dataclass_transform(eq_default=False, kw_only_default=True, frozen_default=True, field_specifiers=(attrs.field,))
def _immutable(cls: _E) -> _E:
    return attrs.frozen(cls, slots=False, kw_only=True, eq=False, field_transformer=_checked)


@dataclass_transform(eq_default=False, kw_only_default=True, frozen_default=True, field_specifiers=(attrs.field,))
def event(kind: str, *, terminal: bool = False) -> Callable[[_E], _E]:
    """Make the class the event of this kind and add it to the taxonomy; for module `events` alone."""

    def decorate(cls: Any) -> Any:
        cls.kind, cls.is_terminal = kind, terminal
        _immutable(cls)
        payload = [field for field in attrs.fields(cls) if field.name not in _ENVELOPE]
        cls._payload = MappingProxyType({_wire_name(field.name): field for field in payload})
        _kinds[kind] = cls
        _sealed.add(id(cls))
        return cls

    return decorate


@_immutable
class Event:
    """What all events have: the moment `ts` of creation and, once published, `run_id` and `seq`.

    Only the 29 classes of module `events` can be made; their arguments are keywords. None stands for an
    optional argument that is not supplied. TypeError: a required argument is missing, or one has the wrong
    type (exact types: True is no integer). ValueError: a value outside a closed set, data that is not plain,
    a naive `ts`, `run_id` without `seq`. Serves EVENT-1, EVENT-3, EVENT-4, EVENT-9, EVENT-11, EVENT-15.
    """

    kind: ClassVar[str]
    is_terminal: ClassVar[bool]
    _payload: ClassVar[Mapping[str, "attrs.Attribute[Any]"]]

    ts: datetime = attrs.field(factory=_now, converter=_utc)
    run_id: str | None = None
    seq: int | None = None

    def __attrs_post_init__(self) -> None:
        _require_kind(self)
        if (self.run_id is None) is not (self.seq is None):
            raise ValueError("run_id and seq belong together; give both, or neither for an unpublished event")
        if self.seq is not None and self.seq < 0:
            raise ValueError("event.seq: a seq is never negative; count from 0")

    def plain(self) -> dict[str, Any]:
        """Return a fresh snapshot as plain data under wire names: the envelope and the payload.

        Blocks on nothing; any thread; each call gives an equal copy of its own, after the end too. `ts` is
        UTC with six digits of fraction. An optional key that was not supplied is absent; so are run-id and
        seq before publication. TypeError: not one of the 29 kinds. Serves EVENT-5, EVENT-6, EVENT-7, EVENT-8,
        EVENT-10, EVENT-11, EVENT-12, EVENT-13, EVENT-14, EVENT-15.
        """
        _require_kind(self)
        moment = self.ts.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
        record = {"kind": self.kind, "ts": moment, "run-id": self.run_id, "seq": self.seq}
        record |= {wire: thaw(getattr(self, field.name)) for wire, field in self._payload.items()}
        return {key: value for key, value in record.items() if value is not None}

    def __reduce__(self) -> tuple[Any, ...]:
        # Copying and pickling go through make, because a read-only mapping can do neither.
        payload = {wire: thaw(getattr(self, field.name)) for wire, field in self._payload.items()}
        return make, (self.kind, payload, self.ts, self.run_id, self.seq)


def make(
    kind: str,
    payload: dict[str, Any],
    ts: datetime | None = None,
    run_id: str | None = None,
    seq: int | None = None,
) -> Event:
    """Return a new event of this kind from a payload under wire names; `ts` is now unless it is given.

    Blocks on nothing; any thread; each call makes another event. ValueError: an unknown kind, or what the
    class refuses. TypeError: an unknown or missing key, or a wrong type. Serves EVENT-1, EVENT-3,
    EVENT-4, EVENT-12.
    """
    if type(kind) is not str or kind not in KINDS:
        known = ", ".join(KINDS)
        raise ValueError(f"{_shown(kind)} is not a kind of event; use one of {known}")
    if type(payload) is not dict:
        raise TypeError(f"{kind}: the payload is an object of class {class_name(payload)}; give a dict")
    cls = KINDS[kind]
    _require_keys(cls, payload)
    arguments = {cls._payload[wire].name: value for wire, value in payload.items()}
    moment = {} if ts is None else {"ts": ts}
    return cls(**moment, run_id=run_id, seq=seq, **arguments)


def stamp(event: Event, run_id: str) -> Event:
    """Return a copy of the event with this run's id and no seq yet; the event itself stays as it is.

    Blocks on nothing; any thread; each call makes another copy. TypeError: not exactly one of the 29 classes,
    so no foreign code can run in a copy. Serves EMIT-5, EMIT-6, EMIT-7, EMIT-8, EVENT-15, LEAF-5.
    """
    _require_kind(event)
    copy = object.__new__(type(event))
    copy.__dict__.update(event.__dict__, run_id=run_id, seq=None)
    return copy


def order(stamped: Event, seq: int) -> None:
    """Give a copy made by `stamp` its place, before anybody else has seen it.

    Blocks on nothing; call it once per copy, from the thread that made it; no errors. Serves EMIT-2.
    """
    object.__setattr__(stamped, "seq", seq)


def _require_kind(event: object) -> None:
    if id(type(event)) not in _sealed:
        raise TypeError(f"{_shown(event)} is no event of the taxonomy; make one of its {len(KINDS)} kinds")


def _require_keys(cls: type[Event], payload: dict[Any, Any]) -> None:
    unknown = [_shown(key) for key in payload if type(key) is not str or key not in cls._payload]
    if unknown:
        raise TypeError(f"{cls.kind}: unknown key: {', '.join(unknown)}; its keys are {', '.join(cls._payload)}")
    required = [wire for wire, field in cls._payload.items() if field.default is attrs.NOTHING]
    missing = [wire for wire in required if wire not in payload]
    if missing:
        raise TypeError(f"{cls.kind}: missing key: {', '.join(missing)}; give each of {', '.join(required)}")


def _shown(value: object) -> str:
    return repr(value) if type(value) is str else f"an object of class {class_name(value)}"
