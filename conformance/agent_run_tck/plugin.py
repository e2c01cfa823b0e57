"""The pytest plugin: `--impl` and its companions, one case per check, verdicts by requirement.

It does nothing in runs that do not ask for the suite.
"""

import gc
import random
from collections import Counter
from collections.abc import Generator
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from _pytest.terminal import TerminalReporter
from attrs import evolve

from agent_run_tck.alarms import alarms
from agent_run_tck.budgets import BUDGETS, Budgets, median_and_longest
from agent_run_tck.case import Case
from agent_run_tck.index import contract_version, requirements
from agent_run_tck.loading import CannotLoad, load
from agent_run_tck.protocol import Implementation
from agent_run_tck.race_summary import write_races
from agent_run_tck.races.trial import Violated
from agent_run_tck.schedules.summary import write_schedules
from agent_run_tck.selection import CannotSelect, Selection, selection
from agent_run_tck.steering import Hang, Task
from agent_run_tck.summary import verdicts, write_summary
from agent_run_tck.tour_summary import write_tours
from agent_run_tck.unhandled import judge as judge_alarms
from agent_run_tck.wire import ending
from agent_run_tck.wire.faults import Fault, Hung, Unsendable

pytest_plugins = ("agent_run_tck.searching",)
DEFAULT_IMPLEMENTATION = "agent_run"
SUITE = Path(__file__).parent / "suite"
IMPLEMENTATIONS = pytest.StashKey[list[Implementation]]()
SELECTION = pytest.StashKey[Selection]()
CASE = pytest.StashKey[Case]()
VIOLATED = pytest.StashKey[str]()
HANGS = pytest.StashKey[Counter[str]]()
ENOUGH_HANGS = 3
# The capability with which an implementation claims a profile; profile run is mandatory.
CLAIM = {"events": "events", "consumer": "consumer"}


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("agent run contract")
    group.addoption(
        "--impl",
        action="append",
        metavar="SPEC",
        help="the implementation: mymodule, pkg.module:factory, ./adapter.py, or exec:COMMAND for a port in another "
        "language (default: agent_run; repeatable)",
    )
    group.addoption(
        "--requirement",
        action="append",
        metavar="ID",
        help="check only this requirement, for instance CANCEL-6, or those of a family, such as CANCEL (repeatable)",
    )
    group.addoption(
        "--profile",
        action="append",
        metavar="NAMES",
        help="check only these profiles, for instance run,events (default: all that the implementation claims)",
    )
    group.addoption(
        "--budget",
        metavar="NAME",
        default="standard",
        help=f"how long to wait and how much to try: {', '.join(BUDGETS)} (default: standard)",
    )
    group.addoption(
        "--seed",
        type=int,
        metavar="N",
        help="the seed of the races (default: drawn, and said in the header; give it again to get the same trials)",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "requirement(id, needs='', patience=1): the check's requirement, the capabilities it needs to apply, "
        "and how many times as long as others it may take",
    )
    config.addinivalue_line("markers", "stochastic: a check that tries a race again and again")
    config.addinivalue_line("markers", "deep(threads): a check of --budget deep, of Python that has threads or none")
    config.addinivalue_line("markers", "port: a check of implementations in another process")
    config.addinivalue_line("markers", "model: a check that the model drives, of all requirements at once")
    config.stash[SELECTION] = _selection(config)
    config.pluginmanager.register(ending)
    if (budget := config.getoption("budget")) not in BUDGETS:
        raise pytest.UsageError(f"--budget={budget}: there is no such budget; choose one of {', '.join(BUDGETS)}")
    # A worker of xdist that fails here is started again and again, so workers load when they collect.
    if not _asks_for_suite(config):
        return
    if hasattr(config, "workerinput"):
        config.option.seed = config.workerinput["seed"]
        return
    implementations(config)
    if config.option.seed is None:
        config.option.seed = random.randrange(2**32)


def _selection(config: pytest.Config) -> Selection:
    try:
        return selection(config.getoption("requirement"), config.getoption("profile"))
    except CannotSelect as problem:
        raise pytest.UsageError(str(problem)) from None


def _asks_for_suite(config: pytest.Config) -> bool:
    if config.getoption("impl"):
        return True
    names = [arg.partition("::")[0] for arg in config.args]
    if config.getoption("pyargs") and any(name.partition(".")[0] == __package__ for name in names):
        return True
    return any(_holds_suite(Path(name).resolve()) for name in names)


def _holds_suite(path: Path) -> bool:
    """Whether collecting `path` comes to the suite; where it is only installed below `path`, pytest stays out."""
    if path.is_relative_to(SUITE):
        return True
    return SUITE.is_relative_to(path) and "site-packages" not in SUITE.relative_to(path).parts


def implementations(config: pytest.Config) -> list[Implementation]:
    """What `--impl` names, loaded once for each process."""
    if IMPLEMENTATIONS not in config.stash:
        specs = dict.fromkeys(config.getoption("impl") or [DEFAULT_IMPLEMENTATION])
        try:
            config.stash[IMPLEMENTATIONS] = _told_apart([load(spec) for spec in specs])
        except CannotLoad as problem:
            raise pytest.UsageError(str(problem)) from None
    return config.stash[IMPLEMENTATIONS]


