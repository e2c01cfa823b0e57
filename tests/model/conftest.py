"""Makes the modules of tla/ importable, as they are for tla/tools.py."""

from __future__ import annotations

import sys
from pathlib import Path

TLA = Path(__file__).resolve().parents[2] / "tla"

sys.path.insert(0, str(TLA))
