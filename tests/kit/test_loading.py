"""What cannot be checked is refused in one line that says why and what to do, with pytest's usage exit status."""

from pathlib import Path

import pytest

from tests.kit.suite_run import SUITE, PytestRun, run_pytest

RUN = "from agent_run import Run, events\n"
SOON = "import agent_run_tck.loading\nagent_run_tck.loading.LOADING_SECONDS = 0.3\n"
HANGS = "import threading\ndef hang(*_): threading.Event().wait()\n"
ADAPTER = """
from types import SimpleNamespace as Thing
promise = Thing(status="planned", then=print)
def run(*_): return Thing(emit=1, finish=1, work_begin=1, work_done=1, cancel=1, tap=1, id="", is_done=False,
                          is_cancelled=False, result=promise, cancellation=promise, drained=promise)
def adapter(**changed): return Thing(**{"create_run": run, "make_event": run, "plain": print, **changed})
def without(thing, *names): [delattr(thing, name) for name in names]; return thing
def raising(*_, **__): raise LookupError("not at home")
class Secret: capabilities = property(raising); create_run = make_event = plain = run
class Shy(Secret): capabilities = {}; name = property(raising)
class Mute(Exception): __str__ = raising
"""

BAD_IMPORTS = {
    "raise LookupError('two\\nlines')": "ours does not import (LookupError: two lines, ours.py line 1); mend it",
    "this is no python": "ours does not import (SyntaxError: invalid syntax",
    "raise SystemExit(3)": "ours does not import (SystemExit: 3, ours.py line 1); mend it",
    "import sys; sys.exit('no')": "ours does not import (SystemExit: no, ours.py line 1); mend it",
    "from nowhere import x": "ours does not import (ModuleNotFoundError: No module named 'nowhere', ours.py line",
    HANGS + "hang()": "ours does not import (Hang: it did not come back within 0.3 s; it stands in hang",
    "": "ours has neither tck_adapter nor Run; define it (agent_run_tck/protocol.py shows all",
}
BAD_ADAPTERS = {
    "tck_adapter = 3": "tck_adapter is neither an adapter nor a factory of one; agent_run_tck/protocol.py shows all",
    "tck_adapter = raising": "the factory tck_adapter() does not work (LookupError: not at home, ours.py line",
    "def tck_adapter(): raise Mute": "the factory tck_adapter() does not work (Mute, whose text cannot be had); call",
    "tck_adapter = without(adapter(), 'plain', 'make_event')": "the adapter lacks make_event, plain; add it",
    "tck_adapter = dict": "the adapter lacks create_run, make_event, plain; add it",
    "tck_adapter = adapter(create_run=3)": "create_run() does not work (TypeError: 'int' object is not callable); call",
    "tck_adapter = adapter(create_run=raising)": "create_run() does not work (LookupError: not at home, ours.py line",
    "tck_adapter = adapter(create_run=exit)": "create_run() does not work (SystemExit: None); call it by hand",
    HANGS + "tck_adapter = adapter(create_run=hang)": "create_run() does not work (Hang: it did not come back within",
    HANGS + "def tck_adapter(): hang()": "the factory tck_adapter() does not work (Hang: it did not come back within",
    "tck_adapter = adapter(create_run=lambda *_: without(run(), 'cancel', 'is_done'))": "the run lacks cancel, is_done",
    "del promise.then; tck_adapter = adapter()": "the promise result lacks then; add it",
    "class P: status = property(raising)\npromise = P(); tck_adapter = adapter()": "the promise result cannot be asked",
    "tck_adapter = adapter(capabilities={'wings': True})": "unknown capability wings; there are threads, buffers_gaps",
    "tck_adapter = adapter(capabilities={'threads': 'yes'})": "capability threads is 'yes'; it must be True or False",
    "tck_adapter = adapter(capabilities={'consumer': True})": "the adapter, which declares consumer, lacks render; add",
    "tck_adapter = adapter(capabilities=3)": "capabilities cannot be read (TypeError: 'int' object is not iterable)",
    "tck_adapter = Secret()": "capabilities cannot be read (LookupError: not at home, ours.py line 8); let it be a",
    "tck_adapter = Shy()": "name and version of the adapter cannot be read (LookupError: not at home, ours.py line 8)",
    "tck_adapter = adapter(make_event=raising)": "make_event() makes no log (LookupError: not at home, ours.py line 8)",
}
BAD_NAMES = {
    "nowhere": "nowhere does not import (ModuleNotFoundError: No module named 'nowhere'); install it, or run from",
    "ours.Run": "ours.Run does not import (ModuleNotFoundError: No module named 'ours.Run'; 'ours' is not a package",
    "ours.nowhere": "ours.nowhere does not import (ModuleNotFoundError: No module named 'ours.nowhere'; 'ours' is not",
    "./nowhere.py": "./nowhere.py does not import (FileNotFoundError: [Errno 2] No such file or directory:",
    "./ours": "./ours is no Python file; give a path that ends in .py, or a module's name",
    "": "it names nothing; give mymodule, pkg.module:factory or ./adapter.py",
    "ours:nothing": "ours has no nothing; define it (agent_run_tck/protocol.py shows all that an adapter needs)",
    "exec:": "it names no command; give one that starts a port, such as exec:./my-port",
    "exec:./nowhere": "the port does not start (Died: there is no such program: [Errno 2] No such file or",
    "exec:sh -c 'exit 3'": "the port does not start (Died: the port ended with status 3",
    "exec:echo hello": "the port does not start (ProtocolFault: a line that is not JSON (Expecting value: line 1 col",
    "exec:'": "the port does not start (Died: there is no such program: No closing quotation); start it by hand to see",
}
BAD_OPTIONS = {
    "--requirement=CANCEL-99": "there is no such requirement; did you mean CANCEL-",
    "--requirement=cancel-6": "there is no such requirement; did you mean CANCEL-6",
    "--requirement=?": "there is no such requirement; ids look like CANCEL-6, families like CANCEL",
    "--requirement=FRAME": "this is checked on transcripts of runs; use agent-run-tck lint FILE",
    "--requirement=FRAME-1": "this is checked on transcripts of runs; use agent-run-tck lint FILE",
    "--profile=stream": "this is checked on transcripts of runs; use agent-run-tck lint FILE",
    "--budget=fast": "there is no such budget; choose one of quick, standard, deep",
}


