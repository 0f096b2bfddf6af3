"""Between what everybody wants and what happens: proposals are heard by urgency, and who finds no room gives way.

Nobody is dropped: who loses is downgraded. A word turns into listening, anything else into thought.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.core.chance import gauss, stream, word
from volition.drama.evening.changes import draw
from volition.drama.evening.record import NONE
from volition.drama.evening.sets import has
from volition.drama.evening.tables import FOR_TIE, FOR_TURN
from volition.drama.rules.catalog import CHAT, CONFIDE, CONFLICT, LIE, REVEAL, SOCIAL_MOVE

if TYPE_CHECKING:
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables

OBSTACLES: Final = ("", "engaged", "hushed", "full", "gone", "known", "wronged")
"""Why an act gave way; the constants below are their places."""
NO_OBSTACLE, ENGAGED, HUSHED, FULL, GONE, KNOWN, WRONGED = range(len(OBSTACLES))


def resolve(evening: EveningState, tables: ScenarioTables) -> None:
    """Hear all proposals by priority class, then by score, and settle who gives way, in the order in which they happen.

    Conflicts are: two acts that need the same person, an act towards a person who is breaking, and more people moving
    to a room than it has places. Who goes along with somebody who leaves does nothing else.
    """
    conversations = tables.rules.departures.conversations != 0
    engaged, hushed, led = evening.breaking, 0, 0
    for who in range(tables.people):
        if evening.leads[who] != NONE and not has(led, who):
            led |= 1 << evening.leads[who]
    for room in range(tables.rooms):
        evening.places[room] = tables.capacity[room]
    for who in range(tables.people):
        room = evening.room[who]
        if room >= 0:
            evening.places[room] -= 1
            if tables.rules.departures.hush != 0 and has(evening.breaking, who):
                hushed |= 1 << room
    rank_proposals(evening, tables)
    for place in range(evening.proposals):
        who = evening.order[place]
        act, room = evening.choice[who], evening.room[who]
        kind, target, destination = tables.kind[act], tables.target[act], tables.destination[act]
        engages = is_spoken(kind) and (conversations or kind != CHAT)
        because = NO_OBSTACLE
        if has(led, who):
            because = ENGAGED
        elif kind == SOCIAL_MOVE:
            if evening.places[destination] <= 0:
                because = FULL
        elif is_spoken(kind) and has(hushed, room):
            because = HUSHED
        elif engages and (has(engaged, who) or (target != NONE and has(engaged, target))):
            because = ENGAGED
        evening.because[who] = because
        if because != NO_OBSTACLE:
            evening.became[who] = downgrade(tables, kind)
        else:
            evening.became[who] = act
            if kind == SOCIAL_MOVE:
                evening.places[destination] -= 1
                evening.places[room] += 1
            elif engages:
                engaged |= 1 << who
                if target != NONE:
                    engaged |= 1 << target


def rank_proposals(evening: EveningState, tables: ScenarioTables) -> None:
    """Sort all who chose by class, then by score, with some luck in who gets a word in; a draw breaks ties.

    The sort is stable: of two with the same class, score and draw the first in the scenario goes first.
    """
    departures = tables.rules.departures
    evening.proposals = 0
    for who in range(tables.people):
        act = evening.choice[who]
        if act != NONE:
            score = evening.score[who]
            if departures.conversations != 0 and is_spoken(tables.kind[act]):
                key = stream(evening.seed, evening.tick, tables.person_name[who], tables.purpose[FOR_TURN])
                score += departures.conversation_noise * gauss(word(key, tables.act_name[act]))
            evening.rank[who] = score
            evening.tie[who] = draw(evening, tables, who, FOR_TIE, tables.act_name[act])
            place = evening.proposals
            while place > 0 and goes_before(evening, who, evening.order[place - 1]):
                evening.order[place] = evening.order[place - 1]
                place -= 1
            evening.order[place] = who
            evening.proposals += 1


def goes_before(evening: EveningState, who: int, other: int) -> bool:
    """Whether one proposal is heard before another."""
    if evening.priority[who] != evening.priority[other]:
        return evening.priority[who] > evening.priority[other]
    if evening.rank[who] != evening.rank[other]:
        return evening.rank[who] > evening.rank[other]
    return evening.tie[who] < evening.tie[other]


def is_spoken(kind: int) -> bool:
    """Whether an act of this kind is spoken."""
    return kind in (CHAT, REVEAL, CONFLICT, CONFIDE, LIE)


def downgrade(tables: ScenarioTables, kind: int) -> int:
    """What an act of this kind turns into that cannot happen."""
    if kind == CHAT:
        return tables.look_around
    return tables.think
