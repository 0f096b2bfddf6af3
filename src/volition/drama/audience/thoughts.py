"""Whose thoughts are told beside an event.

A person who chose to keep to themself leaves no event, but the record has the choice: such a thought is told beside an event
that happens in the same room. Nobody thinks of somebody as being there who has gone by that event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.drama.audience.telling import Sentence
from volition.drama.rules.catalog import SOCIAL_MOVE, Belief

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.drama.evening.world import WorldState
    from volition.drama.stage.events import Event, TickRecord
    from volition.drama.words.phrase import Picker
    from volition.drama.world.model import Secret

INTERNAL_ID: Final = "internal"
"""The id of the choice to keep to oneself."""
PAUSE: Final = 3
"""The fewest events between two thoughts."""
SHARE: Final = 0.25
"""How often a thought that could be told is told."""
AFTER_DRAMA: Final = 0.5
"""The same after a dramatic act."""


def thinkers_of(world: WorldState, record: TickRecord, event: Event) -> list[str]:
    """Those in the room of an event who chose to keep to themselves in its tick, are not in the event and stay here.

    Nobody's thoughts are told beside a move, which may be read in another room than the one it leaves.
    """
    if event.type == SOCIAL_MOVE:
        return []
    parties = {event.source, *event.targets, *_people_who_move(event)}
    return [
        who
        for who, choice in record.choices.items()
        if choice.id == INTERNAL_ID
        and choice.became == "done"
        and who not in parties
        and world.agents[who].location == event.room
    ]


def thought_of(
    world: WorldState, event: Event, thinkers: Sequence[str], since: int, picker: Picker
) -> tuple[str, Sentence] | None:
    """Who thinks what beside an event, or None; `since` is how many events ago the last thought was told."""
    share = AFTER_DRAMA if event.is_dramatic else SHARE
    if since < PAUSE or picker.chance(event.tick, event.id, "thought") >= share:
        return None
    who = picker.choose(thinkers, event.tick, event.id, "thinker")
    if who is None:
        return None
    return who, _sentence(world, event, who, picker)


def _sentence(world: WorldState, event: Event, who: str, picker: Picker) -> Sentence:
    me = world.agents[who]
    gone = {who, *_people_who_move(event)}
    here = [other.id for other in world.agents.values() if other.location == event.room and other.id not in gone]
    weighed = [
        (secret.id, other)
        for secret in world.scenario.secrets.values()
        for other in _people_concerned(world, secret, who, here)
    ]
    lot = picker.chance(event.tick, event.id, "on whose mind")
    if weighed and lot < 0.5:
        secret, whom = weighed[int(lot * 2.0 * len(weighed))]
        return Sentence("thought.secret", whom, secret)
    felt = [other for other in here if me.grievance.get(other, 0.0) > 0.2 or abs(me.bonds[other].affection) > 0.4]
    if felt and lot < 0.8:
        return Sentence("thought.person", picker.choose(felt, event.tick, event.id, "whom"))
    return Sentence("thought.plain")


def _people_concerned(world: WorldState, secret: Secret, who: str, here: Sequence[str]) -> list[str]:
    """Those here whom a secret makes `who` think of: its holders, or, for a holder, those whom it would hurt."""
    if who in secret.holders:
        return [other for other in here if secret.harm.get(other, 0.0) > 0.0 and other not in secret.holders]
    known = world.agents[who].beliefs[secret.id] != Belief.UNKNOWN
    return [other for other in here if other in secret.holders] if known else []


def _people_who_move(event: Event) -> set[str]:
    """Those who come or go by an event."""
    return {delta.agent for delta in event.deltas if delta.kind == "location"}
