"""The records of a journal: one type for each kind, with its JSON.

The body of a record is an object with one key, the kind, as in `{"attempt": {...}}`. Fields with their default value are
left out. Connections, resets, late answers, breaches and losses are the door's own events. A state is written once; later
records refer to it by its key, which is why an open request and an outcome are not written as they are. So it is with
the intentions that decide: what they are is written once for many decisions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType

from volition.arbitration.recorded import RecordedComposite, RecordedDecision  # noqa: TC001  msgspec reads it
from volition.core.typed import decoder
from volition.execution.door.events import Connected, EpisodeReset, Lost
from volition.execution.wire.request import Purpose, Request, RequestMark  # noqa: TC001  msgspec reads the annotations
from volition.execution.wire.results import Label, Result, Violation  # noqa: TC001
from volition.execution.wire.session.events import RECORD, Breach, LateAnswer

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "KINDS",
    "AskedIntent",
    "Attempt",
    "Breach",
    "Composed",
    "Connected",
    "Decided",
    "End",
    "EpisodeReset",
    "JournalRecord",
    "LateAnswer",
    "Lost",
    "Noted",
    "RecentStates",
    "RunStart",
    "State",
    "StateKey",
    "body",
    "parse",
]

StateKey: TypeAlias = tuple[int, ...]
"""(connection, seq); where an executor gave the same seq to two states, the key of the later one has a third number."""

REACH: Final = 1024
"""How many of the latest states of its run a record may refer to; a state that is needed later is written again."""


class RunStart(Struct, **RECORD):
    """A journal was opened, or a new policy began. Tickets and connections are counted from 1 again; `meta` is the owner's."""

    run: int
    meta: dict[str, Any] = {}


class State(Struct, **RECORD):
    """A state as received. `skipped` pushed states before it were not recorded; `asked`: it answers a request."""

    key: StateKey
    tick: int
    episode: int
    full: bool
    data: Any
    agent: str | None = None
    asked: bool = False
    skipped: int = 0


class Composed(Struct, **RECORD):
    """The intentions that decide from now on; decisions refer to it by `key`, which counts from 1 in each run."""

    key: int
    composite: RecordedComposite


class Decided(Struct, **RECORD):
    """A decision, before anything is sent for it. The next attempt of the policy, if any, carries it out.

    `step` counts the decisions of one who decides; `composite` and `state` are keys.
    """

    step: int
    composite: int
    decision: RecordedDecision
    state: StateKey | None = None
    body: str = ""


class AskedIntent(Struct, **RECORD):
    """An intent is about to be sent; its attempt follows, unless the process dies. Only a durable journal has these."""

    ticket: int
    connection: int
    id: int
    intent: str
    parameters: dict[str, Any] = {}
    agent: str | None = None
    state: StateKey | None = None
    body: str = ""
    mark: RequestMark | None = None


class Attempt(Struct, **RECORD):
    """The final record of one ticket: what was requested, sent and answered, and the reward.

    `payload` is present only where the executor's answer differs from `result`. `state` and `next_state` are keys;
    `episode` is that of the state. `terminated`: the actor died. `truncated`: the next state is of another episode.

    Consecutive refused retries share one record: the first of them, for `count` tickets in the ranges `tickets`. The
    reward is that of a single one. `mark` names a request that is to be done once.
    """

    ticket: int
    purpose: Purpose
    requested: Request
    label: Label
    result: Result
    answered: bool
    elapsed_us: int
    reward: float
    parts: dict[str, float] = {}
    agent: str | None = None
    sent: Request | None = None
    connection: int = 0
    id: int | None = None
    state: StateKey | None = None
    next_state: StateKey | None = None
    episode: int | None = None
    payload: Any | UnsetType = UNSET
    violations: tuple[Violation, ...] = ()
    detail: str = ""
    terminated: bool = False
    truncated: bool = False
    reward_fault: str = ""
    body: str = ""
    count: int = 1
    tickets: tuple[tuple[int, int], ...] = ()
    mark: RequestMark | None = None


class Noted(Struct, **RECORD):
    """Any other event: one of the game, progress, an error frame, a world that stands still."""

    connection: int
    what: str
    data: Any = None


class End(Struct, **RECORD):
    """A run was closed properly, with this many attempts; `skipped` pushed states after the last recorded one."""

    run: int
    attempts: int
    skipped: int = 0


JournalRecord: TypeAlias = (
    RunStart | Connected | State | Composed | Decided | AskedIntent | Attempt | EpisodeReset | LateAnswer | Breach
    | Noted | Lost | End
)  # fmt: skip

KINDS: Final[dict[str, type[JournalRecord]]] = {
    "run": RunStart,
    "connection": Connected,
    "state": State,
    "composite": Composed,
    "decision": Decided,
    "asked": AskedIntent,
    "attempt": Attempt,
    "reset": EpisodeReset,
    "late": LateAnswer,
    "breach": Breach,
    "noted": Noted,
    "lost": Lost,
    "end": End,
}
_NAMES: Final = {kind: name.encode() for name, kind in KINDS.items()}
_DECODERS: Final = {name.encode(): decoder(kind) for name, kind in KINDS.items()}
_encode: Final = msgspec.json.Encoder().encode


ATTEMPT: Final = b'{"attempt":'
"""The first bytes of an attempt's body."""


def body(record: JournalRecord) -> bytes:
    """The record as a ledger stores it."""
    return b'{"%b":%b}' % (_NAMES[type(record)], _encode(record))


def parse(raw: bytes) -> JournalRecord:
    """Decode a body; ValueError where it is not a record of a journal."""
    kind = raw[2 : raw.find(b'"', 2)]
    decoder = _DECODERS.get(kind)
    if decoder is None or raw[2 + len(kind) : 4 + len(kind)] != b'":':
        raise ValueError(f"there is no record of the kind {kind[:40].decode(errors='replace')!r}")
    return decoder.decode(memoryview(raw)[len(kind) + 4 : -1])


V = TypeVar("V")


class RecentStates(Generic[V]):
    """The last `REACH` states, by key. Writer and reader drop states by the same rule, so every key resolves."""

    def __init__(self) -> None:
        self._held: dict[StateKey, V] = {}
        self.get = self._held.get

    def __iter__(self) -> Iterator[StateKey]:
        return iter(self._held)

    def put(self, key: StateKey, value: V) -> None:
        """Add a state as the newest one."""
        self._held.pop(key, None)
        self._held[key] = value
        if len(self._held) > REACH:
            del self._held[next(iter(self._held))]

    def clear(self) -> None:
        self._held.clear()
