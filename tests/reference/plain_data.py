"""What the tests of plain data and of events share: strategies for plain data, and a foreign object."""

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

# A loaded machine is no fault: examples have no time limit of their own.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
INTEGERS = st.integers(-(2**53) + 1, 2**53 - 1)
NUMBERS = INTEGERS | st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | NUMBERS | TEXT
PLAIN = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner), max_leaves=20)


touched = []


def noting(answer):
    def special_method(*_):
        touched.append("special method")
        return answer

    return special_method


class NosyMeta(type):
    def __getattribute__(cls, name):
        touched.append(f"class attribute {name}")
        return type.__getattribute__(cls, name)

    __eq__ = noting(NotImplemented)
    __hash__ = noting(0)


class Nosy(metaclass=NosyMeta):
    """Notes whatever runs of it, and lets it run: a test reports that better than an object that raises."""

    def __getattribute__(self, name):
        touched.append(f"attribute {name}")
        return object.__getattribute__(self, name)

    __eq__ = noting(NotImplemented)
    __str__ = __repr__ = __format__ = noting("nosy")
    __hash__ = __len__ = __int__ = __index__ = noting(0)
    __float__ = noting(0.0)
    __bool__ = noting(True)
    __iter__ = noting(iter(()))


def touched_by(use):
    """Return what ran of a foreign object while it was used, and the refusal."""
    nosy = Nosy()
    touched.clear()
    try:
        use(nosy)
    except (TypeError, ValueError) as refusal:
        return list(touched), str(refusal)
    return list(touched), "not refused"
