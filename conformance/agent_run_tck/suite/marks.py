"""What the checks share: the mark that ties a check to its requirement, and the outcomes of a run."""

import pytest

requirement = pytest.mark.requirement

OUTCOMES = ("completed", "failed", "cancelled")

for_each_outcome = pytest.mark.parametrize("outcome", OUTCOMES)
