"""A copy of an implementation's modules that is imported inside a trial, so that all its locks and threads are shims.

The modules that the rest of the process has stay as they are.
"""

import hashlib
import sys
from collections.abc import Container, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from agent_run_tck.loading import load
from agent_run_tck.protocol import Implementation
from agent_run_tck.schedules.locks import INSTALLED, not_under_test


class FilesUnderTest(Container[str]):
    """The files of an implementation: of the installed package of that name, and all that belong to no package."""

    def __init__(self, package: str) -> None:
        self._package = package
        self._known: dict[object, bool] = {}

    def __contains__(self, file: object) -> bool:
        if file not in self._known:
            self._known[file] = isinstance(file, str) and self._is_under_test(file)
        return self._known[file]

    def _is_under_test(self, file: str) -> bool:
        if not_under_test(file) or not file.endswith(".py"):  # what is compiled cannot be imported twice
            return False
        inside = INSTALLED.split(file)
        return len(inside) == 1 or Path(inside[-1]).parts[0] in (self._package, f"{self._package}.py")


class Copy:
    """The implementation that `--impl=spec` names. It is imported again after a trial that it did not outlive."""

    def __init__(self, spec: str) -> None:
        self.files = FilesUnderTest(Path(spec.partition(":")[0]).stem.partition(".")[0])
        self.hashes: dict[str, str] = {}
        """The SHA-256 of the source of each module under test, by its name, once a trial has imported them."""
        self._spec = spec
        self._modules: dict[str, ModuleType] = {}
        self._loaded: Implementation | None = None
        self._outlives = False

    @property
    def cold(self) -> bool:
        """Whether the next trial imports the modules though others need not, and so has other threads and points."""
        return self._loaded is None and self._outlives

    @contextmanager
    def around(self) -> Generator[None]:
        """Inside the block `sys.modules` has the copy, or no module under test as long as there is none."""
        self._outlives |= self._loaded is not None
        hidden = self._hide(self._modules or self._found())
        sys.modules.update(self._modules)
        known = set(sys.modules)
        try:
            yield
        finally:
            if known != sys.modules.keys():  # else nothing was imported, and looking takes as long as a trial
                self._hide(self._found())
            self._hide(self._modules)
            sys.modules.update(hidden)

    def _found(self) -> dict[str, ModuleType]:
        return {
            name: module
            for name, module in sys.modules.items()
            if name != "__main__" and str(getattr(module, "__file__", None)) in self.files
        }

    def _hide(self, names: Iterable[str]) -> dict[str, ModuleType]:
        return {name: sys.modules.pop(name) for name in names if name in sys.modules}

    def implementation(self) -> Implementation:
        """The implementation, of modules that are only the trials'. Called inside a trial."""
        if self._loaded is None:
            self._loaded = load(self._spec)
            self._modules = self._found()
            self.hashes = {name: _hash(module) for name, module in sorted(self._modules.items())}
        return self._loaded

    def forget(self) -> None:
        """Let the next trial import everything anew."""
        self._loaded = None
        self._modules = {}


def _hash(module: ModuleType) -> str:
    return hashlib.sha256(Path(str(module.__file__)).read_bytes()).hexdigest()
