"""The records of a journal: one type for each kind, with its JSON.

The body of a record is an object with one key, the kind, as in `{"attempt": {...}}`. Fields with their default value are
left out. A state is written once; later records refer to it by its key.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType

from volition.core.canonical import MAX_INTEGER
from volition.core.typed import decoder
from volition.execution.wire.frames import Welcome  # noqa: TC001  msgspec reads the annotations
from volition.execution.wire.marks import RequestMark  # noqa: TC001
from volition.execution.wire.results import Label, Result, Violation  # noqa: TC001
from volition.execution.wire.session.events import BreachKind, Ending, Purpose  # noqa: TC001

if TYPE_CHECKING:
    from collections.abc import Iterator

StateKey: TypeAlias = tuple[int, ...]
"""(connection, seq); where an executor gave the same seq to two states, the key of the later one has a third number."""

REACH: Final = 1024
"""How many of the latest states of its run a record may refer to; a state that is needed later is written again."""

_SHAPE: Final[dict[str, Any]] = {"frozen": True, "kw_only": True, "omit_defaults": True}
_LONGEST_REPR: Final = 1 << 16


class RunStart(Struct, **_SHAPE):
    """A journal was opened, or a new policy began. Tickets and connections are counted from 1 again; `meta` is the owner's."""

    run: int
    meta: dict[str, Any] = {}


class Connection(Struct, **_SHAPE):
    """A handshake succeeded: the executor, its version and the contract's, the shared features, and the body's name in a
    fleet."""

    connection: int
    welcome: Welcome
    features: tuple[str, ...] = ()
    body: str = ""


class State(Struct, **_SHAPE):
    """A state as received. `skipped` pushed states before it were not recorded; `asked`: it answers a request."""

    key: StateKey
    tick: int
    episode: int
    full: bool
    data: Any
    agent: str | None = None
    asked: bool = False
    skipped: int = 0


class Asked(Struct, **_SHAPE):
    """The request verbatim; parameters that JSON cannot express are in `parameters_repr`, as Python prints them."""

    intent: str
    parameters: Any = None
    parameters_repr: str | None = None


class Sent(Struct, **_SHAPE):
    """What crossed the bridge."""

    intent: str
    parameters: dict[str, Any] = {}


class AskedIntent(Struct, **_SHAPE):
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


class Attempt(Struct, **_SHAPE):
    """The final record of one ticket: what was requested, sent and answered, and the reward.

    `payload` is present only where the executor's answer differs from `result`. `state` and `next_state` are keys;
    `episode` is that of the state. `terminated`: the actor died. `truncated`: the next state is of another episode.

    Consecutive refused retries share one record: the first of them, for `count` tickets in the ranges `tickets`. The
    reward is that of a single one. `mark` names a request that is to be done once.
    """

    ticket: int
    purpose: Purpose
    requested: Asked
    label: Label
    result: Result
    answered: bool
    elapsed_us: int
    reward: float
    parts: dict[str, float] = {}
    agent: str | None = None
    sent: Sent | None = None
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


class EpisodeReset(Struct, **_SHAPE):
    """A new episode was asked for, with this seed; it has its own ticket. The state that answers it follows."""

    ticket: int
    connection: int
    seed: int
    body: str = ""


class LateRecord(Struct, **_SHAPE):
    """An answer to a ticket that had timed out, or whose answer seemed lost; the final record of the ticket is unchanged."""

    connection: int
    ticket: int
    id: int
    intent: str
    result: Result
    label: Label
    elapsed_us: int
    payload: Any | UnsetType = UNSET


class Breached(Struct, **_SHAPE):
    """The executor broke the contract. `raw` holds the line verbatim where it was not a frame."""

    connection: int
    kind: BreachKind
    what: str
    id: int | None = None
    raw: dict[str, str] | None = None


class Noted(Struct, **_SHAPE):
    """Any other event: one of the game, progress, an error frame, a world that stands still."""

    connection: int
    what: str
    data: Any = None


class LostConnection(Struct, **_SHAPE):
    """A connection ended; `error` where it was never established."""

    connection: int
    reason: Ending
    error: str = ""


class End(Struct, **_SHAPE):
    """A run was closed properly, with this many attempts; `skipped` pushed states after the last recorded one."""

    run: int
    attempts: int
    skipped: int = 0


JournalRecord: TypeAlias = (
    RunStart | Connection | State | AskedIntent | Attempt | EpisodeReset | LateRecord | Breached | Noted | LostConnection | End
)  # fmt: skip

KINDS: Final[dict[str, type[JournalRecord]]] = {
    "run": RunStart,
    "connection": Connection,
    "state": State,
    "asked": AskedIntent,
    "attempt": Attempt,
    "reset": EpisodeReset,
    "late": LateRecord,
    "breach": Breached,
    "noted": Noted,
    "lost": LostConnection,
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


def to_json_value(value: Any) -> Any:
    """The value as JSON returns it; TypeError where JSON cannot express it, RecursionError where it contains itself."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        if not value.isascii():
            value.encode()
        return str(value)
    if isinstance(value, int) and abs(value) <= MAX_INTEGER:
        return int(value)
    if isinstance(value, float) and isfinite(value):
        return float(value)
    if isinstance(value, list | tuple):
        return [to_json_value(item) for item in value]
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {to_json_value(key): to_json_value(item) for key, item in value.items()}
    raise TypeError(f"JSON cannot express a {type(value).__name__}")


def record_request(intent: object, parameters: Any) -> Asked:
    """A request as it can be recorded, whatever it was."""
    try:
        name = to_json_value(intent) if isinstance(intent, str) else _safe_repr(intent)
    except UnicodeEncodeError:
        name = _safe_repr(intent)
    try:
        return Asked(intent=name, parameters=to_json_value(parameters))
    except (TypeError, UnicodeEncodeError, RecursionError):
        return Asked(intent=name, parameters_repr=_safe_repr(parameters))


def _safe_repr(value: object) -> str:
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001  whatever its __repr__ raises, its type is recorded
        text = f"a {type(value).__name__}"
    return text[:_LONGEST_REPR].encode("utf-8", "backslashreplace").decode()


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
