"""The live index of a project: all open plans by what they claim, brought up to date from the plans that changed.

It is brought up to date before a transaction, when nobody has to wait for it, and once more within the transaction, when little is left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace
from sqlalchemy import bindparam, select

from volition.governance import ConflictIndex
from volition.workflow.law.judgement import read_plan, rules_of
from volition.workflow.store.rows import ProjectRow, RegisteredPlan
from volition.workflow.store.tables import PLAN, PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

    from volition.governance import IntentDocument
    from volition.governance.live.index import Collision
    from volition.workflow.law.transaction import ProjectTransaction

_CHANGED: Final = (
    select(PLAN.c.plan_id, PLAN.c.state, PLAN.c.token, PLAN.c.document)
    .where(PLAN.c.project == bindparam("of"), PLAN.c.seq > bindparam("known"))
    .order_by(PLAN.c.seq)
)
_OPEN: Final = _CHANGED.where(PLAN.c.state.in_(("active", "waiting")))


class LiveIndex:
    """All open plans of a project, as of the last transaction of this process: the active ones, and the line of those that wait.

    A transaction that fails may have shown what was never committed; then `forget` must be called, and the next transaction reads all open
    plans again.
    """

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Know nothing."""
        self._active, self._line = ConflictIndex(), ConflictIndex()
        self._places: dict[str, int] = {}
        self._rules = ("", "", 0)
        self._known = 0

    def prepare(self, connection: Connection, project: str) -> None:
        """Read what was committed so far, outside a transaction."""
        row = connection.execute(select(PROJECT).where(PROJECT.c.project == project)).mappings().first()
        if row is not None:
            self._read(connection, ProjectRow(**row), row["seq"])

    def collisions(self, transaction: ProjectTransaction, intent: IntentDocument) -> tuple[Collision, ...]:
        """What a plan meets now: all active plans, and those that have waited longer than it, unless they wait for this very
        plan; what has ended must have been swept in this transaction."""
        self._bring_up_to_date(transaction)
        place, known = self._places.get(intent.id, transaction.token), transaction.rows.find(RegisteredPlan, intent.id)
        mine = known is not None and known.state == "active" and read_plan(known.document)
        behind = {name for each in self._line.check(mine) for name in each.intent_ids} if mine else set()
        return (*self._active.check(intent), *self._earlier(intent, place, behind))

    def __contains__(self, plan_id: object) -> bool:
        """Whether a plan is in line, as of the last look."""
        return plan_id in self._places

    def in_the_way(self, intent: IntentDocument) -> tuple[Collision, ...]:
        """What a plan in line meets, as of the last look: active plans, and those before it in line."""
        return (*self._active.check(intent), *self._earlier(intent, self._places[intent.id], set()))

    def _earlier(self, intent: IntentDocument, place: int, behind: set[str]) -> Iterator[Collision]:
        """What a plan meets of those that have waited longer, and not behind it."""
        for each in self._line.check(intent):
            names = tuple(name for name in each.intent_ids if self._places[name] < place and name not in behind)
            if names:
                yield replace(each, intent_ids=names)

    def line(self, transaction: ProjectTransaction) -> list[str]:
        """The waiting plans, first come first."""
        self._bring_up_to_date(transaction)
        return sorted(self._places, key=self._places.__getitem__)

    def _bring_up_to_date(self, transaction: ProjectTransaction) -> None:
        transaction.flush()
        self._read(transaction.connection, transaction.settings, transaction.seq)

    def _read(self, connection: Connection, project: ProjectRow, seq: int) -> None:
        # After a backup was restored, the same numbers belong to other events.
        rules = (project.policy_hash, project.env, project.epoch)
        if rules != self._rules or self._known > seq:
            self.forget()
            self._active, self._line = (ConflictIndex(*rules_of(project.policy, project.env)) for _ in range(2))
            self._rules = rules
        changed = _CHANGED if self._known else _OPEN
        for row in connection.execute(changed, {"of": project.project, "known": self._known}):
            self._forget_plan(row.plan_id)
            if row.state == "active":
                self._active.add(read_plan(row.document))
            elif row.state == "waiting":
                self._line.add(read_plan(row.document))
                self._places[row.plan_id] = row.token
        self._known = seq

    def _forget_plan(self, plan_id: str) -> None:
        self._places.pop(plan_id, None)
        for index in (self._active, self._line):
            if plan_id in index:
                index.remove(plan_id)
