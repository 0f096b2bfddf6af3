"""Validation: every invalid document fails for its own reason, and valid ones pass."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.governance.mutations import mutated
from volition.core.errors import InvalidInput
from volition.governance.documents.checksums import seal
from volition.governance.documents.kinds import KINDS
from volition.governance.documents.policy import Policy, Registry
from volition.governance.documents.validation import is_valid, validate
from volition.governance.gates.fixtures import Fixture, invalid_fixtures, valid_document

if TYPE_CHECKING:
    from tests.sentences import Told

FIXTURES = invalid_fixtures()
EVERYTHING = Registry(workflows=("change",), agents=("author",), commands=("refactor_routes", "read_routes"))


@pytest.mark.req("GV-15")
@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.name)
def test_each_invalid_fixture_fails_for_its_own_reason(fixture: Fixture) -> None:
    """An invalid document is rejected, and for the one rule that it breaks."""
    found = validate(fixture.kind, fixture.content)
    assert {finding.code for finding in found if not finding.warning} == {fixture.code}
    assert not is_valid(found)
    assert all(finding.path and finding.what and finding.expected and finding.remedy for finding in found)


def test_the_fixtures_cover_every_kind_and_rule() -> None:
    """There are invalid fixtures of every kind, and for the rules I2 to I5 and both red lines."""
    assert {fixture.kind for fixture in FIXTURES} == set(KINDS)
    assert {"I2", "I3", "I4", "I5", "RL-E1", "RL-E2", "review", "checksum", "homoglyph", "json"} <= {
        f.code for f in FIXTURES
    }


@pytest.mark.req("GV-15")
@pytest.mark.parametrize("kind", KINDS)
def test_valid_documents_pass(kind: str) -> None:
    """A valid document has no errors, as bytes and as data."""
    data = valid_document(kind)
    assert is_valid(validate(kind, orjson.dumps(data)))
    assert is_valid(validate(kind, data))


@pytest.mark.req("GV-15")
def test_a_document_of_another_kind_is_called_that_and_nothing_else() -> None:
    """A document that is taken for another kind has one finding, which names its kind, instead of one for each field."""
    for kind, actual in permutations(KINDS, 2):
        (found,) = validate(kind, orjson.dumps(valid_document(actual)))
        assert actual in found.what
        assert found.remedy.endswith(f"--kind {actual}")


@pytest.mark.req("GV-02", "GV-15")
def test_registration_needs_a_registry() -> None:
    """Without a registry the registration of ids is a warning; with one, an unknown id is an error."""
    data = valid_document("intent")
    (warning,) = validate("intent", data)
    assert (warning.code, warning.warning) == ("I5", True)
    assert validate("intent", data, policy=Policy(registry=EVERYTHING)) == []
    nobody = Registry(workflows=("changes",), commands=("refactor_routes",))
    found = validate("intent", data, policy=Policy(registry=nobody))
    assert [(finding.path, finding.warning) for finding in found] == [
        ("$.selected_workflows[0].workflow_id", False),
        ("$.selected_agents[0].agent_id", False),
        ("$.planned_commands[1].command_id", False),
    ]
    assert found[0].remedy == "did you mean 'changes'?"


def test_the_bytes_are_looked_at_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the other layers would be blind, the scan of the bytes still finds a payload."""
    monkeypatch.setattr("volition.governance.documents.reading.payload_findings", lambda data: [])
    monkeypatch.setattr("volition.governance.documents.reading.schema_findings", lambda kind, data: [])
    data = valid_document("merge_plan")
    data["operations"][0]["value"] = {"execute": "x"}
    assert [f.code for f in validate("merge_plan", orjson.dumps(seal("merge_plan", data)))] == ["RL-E1"]


