"""How people learn secrets: being told, overhearing, watching and being lied to; and what the truth does to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.rules import beliefs
from volition.drama.rules.catalog import GOALS, Belief
from volition.drama.rules.consequences import is_disturbing, judgement, scale_by_harm
from volition.drama.rules.physics import learning_stress

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.drama.stage.scribe import EventScribe
    from volition.drama.world.model import Secret

_TRUTH = GOALS.index("truth_seeking")


def tell(
    scribe: EventScribe, secret: Secret, speaker: str, listeners: Iterable[str], reason: str, *, exposes: bool = True
) -> None:
    """Tell a truth to listeners: those who do not know it learn it, and all of them know who knows it now.

    It exposes the holders who are present, unless it is confided (`exposes=False`).
    """
    listeners = list(listeners)
    company = sorted({speaker, *listeners})
    agents = scribe.world.agents
    news = [who for who in listeners if agents[who].beliefs[secret.id] != Belief.BELIEVES_TRUE]
    for who in news:
        learn(scribe, who, secret, reason)
    for who in company:
        for whom in company:
            if who != whom:
                scribe.change("knows", who, True, reason, (whom, secret.id))
    if news and exposes:
        for holder in secret.holders:
            if holder in company:
                expose(scribe, holder, secret, speaker, [who for who in news if who != holder])


def learn(scribe: EventScribe, who: str, secret: Secret, reason: str) -> None:
    """Let somebody learn the truth of a secret: it affects them, and their view of those who kept it."""
    me, tables = scribe.world.agents[who], scribe.tables
    scribe.change("belief", who, int(beliefs.belief_when_told(me.beliefs[secret.id])), reason, secret.id)
    liked = me.bonds[secret.about].affection if secret.about in me.bonds else 0.0
    disturbing = is_disturbing(secret.about == who, secret.weight, liked, tables.consequences)
    scribe.strain(who, "stress", _stress(scribe, disturbing=disturbing), "learned")
    _find_out_lie(scribe, who, secret)
    if tables.departures.consequences:
        for holder in secret.holders:
            if holder != who:
                _resent(scribe, who, holder, secret)
    for holder in secret.holders:
        if holder != who:
            scribe.ground(who, holder, "learned")


def _resent(scribe: EventScribe, who: str, holder: str, secret: Secret) -> None:
    """How somebody's view of a person changes who kept this from them."""
    me, table = scribe.world.agents[who], scribe.tables.consequences
    harm, weight = secret.harm.get(who, 0.0), secret.weight
    bond = me.bonds[holder]
    if harm <= 0.0:
        scribe.trust(who, holder, judgement(weight, bond.affection, table), "judged")
        return
    scribe.strain(who, "stress", _stress(scribe, wronged=True, trust=bond.trust), "betrayed")
    scribe.strain(who, "commitment", scale_by_harm(table.harm_resolve, weight, harm), "resolved")
    scribe.trust(who, holder, -scale_by_harm(table.harm_trust, weight, harm), "harmed")
    scribe.grievance(who, holder, scale_by_harm(table.harm_grievance, weight, harm), "harmed")
    scribe.emotion(who, "anger", scale_by_harm(table.harm_anger, weight, harm), "harmed")


def _find_out_lie(scribe: EventScribe, who: str, secret: Secret) -> None:
    """What learning the truth does to somebody who had been lied to about it."""
    me, table = scribe.world.agents[who], scribe.tables.consequences
    liar = me.planted.get(secret.id)
    if liar is None:
        return
    trust = me.bonds[liar].trust
    scribe.strain(who, "stress", _stress(scribe, lied_to=True, wronged=True, trust=trust), "lie found out")
    scribe.change("planted", who, None, "lie found out", secret.id)
    scribe.ground(who, liar, "lie found out")
    if scribe.tables.departures.consequences:
        scribe.trust(who, liar, -table.lie_found_trust, "lie found out")
        scribe.grievance(who, liar, table.lie_found_grievance, "lie found out")
    scribe.details.setdefault("lies_found", []).append([who, liar, secret.id])


