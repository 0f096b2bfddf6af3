"""The stage on paper is an executor like any other: it conforms, and tells the truth about guests who are not there."""

from __future__ import annotations

import pytest

from volition.core.clock import ManualClock
from volition.execution import connect
from volition.execution.conformance import check
from volition.execution.executor.host import Host
from volition.staging import STAGE_INTENTS, PaperStage


@pytest.mark.req("EX-26")
def test_the_whole_kit_conforms_to_the_stage() -> None:
    """Every law of the kit holds, and each intent of a stage is attempted with the guest that the stage itself names."""
    paper, clock = PaperStage(), ManualClock()
    host = Host(paper)
    report = check(lambda: host.connect(clock), clock=clock)
    assert report.broken == ()
    verdicts = {row.check: row.verdict for row in report.rows}
    assert verdicts["declared.attempted"] == "holds"
    assert {one.name for one in STAGE_INTENTS} == {intent for intent, _, _ in paper.notes}


def test_who_is_not_there_can_do_nothing() -> None:
    """Neither a guest who has not entered nor one who is not named walks, looks, speaks or leaves; others are as they were."""
    paper = PaperStage()
    with connect(executor=paper) as stage:
        stage.execute("ENTER", {"who": "ann", "name": "Ann", "at": [1, 2]})
        for agent in (None, "bob"):
            for intent, parameters in (("WALK", {"way": [[3, 3]]}), ("LOOK", {"at": [3, 3]}), ("LEAVE", {})):
                assert stage.execute(intent, parameters, agent=agent).reason == "INVALID_STATE"
        assert stage.execute("WALK", {"way": []}, agent="ann").status == "SUCCESS"
    assert paper.guests == {"ann": [1, 2]}
