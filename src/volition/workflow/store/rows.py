"""The rows of a registry, one type for each table, and what the law needs of wherever they are kept.

Every row follows from the events: `volition.workflow.law` says how. So the same law keeps the tables of a database within
a transaction and builds them again, in memory, to verify them.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, ClassVar, Final, Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import asdict, replace


class StoredRow(Struct, frozen=True, kw_only=True):
    """A row of a table: texts and whole numbers. `KEY` tells rows of one project apart.

    A column is described here alone: the tables, the statements and the files of events follow from these types.
    """

    TABLE: ClassVar[str]
    KEY: ClassVar[tuple[str, ...]]

    @property
    def key(self) -> tuple[str, ...]:
        return tuple(getattr(self, name) for name in self.KEY)


class EventRow(StoredRow, frozen=True, kw_only=True):
    """An event as it is stored: `body` holds the details as canonical JSON, and `hash` covers everything before it here, with
    the hash of the event before it."""

    TABLE, KEY = "event", ("seq",)
    project: str
    actor: str
    what: str
    subject: str
    body: str
    hash: str
    signer: str
    signature: str
    seq: int
    at: int


class ProjectRow(StoredRow, frozen=True, kw_only=True):
    """A project: the number, hash and time of its last event, and the rules by which it is run.

    `epoch` rises when the registry is restored from a backup, and with it every token that is given from then on.
    `own_approval` says whether people may answer for and approve their own plans; `newcomers` is the role of whoever
    joins, or `refused` if only a keeper may add people.
    """

    TABLE, KEY = "project", ()
    project: str
    head: str = ""
    policy: str = ""
    policy_hash: str = ""
    env: str = ""
    own_approval: str = "refuse"
    newcomers: str = "approver"
    seq: int = 0
    at: int = 0
    epoch: int = 0
    flows: int = 0
    """How many flows were started."""
    archived: int = 0
    """The last event that is in an archive, and not here."""


class MemberRow(StoredRow, frozen=True, kw_only=True):
    """Somebody with a name in a project. `public_key` signs in this name: it is empty until the first act, and
    `revoked` until a keeper gives another one."""

    TABLE, KEY = "member", ("name",)
    project: str
    name: str
    role: str
    public_key: str
    since: int
    """The number of the event that set the key."""


class RegisteredPlan(StoredRow, frozen=True, kw_only=True):
    """The newest state of a registered plan. `seq` is the event that changed it last."""

    TABLE, KEY = "plan", ("plan_id",)
    project: str
    plan_id: str
    checksum: str
    holder: str
    state: str
    document: str
    token: int
    seq: int
    lease_ms: int
    lease_until: int

    def without_token(self) -> RegisteredPlan:
        """The plan as it is shown to anybody but its holder."""
        return replace(self, token=0)

    def to_data(self) -> dict[str, Any]:
        """The plan as it is shown, without its document."""
        data = {name: value for name, value in asdict(self).items() if name not in {"project", "document"}}
        return data | {"token": self.token or None}


class FlowRow(StoredRow, frozen=True, kw_only=True):
    """A set of plans on its way from judgement to done. `driver` is the process of `holder` that drives it."""

    TABLE, KEY = "flow", ("flow_id",)
    flow_id: str
    project: str
    state: str
    holder: str
    driver: str
    reason: str
    set_document: str
    merged: str
    graph: str
    graph_hash: str
    bindings: str
    policy: str
    policy_hash: str
    env: str
    number: int
    fence: int
    lease_until: int


class FlowPlanRow(StoredRow, frozen=True, kw_only=True):
    """A plan of a flow, as it was judged."""

    TABLE, KEY = "flow_plan", ("flow_id", "plan_id")
    flow_id: str
    plan_id: str
    checksum: str
    fate: str
    document: str
    token: int


class QuestionRow(StoredRow, frozen=True, kw_only=True):
    """What a person was asked; an answer is bound to the checksum."""

    TABLE, KEY = "question", ("flow_id", "checksum")
    flow_id: str
    checksum: str
    state: str
    pack: str
    round: int
    asked_at: int
    expires_at: int


class AnswerRow(StoredRow, frozen=True, kw_only=True):
    """The one answer to a question."""

    TABLE, KEY = "answer", ("flow_id", "checksum")
    flow_id: str
    checksum: str
    pack: str
    actor: str
    at: int


class PermitRow(StoredRow, frozen=True, kw_only=True):
    """Who approved exactly this, and until when."""

    TABLE, KEY = "permit", ("flow_id",)
    flow_id: str
    graph_hash: str
    actor: str
    state: str
    at: int
    expires_at: int


class NodeRow(StoredRow, frozen=True, kw_only=True):
    """A command of a flow's graph, with what is known of it. `asked_by` lists the drivers that have sent or asked for its
    request, each by its fence and its name; `retry` is 1 where its failure definitely had no effect."""

    TABLE, KEY = "node", ("flow_id", "node_id")
    flow_id: str
    node_id: str
    plan_id: str
    state: str
    kind: str
    binding: str
    waits: str
    request: str
    result: str
    detail: str
    asked_by: str
    place: int
    attempt: int
    retry: int


class CheckpointRow(StoredRow, frozen=True, kw_only=True):
    """Where the events of a project begin that are here: all rows as they were after the event `through`, which is in an archive
    with all before it. It follows from no event that is here; the `archived` event tells its hash."""

    TABLE, KEY = "checkpoint", ()
    project: str
    head: str
    rows: str
    through: int


KINDS: Final[tuple[type[StoredRow], ...]] = (
    ProjectRow, MemberRow, RegisteredPlan, FlowRow, FlowPlanRow, QuestionRow, AnswerRow, PermitRow, NodeRow,
)  # fmt: skip
"""The rows that follow from the events."""
R = TypeVar("R", bound=StoredRow)


class Rows(Protocol):
    """The rows of one project, wherever they are kept. What was put is found from then on."""

    project: str

    def find(self, kind: type[R], *key: str) -> R | None:
        """The row with a key."""
        ...

    def all(self, kind: type[R], **equal: str) -> list[R]:
        """The rows in which these columns have these values, by their keys."""
        ...

    def put(self, row: StoredRow) -> None:
        """Add a row, or replace the one with its key."""
        ...


class MemoryRows:
    """Rows in memory, found by any column."""

    def __init__(self, project: str) -> None:
        self.project = project
        self._rows: dict[type[StoredRow], dict[tuple[str, ...], StoredRow]] = {kind: {} for kind in KINDS}
        self._by_value: dict[tuple[type[StoredRow], str], dict[str, dict[tuple[str, ...], None]]] = {}

    def find(self, kind: type[R], *key: str) -> R | None:
        return self._rows[kind].get(key)  # type: ignore[return-value]

    def all(self, kind: type[R], **equal: str) -> list[R]:
        keys = self._keys(kind, *next(iter(equal.items()))) if equal else list(self._rows[kind])
        rows = [self._rows[kind][key] for key in sorted(keys)]
        return [row for row in rows if all(getattr(row, name) == value for name, value in equal.items())]  # type: ignore[misc]

    def every(self) -> list[StoredRow]:
        """All rows, of all kinds."""
        return [row for kind in KINDS for row in self.all(kind)]

    def put(self, row: StoredRow) -> None:
        kind, key = type(row), row.key
        before = self._rows[kind].get(key)
        self._rows[kind][key] = row
        for (other, column), values in self._by_value.items():
            if other is kind:
                if before is not None:
                    values[getattr(before, column)].pop(key, None)
                values[getattr(row, column)][key] = None

    def _keys(self, kind: type[StoredRow], column: str, value: str) -> list[tuple[str, ...]]:
        """The keys of the rows with a value in a column; every column that is asked for is indexed from then on."""
        if (kind, column) not in self._by_value:
            index: dict[str, dict[tuple[str, ...], None]] = defaultdict(dict)
            for key, row in self._rows[kind].items():
                index[getattr(row, column)][key] = None
            self._by_value[kind, column] = index
        return list(self._by_value[kind, column][value])
