"""How people come to know: told, hinted at, watching, lied to; and what the truth does to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.evening.changes import (
    add_ground,
    change_emotion,
    change_grievance,
    change_trust,
    draw,
    see_that_knows,
    see_that_suspects,
    set_entry,
    set_member,
    set_question,
    strain_commitment,
    strain_stress,
)
from volition.drama.evening.log import (
    ANSWERED,
    BETRAYED,
    EXPOSED,
    HARMED,
    HINTED,
    IMPLIED,
    JUDGED,
    LEARNED,
    LIE_FOUND_OUT,
    LIED_TO,
    PART_BELIEF,
    PART_LIED,
    PART_PLANTED,
    PART_WRONGED,
    REPEATED,
    RESOLVED,
    SEEN_THROUGH,
    STATED_ALOUD,
    WATCHED,
    flag_event,
)
from volition.drama.evening.perceive import thought_to_know
from volition.drama.evening.record import NONE
from volition.drama.evening.sets import has
from volition.drama.evening.stance import wrong
from volition.drama.evening.state import ANGER, FEAR, OF_EXPOSURE, OF_HARM, OF_LIE, SHAME, SUSPICION, cause_of
from volition.drama.evening.tables import FOR_HINT, FOR_LIE, FOR_WATCH
from volition.drama.rules.beliefs import (
    belief_when_hinted,
    belief_when_lied_to,
    evidence_chance,
    is_disturbing,
    is_wrong,
    judgement,
    lie_credibility,
    scale_by_harm,
)
from volition.drama.rules.catalog import Belief
from volition.drama.rules.physics import learning_stress

if TYPE_CHECKING:
    from volition.drama.evening.log import EveningLog
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables

_UNKNOWN, _SUSPECTS, _BELIEVES_TRUE = int(Belief.UNKNOWN), int(Belief.SUSPECTS), int(Belief.BELIEVES_TRUE)


def tell(
    evening: EveningState,
    tables: ScenarioTables,
    log: EveningLog,
    secret: int,
    speaker: int,
    listeners: int,
    exposes: bool,
    reason: int,
) -> None:
    """Say a truth before listeners: who does not know it learns it, and all of them know who knows now.

    A secret that comes out exposes those present who hold it and thought that a listener did not know; one that is
    confided does not. What others really knew does not show in a holder.
    """
    company, news = listeners | 1 << speaker, 0
    if exposes:
        expose_holders(evening, tables, log, secret, speaker, company)
    for who in range(tables.people):
        if has(listeners, who) and evening.belief[who][secret] != _BELIEVES_TRUE:
            news |= 1 << who
    for who in range(tables.people):
        if has(news, who):
            learn(evening, tables, log, who, secret, reason)
    share(evening, tables, log, secret, company, reason)
    for other in range(tables.secrets):
        if tables.implied[secret][other] == _BELIEVES_TRUE:
            share(evening, tables, log, other, company, reason)


def share(
    evening: EveningState, tables: ScenarioTables, log: EveningLog, secret: int, company: int, reason: int
) -> None:
    """Let everybody in a company think that all the others know a secret, since all have heard it."""
    for first in range(tables.people):
        who = tables.by_name[first]
        if has(company, who):
            for second in range(tables.people):
                whom = tables.by_name[second]
                if has(company, whom) and whom != who:
                    see_that_knows(evening, log, who, whom, secret, reason)


def expose_holders(
    evening: EveningState, tables: ScenarioTables, log: EveningLog, secret: int, speaker: int, company: int
) -> None:
    """Expose the holders of a secret who are there as it is said, and thought that somebody there did not know it."""
    for place in range(tables.holder_count[secret]):
        holder = tables.holder[secret][place]
        unaware = company & ~(thought_to_know(evening, tables, holder, secret) | 1 << holder)
        if has(company, holder) and unaware != 0:
            expose(evening, tables, log, holder, secret, speaker, unaware)


def state_aloud(
    evening: EveningState, tables: ScenarioTables, log: EveningLog, secret: int, accuser: int, accused: int, here: int
) -> None:
    """Let `accuser`, who knows a secret, say it to the face of `accused`, who denies it, before everybody here.

    Who trusts the accuser more than the accused believes it; everybody else suspects it from now on. Where all know it
    already, and show it, it exposes nobody.
    """
    if tables.rules.departures.blame != 0 and not is_news(evening, tables, secret, here):
        flag_event(log, REPEATED)
    else:
        expose_holders(evening, tables, log, secret, accuser, here)
    for who in range(tables.people):
        if has(here, who) and who not in (accuser, accused) and evening.belief[who][secret] != _BELIEVES_TRUE:
            if evening.trust[who][accuser] > evening.trust[who][accused]:
                learn(evening, tables, log, who, secret, STATED_ALOUD)
            else:
                hint(evening, tables, log, who, secret, STATED_ALOUD)
    share(evening, tables, log, secret, here, STATED_ALOUD)


def hint_aloud(
    evening: EveningState, tables: ScenarioTables, log: EveningLog, secret: int, accuser: int, here: int
) -> int:
    """Let `accuser`, who only suspects a secret, hint at it before others; those who catch it.

    Those who know the secret understand what is meant.
    """
    caught = 0
    for who in range(tables.people):
        if has(here, who) and who != accuser:
            if evening.belief[who][secret] == _BELIEVES_TRUE:
                see_that_suspects(evening, log, who, accuser, secret, 1, HINTED)
                if tables.rules.departures.provocation != 0 and has(tables.holders[secret], who):
                    set_question(evening, log, who, accuser, secret, evening.tick, HINTED)
            else:
                drawn = draw(evening, tables, who, FOR_HINT, tables.pair_name[accuser][secret])
                if drawn < tables.rules.information.hint_caught and hint(evening, tables, log, who, secret, HINTED):
                    caught |= 1 << who
    return caught


def is_news(evening: EveningState, tables: ScenarioTables, secret: int, people: int) -> bool:
    """Whether a truth would be new to any of these people."""
    knowing = 0
    for who in range(tables.people):
        if evening.belief[who][secret] == _BELIEVES_TRUE:
            knowing |= 1 << who
    return people & ~knowing != 0


def learn(evening: EveningState, tables: ScenarioTables, log: EveningLog, who: int, secret: int, reason: int) -> None:
    """Let `who` know a secret for true, and believe at once what it implies."""
    take_in(evening, tables, log, who, secret, reason)
    for other in range(tables.secrets):
        follows = tables.implied[secret][other]
        if follows == _BELIEVES_TRUE and evening.belief[who][other] != _BELIEVES_TRUE:
            take_in(evening, tables, log, who, other, IMPLIED)
        elif follows == _SUSPECTS:
            set_entry(
                log,
                evening.belief,
                PART_BELIEF,
                who,
                other,
                int(belief_when_hinted(evening.belief[who][other])),
                IMPLIED,
            )


def take_in(evening: EveningState, tables: ScenarioTables, log: EveningLog, who: int, secret: int, reason: int) -> None:
    """Let `who` know a secret for true: what it does to them, and to their view of those who kept it."""
    rules, about = tables.rules, tables.about[secret]
    set_entry(log, evening.belief, PART_BELIEF, who, secret, _BELIEVES_TRUE, reason)
    liked = evening.affection[who][about] if about not in (NONE, who) else 0.0
    disturbing = is_disturbing(about == who, tables.weight[secret], liked, rules.consequences)
    strain_stress(evening, log, who, stress_of_learning(tables, disturbing, False, False, 0.0), LEARNED)
    find_out_lie(evening, tables, log, who, secret)
    if rules.departures.consequences != 0:
        for place in range(tables.holder_count[secret]):
            if tables.holder[secret][place] != who:
                resent(evening, tables, log, who, tables.holder[secret][place], secret)
    for place in range(tables.holder_count[secret]):
        if tables.holder[secret][place] != who:
            add_ground(evening, log, who, tables.holder[secret][place], LEARNED)


def stress_of_learning(tables: ScenarioTables, disturbing: bool, lied: bool, wronged: bool, trust: float) -> float:
    """The stress of a truth, by the rules of this house."""
    return learning_stress(disturbing, lied, wronged, trust, tables.rules.physics, tables.rules.information)


def resent(evening: EveningState, tables: ScenarioTables, log: EveningLog, who: int, holder: int, secret: int) -> None:
    """What `who` makes of a person who kept this from them."""
    table, harm, weight = tables.rules.consequences, tables.harm[who][secret], tables.weight[secret]
    if harm <= 0.0:
        judged = judgement(weight, evening.affection[who][holder], table)
        change_trust(evening, tables, log, who, holder, judged, JUDGED)
        return
    stress = stress_of_learning(tables, False, False, True, evening.trust[who][holder])
    strain_stress(evening, log, who, stress, BETRAYED)
    strain_commitment(evening, log, who, scale_by_harm(table.harm_resolve, weight, harm), RESOLVED)
    change_trust(evening, tables, log, who, holder, -scale_by_harm(table.harm_trust, weight, harm), HARMED)
    change_grievance(evening, log, who, holder, scale_by_harm(table.harm_grievance, weight, harm), HARMED)
    change_emotion(evening, log, who, ANGER, scale_by_harm(table.harm_anger, weight, harm), HARMED)
    if is_wrong(weight, harm, table):
        wrong(evening, tables, log, who, holder, cause_of(OF_HARM, secret))
        if tables.rules.departures.feelings != 0:
            doubt = scale_by_harm(tables.rules.feelings.wrong_suspicion, weight, harm)
            change_emotion(evening, log, who, SUSPICION, doubt, HARMED)


def find_out_lie(evening: EveningState, tables: ScenarioTables, log: EveningLog, who: int, secret: int) -> None:
    """What learning the truth does to `who`, who had been lied to about it."""
    liar, table = evening.planted[who][secret], tables.rules.consequences
    if liar == NONE:
        return
    stress = stress_of_learning(tables, False, True, True, evening.trust[who][liar])
    strain_stress(evening, log, who, stress, LIE_FOUND_OUT)
    set_entry(log, evening.planted, PART_PLANTED, who, secret, NONE, LIE_FOUND_OUT)
    add_ground(evening, log, who, liar, LIE_FOUND_OUT)
    if tables.rules.departures.consequences != 0:
        change_trust(evening, tables, log, who, liar, -table.lie_found_trust, LIE_FOUND_OUT)
        change_grievance(evening, log, who, liar, table.lie_found_grievance, LIE_FOUND_OUT)
        wrong(evening, tables, log, who, liar, cause_of(OF_LIE, secret))


def expose(
    evening: EveningState, tables: ScenarioTables, log: EveningLog, holder: int, secret: int, speaker: int, unaware: int
) -> None:
    """Let a holder live through their secret coming out before them; `unaware` are those thought not to know it."""
    table, weight = tables.rules.consequences, tables.weight[secret]
    for other in range(tables.people):
        if has(unaware, other) and tables.harm[other][secret] > 0.0:
            set_member(log, evening.wronged, holder, PART_WRONGED, holder, other, NONE, 1, EXPOSED)
    if tables.rules.departures.consequences == 0:
        return
    strain_stress(evening, log, holder, table.exposed_stress * weight, EXPOSED)
    change_emotion(evening, log, holder, FEAR, table.exposed_fear * weight, EXPOSED)
    change_emotion(evening, log, holder, SHAME, table.exposed_shame * weight, EXPOSED)
    if speaker != holder and tables.about[secret] == holder and is_to_blame(evening, tables, holder, secret, speaker):
        change_grievance(evening, log, holder, speaker, table.exposed_grievance * weight, EXPOSED)
        change_trust(evening, tables, log, holder, speaker, -table.exposed_trust * weight, EXPOSED)
        add_ground(evening, log, holder, speaker, EXPOSED)
        wrong(evening, tables, log, holder, speaker, cause_of(OF_EXPOSURE, secret))


def is_to_blame(evening: EveningState, tables: ScenarioTables, holder: int, secret: int, speaker: int) -> bool:
    """Whether a holder resents who tells their secret: not one whom it harms, nor one who is not the first to tell it, as
    far as the holder knows."""
    others = ~(tables.knew[secret] | tables.holders[secret] | 1 << speaker)
    if tables.rules.departures.blame == 0:
        return True
    return tables.harm[speaker][secret] <= 0.0 and evening.knows[holder][secret] & others == 0


def hint(evening: EveningState, tables: ScenarioTables, log: EveningLog, who: int, secret: int, reason: int) -> bool:
    """Let `who` begin to suspect a secret, and what it implies; whether the secret is new to them."""
    before = evening.belief[who][secret]
    after = int(belief_when_hinted(before))
    set_entry(log, evening.belief, PART_BELIEF, who, secret, after, reason)
    if after != before:
        for other in range(tables.secrets):
            if tables.implied[secret][other] != _UNKNOWN and evening.belief[who][other] == _UNKNOWN:
                set_entry(log, evening.belief, PART_BELIEF, who, other, _SUSPECTS, IMPLIED)
    return after != before


def watch(evening: EveningState, tables: ScenarioTables, log: EveningLog, watcher: int, watched: int) -> int:
    """The set of secrets of `watched` that watching them makes `watcher` suspect."""
    rules, suspected = tables.rules, 0
    for place in range(tables.held_count[watched]):
        secret = tables.held[watched][place]
        if evening.belief[watcher][secret] == _UNKNOWN:
            chance = evidence_chance(
                tables.weight[secret], evening.composure[watched], tables.truth_seeking[watcher], rules.information
            )
            drawn = draw(evening, tables, watcher, FOR_WATCH, tables.pair_name[watched][secret])
            if drawn < chance and hint(evening, tables, log, watcher, secret, WATCHED):
                suspected |= 1 << secret
    if suspected != 0:
        add_ground(evening, log, watcher, watched, WATCHED)
        if rules.departures.feelings != 0:
            change_emotion(evening, log, watcher, SUSPICION, rules.feelings.found_suspicion, WATCHED)
    return suspected


def lie(evening: EveningState, tables: ScenarioTables, log: EveningLog, liar: int, target: int, secret: int) -> bool:
    """Try to make `target` believe that a secret is false; whether they do."""
    rules, table, belief = tables.rules, tables.rules.consequences, evening.belief[target][secret]
    chance = lie_credibility(
        evening.trust[target][liar],
        belief == _SUSPECTS,
        belief == _BELIEVES_TRUE,
        evening.composure[liar],
        rules.information,
    )
    believed = draw(evening, tables, liar, FOR_LIE, tables.pair_name[target][secret]) < chance
    set_entry(log, evening.belief, PART_BELIEF, target, secret, int(belief_when_lied_to(belief, believed)), LIED_TO)
    set_question(evening, log, liar, target, secret, NONE, ANSWERED)
    if believed:
        see_that_suspects(evening, log, liar, target, secret, 0, LIED_TO)
        set_entry(log, evening.planted, PART_PLANTED, target, secret, liar, LIED_TO)
        change_trust(evening, tables, log, target, liar, rules.acts.lie_trust, LIED_TO)
        return True
    set_member(log, evening.lied[liar], secret, PART_LIED, liar, target, secret, 1, SEEN_THROUGH)
    see_that_suspects(evening, log, liar, target, secret, 1, SEEN_THROUGH)
    add_ground(evening, log, target, liar, SEEN_THROUGH)
    if rules.departures.consequences != 0:
        change_trust(evening, tables, log, target, liar, -table.lie_failed_trust, SEEN_THROUGH)
        change_grievance(evening, log, target, liar, table.lie_failed_grievance, SEEN_THROUGH)
        change_emotion(evening, log, target, SUSPICION, table.lie_failed_suspicion, SEEN_THROUGH)
    return False