@pytest.mark.req("GV-15")
@pytest.mark.parametrize(
    ("name", "target", "why"),
    [
        ("files", "..", "leads out of the project"),
        ("files", "src/..", "ends in `..`"),
        ("files", "notes.", "has a name that ends in a dot"),
        ("files", "src./a.py", "has a name that ends in a dot"),
        ("files", "a.py ", "has a name that begins or ends with a blank"),
        ("files", "src /a.py", "has a name that begins or ends with a blank"),
        ("files", "a\u200b.py", "has a character in it that cannot be seen"),
        ("files", "a\u202e.py", "has a character in it that cannot be seen"),
        ("files", "a\n.py", "has a character in it that cannot be seen"),
        ("files", "src/*/../a.py", "goes up with `..` and has a wildcard"),
        ("files", "src/[[:alpha:]].py", "write the range, such as [a-z]"),
        ("files", "{a,b}" * 9, "has braces with more than 256 alternatives"),
        ("files", "a.py#L9-L2", "names no lines: L9-L2"),
        ("files", "a.py#L0", "names no lines: L0"),
        ("files", "a.py#L1#Cart", "names a part twice"),
        ("files", "a.py#Cart..add", "names no part of a file: Cart..add"),
        ("reads", "../x", "leads out of the project"),
        ("removes", "service:", "names no service"),
        ("modules", "shop.*", "has a wildcard"),
        ("modules", "../shop", "leads out of the project"),
        ("files", "../x", "leads out of the project"),
        ("files", "src/../../x", "leads out of the project"),
        ("files", " ", "is blank"),
        ("modules", "shop.", "has an empty part"),
        ("modules", "..", "has an empty part"),
        ("modules", "service:", "names no service"),
        ("modules", "service: ", "names no service"),
        ("modules", "service:api.", "has an empty part"),
    ],
)
def test_a_target_names_something(name: str, target: str, why: str) -> None:
    """A target that names nothing, or nothing in the project, is an error with its path and a remedy."""
    data = valid_document("intent")
    data["scope"]["targets"][name] = [target]
    (finding,) = [finding for finding in validate("intent", seal("intent", data)) if not finding.warning]
    assert (finding.code, finding.path) == ("checklist.targets", f"$.scope.targets.{name}[0]")
    assert finding.what.endswith(why)
    assert finding.remedy
    plan = valid_document("merge_plan")
    plan["result_intent"]["scope"]["targets"][name] = [target]
    (finding,) = validate("merge_plan", seal("merge_plan", plan))
    assert finding.path == f"$.result_intent.scope.targets.{name}[0]"


def test_the_whole_project_is_a_target() -> None:
    """`.` names the whole project, and odd spellings of a path in it are still a path in it."""
    data = valid_document("intent")
    data["scope"]["targets"]["files"] = [".", "./", "./src//a.py", "src/../src/a.py", "/src/a.py", "src/**", ".github"]
    assert is_valid(validate("intent", seal("intent", data)))


def test_an_unknown_kind_is_refused(told: Told) -> None:
    """A kind that does not exist is an error, not a valid document."""
    with told.raises(InvalidInput):
        validate("intents", {})


@pytest.mark.parametrize(
    ("kind", "change", "code"),
    [
        ("question_pack", {"policy_constraints": {"execution_mode": "interactive", "question_budget": 1, "question_policy": "never"}}, "checklist.budget"),
        ("question_pack", {"expires_at": "2026-01-25T09:59:59Z"}, "checklist.expiry"),
        ("merge_plan", {"source_intent_ids": ["intent_refactor_the_routes", "intent_stranger"]}, "checklist.lineage"),
        ("intent_set", {"metadata": {"merge_hints": {"complementary": [["intent_log_the_requests"] * 2]}}}, "checklist.hints"),
        ("intent_set", {"metadata": {"merge_hints": {"complementary": [["intent_log_the_requests", "intent_stranger"]]}}}, "checklist.hints"),
    ],
)  # fmt: skip
def test_the_checklists(kind: str, change: dict[str, Any], code: str) -> None:
    """What a schema cannot say is said by the checklist of the kind."""
    found = validate(kind, seal(kind, {**valid_document(kind), **change}))
    assert code in {finding.code for finding in found}


def test_semi_auto_asks_blockers_only() -> None:
    """A pack for semi_auto may hold blockers and nothing else."""
    data = valid_document("question_pack")
    data["policy_constraints"]["execution_mode"] = "semi_auto"
    assert is_valid(validate("question_pack", seal("question_pack", data)))
    data["questions"][0]["type"] = "optimization"
    (finding,) = validate("question_pack", seal("question_pack", data))
    assert (finding.code, finding.path) == ("checklist.blockers", "$.questions[0].type")


@pytest.mark.parametrize("kind", KINDS)
@given(st.data())
def test_validation_never_falls_over(kind: str, draw: st.DataObject) -> None:
    """Whatever is wrong with a document, validation answers with findings."""
    data = draw.draw(mutated(kind))
    for document in (data, orjson.dumps(data)):
        assert isinstance(validate(kind, document), list)
