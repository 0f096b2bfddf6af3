"""What happens: events with what they changed, whom they strained and what caused them, and the record of a tick.

A delta says what a value was and what it became, so a log can be replayed without knowing any rule, and a delta that
does not fit the state before it is noticed. Strains are what an event asks of somebody's pacing; they are added up and
paid once, at the end of the tick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from volition.drama.rules.catalog import CATASTROPHE, DRAMATIC

if TYPE_CHECKING:
    from collections.abc import Mapping

    from volition.drama.rules.catalog import EventType


class Delta(NamedTuple):
    """One change of state.

    `kind` is the part of an agent that changed ("belief", "bond", "emotion", "location", "alcohol", ...) or of the world
    ("world"). `key` is whose or which entry of that part (a person, a secret, an emotion), `attribute` the field of a
    bond. `before` is None where there was nothing.
    """

    kind: str
    agent: str
    key: Any
    before: Any
    after: Any
    reason: str
    attribute: str | None = None


class Strain(NamedTuple):
    """What an event asks of somebody's pacing: `number` is "stress", "commitment", "budget" or "drinks"."""

    agent: str
    number: str
    amount: float
    reason: str


class Event(NamedTuple):
    """Something that happened, that others could notice or that changed something.

    `causes` are ids of earlier events. `details` hold what only some kinds have: "question" (the secret asked about),
    "believed" (of a lie), "found" (secrets that watching betrayed), "forced" (a secret that came out in a quarrel),
    "told" (the secret that an outburst told), "breakdown" (its kind), "stance" and "sides", "thrown_out",
    "reconciled", "heard" (the id of what was overheard). `witnesses` were in the room and took no part; `overheard` are
    those who heard it from elsewhere.
    """

    id: str
    tick: int
    minutes: float
    order: int
    type: EventType
    source: str
    targets: tuple[str, ...]
    room: str
    causes: tuple[str, ...]
    deltas: tuple[Delta, ...]
    strains: tuple[Strain, ...]
    witnesses: tuple[str, ...] = ()
    overheard: tuple[str, ...] = ()
    focus: str | None = None
    destination: str | None = None
    secret: str | None = None
    manner: str | None = None
    details: Mapping[str, Any] = {}

    @property
    def is_dramatic(self) -> bool:
        """Whether it is a dramatic act or a breakdown."""
        return self.type in DRAMATIC or self.type == CATASTROPHE

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every secret that it is about, each once: told or lied about, asked about, come out, betrayed, or learned."""
        said = [self.secret, *(self.details.get(part) for part in ("question", "forced", "told"))]
        learned = [delta.key for delta in self.deltas if delta.kind == "belief"]
        return tuple(dict.fromkeys(one for one in (*said, *self.details.get("found", ()), *learned) if one is not None))


class Choice(NamedTuple):
    """What somebody chose, with its score and class, and what became of it.

    `became` is "done", or the id of the act that it was turned into, with `because` saying why.
    """

    id: str
    score: float
    priority: int
    became: str = "done"
    because: str | None = None


class TickRecord(NamedTuple):
    """One tick: when it began, how long it took, what everybody chose, what happened, and how it left them.

    `after` are the deltas of the end of the tick: pacing, decay, needs and tasks; `before` what was set by hand at its
    beginning.
    """

    tick: int
    minutes: float
    length: float
    choices: Mapping[str, Choice]
    events: tuple[Event, ...]
    after: tuple[Delta, ...]
    before: tuple[Delta, ...] = ()


class Ending(NamedTuple):
    """How an evening ended: its kind, why it stopped, when, and in one sentence."""

    kind: str
    stopped: str
    tick: int
    minutes: float
    because: str
