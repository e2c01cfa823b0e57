"""The index, the normative text and the models agree on every id, title, count, name and link."""

import re
import runpy
import tomllib
from collections import Counter
from pathlib import Path

import agent_run_tck
import pytest

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "spec"
KIT = Path(agent_run_tck.__file__).parent
INDEX = tomllib.loads((SPEC / "requirements.toml").read_text())
EVENTS = tomllib.loads((SPEC / "events.toml").read_text())
ROWS = INDEX["requirement"]
BY_ID = {row["id"]: row for row in ROWS}
RECOMMENDATIONS = {row["id"]: row for row in INDEX["recommendation"]}

FAMILIES = {
    "run": {
        "IDENT": 4, "RESULT": 12, "PROMISE": 4, "STREAM": 17, "EMIT": 12, "FINISH": 7,
        "CANCEL": 13, "DRAIN": 8, "WORK": 6, "LEAF": 5, "ISO": 4,
    },
    "events": {"EVENT": 16},
    "stream": {"GRAM": 3, "FRAME": 6, "TOOL": 3, "BG": 2, "PARK": 2, "SUB": 3},
    "consumer": {"VIEW": 7},
}  # fmt: skip
SURENESS = {
    "run": {"exact", "steered", "stochastic"},
    "events": {"exact"},
    "stream": {"lint"},
    "consumer": {"exact"},
}
DECISIONS = 31
WRITTEN = {"id", "title", "profile", "level", "sureness", "source"}
CHOSEN = {"suite", "lint", "model", "unmodelled", "threads"}

PAGES = sorted(SPEC.rglob("*.md"))
RULE_PAGES = [*sorted((SPEC / "run").glob("*.md")), SPEC / "events.md", SPEC / "streams.md"]
MODULES = sorted((ROOT / "tla").glob("*.tla"))
TEXTS = {".cfg", ".md", ".py", ".tla", ".toml"}
PROSE = sorted(path for folder in (SPEC, ROOT / "tla") for path in folder.rglob("*") if path.suffix in TEXTS)

HEADING = re.compile(r'^<a id="([^"]+)"></a>\n### (\S+) — (.+)$', re.MULTILINE)
MENTION = re.compile(r"\b[A-Z]{2,}-\d{1,2}\b")
LINK = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")
DEFINITION = re.compile(r"^\s*(?:LOCAL\s+)?(\w+)(?:\([^)]*\))?\s*==", re.MULTILINE)
NO_IDS = {"UTF-8"}


def ids(profile: str) -> list[str]:
    return [f"{family}-{n}" for family, count in FAMILIES[profile].items() for n in range(1, count + 1)]


def defined_names() -> set[str]:
    return {name for module in MODULES for name in DEFINITION.findall(module.read_text())}


def anchors(page: Path) -> set[str]:
    text = page.read_text()
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
    return slugs | set(re.findall(r'<a id="([^"]+)">', text))


def blocks(page: Path) -> dict[str, str]:
    """The text under each requirement's heading, by id."""
    _, *parts = re.split(r"^### ", page.read_text(), flags=re.MULTILINE)
    return {part.split(" ", 1)[0]: part.partition("\n## ")[0] for part in parts}


RULES = {name: text for page in RULE_PAGES for name, text in blocks(page).items()}


