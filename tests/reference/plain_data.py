"""What the tests of plain data and of events share: strategies for plain data, and an object that is not."""

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

# A loaded machine is no fault: examples have no time limit of their own.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
INTEGERS = st.integers(-(2**53) + 1, 2**53 - 1)
NUMBERS = INTEGERS | st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | NUMBERS | TEXT
PLAIN = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner), max_leaves=20)


class HostileMeta(type):
    @property
    def __name__(cls) -> str:
        raise AssertionError("a metaclass was asked for a name")

    def __eq__(cls, other: object) -> bool:
        raise AssertionError("a metaclass was asked for equality")

    def __hash__(cls) -> int:
        raise AssertionError("a metaclass was asked for a hash")


class Hostile(metaclass=HostileMeta):
    """Raises whenever anything of it runs."""

    def __getattribute__(self, name: str) -> object:
        raise AssertionError(f"a foreign object was asked for {name}")

    def _never(self, *_: object) -> object:
        raise AssertionError("foreign code ran")

    __str__ = __repr__ = __iter__ = __len__ = __eq__ = __bool__ = _never
    __format__ = __int__ = __float__ = __getitem__ = __hash__ = _never