def ask(folder: Path, text: str, *options: str) -> PytestRun:
    """Have the module `ours` with this text checked, with as little as there is to do."""
    (folder / "ours.py").write_text(text)
    (folder / "soon.py").write_text(SOON)
    few = ("--requirement=CANCEL-8", "--budget=quick")
    hurry, environment = (("-p", "soon"), {"PYTHONPATH": str(folder)}) if HANGS in text else ((), {})
    return run_pytest(*SUITE, *few, *hurry, *options, cwd=folder, environment=environment)


def refused(run: PytestRun, start: str, says: str) -> None:
    assert run.exit_status == pytest.ExitCode.USAGE_ERROR, run.output
    assert len(run.lines) == 1, run.output
    assert run.lines[0].startswith(f"ERROR: {start}: {says}"), run.output


def accepted(run: PytestRun, *names: str) -> None:
    assert run.exit_status == pytest.ExitCode.OK, run.output
    for name in names:
        assert f"\nimplementation: {name} " in run.output


@pytest.mark.parametrize(("text", "says"), BAD_IMPORTS.items())
def test_a_module_that_cannot_be_used_is_refused(tmp_path: Path, text: str, says: str) -> None:
    refused(ask(tmp_path, text, "--impl=ours"), "--impl=ours", says)


@pytest.mark.parametrize(("text", "says"), BAD_ADAPTERS.items())
def test_an_adapter_that_cannot_be_used_is_refused(tmp_path: Path, text: str, says: str) -> None:
    refused(ask(tmp_path, ADAPTER + text, "--impl=ours"), "--impl=ours", says)


