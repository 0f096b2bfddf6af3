"""A team's registry: plans are registered, judged against all that are active, granted or refused, and ended.

Every verb is one transaction on the project. The lease is for progress: it lets others go on if a holder is gone. The
token is for safety: every write under an old token is refused, here and by executors that know tokens.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal

from sqlalchemy import Connection, Row, bindparam, insert, select, update

from volition.core.errors import did_you_mean, refuse
from volition.governance import Collision, Env, IntentDocument, Policy, read_intent
from volition.workflow.flow.finishing import finish_nodes
from volition.workflow.store.tables import PLAN, PROJECT
from volition.workflow.store.turn import RecordedEvent, Turn, read_events, take_turn
from volition.workflow.team.ending import end_plan, sweep, sweep_flows, void_flows
from volition.workflow.team.evidence import grave_collisions, obstacles_of
from volition.workflow.team.guard_index import keep_index
from volition.workflow.team.live import LiveIndex
from volition.workflow.team.registration import OPEN, Grant, RegisteredPlan, Registration, collision_data, not_held
from volition.workflow.team.rules import rules_of, settle_rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.workflow.store.database import Store

LEASE: Final = 900.0
"""How long a grant lasts without being renewed, in seconds, unless the holder asks for another time."""
LONGEST_LEASE: Final = 90 * 86400.0
_FIND: Final = select(PLAN).where(PLAN.c.project == bindparam("of"), PLAN.c.plan_id == bindparam("plan"))
_ADD: Final = insert(PLAN)


class Team:
    """The registry of one project. `policy` (TOML text) and `env` set the project's rules where they may still be set.

    An object is for one thread; any number of objects and processes may share a database.
    """

    def __init__(self, store: Store, project: str, *, policy: str | None = None, env: str | None = None) -> None:
        if not project or len(project) > 128:
            refuse(f"the project is {project!r}", where="project", expected="1 to 128 characters", remedy="name it")
        rules_of(policy or "", env or "")
        self.store = store
        self.project = project
        self._policy, self._env = policy, env
        self._live = LiveIndex()

    # Verbs of the holder.

    def register(self, document: bytes, holder: str, *, lease: float = LEASE, wait: bool = False) -> Registration:
        """Register a plan: granted unless it collides gravely with an active one; then refused, or put in line.

        A plan that is registered again as it is, by its holder, keeps its grant: a lost answer does no harm.
        """
        intent = self._read(document)
        length = _milliseconds(lease)
        with self.turn() as turn:
            settle_rules(turn, self._policy, self._env, holder)
            found = self._row(turn.connection, intent.id)
            if found is not None and found.state in OPEN:
                return self._registered_already(turn, found, intent, holder)
            collisions = self.collisions_of(turn, intent)
            made = self._judge(turn, document, intent, collisions, holder, length, wait=wait)
        return self._explain(made, intent)

    def revise(self, document: bytes, token: int, *, lease: float | None = None) -> Registration:
        """Replace a plan by another version of it, under a new token; refused, with nothing changed, if that collides
        gravely. Flows that rely on the old version are void."""
        intent = self._read(document)
        with self.turn() as turn:
            row = self._find_held(turn, intent.id, token)
            length = row.lease_ms if lease is None else _milliseconds(lease)
            collisions = self.collisions_of(turn, intent)
            if grave_collisions(collisions) and row.state == "active":
                made = self._refuse(turn, intent, collisions, row.holder)
            else:
                void_flows(turn, intent.id, f"{intent.id} was revised", row.holder)
                made = self._judge(turn, document, intent, collisions, row.holder, length, wait=True)
        return self._explain(made, intent)

    def renew(self, plan_id: str, token: int, *, lease: float | None = None) -> Registration:
        """Renew the lease. A waiting plan is judged again, and granted if nothing is in its way any more."""
        with self.turn() as turn:
            row = self._find_held(turn, plan_id, token)
            length = row.lease_ms if lease is None else _milliseconds(lease)
            if row.state == "waiting":
                content = row.document.encode()
                intent = self._read(content)
                collisions = self.collisions_of(turn, intent)
                if not grave_collisions(collisions):
                    return self._judge(turn, content, intent, collisions, row.holder, length, wait=True)
            until = turn.now + length
            seq = turn.record("renewed", plan_id, row.holder, token=token, lease_until=until)
            turn.connection.execute(
                update(PLAN)
                .where(PLAN.c.project == self.project, PLAN.c.plan_id == plan_id)
                .values(lease_ms=length, lease_until=until, seq=seq)
            )
            if row.state == "waiting":
                return Registration("waiting", plan_id, None, collisions, place=token)
            return Registration("granted", plan_id, Grant(plan_id, token, until))

    def finish(self, plan_id: str, token: int) -> None:
        """The work is done: what the plan claimed is free, and nothing more of it is sent in a flow."""
        with self.turn() as turn:
            row = self._find_held(turn, plan_id, token)
            if row.state == "waiting":
                raise not_held(plan_id, "the plan is waiting: it was never granted, so nothing of it can be done")
            end_plan(turn, row, "finished", row.holder)
            finish_nodes(turn, plan_id, row.holder)

    def withdraw(self, plan_id: str, token: int, *, why: str = "") -> None:
        """Give the plan up: what it claimed is free, and flows that rely on it are void."""
        with self.turn() as turn:
            row = self._find_held(turn, plan_id, token)
            end_plan(turn, row, "withdrawn", row.holder, why=why)

    # Questions, which change nothing.

    def check(self, document: bytes) -> Registration:
        """How registering or revising a plan would end now: `free`, or `refused` with what is in its way."""
        intent = self._read(document)
        with self.turn() as turn:
            collisions = self.collisions_of(turn, intent)
        outcome: Literal["refused", "free"] = "refused" if grave_collisions(collisions) else "free"
        return self._explain(Registration(outcome, intent.id, None, collisions), intent)

    def list(self, *, state: str | None = None) -> tuple[RegisteredPlan, ...]:
        """All plans of the project, or those in one state, by their ids."""
        with self.store.read() as connection:
            now = self.store.clock(connection)
            rows = connection.execute(select(PLAN).where(PLAN.c.project == self.project).order_by(PLAN.c.plan_id))
            plans = [_registered_plan(row, now) for row in rows]
        return tuple(plan for plan in plans if state is None or plan.state == state)

    def find(self, plan_id: str) -> RegisteredPlan | None:
        """One plan; None if there is none of this id."""
        with self.store.read() as connection:
            row = self._row(connection, plan_id)
            return None if row is None else _registered_plan(row, self.store.clock(connection))

    def show(self, plan_id: str) -> RegisteredPlan:
        """One plan; InvalidInput if there is none of this id."""
        found = self.find(plan_id)
        if found is not None:
            return found
        with self.store.read() as connection:
            known = connection.execute(select(PLAN.c.plan_id).where(PLAN.c.project == self.project)).scalars().all()
        return refuse(
            f"there is no plan {plan_id}",
            where=f"project {self.project}",
            expected="a registered plan",
            remedy=did_you_mean(plan_id, known),
        )

    def rules(self) -> tuple[Policy, Env]:
        """The rules by which the plans of the project are judged."""
        with self.store.read() as connection:
            project = connection.execute(select(PROJECT).where(PROJECT.c.project == self.project)).first()
        return rules_of(project.policy, project.env) if project is not None else rules_of("", "")

    def why(self, plan_id: str) -> RecordedEvent:
        """The last judgement of a plan: the event that granted it, refused it, put it in line or ended it."""
        judged = [event for event in self.history(plan_id) if event.what != "renewed"]
        if not judged:
            self.show(plan_id)
        return judged[-1]

    def history(self, subject: str | None = None, *, after: int = 0) -> tuple[RecordedEvent, ...]:
        """What happened, in order: to everything, or to one plan or flow; only what came `after` an event's number."""
        with self.store.read() as connection:
            return tuple(read_events(connection, self.project, subject=subject, after=after))

    # Within a turn; also used by flows.

    @contextmanager
    def turn(self, *, flows: bool = False) -> Iterator[Turn]:
        """A turn on the project in which every lease that is over has ended; with `flows`, every question and permit too.

        What time has ended is committed first, so that an error in the block does not undo it.
        """
        while True:
            try:
                with take_turn(self.store, self.project) as turn:
                    before = turn.seq
                    swept = sweep(turn) | (flows and sweep_flows(turn))
                    if not swept:
                        yield turn
            except BaseException:
                self._live.forget()
                raise
            if turn.seq != before:
                keep_index(self.store, self.project)
            if not swept:
                return

    def collisions_of(self, turn: Turn, intent: IntentDocument) -> tuple[Collision, ...]:
        """What a plan would collide with, among all plans that are active in this turn."""
        return tuple(self._live.bring_up_to_date(turn).check(intent))

    def _read(self, document: bytes) -> IntentDocument:
        intent = read_intent(document).document
        if intent.scope.project_id != self.project:
            refuse(
                f"the plan is of project {intent.scope.project_id!r}",
                where=f"{intent.id}, $.scope.project_id",
                expected=repr(self.project),
                remedy="register it in its own project",
            )
        return intent

    def _row(self, connection: Connection, plan_id: str) -> Row[Any] | None:
        return connection.execute(_FIND, {"of": self.project, "plan": plan_id}).first()

    def _find_held(self, turn: Turn, plan_id: str, token: int) -> Row[Any]:
        """The row of an open plan, if the token is right."""
        row = self._row(turn.connection, plan_id)
        if row is None:
            raise not_held(plan_id, "there is no such plan")
        if row.state not in OPEN:
            raise not_held(plan_id, f"the plan is {row.state}")
        if row.token != token:
            raise not_held(plan_id, f"{token} is not its token")
        return row

    def _registered_already(self, turn: Turn, row: Row[Any], intent: IntentDocument, holder: str) -> Registration:
        if row.holder != holder or row.checksum != intent.audit.checksum:
            whose = f"held by {row.holder}" if row.holder != holder else "registered with other content"
            refuse(
                f"{intent.id} is {whose} ({row.state})",
                where=f"project {self.project}",
                expected="a plan that is not registered",
                remedy="use another id, or revise the plan with its token",
            )
        if row.state == "waiting":
            return Registration("waiting", intent.id, None, place=row.token, repeated=True)
        return Registration("granted", intent.id, Grant(intent.id, row.token, row.lease_until), repeated=True)

    def _judge(
        self,
        turn: Turn,
        document: bytes,
        intent: IntentDocument,
        collisions: tuple[Collision, ...],
        holder: str,
        length: int,
        *,
        wait: bool,
    ) -> Registration:
        """Grant a plan, put it in line, or refuse it; in the last case the plan is not stored."""
        grave = grave_collisions(collisions)
        if grave and not wait:
            return self._refuse(turn, intent, collisions, holder)
        state = "waiting" if grave else "active"
        until = turn.now + length
        seq = turn.record(
            "waiting" if grave else "granted", intent.id, holder,
            checksum=intent.audit.checksum, token=turn.seq + 1, lease_until=until,
            collisions=[collision_data(each) for each in collisions],
        )  # fmt: skip
        values = {
            "project": self.project, "plan_id": intent.id, "checksum": intent.audit.checksum, "holder": holder,
            "state": state, "token": seq, "seq": seq, "lease_ms": length, "lease_until": until,
            "document": document.decode(),
        }  # fmt: skip
        if self._row(turn.connection, intent.id) is None:
            turn.connection.execute(_ADD, values)
        else:
            mine = (PLAN.c.project == self.project, PLAN.c.plan_id == intent.id)
            turn.connection.execute(update(PLAN).where(*mine).values(values))
        if grave:
            return Registration("waiting", intent.id, None, collisions, place=seq)
        return Registration("granted", intent.id, Grant(intent.id, seq, until), collisions)

    def _refuse(
        self, turn: Turn, intent: IntentDocument, collisions: tuple[Collision, ...], holder: str
    ) -> Registration:
        turn.record(
            "refused", intent.id, holder,
            checksum=intent.audit.checksum, collisions=[collision_data(each) for each in collisions],
        )  # fmt: skip
        return Registration("refused", intent.id, None, collisions)

    def _explain(self, made: Registration, intent: IntentDocument) -> Registration:
        """A registration with the evaluator's account of what is in its way; made after the turn, which nobody should
        wait for. A plan that has ended meanwhile is not in the way any more."""
        names = {name for collision in grave_collisions(made.collisions) for name in collision.intent_ids}
        if made.grant is not None or not names:
            return made
        with self.store.read() as connection:
            now = self.store.clock(connection)
            wanted = select(PLAN).where(PLAN.c.project == self.project, PLAN.c.plan_id.in_(sorted(names)))
            rows = connection.execute(wanted).all()
        others = {
            row.plan_id: (_registered_plan(row, now), read_intent(row.document.encode()).document) for row in rows
        }
        found = obstacles_of(intent, made.collisions, others, *self.rules())
        return replace(made, obstacles=found)


def _registered_plan(row: Row[Any], now: int) -> RegisteredPlan:
    over = row.state in OPEN and row.lease_until <= now
    return RegisteredPlan(
        row.plan_id, row.checksum, row.holder, "expired" if over else row.state, row.token, row.seq,
        row.lease_ms, row.lease_until, row.document,
    )  # fmt: skip


def _milliseconds(lease: float) -> int:
    if not 0 < lease <= LONGEST_LEASE:
        refuse(
            f"a lease of {lease} seconds",
            where="lease",
            expected=f"more than 0 and at most {LONGEST_LEASE:.0f} seconds",
            remedy="choose a time within which a running holder renews it",
        )
    return max(1, round(lease * 1000))
