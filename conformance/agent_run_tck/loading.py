"""From what stands behind `--impl` to an implementation that is known to have every operation."""

import importlib
import importlib.metadata
import importlib.util
import sys
import traceback
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from attrs import fields

from agent_run_tck.index import example_payload, terminal_kinds
from agent_run_tck.protocol import (
    ADAPTER_OPERATIONS,
    HANDLE_ATTRIBUTES,
    HANDLE_OPERATIONS,
    PROMISE_OPERATIONS,
    Adapter,
    Capabilities,
    Implementation,
)
from agent_run_tck.steering import Task
from agent_run_tck.wire.adapter import ExecAdapter
from agent_run_tck.wrapping import ModuleAdapter

T = TypeVar("T")

LOADING_SECONDS = 30.0
SEE = "agent_run_tck/protocol.py shows all that an adapter needs"
BY_HAND = "call it by hand to see why"
MEND = "mend it"
NEEDED_BY = {"consumer": "render", "given_ts": "make_event_at", "star_import": "event_module"}


class CannotLoad(Exception):
    """An implementation that cannot be used; the text is one line that says why and what to do."""


def load(spec: str) -> Implementation:
    """Load `module`, `module:factory`, `path/to/adapter.py[:factory]` or `exec:COMMAND`. Raises CannotLoad.

    Foreign code runs on a thread of its own, so this blocks for at most LOADING_SECONDS for each thing that is asked.
    Any thread may call it; what was imported stays so.
    """
    if spec.startswith("exec:"):
        return _load_port(spec, spec.removeprefix("exec:").strip())
    target, _, factory = spec.partition(":")
    module = _import(spec, target)
    adapter = _adapter(spec, module, factory)
    _probe(spec, adapter)
    name, version = _said(spec, adapter)
    return Implementation(
        spec=spec,
        adapter=adapter,
        name=name or module.__name__,
        version=version or _distribution_version(module),
        capabilities=_capabilities(spec, adapter),
    )


def _load_port(spec: str, command: str) -> Implementation:
    if not command:
        raise CannotLoad(f"--impl={spec}: it names no command; give one that starts a port, such as exec:./my-port")
    adapter = _guarded(spec, "the port does not start", partial(ExecAdapter, command), "start it by hand to see why")
    try:
        _probe(spec, adapter)
    except CannotLoad:
        adapter.kill()
        raise
    known = {field.name for field in fields(Capabilities)}
    declared = {name: value for name, value in adapter.capabilities.items() if name in known}
    capabilities = Capabilities(**{**declared, "in_process": False})
    return Implementation(spec, adapter, adapter.name, adapter.version, capabilities)


def _import(spec: str, target: str) -> ModuleType:
    what = f"{target} does not import"
    if not target:
        raise CannotLoad(f"--impl={spec}: it names nothing; give mymodule, pkg.module:factory or ./adapter.py")
    _make_importable(Path.cwd())
    if target.endswith(".py"):
        return _guarded(spec, what, lambda: _import_file(Path(target).resolve()), "mend it, or check the path")
    if "/" in target:
        raise CannotLoad(f"--impl={spec}: {target} is no Python file; give a path that ends in .py, or a module's name")
    return _guarded(spec, what, lambda: importlib.import_module(target), partial(_advice, target))


def _advice(target: str) -> str:
    """What to do about a module that did not import: it is there or not, or its name has a dot for the colon."""
    parent, _, attribute = target.rpartition(".")
    if hasattr(sys.modules.get(parent), attribute):
        return f"did you mean --impl={parent}:{attribute}?"
    try:
        found = (not parent or parent in sys.modules) and importlib.util.find_spec(target)
    except ImportError:  # what stands before the dot is no package
        found = None
    return MEND if found else "install it, or run from the folder that holds it"


