"""What a Python module of events shows of itself: its names, and the class that its events have in common."""

import importlib
from types import ModuleType
from typing import Any

from agent_run_tck.case import Case


def module_of_events(case: Case) -> ModuleType:
    """The module that the adapter names, imported."""
    return importlib.import_module(event_module(case))


def event_module(case: Case) -> str:
    return str(getattr(case.adapter, "event_module"))  # noqa: B009 - no part of the protocol that all adapters have


def star_import(module: ModuleType) -> set[str]:
    """The names that `from module import *` brings into scope."""
    public = [name for name in vars(module) if not name.startswith("_")]
    return set(getattr(module, "__all__", public))


def base_of_all(classes: set[type[Any]]) -> type[Any] | None:
    """The class that different classes of events share; None where they share none, or are all the same one."""
    first, *others = classes
    shared = (base for base in first.__mro__ if all(issubclass(other, base) for other in others))
    base = next(shared, object)
    return None if base is object or not others else base
