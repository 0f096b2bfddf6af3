"""The kit judges what an executor declares, and how it begins again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.execution.conformance.laws.own import LURK, SALUTE, OwnArena, OwnSubject
from tests.execution.conformance.subject import Subject
from volition.execution import Declaration, make_result, object_schema
from volition.execution.conformance.laws.offers import sample_parameters, unfitting_parameters
from volition.execution.wire.declared import DeclaredIntents

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.execution import IncomingIntent, Result
    from volition.execution.conformance.verdict import Report


@pytest.mark.req("EX-24", "EX-25")
def test_an_executor_with_intents_of_its_own_conforms() -> None:
    """A good one keeps every law, and those of declared intents and of episodes are tried on it."""
    report = OwnSubject().tested()
    assert report.holds, report
    tried = {row.check for row in report.rows if row.verdict == "holds"}
    assert {"declared.attempted", "declared.stopped", "conduct.declared_results", "episodes.deterministic"} <= tried


@pytest.mark.req("EX-24")
def test_an_executor_that_declares_none_is_not_asked() -> None:
    """The laws of declared intents do not apply to it."""
    rows = Subject().tested("declared").rows
    assert {row.verdict for row in rows} == {"not applicable"}


def test_what_the_kit_makes_of_a_schema() -> None:
    """Parameters that it takes for right fit, and those that it takes for wrong do not."""
    declared = DeclaredIntents([SALUTE, LURK])
    for name, declaration in declared.items():
        assert [
            declared.problems(name, each) for each in sample_parameters(declaration) if declared.problems(name, each)
        ] == []
        assert [each for each in unfitting_parameters(declaration) if not declared.problems(name, each)] == []
    assert len([*unfitting_parameters(SALUTE)]) > 12


def make_picky(picks: Callable[[IncomingIntent], bool], **described: Any) -> Report:
    """What the kit finds of declared intents on an executor that salutes only those whom `picks` takes."""

    class PickyArena(OwnArena):
        def salute(self, attempt: IncomingIntent) -> Result:
            return super().salute(attempt) if picks(attempt) else make_result("FAILURE", "INVALID_STATE")

    class PickySubject(OwnSubject):
        game = PickyArena
        declares = (Declaration(name="SALUTE", **described), LURK)

    return PickySubject().tested("declared")


@pytest.mark.req("EX-24")
@pytest.mark.parametrize("named", [{"examples": ["ann"]}, {"default": "ann"}, {"enum": ["bob", "ann"]}])
def test_the_kit_tries_what_a_schema_names(named: dict[str, Any]) -> None:
    """An intent that only one value lets succeed conforms where its schema names that value, and not where it does not."""

    def is_ann(attempt: IncomingIntent) -> bool:
        given: dict[str, Any] = attempt.intent.parameters
        return bool(given["to"]["who"] == "ann")

    def schema(**more: Any) -> dict[str, Any]:
        return object_schema(to=object_schema(who={"type": "string", **more}))

    assert make_picky(is_ann, parameters=schema(**named)).holds
    assert make_picky(is_ann, parameters=schema()).broken == ("declared.attempted",)


@pytest.mark.req("EX-24")
def test_the_kit_asks_the_agents_that_are_named() -> None:
    """An intent that only one actor can do conforms where its declaration names that actor, and not where it does not."""

    def is_ann(attempt: IncomingIntent) -> bool:
        return attempt.agent == "ann"

    assert make_picky(is_ann, agents=("bob", "ann")).holds
    assert make_picky(is_ann).broken == ("declared.attempted",)
    assert make_picky(is_ann, agents=("bob",)).broken == ("declared.attempted",)


@pytest.mark.req("EX-24")
def test_named_values_come_alone_and_each_once() -> None:
    """Where a schema names values the kit takes these, at any depth, and none that it merely allows."""
    deep = {"type": "array", "items": {"type": "integer", "examples": [7, 8]}, "minItems": 2, "maxItems": 2}
    schema = object_schema(a={"type": "boolean", "default": False}, b=deep, c={"type": "number", "minimum": 2})
    sampled = [
        *sample_parameters(Declaration(name="ACT", parameters=schema, examples=({"a": True, "b": [1, 1], "c": 9},)))
    ]
    assert sampled == [
        {"a": True, "b": [1, 1], "c": 9}, {"a": False, "b": [7, 7], "c": 2}, {"a": False, "b": [8, 8], "c": 2},
    ]  # fmt: skip
