"""Who breaks this tick, and what an outburst does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.evening.changes import (
    change_emotion,
    change_trust,
    draw_between,
    in_room,
    is_within_earshot,
    set_entry,
    set_own,
    strain_by_clash,
)
from volition.drama.evening.happening import happen
from volition.drama.evening.learning import is_news, tell
from volition.drama.evening.log import (
    BROKE,
    BURST_OUT,
    BY_CATASTROPHE,
    PART_BROKEN,
    PART_CATASTROPHES,
    PART_EMOTIONS,
    PART_LAST_SCENE,
    SAW_AN_OUTBURST,
    begin_event,
    note,
)
from volition.drama.evening.perceive import recently, thought_to_know
from volition.drama.evening.record import DEPARTED, NONE
from volition.drama.evening.sets import has
from volition.drama.evening.stance import answer_before
from volition.drama.evening.state import ANGER, FEAR, SHAME
from volition.drama.evening.tables import FOR_OUTBURST
from volition.drama.rules.catalog import CATASTROPHE, Belief
from volition.drama.rules.catastrophe import breakdown, breaks, peak_emotion, potential, threshold
from volition.drama.rules.physics import Pace, clamp, clash_stress

if TYPE_CHECKING:
    from volition.drama.evening.log import EveningLog
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables

_BELIEVES_TRUE = int(Belief.BELIEVES_TRUE)


def find_breaking(evening: EveningState, tables: ScenarioTables) -> None:
    """Find who breaks this tick, the likeliest first; of equals the first in the scenario.

    A second one is judged again after the first, whose stress spills over, and before a higher threshold.
    """
    rules = tables.rules
    evening.breaking = 0
    evening.outbursts = 0
    searching = True
    while searching and evening.outbursts < rules.physics.catastrophe_at_once:
        limit = threshold(evening.catastrophes + evening.outbursts, rules.departures.threshold_rise, rules.physics)
        likeliest, nearest = NONE, 0.0
        for who in range(tables.people):
            if evening.room[who] != DEPARTED and not has(evening.breaking, who):
                stress = clamp(evening.stress[who] + spilled_stress(evening, tables, who), 0.0, 1.0)
                commitment, suppression = evening.commitment[who], evening.suppression[who]
                pace = Pace(
                    evening.budget[who], stress, evening.composure[who], commitment, evening.timer[who], suppression
                )
                if breaks(pace, limit, rules.physics):
                    near = potential(stress, commitment, suppression, rules.physics)
                    if likeliest == NONE or near > nearest:
                        likeliest = who
                        nearest = near
        if likeliest == NONE:
            searching = False
        else:
            evening.outburst_of[evening.outbursts] = likeliest
            evening.outbursts += 1
            evening.breaking |= 1 << likeliest


def spilled_stress(evening: EveningState, tables: ScenarioTables, who: int) -> float:
    """The stress that earlier outbursts of this tick give `who`."""
    gain, here = 0.0, evening.room[who]
    for place in range(evening.outbursts):
        source = evening.outburst_of[place]
        room = evening.room[source]
        heard = room != here and is_within_earshot(evening, tables, who, room, source)
        gain += clash_stress(room == here, room == here, heard, tables.rules.physics)
    return gain * tables.sensitivity[who]


def burst(evening: EveningState, tables: ScenarioTables, log: EveningLog, who: int) -> None:
    """Let `who` break before all present: trust is lost, feelings rise, and what they were pressed about may be out."""
    rules, room = tables.rules, evening.room[who]
    present = in_room(evening, tables, room) & ~(1 << who)
    begin_event(log)
    if log.on != 0:
        log.event_breakdown[log.events] = kind_of_breakdown(evening, tables, who)
    strain_by_clash(evening, tables, log, room, who, present | 1 << who, BY_CATASTROPHE)
    frighten_present(evening, tables, log, who, present)
    if rules.departures.owed == 0.0:
        answer_before(evening, tables, log, who, present)
    if rules.departures.feelings != 0:
        set_entry(
            log,
            evening.emotions,
            PART_EMOTIONS,
            who,
            ANGER,
            max(evening.emotions[who][ANGER], rules.feelings.outburst_anger),
            BROKE,
        )
        change_emotion(evening, log, who, SHAME, rules.feelings.outburst_shame, BROKE)
    out = untold_secret(evening, tables, who, present)
    if out != NONE:
        tell(evening, tables, log, out, who, present, True, BURST_OUT)
    set_own(log, evening.broken, PART_BROKEN, who, 1, BROKE)
    see_scene(evening, log, who)
    for other in range(tables.people):
        if has(present, other):
            see_scene(evening, log, other)
    note(log, PART_CATASTROPHES, NONE, NONE, NONE, evening.catastrophes, evening.catastrophes + 1, BROKE)
    evening.catastrophes += 1
    happen(evening, tables, log, CATASTROPHE, who, present, room, NONE, NONE, out, NONE)


def frighten_present(evening: EveningState, tables: ScenarioTables, log: EveningLog, who: int, present: int) -> None:
    """What an outburst does between who breaks and each of those who see it."""
    rules, acts = tables.rules, tables.rules.acts
    for other in range(tables.people):
        if has(present, other):
            lost = draw_between(
                evening, tables, acts.outburst_trust_from, acts.outburst_trust_to, who, FOR_OUTBURST,
                tables.person_name[other],
            )  # fmt: skip
            hurt = draw_between(
                evening, tables, acts.outburst_others_from, acts.outburst_others_to, other, FOR_OUTBURST,
                tables.person_name[who],
            )  # fmt: skip
            change_trust(evening, tables, log, who, other, -lost, BROKE)
            change_trust(evening, tables, log, other, who, -hurt, SAW_AN_OUTBURST)
            if rules.departures.feelings != 0:
                change_emotion(evening, log, other, FEAR, rules.feelings.outburst_fear, SAW_AN_OUTBURST)


def kind_of_breakdown(evening: EveningState, tables: ScenarioTables, who: int) -> int:
    """How `who` breaks: by their strongest flaw and their strongest emotion."""
    felt = evening.emotions[who]
    peak = peak_emotion((felt[0], felt[1], felt[2], felt[3], felt[4], felt[5]))
    return breakdown(tables.dominant_flaw[who], peak)


def untold_secret(evening: EveningState, tables: ScenarioTables, who: int, present: int) -> int:
    """The weightiest secret that `who` knows and was pressed about, thinks is unknown to a person present, and is news there;
    the first of equals."""
    heaviest = NONE
    for secret in range(tables.secrets):
        untold = evening.belief[who][secret] == _BELIEVES_TRUE
        untold = untold and present & ~thought_to_know(evening, tables, who, secret) != 0
        untold = untold and is_news(evening, tables, secret, present) and is_pressed(evening, tables, who, secret)
        if untold and (heaviest == NONE or tables.weight[secret] > tables.weight[heaviest]):
            heaviest = secret
    return heaviest


def is_pressed(evening: EveningState, tables: ScenarioTables, who: int, secret: int) -> bool:
    """Whether `who` was recently pressed about a secret, where an outburst tells nothing else."""
    ticks, pressed = tables.rules.departures.provocation, tables.rules.departures.provocation == 0
    for other in range(tables.people):
        pressed = pressed or recently(evening.questions[who][other][secret], evening.tick, ticks)
    return pressed


def see_scene(evening: EveningState, log: EveningLog, who: int) -> None:
    """Remember the minute of an outburst."""
    set_own(log, evening.last_scene, PART_LAST_SCENE, who, evening.minutes, SAW_AN_OUTBURST)
