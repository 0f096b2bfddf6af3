"""The kit judges what an executor declares, and how it begins again."""

from __future__ import annotations

import pytest

from tests.execution.conformance.laws.own import LURK, SALUTE, OwnSubject
from tests.execution.conformance.subject import Subject
from volition.execution.conformance.laws.offers import sample_parameters, unfitting_parameters
from volition.execution.wire.declared import DeclaredIntents


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
