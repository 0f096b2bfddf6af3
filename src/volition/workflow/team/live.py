"""The live index of a project, brought up to date within a turn from the plans that changed since the last one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import bindparam, select

from volition.governance import ConflictIndex, read_intent
from volition.workflow.store.tables import PLAN
from volition.workflow.team.rules import rules_of

if TYPE_CHECKING:
    from volition.workflow.store.turn import Turn

_CHANGED: Final = (
    select(PLAN.c.plan_id, PLAN.c.state, PLAN.c.document)
    .where(PLAN.c.project == bindparam("of"), PLAN.c.seq > bindparam("known"))
    .order_by(PLAN.c.seq)
)
_ACTIVE: Final = _CHANGED.where(PLAN.c.state == "active")


class LiveIndex:
    """All active plans of a project by what they claim, as of the last turn of this process.

    A turn that fails may have shown what was never committed; then `forget` must be called, and the next turn reads all
    active plans again.
    """

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Know nothing."""
        self._index = ConflictIndex()
        self._rules = ("", "")
        self._known = 0

    def bring_up_to_date(self, turn: Turn) -> ConflictIndex:
        """The index of all plans that are active now; the sweep of this turn must be over."""
        rules = (turn.policy_hash, turn.env)
        if rules != self._rules:
            policy, env = rules_of(turn.policy, turn.env)
            self._index, self._rules, self._known = ConflictIndex(policy, env), rules, 0
        changed = _CHANGED if self._known else _ACTIVE
        for row in turn.connection.execute(changed, {"of": turn.project, "known": self._known}):
            if row.plan_id in self._index:
                self._index.remove(row.plan_id)
            if row.state == "active":
                self._index.add(read_intent(row.document.encode(), where=row.plan_id).document)
        self._known = turn.seq
        return self._index
