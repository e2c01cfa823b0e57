"""From what stands behind `--impl` to an implementation that is known to have every operation."""

import importlib
import importlib.metadata
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from attrs import fields

from agent_run_tck.protocol import (
    HANDLE_ATTRIBUTES,
    HANDLE_OPERATIONS,
    PROMISE_OPERATIONS,
    Adapter,
    Capabilities,
    Implementation,
)
from agent_run_tck.steering import Task
from agent_run_tck.wrapping import ModuleAdapter

T = TypeVar("T")

LOADING_SECONDS = 30.0


class CannotLoad(Exception):
    """An implementation that cannot be used; the text is one line that says why and what to do."""


def load(spec: str) -> Implementation:
    """Load `module`, `module:factory` or `path/to/adapter.py[:factory]`. Raises CannotLoad."""
    if spec.startswith("exec:"):
        raise CannotLoad(f"--impl={spec}: adapters in other languages are not supported yet; give a Python module")
    target, _, factory = spec.partition(":")
    module = _import(spec, target)
    adapter = _adapter(spec, module, factory)
    _probe(spec, adapter)
    return Implementation(
        spec=spec,
        adapter=adapter,
        name=str(getattr(adapter, "name", module.__name__)),
        version=str(getattr(adapter, "version", "") or _distribution_version(module)),
        capabilities=_capabilities(spec, adapter),
    )


def _import(spec: str, target: str) -> ModuleType:
    if target.endswith(".py"):
        return _guarded(spec, f"{target} does not import", lambda: _import_file(target), "mend it, or check the path")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    advice = "install it, or run from the folder that holds it"
    return _guarded(spec, f"{target} does not import", lambda: importlib.import_module(target), advice)


def _import_file(target: str) -> ModuleType:
    path = Path(target).resolve()
    found = importlib.util.spec_from_file_location(path.stem, path)
    if found is None or found.loader is None:
        raise ImportError("it is no Python file")
    module = importlib.util.module_from_spec(found)
    sys.modules[path.stem] = module
    found.loader.exec_module(module)
    return module


def _adapter(spec: str, module: ModuleType, factory: str) -> Adapter:
    name = factory or "tck_adapter"
    found = getattr(module, name, None)
    if found is None and not factory and hasattr(module, "Run"):
        return ModuleAdapter(module)
    if found is None:
        wanted = f"no {name}" if factory else "neither tck_adapter nor Run"
        raise CannotLoad(f"--impl={spec}: {module.__name__} has {wanted}; define tck_adapter (README, 'An adapter')")
    if hasattr(found, "create_run") and not isinstance(found, type):
        adapter: Adapter = found
    else:
        adapter = _guarded(spec, f"the factory {name}() does not work", found, "call it by hand to see why")
    return adapter


def _probe(spec: str, adapter: Adapter) -> None:
    """Create one run and see that all is there, so that a missing name is one line and not a hundred failures."""
    _refuse_missing(spec, "the adapter", adapter, ("create_run", "make_event", "plain"))
    run = _guarded(spec, "create_run() does not work", adapter.create_run, "call it by hand to see why")
    _refuse_missing(spec, "the run", run, HANDLE_OPERATIONS + HANDLE_ATTRIBUTES)
    for name in ("result", "cancellation", "drained"):
        _refuse_missing(spec, f"the promise {name}", getattr(run, name), PROMISE_OPERATIONS)


def _refuse_missing(spec: str, what: str, thing: object, names: tuple[str, ...]) -> None:
    missing = _guarded(
        spec, f"{what} cannot be asked for what it has", lambda: [n for n in names if not hasattr(thing, n)], "mend it"
    )
    if missing:
        raise CannotLoad(f"--impl={spec}: {what} lacks {', '.join(missing)}; add it (README, 'An adapter')")


def _guarded(spec: str, what: str, action: Callable[[], T], advice: str) -> T:
    try:
        return Task(action, "loading").outcome(LOADING_SECONDS, "it")
    except BaseException as error:  # an implementation may raise anything, SystemExit too
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise CannotLoad(f"--impl={spec}: {what} ({reason}); {advice}") from None


def _capabilities(spec: str, adapter: Adapter) -> Capabilities:
    declared = getattr(adapter, "capabilities", {})
    known = [field.name for field in fields(Capabilities)]
    if unknown := sorted(set(declared) - set(known)):
        raise CannotLoad(f"--impl={spec}: unknown capability {', '.join(unknown)}; there are {', '.join(known)}")
    return Capabilities(**declared)


def _distribution_version(module: ModuleType) -> str:
    try:
        return importlib.metadata.version(module.__name__.partition(".")[0].replace("_", "-"))
    except (importlib.metadata.PackageNotFoundError, ValueError):
        return ""
