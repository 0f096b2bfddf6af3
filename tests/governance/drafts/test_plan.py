"""Plans: objects from a few words, judged at once, and the page that explains every field of them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from volition.core.errors import InvalidInput
from volition.governance import IntentDocument, Plan, evaluate, gather, load_set, parse_document
from volition.governance.documents.reading import seal_document
from volition.governance.documents.validation import is_valid, validate
from volition.governance.drafts.sets import new_set

if TYPE_CHECKING:
    from tests.sentences import Told

PAGE = Path(__file__).parents[3] / "docs" / "plans.md"
EVALUATED = ("planned_commands[].source", "metadata.parts", "metadata.order", "metadata.supersession")
"""What evaluations write into plans, and no author."""
WRITE = ["change_it: write: change the routes"]
TWO = [Plan("Log every route", files=["routes.py"], commands=WRITE), Plan("Read the cart", files=["cart.py"])]


@given(st.permutations(TWO), st.sampled_from(["local", "prod"]))
def test_plans_are_judged_as_their_documents_are(plans: list[Plan], env: Any) -> None:
    """A list of plans in any order gives the result that their documents give when they are loaded as a set."""
    batch = gather(plans, env=env, name="a batch")
    data = new_set(
        "a batch", sorted(plan.id for plan in plans), project="project", created_at=TWO[0].created_at, env=env
    )
    documents = [parse_document(orjson.dumps(plan.to_data()), IntentDocument) for plan in plans]
    assert batch.intent_set == msgspec.convert(data, type(batch.intent_set))
    assert evaluate(batch).files() == evaluate(batch.intent_set, documents).files()


def test_a_list_of_plans_is_a_question() -> None:
    """Plans, intents, or both, are judged without a file, a set or a time; equal plans give equal bytes."""
    again: list[Plan | IntentDocument] = [TWO[0], TWO[1].intent]
    assert evaluate(TWO).files() == evaluate(again).files()
    assert evaluate(TWO).strategy == "merge_union"


def test_what_is_no_set_of_plans_is_refused(told: Told) -> None:
    """Fewer than two plans, plans of two projects, and anything that is not a plan are refused with the remedy."""
    with pytest.raises(InvalidInput, match=r"\$\.intent_ids"):
        evaluate(TWO[:1])
    with told.raises(InvalidInput):
        evaluate([TWO[0], Plan("Elsewhere", project="other", files=["a.py"])])
    with told.raises(InvalidInput):
        evaluate([TWO[0], {"id": "intent_abcdef"}])  # type: ignore[list-item]


def test_all_that_is_wrong_is_said_at_once() -> None:
    """A plan is checked where it is made: every wrong command by itself, then every wrong field."""
    with pytest.raises(InvalidInput) as caught:
        Plan("Do it all", files=["a.py"], commands=["burn", "write: it"])
    assert len(caught.value.problems) == 2
    with pytest.raises(InvalidInput) as caught:
        Plan("Change it", files=["a.py"], areas=["kitchen"], risk="none", status="done")
    assert [problem.where.rpartition("$")[2] for problem in caught.value.problems] == [
        ".risk.overall",
        ".scope.targets.areas[0]",
        ".status",
    ]


@pytest.mark.parametrize(
    ("said", "audit"),
    [
        ({}, ("author", "human")),
        ({"agents": ["coder: engineer", "checker"]}, ("coder", "agentos")),
        ({"agents": ["coder"], "created_by": "ada"}, ("ada", "human")),
        ({"agents": ["coder"], "created_by": "ada", "source": "imported"}, ("ada", "imported")),
    ],
)
def test_who_wrote_it(said: dict[str, Any], audit: tuple[str, str]) -> None:
    """A plan that one of its agents writes comes from a system of agents; the author is the first of them if not named."""
    made = Plan("Read it all", files=["a.py"], **said).intent
    assert (made.audit.created_by, made.audit.source) == audit
    assert [agent.agent_id for agent in made.selected_agents] == [
        text.partition(":")[0] for text in said.get("agents", ["author"])
    ]


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


def test_the_plans_of_the_page_are_valid() -> None:
    """Both plans of the page are valid and sealed; the short one says the least, the full one all that an author may."""
    short, full = map(json.loads, blocks("json"))
    for plan in (short, full):
        assert is_valid(validate("intent", plan))
        parse_document(orjson.dumps(plan), IntentDocument)
    assert fields(full) == {name for name in fields_of(IntentDocument) if not name.startswith(EVALUATED)}
    for path in fields(short) - {"audit.checksum"}:  # sealing sets it again
        assert not is_valid(validate("intent", without(short, path))), path


def test_the_page_explains_every_field() -> None:
    """Every field of a plan has one row on the page, and every row is a field."""
    rows = re.findall(r"^\| `([a-z_.\[\]]+)` \|", PAGE.read_text("utf-8"), re.MULTILINE)
    assert sorted(rows) == sorted(fields_of(IntentDocument))


def test_the_python_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """The page's Python runs as it is: two writers of one file are a conflict that asks."""
    (program,) = blocks("python")
    exec(program, {})
    said = capsys.readouterr().out
    assert said.startswith("reject\n")
    assert "routes.py" in said


def test_a_sealed_document_written_by_hand_is_judged(tmp_path: Path) -> None:
    """The page's plans, saved under their ids with a set beside them, are loaded and judged."""
    plans = [json.loads(text) for text in blocks("json")]
    for plan in plans:
        (tmp_path / f"{plan['id']}.json").write_text(json.dumps(seal_document({**plan, "status": "approved"})))
    ids, waited_for = [plan["id"] for plan in plans], plans[1]["metadata"]["depends_on"]
    data = new_set("by hand", ids, project="shop", created_at=plans[0]["created_at"], done=waited_for)
    (tmp_path / "set.json").write_text(json.dumps(data))
    assert evaluate(load_set(tmp_path / "set.json")).strategy == "merge_union"


def fields(value: Any, path: str = "") -> set[str]:
    """The paths of all fields of a document; those inside of lists are named once."""
    if isinstance(value, list):
        return {name for inner in value for name in fields(inner, f"{path}[]")}
    if not isinstance(value, dict) or path.endswith(".renames"):
        return set()
    below = {name: f"{path}.{name}" if path else name for name in value}
    return set(below.values()) | {deep for name, inner in value.items() for deep in fields(inner, below[name])}


def fields_of(type_: Any, path: str = "") -> set[str]:
    """The paths of all fields that a type of document has."""
    found = set()
    for field in msgspec.structs.fields(type_):
        name = f"{path}.{field.name}" if path else field.name
        found.add(name)
        info = msgspec.inspect.type_info(field.type)
        for inner, place in kinds(info, name):
            found |= fields_of(inner, place)
    return found


def kinds(info: Any, place: str) -> list[tuple[Any, str]]:
    """The documents inside a field's type."""
    if isinstance(info, msgspec.inspect.StructType):
        return [(info.cls, place)]
    if isinstance(info, msgspec.inspect.VarTupleType):
        return kinds(info.item_type, f"{place}[]")
    if isinstance(info, msgspec.inspect.UnionType):
        return [found for kind in info.types for found in kinds(kind, place)]
    return []


def without(data: dict[str, Any], path: str) -> dict[str, Any]:
    """A sealed copy without one field, wherever it is."""
    copy: dict[str, Any] = json.loads(json.dumps(data))
    *way, last = path.replace("[]", ".0").split(".")
    place: Any = copy
    for step in way:
        place = place[int(step)] if step.isdigit() else place[step]
    del place[last]
    try:
        return seal_document(copy)
    except InvalidInput:
        return copy