def test_the_index_has_every_requirement_in_order() -> None:
    assert [row["id"] for row in ROWS] == [name for profile in FAMILIES for name in ids(profile)]
    assert Counter(row["profile"] for row in ROWS) == {"run": 92, "events": 16, "stream": 19, "consumer": 7}
    assert all(row["id"] in ids(row["profile"]) for row in ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_row_is_complete(row: dict[str, object]) -> None:
    assert set(row) >= WRITTEN
    assert set(row) <= WRITTEN | CHOSEN
    assert ("suite" in row) != ("lint" in row)
    assert ("model" in row) != ("unmodelled" in row)
    assert row["level"] == "MUST"
    assert row["sureness"] in SURENESS[str(row["profile"])]
    assert row.get("threads", True) is True
    assert all(row.values())


def test_streams_are_checked_on_transcripts_and_all_else_on_implementations() -> None:
    assert {row["id"] for row in ROWS if "lint" in row} == set(ids("stream"))


def test_a_rule_on_streams_is_reported_by_its_file() -> None:
    missing = [row["id"] for row in ROWS if "lint" in row and f'"{row["id"]}"' not in (KIT / row["lint"]).read_text()]
    assert missing == []


def test_a_family_is_checked_in_one_file_apart_from_its_races() -> None:
    for row in ROWS:
        family = "races" if row["sureness"] == "stochastic" else row["id"].rpartition("-")[0].lower()
        assert row.get("suite") in (None, f"suite/test_{family}.py")


def test_recommendations_stand_apart() -> None:
    assert list(RECOMMENDATIONS) == [f"REC-{n}" for n in range(1, len(RECOMMENDATIONS) + 1)]
    assert {row["level"] for row in RECOMMENDATIONS.values()} == {"SHOULD"}
    table = (SPEC / "README.md").read_text()
    assert all(f"| {name} | {row['title']} |" in table for name, row in RECOMMENDATIONS.items())


def test_titles_are_one_short_sentence_each() -> None:
    titles = [row["title"] for row in (*ROWS, *RECOMMENDATIONS.values())]
    assert len(set(titles)) == len(titles)
    assert [title for title in titles if len(title) > 100 or title.endswith(".") or ". " in title] == []


def test_every_requirement_has_one_heading_with_its_title() -> None:
    headings = [match for page in RULE_PAGES for match in HEADING.findall(page.read_text())]
    assert sorted(headings) == sorted((name.lower(), name, row["title"]) for name, row in BY_ID.items())


def test_a_page_has_its_requirements_in_order() -> None:
    pages = {
        str(page.relative_to(SPEC)): [name for _, name, _ in HEADING.findall(page.read_text())] for page in RULE_PAGES
    }
    expected = {
        f"run/{family.lower()}.md": [f"{family}-{n}" for n in range(1, count + 1)]
        for family, count in FAMILIES["run"].items()
    }
    assert pages == {**expected, "events.md": ids("events"), "streams.md": ids("stream") + ids("consumer")}


@pytest.mark.parametrize("name", BY_ID)
def test_a_requirement_has_a_binding_rule_and_an_intent(name: str) -> None:
    text = RULES[name]
    assert (text.count("**Rule.**"), text.count("*Intent.*")) == (1, 1)
    rule, intent = text.partition("**Rule.**")[2].split("*Intent.*")
    assert re.search(r"\b(MUST|MAY)\b", rule), "a rule without a binding word binds nobody"
    assert not re.search(r"\b(must|may|should)\b", rule), "binding words stand in capitals"
    assert not re.search(r"\b(MUST|MAY|SHOULD)\b", intent), "an intent is not normative"


def test_the_decisions_are_complete() -> None:
    text = (SPEC / "decisions.md").read_text()
    numbers = re.findall(r'^<a id="decision-(\d+)"></a>\n### Decision (\d+) — ', text, re.MULTILINE)
    assert numbers == [(str(n), str(n)) for n in range(1, DECISIONS + 1)]
    _, *parts = re.split(r"^### ", text, flags=re.MULTILINE)
    for part in parts:
        assert all(part.count(word) == 1 for word in ("**Rule.**", "*Reason.*", "\nTouches ")), part[:40]


def test_a_decision_touches_the_rules_that_see_it() -> None:
    touched = {
        int(part.split()[1]): set(MENTION.findall(part.rpartition("\nTouches ")[2]))
        for part in re.split(r"^### ", (SPEC / "decisions.md").read_text(), flags=re.MULTILINE)[1:]
    }
    seen = {(int(number), name) for name, text in RULES.items() for number in re.findall(r"#decision-(\d+)", text)}
    assert {(number, name) for number, name in seen if name not in touched[number]} == set()
    assert {(number, name) for number in touched for name in touched[number]} - seen == set()


@pytest.mark.parametrize("page", PROSE, ids=lambda page: page.name)
def test_only_known_ids_are_mentioned(page: Path) -> None:
    mentioned = set(MENTION.findall(page.read_text()))
    assert mentioned - NO_IDS - set(BY_ID) - set(RECOMMENDATIONS) == set()


@pytest.mark.parametrize("page", PROSE, ids=lambda page: page.name)
def test_only_known_decisions_are_mentioned(page: Path) -> None:
    numbers = re.findall(r"\b[Dd]ecisions?[ -](\d+)", page.read_text())
    assert {int(number) for number in numbers} <= set(range(1, DECISIONS + 1))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for link in LINK.findall(page.read_text()):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        inside = target.exists() and target.is_relative_to(ROOT)
        if not inside or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


def test_every_name_in_the_model_column_is_defined() -> None:
    defined = defined_names()
    unknown = {row["id"]: set(row["model"]) - defined for row in ROWS if "model" in row}
    assert {name: names for name, names in unknown.items() if names} == {}


def test_no_invariant_or_property_formalises_nothing() -> None:
    named = {name for row in ROWS for name in row.get("model", ())}
    modules = (ROOT / "tla" / "Run.tla", ROOT / "tla" / "EventStreamChecks.tla")
    stated = {name for module in modules for name in DEFINITION.findall(module.read_text())}
    assert {name for name in stated if name.endswith(("Inv", "Prop"))} - named == set()


def test_what_needs_threads_is_listed_in_the_readme() -> None:
    text = (SPEC / "README.md").read_text()
    section = text.partition("## Implementations without threads")[2].partition("Everything else binds")[0]
    assert set(MENTION.findall(section)) == {row["id"] for row in ROWS if "threads" in row}
    assert all("threads" in row for row in ROWS if row["sureness"] == "stochastic")


def test_the_trace_is_up_to_date() -> None:
    made = runpy.run_path(str(SPEC / "tools.py"))["table"](INDEX)
    assert (SPEC / "TRACE.md").read_text() == made, "run: python spec/tools.py table"


def test_the_tables_of_events_are_up_to_date() -> None:
    page = (SPEC / "events.md").read_text()
    assert page.count("<!-- made by ") == page.count("<!-- end -->") == 2
    made = runpy.run_path(str(SPEC / "tools.py"))["with_tables"](page, EVENTS)
    assert page == made, "run: python spec/tools.py events"


def test_the_schema_of_events_is_up_to_date() -> None:
    made = runpy.run_path(str(SPEC / "tools.py"))["schema_text"](EVENTS)
    assert (SPEC / "schemas" / "event.json").read_text() == made, "run: python spec/tools.py events"
