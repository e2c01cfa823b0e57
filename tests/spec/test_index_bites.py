"""Each check of the index fails on a copy of the specification that has the fault it is there for."""

import runpy
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.spec import test_index

SUITE = 'suite = "suite/test_ident.py"\n'
OTHER_SUITE = 'suite = "suite/test_work.py"\n'
LINT = 'lint = "lint/work.py"\n'

# check, file, text that is replaced once, replacement
FAULTS = [
    ("the_index_has_every_requirement_in_order", "requirements.toml", 'id = "WORK-6"', 'id = "WORK-7"'),
    ("a_row_is_complete", "requirements.toml", SUITE, SUITE + LINT),
    ("a_row_is_complete", "requirements.toml", 'model = ["OutcomeInv"]\n', ""),
    ("a_row_is_complete", "requirements.toml", 'sureness = "lint"', 'sureness = "exact"'),
    ("a_row_is_complete", "requirements.toml", 'source = "R result"', 'source = ""'),
    ("a_row_is_complete", "requirements.toml", 'level = "MUST"', 'level = "SHOULD"'),
    ("streams_are_checked_on_transcripts_and_all_else_on_implementations", "requirements.toml", SUITE, LINT),
    ("a_rule_on_streams_is_reported_by_its_file", "requirements.toml", '"lint/linter.py"', '"lint/work.py"'),
    ("a_family_is_checked_in_one_file_apart_from_its_races", "requirements.toml", SUITE, OTHER_SUITE),
    ("recommendations_stand_apart", "requirements.toml", "Acceptance does", "Accepting does"),
    ("titles_are_one_short_sentence_each", "requirements.toml", "A stream ends with", "A stream. It ends with"),
    ("every_requirement_has_one_heading_with_its_title", "run/leaf.md", "### LEAF-1 — A", "### LEAF-1 — The"),
    ("every_requirement_has_one_heading_with_its_title", "run/leaf.md", '<a id="leaf-1"></a>\n', ""),
    ("a_page_has_its_requirements_in_order", "run/leaf.md", "### LEAF-1 ", "### LEAF-2 "),
    ("a_page_has_its_requirements_in_order", "streams.md", "### VIEW-7 ", "### VIEW-6 "),
    ("a_requirement_has_a_binding_rule_and_an_intent", "run/emit.md", "*Intent.*", ""),
    ("a_requirement_has_a_binding_rule_and_an_intent", "run/cancel.md", "MUST be kept already", "is kept already"),
    ("a_requirement_has_a_binding_rule_and_an_intent", "run/work.md", "they MAY nest", "they may nest"),
    ("a_requirement_has_a_binding_rule_and_an_intent", "run/work.md", "*Intent.* ", "*Intent.* It MAY be that "),
    ("the_decisions_are_complete", "decisions.md", "### Decision 31 ", "### Decision 32 "),
    ("the_decisions_are_complete", "decisions.md", "*Reason.*", ""),
    ("a_decision_touches_the_rules_that_see_it", "decisions.md", "Touches [DRAIN-5](run/drain.md#drain-5)", "Touches "),
    ("a_decision_touches_the_rules_that_see_it", "run/drain.md", "#decision-1)", "#decision-2)"),
    ("only_known_ids_are_mentioned", "decisions.md", "[FINISH-7]", "[FINISH-8]"),
    ("only_known_ids_are_mentioned", "../tla/Run.tla", "VARIABLES", r"\* CANCL-1" + "\nVARIABLES"),
    ("only_known_decisions_are_mentioned", "README.md", "[decision 27]", "[decision 32]"),
    ("links_lead_somewhere", "run/drain.md", "../decisions.md#decision-1)", "../decisions.md#decision-99)"),
    ("links_lead_somewhere", "README.md", "(run/leaf.md)", "(leaf.md)"),
    ("every_name_in_the_model_column_is_defined", "requirements.toml", '"OutcomeInv"', '"OutcomInv"'),
    ("no_invariant_or_property_formalises_nothing", "requirements.toml", '"HookInv"', '"Cancel"'),
    ("what_needs_threads_is_listed_in_the_readme", "README.md", "PROMISE-3, ISO-1;", "ISO-1;"),
    ("the_trace_is_up_to_date", "TRACE.md", "134 requirements", "133 requirements"),
    ("the_tables_of_events_are_up_to_date", "events.toml", "closed = true }", "closed = false }"),
    ("the_tables_of_events_are_up_to_date", "events.md", "<!-- end -->", ""),
    ("the_schema_of_events_is_up_to_date", "events.toml", "closed = true }", "closed = false }"),
    ("the_trace_is_up_to_date", "requirements.toml", "the model has one run", "the model has a run"),
]  # fmt: skip


def run_check(check: Callable[..., None]) -> None:
    """Calls `check` as pytest would: once, or once for each value of its parametrize mark."""
    marks = getattr(check, "pytestmark", [])
    for value in marks[0].args[1] if marks else ():
        check(value)
    if not marks:
        check()


def load_copy(root: Path, file: str, old: str, new: str) -> dict[str, Any]:
    """The module test_index as it sees a copy of the specification and the models with one text replaced."""
    for folder in ("spec", "tla"):
        shutil.copytree(test_index.ROOT / folder, root / folder)
    faulty = (root / "spec" / file).resolve()
    text = faulty.read_text()
    assert old in text, f"{file} does not have {old!r} any more: choose another fault"
    faulty.write_text(text.replace(old, new, 1))
    copy = root / "tests" / "spec" / "test_index.py"
    copy.parent.mkdir(parents=True)
    shutil.copy(test_index.__file__, copy)
    return runpy.run_path(str(copy))


@pytest.mark.parametrize(("check", "file", "old", "new"), FAULTS)
def test_a_fault_is_found(tmp_path: Path, check: str, file: str, old: str, new: str) -> None:
    seen = load_copy(tmp_path, file, old, new)
    with pytest.raises(AssertionError):
        run_check(seen[f"test_{check}"])


def test_every_check_has_a_fault() -> None:
    checks = {name.removeprefix("test_") for name in vars(test_index) if name.startswith("test_")}
    assert checks == {check for check, *_ in FAULTS}


def test_an_unreadable_index_is_one_sentence(tmp_path: Path) -> None:
    read_source = runpy.run_path(str(test_index.SPEC / "tools.py"))["read_source"]
    with pytest.raises(SystemExit, match=r"cannot read .*run this from a checkout"):
        read_source(tmp_path / "requirements.toml")
    (tmp_path / "requirements.toml").write_text("id = ")
    with pytest.raises(SystemExit, match=r"is not valid TOML: .*mend it"):
        read_source(tmp_path / "requirements.toml")
