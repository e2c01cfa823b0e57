"""The mark that ties a check to its requirement."""

import pytest

requirement = pytest.mark.requirement
