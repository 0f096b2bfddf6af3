"""The fixed slots of the kernel: how many there are, which act each one is, and the record of a decider.

A slot is an act of the mind's grammar with indices instead of names: person 3 of the scenario, room 1, secret 2. Slots
are in the order in which a mind offers acts, as far as a fixed order can be: doors and (listener, secret) pairs are
offered in the order of the scenario and of the act.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from volition.core.errors import InvalidInput, Problems
from volition.drama.rules.catalog import Trigger

if TYPE_CHECKING:
    from volition.drama.rules.tables import Tables
    from volition.drama.world.model import Scenario

PEOPLE: Final = 8
OTHERS: Final = PEOPLE - 1
ROOMS: Final = 8
SECRETS: Final = 8
NEEDS: Final = 4
FLAWS: Final = 3
TRIGGERS: Final = len(Trigger)
RECENT: Final = 4
"""How many different recent acts a record holds."""
OLDEST: Final = 255
"""The greatest age, in ticks, that a record holds."""

NOBODY: Final = 255
"""Stands for no room, no task or no slot."""
NOTHING: Final = -1
"""The slot of somebody who has left and decides nothing."""
UNKNOWN: Final = -2
"""The slot of somebody who is not in the scenario, or in no room of it."""

CHAT_AT: Final = 0
CHAT_ALL: Final = CHAT_AT + PEOPLE
OBSERVE_AT: Final = CHAT_ALL + 1
OBSERVE_ROOM: Final = OBSERVE_AT + PEOPLE
MOVE_AT: Final = OBSERVE_ROOM + 1
INTERNAL_AT: Final = MOVE_AT + ROOMS
DRINK_AT: Final = INTERNAL_AT + 1
TASK_AT: Final = DRINK_AT + 1
NEED_AT: Final = TASK_AT + 3
SLAM_AT: Final = NEED_AT + NEEDS
LEAVE_AT: Final = SLAM_AT + 1
REVEAL_AT: Final = LEAVE_AT + 1
CONFLICT_AT: Final = REVEAL_AT + SECRETS * PEOPLE
CONFIDE_AT: Final = CONFLICT_AT + PEOPLE
LIE_AT: Final = CONFIDE_AT + PEOPLE * SECRETS
SLOTS: Final = LIE_AT + PEOPLE * SECRETS

BONDS, FLAWS_AWAKE, NOISE = range(3)
TERMS: Final = 3
"""The terms that a look checks for having decided."""

THREAT, RISK, CHALLENGED, SCENE, PENDING, COURSE, EXCUSED = (1 << bit for bit in range(7))
"""What somebody perceives of the scene, as bits of `signs`."""

RECORD: Final = np.dtype(
    [
        ("stress", "f8"),
        ("commitment", "f8"),
        ("composure", "f8"),
        ("budget", "f8"),
        ("alcohol", "f8"),
        ("anger", "f8"),
        ("shame", "f8"),
        ("suspicion", "f8"),
        ("minutes", "f8"),
        ("away", "f8"),  # minutes since leaving the gathering
        ("wish", "f8"),  # the desire to leave
        ("needs", "f8", (NEEDS,)),
        ("trust", "f8", (OTHERS,)),
        ("affection", "f8", (OTHERS,)),
        ("obligation", "f8", (OTHERS,)),
        ("quarrel", "f8", (OTHERS,)),  # what grievance and fatigue add to a confrontation
        ("person", "u1"),
        ("room", "u1"),
        ("recovery", "u1"),
        ("present", "u1"),  # from here on bit sets of people or of secrets
        ("told", "u1"),  # the secrets believed true
        ("suspects", "u1"),
        ("provoked", "u1"),  # by whom, if general anger does not count
        ("groundless", "u1"),  # with whom there is nothing to quarrel about
        ("owes", "u1"),  # to whom something has to be made up
        ("signs", "u1"),
        ("task", "u1"),
        ("moved", "u1"),  # how many ticks ago; 0 means never
        ("there", "u1", (ROOMS,)),  # who is thought to be in each room
        ("followed", "u1", (ROOMS,)),  # who just went there
        ("knowing", "u1", (SECRETS,)),  # who is thought to know each secret
        ("curious", "u1", (SECRETS,)),  # to whom a lie about it may be worth telling
        ("lately", "u1", (RECENT,)),  # slots of the last acts
        ("ages", "u1", (RECENT,)),  # how many ticks ago they were
    ],
    align=True,
)
"""One decider: its feelings, its bonds with the others by their indices, and its perception."""

LOOK: Final = np.dtype(
    [
        ("totals", "f8", (SLOTS,)),  # of all acts that could be chosen, in the order offered
        ("made", "i8"),  # how many there were
        ("internal", "f8"),
        ("dramatic", "f8"),  # the best of the dramatic ones, NaN if there was none
        ("gap", "f8"),  # between the best and the next, NaN if there was only one act
        ("bias", "f8"),  # what flaws added to the best
        ("hung", "u1", (TERMS,)),  # whether another act would have been best without a term
    ],
    align=True,
)
"""One decision as an observer sees it."""

DESK: Final = np.dtype(
    [
        ("worths", "f8", (SLOTS,)),  # of the acts that may be chosen, in the order offered
        ("slots", "i8", (SLOTS,)),  # which acts they are
        ("more", "f8", (SLOTS,)),  # additions by slot
        ("calm", "f8"),  # what pacing adds to quiet acts
        ("stir", "f8"),  # and to dramatic ones
        ("barred", "i8"),  # whether those are forbidden
        ("steady", "f8", (4,)),  # what commitment adds, by how an act relates to it
        ("awake", "i8"),  # the flaws active for any act
        ("offered", "i8"),  # and for an offer of closeness
        ("count", "i8"),  # how many people are here
        ("here", "i8", (PEOPLE,)),  # who they are
        ("tellings", "i8"),  # how many secrets may be told
        ("told", "i8", (SECRETS,)),  # which they are
        ("costs", "f8", (SECRETS,)),  # what it costs to give away each
        ("replies", "f8", (PEOPLE,)),
        ("parts", "f8", (TERMS, SLOTS)),  # what some terms add to the acts that may be chosen, for looks
    ],
    align=True,
)
"""The loop's scratch space for one decision. It is one record, because compiled code passes that by its address."""


def check_size(scenario: Scenario, tables: Tables) -> None:
    """Refuse a scenario that does not fit the fixed slots, with everything that is too large and its limit."""
    problems, departures = Problems(), tables.departures
    recency = departures.recency or departures.recency_dramatic
    counts = [
        ("people", len(scenario.people), PEOPLE),
        ("rooms", len(scenario.rooms), ROOMS),
        ("secrets", len(scenario.secrets), SECRETS),
        ("evening.needs", len(scenario.evening.needs), NEEDS),
        *((f"people.{id}.flaws", len(person.flaws), FLAWS) for id, person in scenario.people.items()),
        ("rules.departures.move_again_ticks", departures.move_again_ticks if departures.move_again else 0, OLDEST - 1),
        ("rules.departures.recency_ticks", departures.recency_ticks if recency else 0, RECENT),
    ]
    for where, count, most in counts:
        if count > most:
            problems.add(
                f"{count} are too many for many decisions at once",
                where=where,
                expected=f"at most {most} in the kernel's fixed slots",
                remedy="make it smaller, or decide by Mind, which has no such limit",
            )
    problems.raise_if_any(InvalidInput)
