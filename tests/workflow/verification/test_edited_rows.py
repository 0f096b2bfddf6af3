"""Edited rows: whatever is changed, added or removed in a table behind the registry's back is named."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.workflow.lived import Lived

pytestmark = pytest.mark.req("WF-08")
ROWS = [
    ("UPDATE plan SET lease_until = 1 WHERE plan_id = 'intent_idle_plan'", "lease_until of the plan intent_idle_plan is 1"),
    ("UPDATE plan SET lease_ms = 1 WHERE plan_id = 'intent_idle_plan'", "lease_ms of the plan intent_idle_plan is 1"),
    ("UPDATE plan SET holder = 'eve' WHERE plan_id = 'intent_idle_plan'", "holder of the plan intent_idle_plan is 'eve'"),
    ("UPDATE plan SET token = 99 WHERE plan_id = 'intent_idle_plan'", "token of the plan intent_idle_plan is 99"),
    ("DELETE FROM plan WHERE plan_id = 'intent_idle_plan'", "the plan intent_idle_plan is missing"),
    (("INSERT INTO plan SELECT * FROM (SELECT project, 'intent_ghost', checksum, holder, state, document, 999, seq, lease_ms,"
     " lease_until FROM plan WHERE plan_id = 'intent_idle_plan')"), "the plan intent_ghost is there; expected none"),
    ("UPDATE question SET expires_at = expires_at + 1", "expires_at of the question"),
    ("UPDATE question SET asked_at = 0", "asked_at of the question"),
    ("UPDATE flow SET fence = 1 WHERE fence > 0", "fence of the flow"),
    ("UPDATE flow SET holder = 'eve' WHERE holder = 'driver'", "holder of the flow"),
    ("UPDATE flow SET driver = 'eve' WHERE holder = 'driver'", "driver of the flow"),
    ("UPDATE flow SET lease_until = 0 WHERE lease_until > 0", "lease_until of the flow"),
    ("UPDATE flow SET reason = 'x'", "reason of the flow"),
    ("UPDATE flow SET bindings = bindings || '# edited' WHERE state = 'asked'", "bindings of the flow"),
    ("UPDATE node SET detail = 'x'", "detail of the node node_0001"),
    ("UPDATE node SET asked_by = '[]'", "asked_by of the node node_0001"),
    ("DELETE FROM node WHERE node_id = 'node_0002'", "the node node_0002 of flow_"),
    (("UPDATE node SET flow_id = 'nowhere' WHERE node_id = 'node_0002' AND state = 'blocked' AND detail = ''"
     " AND flow_id = (SELECT flow_id FROM flow WHERE holder = 'driver' LIMIT 1)"), "a node of 'nowhere' is there"),
    ("UPDATE permit SET expires_at = expires_at + 1", "expires_at of the permit"),
    ("UPDATE permit SET actor = 'eve'", "actor of the permit"),
    ("UPDATE member SET role = 'keeper' WHERE name = 'eve'", "role of the member eve is 'keeper'"),
    ("UPDATE member SET public_key = 'x' WHERE name = 'ann'", "public_key of the member ann is 'x'"),
    ("UPDATE member SET since = 0 WHERE name = 'ann'", "since of the member ann is 0"),
    ("INSERT INTO member VALUES ('shop', 'mallory', 'keeper', '', 1)", "the member mallory is there"),
    ("INSERT INTO member VALUES ('ghost', 'mallory', 'keeper', '', 1)", "a member of 'ghost' is there"),
    ("UPDATE project SET own_approval = 'allow'", "own_approval of the project shop is 'allow'"),
    ("UPDATE project SET newcomers = 'approver'", "newcomers of the project shop"),
    ("UPDATE project SET epoch = 3", "epoch of the project shop is 3"),
    ("UPDATE project SET flows = 0", "flows of the project shop is 0"),
    ("UPDATE project SET at = 0", "at of the project shop is 0"),
    ("UPDATE project SET seq = seq - 1", "the project counts"),
    ("UPDATE flow_plan SET fate = 'left_out'", "fate of the flow plan"),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "named"), ROWS)
def test_every_edited_row_is_named(lived: Lived, statement: str, named: str) -> None:
    """A row that was changed, added or removed is named: what it is, and what it should be by which event, by whom and when."""
    assert lived.eve.run(statement)
    fault = next(each for each in lived.faults() if named in each)
    assert "; expected" in fault
    if "expected none" not in fault and "counts" not in fault:
        assert re.search(r"by event \d+ \(.+, by .+ at 2026-01-25T10:00:00Z\)", fault) or "of the project" in fault, (
            fault
        )
