"""What others took from an act of a guest: who now knows or suspects, trusts more or less, or was hurt; as far as it shows.

It shows in those who were there. What they learned is named only as far as the guest knows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct

from volition.drama.audience.guest import kind_of
from volition.drama.audience.prose import short_names
from volition.drama.rules.catalog import Belief
from volition.drama.words.people import pronouns_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from volition.drama.evening.world import WorldState
    from volition.drama.stage.events import Delta, Event, TickRecord

ReactionKind = Literal["knows", "suspects", "denies", "trust", "affection", "hurt", "feeling", "troubled", "reconciled"]
_BELIEFS: Final[Mapping[int, ReactionKind]] = {
    int(Belief.BELIEVES_TRUE): "knows",
    int(Belief.SUSPECTS): "suspects",
    int(Belief.BELIEVES_FALSE): "denies",
}
_LEARNED: Final[Mapping[str, str]] = {
    "knows": "{name} knows now{what}",
    "suspects": "{name} begins to wonder{what}",
    "denies": "{name} takes it that there is nothing in it{what}",
}
_FELT: Final[Mapping[str, str]] = {
    "anger": "{name} is angry",
    "fear": "{name} is afraid",
    "shame": "{name} is ashamed",
    "hope": "{name} takes heart",
    "suspicion": "{name} has grown wary",
}
_SHOWS: Final = 0.02
"""The least change of a bond that shows."""
_MUCH: Final = 0.1
"""From which change of a bond on it is great."""
_MOVES: Final = 0.05
"""The least change of a feeling that shows."""
_TROUBLES: Final = 0.05
"""From which stress on it shows that an act troubles somebody."""


class Reaction(Struct, frozen=True):
    """What one person took from an act: the kind of it, the secret it is about if it is about one, and in words."""

    who: str
    kind: ReactionKind
    words: str
    secret: str | None = None


def reactions_of(world: WorldState, record: TickRecord, guest: str) -> tuple[Reaction, ...]:
    """What others took from what a guest did in a tick; `world` is the state before it.

    Warmth does not show in who is uneasy.
    """
    distinct: dict[tuple[str, str, str | None], Reaction] = {}
    for event in record.events:
        if event.source == guest:
            for reaction in _reactions(world, event, guest):
                distinct.setdefault((reaction.who, reaction.kind, reaction.secret), reaction)
    uneasy = {reaction.who for reaction in distinct.values() if reaction.kind in ("troubled", "feeling", "hurt")}
    return tuple(kept for kept in distinct.values() if kept.kind != "affection" or kept.who not in uneasy)


def _reactions(world: WorldState, event: Event, guest: str) -> Iterator[Reaction]:
    there = {*event.targets, *event.witnesses}
    names = short_names(world.scenario)
    for delta in event.deltas:
        if delta.agent in there:
            yield from _react(world, event, delta, guest, names[delta.agent])
    for strain in event.strains:
        if strain.agent in event.targets and strain.number == "stress" and strain.amount >= _TROUBLES:
            yield Reaction(strain.agent, "troubled", f"It troubles {names[strain.agent]}.")
    if event.details.get("reconciled"):
        for who in event.targets:
            yield Reaction(who, "reconciled", f"You and {names[who]} have made it up.")


def _react(world: WorldState, event: Event, delta: Delta, guest: str, name: str) -> Iterator[Reaction]:
    """What a change of somebody's state shows to a guest."""
    towards_guest = delta.key == guest
    if delta.kind == "belief" and delta.after in _BELIEVES:
        kind = _BELIEFS[delta.after]
        words = _LEARNED[kind].format(name=name, what=_what(world, delta.key, guest))
        yield Reaction(delta.agent, kind, f"{words}.", delta.key)
    elif delta.kind == "bond" and towards_guest and delta.attribute in ("trust", "affection"):
        change = delta.after - delta.before
        if abs(change) >= _SHOWS:
            yield Reaction(delta.agent, delta.attribute, _bond(name, delta.attribute, change))  # type: ignore[arg-type]
    elif delta.kind == "stung" and towards_guest and delta.after is not None:
        them = pronouns_of(world.scenario.people[delta.agent].pronouns).them
        yield Reaction(delta.agent, "hurt", f"{name} is hurt, and will not forget what you did to {them}.")
    elif delta.kind == "emotion" and delta.agent in event.targets and delta.key in _FELT:
        words = f"{_FELT[delta.key].format(name=name)}."
        yield from [Reaction(delta.agent, "feeling", words)] if delta.after - delta.before >= _MOVES else []


def _bond(name: str, attribute: str, change: float) -> str:
    degree = "much " if abs(change) >= _MUCH else "a little "
    if attribute == "trust":
        return f"{name} trusts you {degree}{'more' if change > 0 else 'less'}."
    return f"{name} has warmed to you." if change > 0 else f"{name} has cooled towards you."


def _what(world: WorldState, secret: str, guest: str) -> str:
    """A secret as far as a guest understands it, after a colon; nothing if they know nothing of it."""
    belief, known = world.agents[guest].beliefs[secret], world.scenario.secrets[secret]
    if belief == Belief.BELIEVES_TRUE:
        return f": {known.description.rstrip('.')}"
    return f": {kind_of(world.scenario, known, guest)}" if belief == Belief.SUSPECTS else ""


_BELIEVES: Final = frozenset(_BELIEFS)
