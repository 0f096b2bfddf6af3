"""What a stage shows of a tick: cues in beats, from the record alone.

The cues of a beat go on at once, and the next beat begins when all of them have ended. First, everybody who acts is seen
to act, in the order of the events; then whoever is not yet where the next tick finds them goes there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from volition.drama.world.model import DEPARTED
from volition.staging.set_design import blocks

if TYPE_CHECKING:
    from volition.drama.audience.timeline import EventShape, PersonNow, TickShape
    from volition.staging.set_design import SetDesign

WALK_S: Final = 30.0
MOMENT_S: Final = 5.0
"""The longest that a walk, and anything else, may take: a stage that needs longer has not done it."""
PRIVATE: Final = frozenset({"CONFIDE"})
"""What is said for one person only."""
GESTURE_OF: Final = {"CATASTROPHE": "break", "CONFLICT": "burst"}
MANNERS: Final = {
    "comfort": "touch",
    "slam": "slam",
    "drink": "drink",
    "pour": "drink",
    "toast": "drink",
    "eat": "drink",
}


class Cue(Struct, frozen=True):
    """One thing that a stage is asked to do: an intent for a guest, or for the stage as a whole."""

    intent: str
    parameters: dict[str, Any]
    who: str | None = None
    longest_s: float = MOMENT_S


Beat = list[Cue]


def entrance(who: str, name: str, person: PersonNow) -> Cue:
    """Bring somebody to where they are."""
    return Cue("ENTER", {"who": who, "name": name, "at": blocks(person.at)})


def beats_of(before: TickShape, events: list[EventShape], after: TickShape, design: SetDesign) -> list[Beat]:
    """The beats of one tick: the state before it, what happened, and the state after it."""
    there = dict(before.people)
    beats: list[Beat] = []
    for event in events:
        beats += _show_event(event, there)
        if event.destination is not None:
            for who in (event.source, *event.targets):
                if who in there and after.people[who].room == event.destination != there[who].room:
                    beats.append([_walk(who, there[who], after.people[who], design)])
                    there[who] = after.people[who]
    late = [who for who, person in after.people.items() if who in there and person.at != there[who].at]
    beats.append([entrance(who, design.names[who], there[who]) for who in late if there[who].room == DEPARTED])
    beats.append([_walk(who, there[who], after.people[who], design) for who in late])
    gone = [who for who, person in after.people.items() if person.room == DEPARTED != before.people[who].room]
    beats.append([Cue("LEAVE", {}, who) for who in gone])
    return [beat for beat in beats if beat]


def _show_event(event: EventShape, there: dict[str, PersonNow]) -> list[Beat]:
    """The beats of one event: those in it turn to each other, one makes a gesture, and the lines are said in turn."""
    if event.source not in there:
        return []
    beats: list[Beat] = []
    turned = [_look(event.source, target, there) for target in event.targets[:1]]
    turned += [_look(target, event.source, there) for target in event.targets]
    if event.focus in there and not event.targets:
        turned.append(_look(event.source, event.focus, there))
    beats.append([cue for cue in turned if cue is not None])
    manner = GESTURE_OF.get(event.type) or MANNERS.get(event.manner or "")
    if manner is not None:
        beats.append([Cue("GESTURE", {"manner": manner}, event.source)])
    aloud = event.type not in PRIVATE
    beats += [
        [Cue("SAY", {"text": line.words, "aloud": aloud}, line.who)] for line in event.spoken if line.who in there
    ]
    return beats


def _look(who: str, at: str, there: dict[str, PersonNow]) -> Cue | None:
    if who == at or who not in there or at not in there or there[who].room != there[at].room:
        return None
    return Cue("LOOK", {"at": blocks(there[at].at)}, who)


def _walk(who: str, start: PersonNow, goal: PersonNow, design: SetDesign) -> Cue:
    return Cue("WALK", {"way": design.way(start.room, goal.room, goal.at)}, who, WALK_S)