def _make_importable(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def _import_file(path: Path) -> ModuleType:
    """Import a file as a script is: what lies beside it can be imported."""
    _make_importable(path.parent)
    name = path.stem
    if getattr(sys.modules.get(name), "__file__", str(path)) != str(path):
        name = f"{path.parent.name}/{name}"  # a file may be called like a module that others need
    found = importlib.util.spec_from_file_location(name, path)
    if found is None or found.loader is None:
        raise ImportError("it is no Python file")
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    found.loader.exec_module(module)
    return module


def _adapter(spec: str, module: ModuleType, factory: str) -> Adapter:
    name = factory or "tck_adapter"
    found = _guarded(spec, f"{name} cannot be read", lambda: getattr(module, name, None), MEND)
    if found is None and not factory and hasattr(module, "Run"):
        return ModuleAdapter(module)
    if found is None:
        wanted = f"no {name}" if factory else "neither tck_adapter nor Run"
        raise CannotLoad(f"--impl={spec}: {module.__name__} has {wanted}; define it ({SEE})")
    if hasattr(found, "create_run") and not isinstance(found, type):
        adapter: Adapter = found
    elif callable(found):
        adapter = _guarded(spec, f"the factory {name}() does not work", found, BY_HAND)
    else:
        raise CannotLoad(f"--impl={spec}: {name} is neither an adapter nor a factory of one; {SEE}")
    return adapter


def _probe(spec: str, adapter: Adapter) -> None:
    """Make one of all that every check needs, so that what is missing is one line and not a hundred failures."""
    _refuse_missing(spec, "the adapter", adapter, ADAPTER_OPERATIONS)
    for kind in ("log", *sorted(terminal_kinds())):
        _guarded(
            spec, f"make_event() makes no {kind}", partial(adapter.make_event, kind, example_payload(kind)), BY_HAND
        )
    run = _guarded(spec, "create_run() does not work", adapter.create_run, BY_HAND)
    _refuse_missing(spec, "the run", run, HANDLE_OPERATIONS + HANDLE_ATTRIBUTES)
    for name in ("result", "cancellation", "drained"):
        promise = _guarded(spec, f"the promise {name} cannot be read", partial(getattr, run, name), MEND)
        _refuse_missing(spec, f"the promise {name}", promise, PROMISE_OPERATIONS)


def _refuse_missing(spec: str, what: str, thing: object, names: tuple[str, ...]) -> None:
    missing = _guarded(
        spec, f"{what} cannot be asked for what it has", lambda: [n for n in names if not hasattr(thing, n)], MEND
    )
    if missing:
        raise CannotLoad(f"--impl={spec}: {what} lacks {', '.join(missing)}; add it ({SEE})")


def _guarded(spec: str, what: str, action: Callable[[], T], advice: str | Callable[[], str]) -> T:
    try:
        return Task(action, "loading").outcome(LOADING_SECONDS, "it")
    except BaseException as error:  # an implementation may raise anything, SystemExit too
        todo = advice if isinstance(advice, str) else advice()
        raise CannotLoad(f"--impl={spec}: {what} ({_in_a_line(error)}); {todo}") from None


def _in_a_line(error: BaseException) -> str:
    name = type(error).__name__
    try:
        return " ".join(f"{name}: {error}".split()) + _where(error)
    except BaseException:
        return f"{name}, whose text cannot be had"


def _where(error: BaseException) -> str:
    """The innermost place, where that is code of the implementation and neither the kit nor an import."""
    frames = traceback.extract_tb(error.__traceback__)
    place = Path(frames[-1].filename) if frames else None
    if place is None or not place.is_file() or place.is_relative_to(Path(__file__).parent):
        return ""
    return f", {place.name} line {frames[-1].lineno}"


def _said(spec: str, adapter: Adapter) -> tuple[str, str]:
    def ask() -> tuple[str, str]:
        return str(getattr(adapter, "name", "")), str(getattr(adapter, "version", ""))

    return _guarded(spec, "name and version of the adapter cannot be read", ask, "let them be strings")


def _capabilities(spec: str, adapter: Adapter) -> Capabilities:
    advice = "let it be a dict such as {'threads': False}"
    declared = _guarded(spec, "capabilities cannot be read", lambda: _declared(adapter), advice)
    known = [field.name for field in fields(Capabilities) if field.name != "in_process"]
    if unknown := sorted(set(declared) - set(known)):
        raise CannotLoad(f"--impl={spec}: unknown capability {', '.join(unknown)}; there are {', '.join(known)}")
    if wrong := [name for name, value in declared.items() if not isinstance(value, bool)]:
        raise CannotLoad(f"--impl={spec}: capability {wrong[0]} is {declared[wrong[0]]!r}; it must be True or False")
    for capability, operation in NEEDED_BY.items():
        if declared.get(capability):
            _refuse_missing(spec, f"the adapter, which declares {capability},", adapter, (operation,))
    return Capabilities(**declared)


def _declared(adapter: Adapter) -> Mapping[str, Any]:
    return {str(name): value for name, value in dict(getattr(adapter, "capabilities", {})).items()}


def _distribution_version(module: ModuleType) -> str:
    try:
        return importlib.metadata.version(module.__name__.partition(".")[0].replace("_", "-"))
    except (importlib.metadata.PackageNotFoundError, ValueError):
        return ""
