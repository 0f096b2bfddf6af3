"""A team's registry: plans are registered, judged against all that are active, granted or refused, and ended.

Every verb is one transaction on the project. The lease is for progress: it lets others go on if a holder is gone. The
token is for safety: every write under an old token is refused, here and by executors that know tokens.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Literal, Self

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, select

from volition.core.errors import did_you_mean, refuse
from volition.governance import IntentDocument, Policy, parse_document
from volition.workflow.law.judgement import rules_of
from volition.workflow.law.members import check_name
from volition.workflow.law.plans import flows_relying_on, need_open, need_token
from volition.workflow.law.states import DRIVEN, OPEN_PLANS
from volition.workflow.law.transaction import ProjectTransaction, begin_transaction
from volition.workflow.store.address import parse_store_address
from volition.workflow.store.database import Store
from volition.workflow.store.events import RecordedEvent, archive_text, find_archiving, read_events
from volition.workflow.store.rows import ProjectRow, RegisteredPlan
from volition.workflow.store.sql_rows import SqlRows
from volition.workflow.store.tables import FLOW, FLOW_PLAN, PLAN
from volition.workflow.team.guard_index import keep_index
from volition.workflow.team.live import LiveIndex
from volition.workflow.team.registration import (
    JUDGEMENT,
    Grant,
    Registration,
    collision_data,
    grave_collisions,
    obstacles_of,
)
from volition.workflow.team.sweeping import (
    Sweeper,
    grant_from_line,
    move_line_up,
    reword_flows,
    settle_flow,
    void_flows,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from volition.governance import Plan
    from volition.governance.documents.intent_set import Env
    from volition.governance.live.index import Collision

LEASE: Final = 900.0
"""How long a grant lasts without being renewed, in seconds, unless the holder asks for another time."""
LONGEST: Final = 14 * 86400.0
"""The longest lease that may be asked for, in seconds: a holder who is gone blocks others no longer than this."""


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
        self._sweeper = Sweeper(self._live)

    @classmethod
    @contextmanager
    def open(cls, address: str | PathLike[str], project: str, **rules: str | None) -> Iterator[Self]:
        """The team of a project in the registry at an address, while the block runs."""
        with Store(parse_store_address(address)) as store:
            yield cls(store, project, **rules)

    # Verbs of the holder.

    def register(self, plan: bytes | Plan, holder: str, *, lease: float = LEASE, wait: bool = False) -> Registration:
        """Register a plan, or the bytes of its document: granted unless it collides gravely with an active one, or with one that waits; then refused, or
        put in line.

        A plan that is registered again as it is, by its holder, keeps its grant: a lost answer does no harm.
        """
        document = plan if isinstance(plan, bytes) else msgspec.json.encode(plan.intent)
        intent = self._read(document)
        length = _milliseconds(lease)
        check_name(holder)
        self.prepare()
        with self.transaction() as transaction:
            transaction.admit(holder)
            self._settle_rules(transaction, holder)
            known = transaction.rows.find(RegisteredPlan, intent.id)
            if known is not None and known.state in OPEN_PLANS:
                return self._registered_already(known, intent, holder)
            registered = self._judge(transaction, document, intent, holder, length, wait=wait)
        return self._explain(registered, intent)

    def revise(self, document: bytes, token: int, *, lease: float | None = None) -> Registration:
        """Replace a plan by another version of it, under a new token; refused, with nothing changed, if that collides
        gravely. Flows that rely on the old version are void, unless everything that they do stays the same."""
        intent = self._read(document)
        self.prepare()
        with self.transaction() as transaction:
            row = self._find_held(transaction, intent.id, token)
            length = row.lease_ms if lease is None else _milliseconds(lease)
            collisions = self.collisions_of(transaction, intent)
            if grave_collisions(collisions) and row.state == "active":
                revised = self._refuse(transaction, intent, collisions, row.holder)
            else:
                revised = self._judge(transaction, document, intent, row.holder, length, wait=True, revises=token)
                reword_flows(transaction, intent.id, row.holder)
                void_flows(transaction, intent.id, row.holder)
                self.move_up(transaction, row.holder)
        return self._explain(revised, intent)

    def renew(self, plan_id: str, token: int, *, lease: float | None = None) -> Registration:
        """Renew the lease. A waiting plan is judged again, and granted if nothing is in its way any more."""
        self.prepare()
        with self.transaction() as transaction:
            row = self._find_held(transaction, plan_id, token)
            length = row.lease_ms if lease is None else _milliseconds(lease)
            until = transaction.now + length
            collisions: tuple[Collision, ...] = ()
            if row.state == "waiting":
                collisions = self.collisions_of(transaction, self._read(row.document.encode()))
                if not grave_collisions(collisions):
                    grant_from_line(transaction, row, collisions, row.holder, length)
                    return Registration("granted", plan_id, Grant(plan_id, token, until), collisions)
            transaction.record("renewed", plan_id, row.holder, token=token, lease_ms=length, lease_until=until)
            if row.state == "waiting":
                return Registration("waiting", plan_id, None, collisions, place=token)
            return Registration("granted", plan_id, Grant(plan_id, token, until))

    def finish(self, plan_id: str, token: int) -> None:
        """The work is done: what the plan claimed is free, and nothing more of it is sent in a flow."""
        self.prepare()
        with self.transaction() as transaction:
            row = self._find_held(transaction, plan_id, token)
            driven = flows_relying_on(transaction.rows, plan_id, DRIVEN)
            transaction.record("finished", plan_id, row.holder, token=token)
            for flow in driven:
                settle_flow(transaction, flow.flow_id, row.holder)
            self._after_end(transaction, plan_id, row.holder)

    def withdraw(self, plan_id: str, token: int, *, why: str = "") -> None:
        """Give the plan up: what it claimed is free, and flows that rely on it are void."""
        self.prepare()
        with self.transaction() as transaction:
            row = self._find_held(transaction, plan_id, token)
            transaction.record("withdrawn", plan_id, row.holder, token=token, why=why)
            self._after_end(transaction, plan_id, row.holder)

    def release(self, plan_id: str, by: str, *, why: str) -> None:
        """Take a plan from a holder who is gone, as a keeper: what it claimed is free, and flows that rely on it are void."""
        self.prepare()
        with self.transaction() as transaction:
            transaction.record("released", plan_id, by, why=why)
            self._after_end(transaction, plan_id, by)

    # Questions, which change nothing.

    def check(self, document: bytes) -> Registration:
        """How registering or revising a plan would end now: `free`, or `refused` with what is in its way."""
        intent = self._read(document)
        self.prepare()
        with self.transaction() as transaction:
            collisions = self.collisions_of(transaction, intent)
        outcome: Literal["refused", "free"] = "refused" if grave_collisions(collisions) else "free"
        return self._explain(Registration(outcome, intent.id, None, collisions), intent)

    def list(self, *, state: str | None = None) -> tuple[RegisteredPlan, ...]:
        """All plans of the project, or those in one state, by their ids."""
        with self.store.read() as connection:
            now, kept = self.store.clock(connection), self._find_kept(connection)
            plans = [_plan_now(plan, now, kept) for plan in SqlRows(connection, self.project).all(RegisteredPlan)]
        return tuple(plan for plan in plans if state is None or plan.state == state)

    def find(self, plan_id: str) -> RegisteredPlan | None:
        """One plan; None if there is none of this id."""
        with self.store.read() as connection:
            plan = SqlRows(connection, self.project).find(RegisteredPlan, plan_id)
            return plan and _plan_now(plan, self.store.clock(connection), self._find_kept(connection))

    def show(self, plan_id: str) -> RegisteredPlan:
        """One plan; InvalidInput if there is none of this id."""
        plan = self.find(plan_id)
        if plan is not None:
            return plan
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
            project = SqlRows(connection, self.project).find(ProjectRow)
        return rules_of(project.policy, project.env) if project is not None else rules_of("", "")

    def why(self, plan_id: str) -> RecordedEvent:
        """The last judgement of a plan: the event that granted it, refused it, put it in line or ended it."""
        judged = [event for event in self.history(plan_id) if event.what != "renewed"]
        if not judged:
            plan, archived = self.show(plan_id), self.last_archive()
            assert archived is not None
            refuse(
                f"{plan_id} is {plan.state} since event {plan.seq}, which is in an archive",
                where=f"project {self.project}",
                expected="an event of the registry",
                remedy=f"look there: {archive_text(archived)}",
            )
        return judged[-1]

    def last_archive(self) -> RecordedEvent | None:
        """The event that tells where the first events are; None if all of them are in the registry."""
        with self.store.read() as connection:
            return find_archiving(connection, self.project)

    def history(self, subject: str | None = None, *, after: int = 0) -> tuple[RecordedEvent, ...]:
        """What happened, in order: to everything, or to one plan or flow; only what came `after` an event's number."""
        with self.store.read() as connection:
            return tuple(read_events(connection, self.project, subject=subject, after=after))

    # Within a transaction; also used by flows.

    @contextmanager
    def transaction(self) -> Iterator[ProjectTransaction]:
        """A transaction on the project in which everything has ended whose time is over.

        What time has ended is committed first, so that an error in the block does not undo it.
        """
        while True:
            try:
                with begin_transaction(self.store, self.project) as transaction:
                    before = transaction.seq
                    swept = self._sweeper.sweep(transaction)
                    if not swept:
                        yield transaction
            except BaseException:
                self._live.forget()
                self._sweeper.forget()
                raise
            self._sweeper.follow(transaction)
            if transaction.seq != before:
                keep_index(self.store, self.project)
            if not swept:
                return

    def collisions_of(self, transaction: ProjectTransaction, intent: IntentDocument) -> tuple[Collision, ...]:
        """What a plan would collide with, among all plans that are active in this transaction or have waited longer."""
        return self._live.collisions(transaction, intent)

    def move_up(self, transaction: ProjectTransaction, by: str) -> None:
        """Grant the waiting plans whose way has become free in this transaction."""
        move_line_up(transaction, self._live, by)

    def prepare(self) -> None:
        """Read the plans of the project before the transaction, so that nobody waits for it."""
        with self.store.read() as connection:
            self._live.prepare(connection, self.project)

    def _after_end(self, transaction: ProjectTransaction, plan_id: str, by: str) -> None:
        void_flows(transaction, plan_id, by)
        self.move_up(transaction, by)

    def _find_kept(self, connection: Connection) -> frozenset[str]:
        """The plans that live as long as a flow that was approved with them."""
        wanted = (
            select(FLOW_PLAN.c.plan_id)
            .join(FLOW, FLOW.c.flow_id == FLOW_PLAN.c.flow_id)
            .where(FLOW.c.project == self.project, FLOW.c.state.in_(DRIVEN), FLOW_PLAN.c.fate == "kept")
        )
        return frozenset(connection.execute(wanted).scalars())

    def _settle_rules(self, transaction: ProjectTransaction, by: str) -> None:
        """Set the project's rules where that was asked for and is allowed; None keeps what is there."""
        known = transaction.settings
        policy = known.policy if self._policy is None else self._policy
        env = (known.env or "local") if self._env is None else self._env
        if (rules_of(policy, env)[0].hash, env) != (known.policy_hash, known.env):
            transaction.record("rules", self.project, by, policy=policy, env=env)

    def _read(self, document: bytes) -> IntentDocument:
        intent = parse_document(document, IntentDocument)
        if intent.scope.project_id != self.project:
            refuse(
                f"the plan is of project {intent.scope.project_id!r}",
                where=f"{intent.id}, $.scope.project_id",
                expected=repr(self.project),
                remedy="register it in its own project",
            )
        return intent

    def _find_held(self, transaction: ProjectTransaction, plan_id: str, token: int) -> RegisteredPlan:
        """The row of an open plan, if the token is right."""
        return need_token(need_open(transaction.rows, plan_id), token)

    def _registered_already(self, row: RegisteredPlan, intent: IntentDocument, holder: str) -> Registration:
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
        transaction: ProjectTransaction,
        document: bytes,
        intent: IntentDocument,
        holder: str,
        length: int,
        *,
        wait: bool,
        revises: int = 0,
    ) -> Registration:
        """Grant a plan, put it in line, or refuse it; in the last case the plan is not stored."""
        collisions = self.collisions_of(transaction, intent)
        grave = bool(grave_collisions(collisions))
        if grave and not wait:
            return self._refuse(transaction, intent, collisions, holder)
        token, until = transaction.token, transaction.now + length
        transaction.record(
            "waiting" if grave else "granted", intent.id, holder,
            document=document.decode(), checksum=intent.audit.checksum, token=token, lease_ms=length, lease_until=until,
            judgement=JUDGEMENT,
            collisions=[collision_data(each) for each in collisions], **({"revises": revises} if revises else {}),
        )  # fmt: skip
        if grave:
            return Registration("waiting", intent.id, None, collisions, place=token)
        return Registration("granted", intent.id, Grant(intent.id, token, until), collisions)

    def _refuse(
        self, transaction: ProjectTransaction, intent: IntentDocument, collisions: tuple[Collision, ...], holder: str
    ) -> Registration:
        transaction.record(
            "refused", intent.id, holder,
            checksum=intent.audit.checksum, collisions=[collision_data(each) for each in collisions],
        )  # fmt: skip
        return Registration("refused", intent.id, None, collisions)

    def _explain(self, made: Registration, intent: IntentDocument) -> Registration:
        """A registration with the evaluator's account of what is in its way; made after the transaction, which nobody should
        wait for. A plan that has ended meanwhile is not in the way any more."""
        names = {name for collision in grave_collisions(made.collisions) for name in collision.intent_ids}
        if made.grant is not None or not names:
            return made
        with self.store.read() as connection:
            now, kept = self.store.clock(connection), self._find_kept(connection)
            wanted = select(PLAN).where(PLAN.c.project == self.project, PLAN.c.plan_id.in_(sorted(names)))
            plans = [_plan_now(RegisteredPlan(**row), now, kept) for row in connection.execute(wanted).mappings()]
        others = {plan.plan_id: (plan, parse_document(plan.document.encode(), IntentDocument)) for plan in plans}
        obstacles = obstacles_of(intent, made.collisions, others, *self.rules())
        return replace(made, obstacles=obstacles)


def _plan_now(plan: RegisteredPlan, now: int, kept: frozenset[str]) -> RegisteredPlan:
    """A plan by the database's clock: one whose lease is over shows as expired, unless an approved flow keeps it."""
    over = plan.state in OPEN_PLANS and plan.lease_until <= now and plan.plan_id not in kept
    return replace(plan, state="expired") if over else plan


def _milliseconds(lease: float) -> int:
    if not 0 < lease <= LONGEST:
        refuse(
            f"a lease of {lease} seconds",
            where="lease",
            expected=f"more than 0 and at most {LONGEST:.0f} seconds",
            remedy="choose a time within which a running holder renews it",
        )
    return max(1, round(lease * 1000))
