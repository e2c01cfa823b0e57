"""What the checks share: the mark that ties a check to its requirement, and the outcomes of a run."""

from collections.abc import Callable

import pytest

requirement = pytest.mark.requirement
stochastic = pytest.mark.stochastic
Race = Callable[[str], None]
"""The fixture `race`: tries the scenario of that name."""

OUTCOMES = ("completed", "failed", "cancelled")

for_each_outcome = pytest.mark.parametrize("outcome", OUTCOMES)