@pytest.mark.parametrize(("spec", "says"), BAD_NAMES.items())
def test_a_name_that_leads_nowhere_is_refused(tmp_path: Path, spec: str, says: str) -> None:
    refused(ask(tmp_path, RUN, f"--impl={spec}"), f"--impl={spec}", says)


@pytest.mark.parametrize(("option", "says"), BAD_OPTIONS.items())
def test_an_option_that_names_nothing_is_refused(tmp_path: Path, option: str, says: str) -> None:
    refused(ask(tmp_path, RUN, "--impl=ours", option), option, says)


@pytest.mark.parametrize("text", ["raise SystemExit(3)", HANGS + "hang()"], ids=["exits", "hangs"])
def test_it_is_one_line_for_several_processes_too(tmp_path: Path, text: str) -> None:
    refused(ask(tmp_path, text, "--impl=ours", "-n", "2"), "--impl=ours", "ours does not import (")


def test_what_fails_in_a_worker_only_is_told_and_ends(tmp_path: Path) -> None:
    picky = f"import os\nif 'PYTEST_XDIST_WORKER' in os.environ: raise LookupError('not here')\n{RUN}"
    run = ask(tmp_path, picky, "--impl=ours", "-n", "1")
    assert run.exit_status != pytest.ExitCode.OK
    assert "--impl=ours: ours does not import (LookupError: not here, ours.py line 2); mend it" in run.output
    assert "crashed" not in run.output


def test_a_dot_for_a_colon_is_told(tmp_path: Path) -> None:
    run = ask(tmp_path, RUN, "--impl=ours.Run")
    assert "did you mean --impl=ours:Run?" in run.output


def test_a_suite_that_was_not_named_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "ours.py").write_text(RUN)
    run = run_pytest("--impl=ours", cwd=tmp_path)
    assert run.exit_status == pytest.ExitCode.USAGE_ERROR, run.output
    assert run.lines[-1] == "ERROR: --impl: no check was collected; name the suite as well: --pyargs agent_run_tck"


def test_one_bad_among_several_is_refused(tmp_path: Path) -> None:
    refused(ask(tmp_path, RUN, "--impl=ours", "--impl=nowhere"), "--impl=nowhere", "nowhere does not import (")


def test_the_current_folder_is_importable(tmp_path: Path) -> None:
    accepted(ask(tmp_path, RUN, "--impl=ours"), "ours")


def test_the_current_folder_is_importable_in_several_processes(tmp_path: Path) -> None:
    assert ask(tmp_path, RUN, "--impl=ours", "-n", "2").exit_status == pytest.ExitCode.OK


def test_a_file_may_import_what_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "beside.py").write_text(RUN)
    (tmp_path / "below" / "adapter.py").write_text("from beside import Run, events")
    accepted(ask(tmp_path, "", "--impl=./below/adapter.py"), "adapter")


def test_a_factory_is_found_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").touch()
    factory = "import ours\nfrom agent_run_tck.wrapping import ModuleAdapter\ndef factory(): return ModuleAdapter(ours)"
    (tmp_path / "pkg" / "module.py").write_text(factory)
    accepted(ask(tmp_path, RUN, "--impl=pkg.module:factory"), "ours")
    accepted(ask(tmp_path, RUN, "--impl=./pkg/module.py:factory"), "ours")


def test_a_file_may_be_called_like_a_module_that_others_need(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text(RUN)
    accepted(ask(tmp_path, "", "--impl=./json.py"), f"{tmp_path.name}/json")


def test_the_same_name_twice_is_told_apart_by_path_and_the_same_path_is_taken_once(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "ours.py").write_text(f"{RUN}__name__ = 'ours'")
    run = ask(tmp_path, RUN, "--impl=ours", "--impl=below/ours.py", "--impl=ours")
    accepted(run, "ours", "below/ours.py")
    assert run.output.count("\nimplementation: ") == 2