def _stress(
    scribe: EventScribe, *, disturbing: bool = False, lied_to: bool = False, wronged: bool = False, trust: float = 0.0
) -> float:
    return learning_stress(disturbing, lied_to, wronged, trust, scribe.tables.physics, scribe.tables.information)


def expose(scribe: EventScribe, holder: str, secret: Secret, speaker: str, news: list[str]) -> None:
    """What it does to a holder that their secret comes out in their presence."""
    table, weight = scribe.tables.consequences, secret.weight
    for other in news:
        if secret.harm.get(other, 0.0) > 0.0:
            scribe.change("wronged", holder, True, "exposed", other)
    if not scribe.tables.departures.consequences:
        return
    scribe.strain(holder, "stress", table.exposed_stress * weight, "exposed")
    scribe.emotion(holder, "fear", table.exposed_fear * weight, "exposed")
    scribe.emotion(holder, "shame", table.exposed_shame * weight, "exposed")
    if speaker != holder and secret.about == holder:
        scribe.grievance(holder, speaker, table.exposed_grievance * weight, "exposed")
        scribe.trust(holder, speaker, -table.exposed_trust * weight, "exposed")
        scribe.ground(holder, speaker, "exposed")


def hint(scribe: EventScribe, who: str, secret: Secret, reason: str) -> bool:
    """Let somebody suspect a secret; whether that is new to them."""
    belief = scribe.world.agents[who].beliefs[secret.id]
    after = beliefs.belief_when_hinted(belief)
    scribe.change("belief", who, int(after), reason, secret.id)
    return after != belief


def watch(scribe: EventScribe, watcher: str, watched: str) -> list[str]:
    """Watch somebody; returns those of their secrets that the watcher now suspects."""
    world, information = scribe.world, scribe.tables.information
    truth, composure = world.scenario.people[watcher].goals[_TRUTH], world.agents[watched].pacing.composure
    found = []
    for secret in scribe.held_by(watched):
        if world.agents[watcher].beliefs[secret.id] != Belief.UNKNOWN:
            continue
        chance = beliefs.evidence_chance(secret.weight, composure, truth, information)
        if scribe.share(watcher, "watch", f"{watched} {secret.id}") < chance and hint(
            scribe, watcher, secret, "watched"
        ):
            found.append(secret.id)
    if found:
        scribe.ground(watcher, watched, "watched")
        if scribe.tables.departures.feelings:
            scribe.emotion(watcher, "suspicion", scribe.tables.feelings.found_suspicion, "watched")
    return found


def lie(scribe: EventScribe, liar: str, target: str, secret: Secret) -> bool:
    """Lie about a secret; whether the lie is believed."""
    world, tables = scribe.world, scribe.tables
    them, table = world.agents[target], tables.consequences
    belief = them.beliefs[secret.id]
    chance = beliefs.lie_credibility(
        them.bonds[liar].trust,
        belief == Belief.SUSPECTS,
        belief == Belief.BELIEVES_TRUE,
        world.agents[liar].pacing.composure,
        tables.information,
    )
    believed = scribe.share(liar, "lie", f"{target} {secret.id}") < chance
    scribe.change("belief", target, int(beliefs.belief_when_lied_to(belief, believed)), "lied to", secret.id)
    scribe.change("questions", liar, None, "answered", (target, secret.id))
    if believed:
        scribe.change("planted", target, liar, "lied to", secret.id)
        scribe.trust(target, liar, tables.acts.lie_trust, "lied to")
        return True
    scribe.change("lied", liar, True, "seen through", (target, secret.id))
    scribe.ground(target, liar, "seen through")
    if tables.departures.consequences:
        scribe.trust(target, liar, -table.lie_failed_trust, "seen through")
        scribe.grievance(target, liar, table.lie_failed_grievance, "seen through")
        scribe.emotion(target, "suspicion", table.lie_failed_suspicion, "seen through")
    return False
