"""Events with their changes, strains and causes, and the record of a tick.

A delta contains the old and the new value, so a log can be replayed without knowing any rule, and a delta that does not
fit the state before it is noticed. Strains are what an event demands of a person's pacing; they are summed up and applied
once, at the end of the tick.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  records are read by these types
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from volition.drama.rules.catalog import CATASTROPHE, DRAMATIC, EventType
from volition.minds.contract import Asked  # noqa: TC001  likewise

if TYPE_CHECKING:
    Value = Any
    Number = float
else:
    # Records are read from JSON by these types: lists become tuples, as a state holds them, and 1 does not become 1.0.
    _Atom = bool | int | float | str | None
    Value = _Atom | tuple[_Atom | tuple[_Atom, ...], ...]
    Number = int | float


class Delta(NamedTuple):
    """One change of state.

    `kind` is the part of an agent that changed ("belief", "bond", "emotion", "location", "alcohol", ...), or "world".
    `key` is the entry of that part (a person, a secret, an emotion), `attribute` the field of a bond. `before` is None if
    there was no entry.
    """

    kind: str
    agent: str
    key: Value
    before: Value
    after: Value
    reason: str
    attribute: str | None = None


class Strain(NamedTuple):
    """What an event demands of a person's pacing; `number` is "stress", "commitment", "budget" or "drinks"."""

    agent: str
    number: str
    amount: Number
    reason: str


class Event(Struct, frozen=True):
    """Something that happened and that others could notice, or that changed something.

    `causes` are ids of earlier events. `details` contains what only some kinds have: "question" (the secret asked about),
    "believed" (of a lie), "found" (secrets that watching betrayed), "forced" (a secret that came out in a quarrel),
    "told" (the secret that an outburst told), "breakdown" (its kind), "stance" and "sides", "thrown_out",
    "reconciled", "heard" (the id of what was overheard), "topic" (the person whom a talk is about) and "wondered" (the
    secret about which somebody was asked who does not hold it), both by a wish of who is played. `witnesses` were in the room without taking part; `overheard`
    are those who heard it from elsewhere.
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
    def participants(self) -> tuple[str, ...]:
        """Who takes part: the source and the targets."""
        return (self.source, *self.targets)

    @property
    def is_dramatic(self) -> bool:
        """Whether it is a dramatic act or a breakdown."""
        return self.type in DRAMATIC or self.type == CATASTROPHE

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every secret that it is about, without duplicates: told, lied about, asked about, forced out, betrayed or learned."""
        named = [self.secret, *(self.details.get(part) for part in ("question", "forced", "told"))]
        learned = [delta.key for delta in self.deltas if delta.kind == "belief"]
        return tuple(
            dict.fromkeys(secret for secret in (*named, *self.details.get("found", ()), *learned) if secret is not None)
        )


class Choice(NamedTuple):
    """What a person chose, with its score and priority class, and how it was resolved.

    `became` is "done", or the id of the act that it was downgraded to; `because` says why.
    """

    id: str
    score: float
    priority: int
    became: str = "done"
    because: str | None = None


class TickRecord(Struct, frozen=True):
    """One tick: when it began, how long it took, what everybody chose, what happened, and what changed at its end.

    `after` are the deltas of the end of the tick: pacing, decay, needs and tasks; `before` are those set by hand at its
    beginning. `played` are the people whose act was chosen for them. `said` is what custom intentions answered, by
    person, intention and act; a score of 0 and a verdict that allows are left out. `wishes` are those of people who are
    played, by person: their choice is the act that the wish became. `asked` is what minds from outside were asked and
    answered, by whose they are.
    """

    tick: int
    minutes: float
    length: float
    choices: Mapping[str, Choice]
    events: tuple[Event, ...]
    after: tuple[Delta, ...]
    before: tuple[Delta, ...] = ()
    played: tuple[str, ...] = ()
    said: Mapping[str, Mapping[str, Mapping[str, Any]]] = {}
    wishes: Mapping[str, str] = {}
    asked: Mapping[str, Asked] = {}


class Ending(Struct, frozen=True):
    """How an evening ended: its kind, why it stopped, when, and in one sentence."""

    kind: str
    stopped: str
    tick: int
    minutes: float
    because: str
