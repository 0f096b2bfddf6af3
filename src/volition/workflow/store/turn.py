"""A turn: one writing transaction on one project, which only one process at a time can have.

Everything that changes in a turn is recorded as an event. The events of a project form a chain: each has the next number
and a hash over its content and the hash before it, signed with the key of the user whose process this is. A plan's token is
the number of the event that granted it, so no token is ever given twice, and none is lower than an earlier one.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, Row, bindparam, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from volition.core.canonical import canonical
from volition.core.document import parse_json
from volition.core.errors import refuse
from volition.workflow.store.signing import Signer, wrong_signer
from volition.workflow.store.tables import EVENT, PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.workflow.store.database import Store

CLOCK: Final = "the clock"
"""The actor of what ends by time. It has no key: its events are signed by the first process that notices."""
BY_CLOCK: Final = frozenset({"expired", "void"})
"""All that the clock does."""
ORIGIN: Final = "0" * 64
"""The hash before the first event."""

# Built once: building a statement takes as long as executing it.
_LOCK: Final = select(PROJECT).where(PROJECT.c.project == bindparam("of")).with_for_update()
_APPEND: Final = insert(EVENT)
_FIRST: Final = (
    select(EVENT.c.seq, EVENT.c.signer)
    .where(EVENT.c.project == bindparam("of"), EVENT.c.actor == bindparam("by"), EVENT.c.signer != "")
    .order_by(EVENT.c.seq)
    .limit(1)
)
_KEEP: Final = (
    update(PROJECT)
    .where(PROJECT.c.project == bindparam("of"))
    .values({name: bindparam(f"new_{name}") for name in ("seq", "at", "head", "policy", "policy_hash", "env")})
)


@dataclass(slots=True)
class Turn:
    """What a transaction on a project knows: the time, the last event, and the project's rules."""

    connection: Connection
    project: str
    now: int
    seq: int
    head: str
    before: int
    """When the last event was recorded."""
    policy: str
    policy_hash: str
    env: str
    signer: Signer
    known: set[tuple[str, str]] = field(default_factory=set)
    """Projects and names that are known to belong to the signer. Only what was committed before this turn is known."""
    since: int = 0
    """The number of the last event before this turn."""

    def record(self, what: str, subject: str, by: str, **body: Any) -> int:
        """Append an event, signed; returns its number. WrongSigner if the name `by` belongs to another key."""
        self._check_signer(by, what)
        self.seq += 1
        written, signer = canonical(body).decode(), self.signer.public
        self.head = event_hash(self.head, self.project, self.seq, self.now, by, what, subject, written, signer)
        values = {
            "project": self.project, "seq": self.seq, "at": self.now, "actor": by, "what": what, "subject": subject,
            "body": written, "hash": self.head, "signer": signer, "signature": self.signer.sign(self.head),
        }  # fmt: skip
        self.connection.execute(_APPEND, values)
        return self.seq

    def _check_signer(self, by: str, what: str) -> None:
        """Check that a name is the signer's, or nobody's yet."""
        if (self.project, by) in self.known or (by == CLOCK and what in BY_CLOCK):
            return
        if by == CLOCK:
            refuse(f"{by!r} is nobody's name", where="holder", expected="another name", remedy="choose one")
        first = self.connection.execute(_FIRST, {"of": self.project, "by": by}).first()
        if first is None:
            return
        if first.signer != self.signer.public:
            raise wrong_signer(by, first.signer, first.seq, self.signer.public)
        if first.seq <= self.since:
            self.known.add((self.project, by))


@contextmanager
def take_turn(store: Store, project: str) -> Iterator[Turn]:
    """A turn on a project, which is made if there is none; committed as a whole at the end of the block."""
    signer = store.signer  # before the transaction: it may have to be made
    with store.write() as connection:
        found = _lock(connection, project)
        if found is None:
            _make_project(connection, project)
            found = _lock(connection, project)
        assert found is not None
        # The clock is read after the lock: waiting for it may have taken a while.
        turn = Turn(
            connection, project, store.clock(connection), found.seq, found.head, found.at,
            found.policy, found.policy_hash, found.env, signer, store.known_names, found.seq,
        )  # fmt: skip
        yield turn
        if turn.seq != found.seq:
            values = {
                "of": project, "new_seq": turn.seq, "new_at": turn.now, "new_head": turn.head,
                "new_policy": turn.policy, "new_policy_hash": turn.policy_hash, "new_env": turn.env,
            }  # fmt: skip
            connection.execute(_KEEP, values)


def _lock(connection: Connection, project: str) -> Row[Any] | None:
    return connection.execute(_LOCK, {"of": project}).first()


def _make_project(connection: Connection, project: str) -> None:
    """Make a project, unless another process does so now."""
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    new = dialect.insert(PROJECT).values(project=project, seq=0, at=0, head=ORIGIN, policy="", policy_hash="", env="")
    connection.execute(new.on_conflict_do_nothing())


def event_hash(
    before: str, project: str, seq: int, at: int, actor: str, what: str, subject: str, body: str, signer: str
) -> str:
    """The hash of an event: over the hash before it, and everything that it says. Events of an older version have no
    signer."""
    said = {"project": project, "seq": seq, "at": at, "actor": actor, "what": what, "subject": subject, "body": body}
    said |= {"signer": signer} if signer else {}
    return sha256(before.encode() + canonical(said)).hexdigest()


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """One event of a project: when, by whom, what, about which plan or flow, and the details."""

    seq: int
    at: int
    actor: str
    what: str
    subject: str
    body: dict[str, Any]
    hash: str
    signer: str

    def to_data(self) -> dict[str, Any]:
        return asdict(self)


def read_events(
    connection: Connection, project: str, *, subject: str | None = None, after: int = 0
) -> Iterator[RecordedEvent]:
    """The events of a project in order, all of them or those about one plan or flow."""
    wanted = select(EVENT).where(EVENT.c.project == project, EVENT.c.seq > after).order_by(EVENT.c.seq)
    if subject is not None:
        wanted = wanted.where(EVENT.c.subject == subject)
    for row in connection.execute(wanted):
        yield RecordedEvent(
            row.seq, row.at, row.actor, row.what, row.subject, parse_json(row.body), row.hash, row.signer
        )