def _told_apart(found: list[Implementation]) -> list[Implementation]:
    """Two that call themselves the same go by what stands behind their `--impl`."""
    often = Counter(each.name for each in found)
    return [each if often[each.name] == 1 else evolve(each, name=each.spec, version="") for each in found]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """All workers of xdist have the same seed, which may have been drawn."""
    node.workerinput["seed"] = node.config.option.seed


def pytest_report_header(config: pytest.Config) -> list[str]:
    if IMPLEMENTATIONS not in config.stash:
        return []
    budgets: Budgets = BUDGETS[config.getoption("budget")]
    return [
        f"agent run contract {contract_version()}, budget {budgets.name} "
        f"(wait {budgets.wait:g} s, watch {budgets.watch:g} s, {budgets.examples} programs, "
        f"races {budgets.race:g} s each{f', schedules {budgets.schedules:g} s each' if budgets.schedules else ''}), "
        f"seed {config.option.seed}",
        *(f"implementation: {_title(each)} {each.capabilities}" for each in implementations(config)),
    ]


def _title(implementation: Implementation) -> str:
    return f"{implementation.name} {implementation.version}".strip()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "implementation" in metafunc.fixturenames:
        found = implementations(metafunc.config)
        metafunc.parametrize("implementation", found, ids=[each.name for each in found], scope="session")


@pytest.fixture(scope="session")
def budgets(implementation: Implementation, pytestconfig: pytest.Config) -> Budgets:
    """The budget that was chosen, scaled to how long the implementation takes to answer."""
    chosen: Budgets = BUDGETS[pytestconfig.getoption("budget")]
    try:
        return chosen.scaled(*Task(partial(_round_trip, implementation, chosen)).outcome(2 * chosen.wait, "emit"))
    except BaseException:  # it does not work at all: the checks say so, each for its own requirement
        return chosen


def _round_trip(implementation: Implementation, budgets: Budgets) -> tuple[float, float]:
    """How long it takes from an emit on another thread to the delivery: usually, and at the most."""
    case = Case(implementation, budgets)
    run = case.run()
    subscriber = run.tap()

    def once() -> None:
        before = len(subscriber.events)
        case.promptly(run.emit, "emit")
        case.eventually(lambda: len(subscriber.events) > before, "an event is delivered")

    try:
        return median_and_longest(once, within=budgets.wait)
    finally:
        case.close()


@pytest.fixture
def case(implementation: Implementation, budgets: Budgets, request: pytest.FixtureRequest) -> Generator[Case]:
    """What a check of the contract works with."""
    # What hangs everywhere would take hours to say so: after a few hangs the others are waited for less.
    hangs = request.config.stash.setdefault(HANGS, Counter())[implementation.spec]
    request.node.stash[CASE] = made = Case(implementation, budgets if hangs < ENOUGH_HANGS else budgets.hurried())
    yield made
    made.close()
    del request.node.stash[CASE]  # pytest keeps the items, and with it what long runs have left


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items[:] = [item for item in items if _is_for_this_budget(item)]
    checks = [item for item in items if "implementation" in getattr(item, "fixturenames", ())]
    if config.getoption("impl") and not checks and not hasattr(config, "workerinput"):
        raise pytest.UsageError("--impl: no check was collected; name the suite as well: --pyargs agent_run_tck")
    for item in items:
        if item.get_closest_marker("requirement"):
            # Warnings are the implementation's own affair, whatever the surrounding project makes of them.
            item.add_marker(pytest.mark.filterwarnings("default"), append=False)
    if config.getoption("requirement") or config.getoption("profile"):
        kept = [item for item in items if config.stash[SELECTION].takes(requirement_of(item))]
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept


def _is_for_this_budget(item: pytest.Item) -> bool:
    """Checks of another budget, or of implementations of another kind, are no choice of the user's to be told of."""
    marker = item.get_closest_marker("deep")
    if not isinstance(item, pytest.Function):
        return True
    if item.get_closest_marker("port"):
        return not _implementation(item).capabilities.in_process
    if marker is None:
        return True
    explores = BUDGETS[item.config.getoption("budget")].schedules > 0
    capabilities = _implementation(item).capabilities
    return explores and capabilities.in_process and capabilities.threads == marker.kwargs["threads"]


def pytest_collection_finish(session: pytest.Session) -> None:
    if IMPLEMENTATIONS in session.config.stash:
        gc.freeze()  # checks that collect garbage need not look at what pytest has brought, which takes them ten times


def requirement_of(item: pytest.Item) -> str | None:
    marker = item.get_closest_marker("requirement")
    return marker.args[0] if marker else None


def _implementation(item: pytest.Function) -> Implementation:
    implementation = item.callspec.params["implementation"]
    assert isinstance(implementation, Implementation)
    return implementation


