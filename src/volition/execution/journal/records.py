"""What stands in a journal: one type for each kind of record, with its JSON.

A record's body is an object with one key, the kind, as in `{"attempt": {...}}`. Fields that have their default are left
out. A state is written once and named by its key from then on.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType

from volition.core.canonical import MAX_INTEGER
from volition.execution.frames import Welcome  # noqa: TC001  msgspec reads the annotations
from volition.execution.results import Label, Result, Violation  # noqa: TC001
from volition.execution.session.events import BreachKind, Ending, Purpose  # noqa: TC001

if TYPE_CHECKING:
    from collections.abc import Iterator

StateKey: TypeAlias = tuple[int, ...]
"""(connection, seq); where an executor gave one seq to two states, the later one's key has a third number."""

REACH: Final = 1024
"""A record names a state among the last so many state records of its run; one needed later than that stands again."""

_SHAPE: Final[dict[str, Any]] = {"frozen": True, "kw_only": True, "omit_defaults": True}
_LONGEST_REPR: Final = 1 << 16


class Run(Struct, **_SHAPE):
    """A journal was opened, or a new policy began. Tickets and connections count anew; `meta` is its owner's."""

    run: int
    meta: dict[str, Any] = {}


class Connection(Struct, **_SHAPE):
    """A handshake held: the executor, its version and the contract's, the features of both sides, and which body of a
    fleet it is."""

    connection: int
    welcome: Welcome
    features: tuple[str, ...] = ()
    body: str = ""


class State(Struct, **_SHAPE):
    """A state as it came. `skipped` pushed states before it were not recorded; `asked` where it answers a request."""

    key: StateKey
    tick: int
    episode: int
    full: bool
    data: Any
    agent: str | None = None
    asked: bool = False
    skipped: int = 0


class Asked(Struct, **_SHAPE):
    """What was asked for, verbatim; what has no form in JSON stands as Python writes it, in `parameters_repr`."""

    intent: str
    parameters: Any = None
    parameters_repr: str | None = None


class Sent(Struct, **_SHAPE):
    """What crossed the bridge."""

    intent: str
    parameters: dict[str, Any] = {}


class Asking(Struct, **_SHAPE):
    """An intent is about to leave; its attempt follows, unless the process dies. Only a durable journal has these."""

    ticket: int
    connection: int
    id: int
    intent: str
    parameters: dict[str, Any] = {}
    agent: str | None = None
    state: StateKey | None = None
    body: str = ""


class Attempt(Struct, **_SHAPE):
    """The final record of one ticket: what was asked, sent and answered, and what it was worth.

    `payload` is there only where the executor's words are not those of `result`. `state` and `next_state` are keys;
    `episode` is the state's. `terminated`: the actor died in it. `truncated`: its next state is of another episode.

    Refused retries that follow one another are one record: the first of them, for `count` tickets, which are the
    ranges `tickets`. The reward is that of one.
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


class Late(Struct, **_SHAPE):
    """An answer to a ticket that had timed out, or whose answer seemed lost; the ticket's record stands."""

    connection: int
    ticket: int
    id: int
    intent: str
    result: Result
    label: Label
    elapsed_us: int
    payload: Any | UnsetType = UNSET


class Breached(Struct, **_SHAPE):
    """The executor broke the contract. `raw` holds the line verbatim where it was no frame."""

    connection: int
    kind: BreachKind
    what: str
    id: int | None = None
    raw: dict[str, str] | None = None


class Noted(Struct, **_SHAPE):
    """Something else that was told: an event of the game, progress, a complaint, a world that stands still."""

    connection: int
    what: str
    data: Any = None


class LostConnection(Struct, **_SHAPE):
    """A connection is over; `error` where none came about."""

    connection: int
    reason: Ending
    error: str = ""


class End(Struct, **_SHAPE):
    """A run was closed in order, with so many attempts; `skipped` pushed states after the last one recorded."""

    run: int
    attempts: int
    skipped: int = 0


JournalRecord: TypeAlias = (
    Run | Connection | State | Asking | Attempt | Late | Breached | Noted | LostConnection | End
)  # fmt: skip

KINDS: Final[dict[str, type[JournalRecord]]] = {
    "run": Run,
    "connection": Connection,
    "state": State,
    "asked": Asking,
    "attempt": Attempt,
    "late": Late,
    "breach": Breached,
    "noted": Noted,
    "lost": LostConnection,
    "end": End,
}
_NAMES: Final = {kind: name.encode() for name, kind in KINDS.items()}
_DECODERS: Final = {name.encode(): msgspec.json.Decoder(kind) for name, kind in KINDS.items()}
_encode: Final = msgspec.json.Encoder().encode


ATTEMPT: Final = b'{"attempt":'
"""How the body of an attempt begins."""


def body(record: JournalRecord) -> bytes:
    """The record as a ledger takes it."""
    return b'{"%b":%b}' % (_NAMES[type(record)], _encode(record))


def parse(raw: bytes) -> JournalRecord:
    """Read a body's bytes; ValueError where they are no record of a journal."""
    kind = raw[2 : raw.find(b'"', 2)]
    decoder = _DECODERS.get(kind)
    if decoder is None or raw[2 + len(kind) : 4 + len(kind)] != b'":':
        raise ValueError(f"there is no record of the kind {kind[:40].decode(errors='replace')!r}")
    return decoder.decode(memoryview(raw)[len(kind) + 4 : -1])


def plain(value: Any) -> Any:
    """The value as JSON gives it back; TypeError where it has no form in JSON, RecursionError where it has no end."""
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
        return [plain(item) for item in value]
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {plain(key): plain(item) for key, item in value.items()}
    raise TypeError(f"a {type(value).__name__} has no form in JSON")


def asked(intent: object, parameters: Any) -> Asked:
    """What was asked for, kept whatever it was."""
    try:
        name = plain(intent) if isinstance(intent, str) else _shown(intent)
    except UnicodeEncodeError:
        name = _shown(intent)
    try:
        return Asked(intent=name, parameters=plain(parameters))
    except (TypeError, UnicodeEncodeError, RecursionError):
        return Asked(intent=name, parameters_repr=_shown(parameters))


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001  a value that cannot print itself still has a type
        text = f"a {type(value).__name__}"
    return text[:_LONGEST_REPR].encode("utf-8", "backslashreplace").decode()


V = TypeVar("V")


class Reach(Generic[V]):
    """The last `REACH` states, by key. Writer and reader forget by the same rule, so every key that is named is known."""

    def __init__(self) -> None:
        self._held: dict[StateKey, V] = {}
        self.get = self._held.get

    def __iter__(self) -> Iterator[StateKey]:
        return iter(self._held)

    def put(self, key: StateKey, value: V) -> None:
        """Hold a state as the newest one."""
        self._held.pop(key, None)
        self._held[key] = value
        if len(self._held) > REACH:
            del self._held[next(iter(self._held))]

    def clear(self) -> None:
        self._held.clear()
