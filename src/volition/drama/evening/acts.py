"""What each act does: one function for each kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.evening.changes import (
    change_emotion,
    change_trust,
    draw,
    drink_glass,
    in_room,
    see_that_knows,
    set_entry,
    set_own,
    strain_budget,
    strain_commitment,
    strain_stress,
)
from volition.drama.evening.happening import happen
from volition.drama.evening.learning import hint, is_news, lie, tell, watch
from volition.drama.evening.log import (
    BELIEVED,
    BY_CONFIDE,
    BY_CONFLICT,
    BY_LIE,
    BY_REVEAL,
    CAUGHT,
    CONFIDED,
    DRANK,
    FETCHED,
    KNEW,
    LEARNED,
    LEFT,
    LIED,
    MOVED,
    PART_AWAY,
    PART_COURSE_SERVED,
    PART_EMOTIONS,
    PART_MOVED,
    PART_NEEDS,
    PART_ROOM,
    PART_SLAMMED,
    PART_TASK,
    PART_TASK_SINCE,
    REVEALED,
    SAW_A_DOOR_SLAMMED,
    SEEN,
    SERVED,
    SLAMMED,
    USED,
    begin_event,
    flag_event,
    note,
)
from volition.drama.evening.perceive import is_unforgiven
from volition.drama.evening.quarrel import confront, say_subject
from volition.drama.evening.record import DEPARTED, NONE
from volition.drama.evening.resolve import GONE, HUSHED, KNOWN, WRONGED, downgrade
from volition.drama.evening.sets import has
from volition.drama.evening.stance import (
    answer_before,
    break_with,
    comfort,
    forgive,
    shun,
    subject_of,
    tell_ally,
)
from volition.drama.evening.state import ANGER, FEAR, FETCH, POUR, SERVE, SHAME, SUSPICION
from volition.drama.evening.tables import FOR_CATCH
from volition.drama.evening.talk import chat
from volition.drama.rules.catalog import (
    CHAT,
    CONFIDE,
    CONFLICT,
    INTERNAL,
    LIE,
    OBSERVE,
    REVEAL,
    SOCIAL_MOVE,
    Belief,
)
from volition.drama.rules.passing import said_feeling
from volition.drama.rules.physics import budget_cost, commitment_gain

if TYPE_CHECKING:
    from volition.drama.evening.log import EveningLog
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables

_SUSPECTS, _BELIEVES_TRUE = int(Belief.SUSPECTS), int(Belief.BELIEVES_TRUE)


def perform(evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int) -> None:
    """Carry out the choice of `me` as it was resolved. What nobody could notice and what changed nothing is no event.

    A word to a person who has just left the room is not said, and nobody watches them; who has been taken along out of the
    house does nothing more in it. Anyone about to serve waits
    where a row has just begun. Who has just learned of a wrong has no kind word for who did it. A secret that is news to
    nobody is not told: it turns out that they know.
    """
    act, room = evening.became[me], evening.room[me]
    kind, focus, secret = tables.kind[act], tables.focus[act], tables.secret[act]
    if kind == INTERNAL:
        return
    targets, here = people_addressed(evening, tables, me, act), in_room(evening, tables, room)
    if room == DEPARTED or (focus != NONE and not has(here, focus)) or (targets != 0 and targets & here == 0):
        evening.became[me] = downgrade(tables, kind)
        evening.because[me] = GONE
        return
    if tables.rules.departures.hush != 0 and is_service(tables, act) and evening.clash_at[room] == evening.tick:
        evening.became[me] = downgrade(tables, kind)
        evening.because[me] = HUSHED
        return
    if is_withheld(evening, tables, me, act):
        evening.became[me] = downgrade(tables, kind)
        evening.because[me] = WRONGED
        return
    targets &= here
    begin_event(log)
    out, stated = NONE, NONE
    listeners = targets if kind == CONFIDE else here
    if kind in (REVEAL, CONFIDE) and secret != NONE and not is_news(evening, tables, secret, listeners):
        find_known(evening, tables, log, me, tables.target[act], secret)
        kind, act, secret = int(CHAT), evening.became[me], NONE
    if kind == CHAT:
        chat(evening, tables, log, me, act, targets)
    elif kind == OBSERVE:
        if focus == NONE or not observe(evening, tables, log, me, focus):
            return
    elif kind == SOCIAL_MOVE:
        move(evening, tables, log, me, tables.destination[act])
    elif kind == REVEAL:
        strain_commitment(evening, log, me, commitment_gain(REVEAL, False, False, tables.rules.physics), REVEALED)
        tell(evening, tables, log, secret, me, here & ~(1 << me), True, REVEALED)
        strain_budget(evening, log, me, budget_cost(REVEAL, tables.weight[secret], tables.rules.physics), BY_REVEAL)
    elif kind == CONFLICT:
        cause = subject_of(evening, tables, me, act)
        out = confront(evening, tables, log, me, tables.target[act], cause)
        stated = say_subject(evening, tables, log, me, tables.target[act], cause, out)
        secret = NONE
        strain_budget(evening, log, me, budget_cost(CONFLICT, 0.0, tables.rules.physics), BY_CONFLICT)
    elif kind == CONFIDE:
        confide(evening, tables, log, me, tables.target[act], secret, here)
        weight = tables.weight[secret] if secret != NONE else 0.0
        strain_budget(evening, log, me, budget_cost(CONFIDE, weight, tables.rules.physics), BY_CONFIDE)
    elif kind == LIE:
        tell_lie(evening, tables, log, me, tables.target[act], secret)
        strain_budget(evening, log, me, budget_cost(LIE, tables.weight[secret], tables.rules.physics), BY_LIE)
    else:
        handle(evening, tables, log, me, act, here)
    happen(evening, tables, log, kind, me, targets, room, act, secret, out, stated)


def is_withheld(evening: EveningState, tables: ScenarioTables, me: int, act: int) -> bool:
    """Whether an act is a kind word or gesture for a person with whom `me` owes a scene, or has broken, since it was chosen;
    or a comfort or confidence for one whose wrong is not forgiven."""
    target = tables.target[act]
    if target == NONE or tables.rules.departures.owed == 0.0:
        return False
    close = tables.kind[act] == CONFIDE or act == tables.comfort + target
    if close and is_unforgiven(evening, tables, me, target):
        return True
    kind = close or tables.kind[act] == CHAT
    return kind and (evening.stung[me][target] >= 0.0 or has(evening.broke_with[me], target))


def is_service(tables: ScenarioTables, act: int) -> bool:
    """Whether an act brings something to the table."""
    return act - tables.do_task in (SERVE, POUR)


def find_known(
    evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int, other: int, secret: int
) -> None:
    """Begin to tell a secret, and find that the other knows it: it becomes a word between two who know."""
    evening.became[me] = tables.chat + other
    evening.because[me] = KNOWN
    see_that_knows(evening, log, me, other, secret, LEARNED)
    see_that_knows(evening, log, other, me, secret, LEARNED)
    flag_event(log, KNEW)
    if log.on != 0:
        log.event_found[log.events] = 1 << secret


def people_addressed(evening: EveningState, tables: ScenarioTables, me: int, act: int) -> int:
    """Whom an act is meant for: of a word to all, those who were there when it was chosen."""
    if act == tables.chat_to_all:
        return evening.met[me]
    if tables.target[act] != NONE:
        return 1 << tables.target[act]
    if act == tables.leave and evening.leads[me] != NONE:
        return 1 << evening.leads[me]
    return 0


def observe(evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int, focus: int) -> bool:
    """Watch `focus`; whether it betrayed anything."""
    secrets = watch(evening, tables, log, me, focus)
    if log.on != 0:
        log.event_found[log.events] = secrets
    return secrets != 0


def move(evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int, room: int) -> None:
    """Go to another room."""
    if evening.room[me] == tables.gathering:
        set_own(log, evening.away, PART_AWAY, me, evening.minutes, MOVED)
    elif room == tables.gathering:
        set_own(log, evening.away, PART_AWAY, me, -1.0, MOVED)
    set_own(log, evening.room, PART_ROOM, me, room, MOVED)
    set_own(log, evening.moved, PART_MOVED, me, evening.tick, MOVED)
    strain_budget(evening, log, me, tables.rules.acts.move_budget, MOVED)


def confide(
    evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int, other: int, secret: int, here: int
) -> None:
    """Tell a secret, or only a feeling, to one person; those around may catch a hint of a secret."""
    rules, caught = tables.rules, 0
    if rules.departures.confide_commitment != 0:
        strain_commitment(evening, log, me, commitment_gain(REVEAL, False, False, rules.physics), CONFIDED)
    strain_stress(evening, log, me, rules.acts.confide_stress, CONFIDED)
    change_trust(evening, tables, log, me, other, rules.acts.confide_trust, CONFIDED)
    change_trust(evening, tables, log, other, me, rules.acts.confided_trust, CONFIDED)
    tell_ally(evening, tables, log, me, other)
    if secret == NONE:
        unburden(evening, tables, log, me)
        return
    tell(evening, tables, log, secret, me, 1 << other, False, CONFIDED)
    for bystander in range(tables.people):
        if has(here, bystander) and bystander not in (me, other):
            drawn = draw(evening, tables, bystander, FOR_CATCH, tables.person_name[me])
            if drawn < rules.information.confide_leak and hint(evening, tables, log, bystander, secret, CAUGHT):
                caught |= 1 << bystander
    if log.on != 0:
        log.event_caught[log.events] = caught


def unburden(evening: EveningState, tables: ScenarioTables, log: EveningLog, who: int) -> None:
    """Let what troubles `who` weigh less once it is said: it is confided again only after something new."""
    for emotion in (ANGER, FEAR, SHAME, SUSPICION):
        felt = evening.emotions[who][emotion]
        eased = said_feeling(felt, tables.rules.feelings)
        set_entry(log, evening.emotions, PART_EMOTIONS, who, emotion, eased, CONFIDED)


def tell_lie(evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int, other: int, secret: int) -> None:
    """Lie to `other` about a secret."""
    strain_stress(evening, log, me, tables.rules.acts.lie_stress, LIED)
    strain_commitment(evening, log, me, tables.rules.acts.lie_commitment, LIED)
    if lie(evening, tables, log, me, other, secret):
        flag_event(log, BELIEVED)
    else:
        flag_event(log, SEEN)
        evening.failed |= 1 << me


def handle(evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int, act: int, here: int) -> None:
    """Drink, serve, slam a door, leave, make a gesture towards another person, or use what a room is for."""
    task, target = act - tables.do_task, tables.target[act]
    if target != NONE:
        gesture(evening, tables, log, me, act, target)
        return
    if act == tables.drink:
        drink_glass(evening, tables, log, me, DRANK)
    elif task == FETCH:
        set_own(log, evening.task, PART_TASK, me, SERVE, FETCHED)
    elif task in (SERVE, POUR):
        serve(evening, tables, log, me, task, here)
    elif act == tables.slam:
        slam(evening, tables, log, me, here)
    elif act == tables.leave:
        go_out(evening, tables, log, me)
        if evening.leads[me] != NONE:
            evening.witnesses[evening.leads[me]] |= here
            go_out(evening, tables, log, evening.leads[me])
    else:
        set_entry(log, evening.needs, PART_NEEDS, me, act - tables.use, 0.0, USED)


def go_out(evening: EveningState, tables: ScenarioTables, log: EveningLog, who: int) -> None:
    """Leave for good, which answers every wrong that was done to `who`."""
    answer_before(evening, tables, log, who, (1 << tables.people) - 1)
    set_own(log, evening.room, PART_ROOM, who, DEPARTED, LEFT)


def gesture(evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int, act: int, target: int) -> None:
    """Turn away from `target`, stand by them, forgive them or break with them."""
    if act == tables.shun + target:
        shun(evening, tables, log, me, target)
    elif act == tables.comfort + target:
        comfort(evening, tables, log, me, target)
    elif act == tables.forgive + target:
        forgive(evening, tables, log, me, target)
    else:
        break_with(evening, tables, log, me, target)


def serve(evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int, task: int, here: int) -> None:
    """Fill every glass in the room; a course also stands on the table from now on."""
    for who in range(tables.people):
        if has(here, who):
            drink_glass(evening, tables, log, who, SERVED)
    if task == SERVE and evening.course_served != evening.minutes:
        note(log, PART_COURSE_SERVED, NONE, NONE, NONE, evening.course_served, evening.minutes, SERVED)
        evening.course_served = evening.minutes
    set_own(log, evening.task, PART_TASK, me, NONE, SERVED)
    set_own(log, evening.task_since, PART_TASK_SINCE, me, -1.0, SERVED)


def slam(evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int, here: int) -> None:
    """Let off steam: a small drama, that relieves one and frightens the others."""
    set_own(log, evening.slammed, PART_SLAMMED, me, evening.minutes, SLAMMED)
    strain_stress(evening, log, me, tables.rules.acts.slam_stress, SLAMMED)
    strain_budget(evening, log, me, tables.rules.physics.budget_cost_minor, SLAMMED)
    for other in range(tables.people):
        if has(here, other) and other != me:
            change_emotion(evening, log, other, FEAR, tables.rules.acts.slam_fear, SAW_A_DOOR_SLAMMED)