def pytest_runtest_setup(item: pytest.Item) -> None:
    marker = item.get_closest_marker("requirement")
    if marker is None or not isinstance(item, pytest.Function):
        return
    implementation = _implementation(item)
    for needed in (CLAIM.get(requirements()[marker.args[0]].profile), *_needs(item)):
        if needed and not getattr(implementation.capabilities, needed):
            lacks = "is in another process" if needed == "in_process" else f"does not declare {needed}"
            pytest.skip(f"not applicable: {implementation.name} {lacks}")


def _needs(item: pytest.Item) -> list[str]:
    """What the check needs; one of its parameters may need more."""
    return [need for mark in item.iter_markers("requirement") for need in str(mark.kwargs.get("needs", "")).split()]


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a check on a thread that may be given up, so that a hang costs one check and not the run."""
    __tracebackhide__ = True
    case = pyfuncitem.stash.get(CASE, None)
    if case is None:
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}

    def body() -> None:
        __tracebackhide__ = True
        pyfuncitem.obj(**arguments)
        case.raise_problems()

    try:
        with alarms(case.note, warn=False) as seen:
            Task(body, name="check").outcome(_patience(pyfuncitem, case.budgets) * case.budgets.case, "the check")
        judge_alarms(case, seen)
    except Unsendable as value:
        pytest.skip(f"not applicable: {value}")
    except (AssertionError, Fault) as failure:
        verdict = case.verdict(failure)
        if isinstance(verdict, Hang | Hung):
            pyfuncitem.config.stash[HANGS][case.implementation.spec] += 1
        if verdict is failure:
            raise
        raise verdict from failure
    return True


def _patience(item: pytest.Item, budgets: Budgets) -> int:
    """How many times as long as an ordinary check this one may take."""
    if item.get_closest_marker("model"):
        return budgets.examples  # the model's programs are many checks in one
    if item.get_closest_marker("stochastic"):
        return 10  # a race looks after its own hangs
    marker = item.get_closest_marker("requirement")
    return int(marker.kwargs.get("patience", 1)) if marker else 1


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if (violated := _violated(call)) is not None:
        item.stash[VIOLATED] = violated  # what JUnit is told comes with the report of the teardown
    requirement = requirements().get(item.stash.get(VIOLATED, None) or requirement_of(item) or "")
    if requirement is None or not isinstance(item, pytest.Function) or "implementation" not in item.fixturenames:
        return report  # a test of somebody's own, which is judged as any test
    implementation = _implementation(item)
    report.user_properties += [("requirement", requirement.id), ("implementation", _title(implementation))]
    if report.failed and requirement.id != (own := requirement_of(item)):
        report.user_properties.append(("check_of", str(own)))
    if report.failed:
        fault = _fault(call)
        what = f"{requirement.id} is violated" if fault is None else f"{requirement.id} was not checked: {fault}"
        report.sections.insert(0, (what, f"{requirement.id}: {requirement.title}.{_haste(item)}"))
        verdict = ("verdict", fault or "violated")
        report.user_properties.append(verdict)
        item.user_properties.append(verdict)  # what JUnit is told comes with the report of the teardown
        if CASE in item.stash:
            report.sections[1:1] = _what_happened(item.stash[CASE])
    return report


def _fault(call: pytest.CallInfo[None]) -> str | None:
    """What is at fault for a check that could not be asked."""
    error = call.excinfo.value if call.excinfo else None
    return error.verdict if isinstance(error, Fault) else None


def _haste(item: pytest.Function) -> str:
    """A warning about a check that was waited for less than usual, which a slow implementation may not survive."""
    if (case := item.stash.get(CASE, None)) is None:
        return ""
    usual = cast(Budgets, item.funcargs["budgets"])
    if case.budgets == usual:
        return ""
    so_long = f"waits are {case.budgets.wait:g} s instead of {usual.wait:g} s"
    return f"\n{ENOUGH_HANGS} checks have hung, so {so_long}; --requirement={requirement_of(item)} waits as usual"


def _violated(call: pytest.CallInfo[None]) -> str | None:
    """The requirement that a race saw violated; it may be another than the one that it was made for."""
    error = call.excinfo.value if call.excinfo else None
    return error.requirement if isinstance(error, Violated) else None


def _what_happened(case: Case) -> list[tuple[str, str]]:
    said = case.session.said() if case.session else []
    return [("what happened", _history(case)), *([("stderr of the port", "\n".join(said))] if said else [])]


def _history(case: Case) -> str:
    """The last of what the check did and saw."""
    return "\n".join(
        f"{thread:>12}  {what}{'  -> ' + reply if reply else ''}" for thread, what, reply in case.history[-60:]
    )


def pytest_terminal_summary(terminalreporter: TerminalReporter, exitstatus: int) -> None:
    noted: list[Any] = [report for kind in terminalreporter.stats.values() for report in kind]
    reports = [report for report in noted if isinstance(report, pytest.TestReport)]
    write_tours(terminalreporter, reports)
    write_summary(terminalreporter, reports)
    write_races(terminalreporter, reports)
    write_schedules(terminalreporter, reports)
    if exitstatus == pytest.ExitCode.INTERRUPTED and verdicts(reports):
        terminalreporter.write_line(
            "interrupted: not all checks were made, so what passed so far may still fail", red=True
        )
