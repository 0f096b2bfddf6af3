"""Symptoms of the story: one plot told again, people who only look on, wrongs that nobody answers, flaws that sleep."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.doctor.story import SLEEPS
from volition.drama.doctor.symptom import Evidence, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.drama.doctor.stories import FlawFigures, PooledStories
    from volition.drama.doctor.symptom import ScenarioCase, Symptom
    from volition.drama.world.settings import Setting

_WAKES = {
    "BETRAYAL_DETECTED": "rules.flaws.betrayal_suspicion",
    "REJECTION": "rules.flaws.rejection_shame",
    "LOSS_IMMINENT": "rules.flaws.loss_stress",
    "STATUS_THREAT": "rules.memory.challenge",
    "AUTHORITY_CHALLENGE": "rules.memory.challenge",
    "CONFLICT_NEARBY": "rules.memory.conflict",
}
"""The setting by which flaws with a trigger wake more easily; others wake by themselves."""
_PUSHES = {
    "OVERWEIGHT_STATUS": "overweight_status",
    "AVOID_CONFRONTATION": "avoid_confrontation",
    "DENY_EVIDENCE": "deny_observe",
    "ESCALATE_CONFLICT": "escalate",
    "SEEK_VALIDATION": "validation",
    "SELF_SACRIFICE": "sacrifice",
    "FIXATE_ON_TARGET": "fixate",
    "OVERCOMMIT": "overcommit",
}
"""The setting by which flaws with an effect push harder."""
_COLOURS = {
    "ESCALATE_CONFLICT": "glare",
    "SELF_SACRIFICE": "amends",
    "AVOID_CONFRONTATION": "shrink",
    "OVERCOMMIT": "press",
    "OVERWEIGHT_STATUS": "preen",
}
"""The departure by which flaws with an effect show in quiet acts too."""


def plot_symptoms(case: ScenarioCase) -> Iterator[Symptom]:
    """The symptoms of the story that are found in a case."""
    stories = case.pooled.stories
    if stories is None:
        return
    looks = {
        "secret_least": _kept_secret,
        "secret_most": _open_secret,
        "firsts": _one_opening,
        "pair": _one_feud,
        "starters": _peaceful,
        "quietest": _unequal,
        "loudest": _unequal,
        "driven_off": _same_exit,
        "lies": _honest,
        "found_out": _lies_believed,
        "noise": _by_chance,
        "answer": _wrongs_unanswered,
        "answered": _wrongs_unanswered,
        "stale": _stale,
        "pours": _wine_amid_rows,
        "flaws": _sleeping_flaws,
        "asleep": _sleeping_flaws,
    }
    failing = (look for id, look in looks.items() if id in case.targets and case.fails(id))
    for look in dict.fromkeys(failing):
        yield look(case, stories)


def _kept_secret(case: ScenarioCase, stories: PooledStories) -> Symptom:
    propose = case.propose
    evidence = [
        percent(f"evenings in which {id} comes out", share) for id, share in stories.secrets.items() if share < 0.1
    ]
    changes = [
        propose.more("rules.information.forced", 1.3),
        propose.less("rules.departures.telling_cost", 0.75),
        propose.more("rules.information.watch", 1.5),
        propose.more("rules.departures.probing", 1.25, 1.0),
        propose.put("rules.departures.forced_truth", True),
    ]
    return case.symptom("kept_secret", "a secret hardly ever comes out", evidence, changes, ("secret_least",))


def _open_secret(case: ScenarioCase, stories: PooledStories) -> Symptom:
    propose = case.propose
    evidence = [
        percent(f"evenings in which {id} comes out", share) for id, share in stories.secrets.items() if share > 0.95
    ]
    changes = [
        propose.more("rules.departures.telling_cost", 1.25, 0.12),
        propose.less("rules.bonds.confide_trust", 0.8),
        propose.more("rules.candidates.confide_trust", 1.25),
        propose.less("rules.information.forced", 0.8),
    ]
    return case.symptom("open_secret", "a secret always comes out", evidence, changes, ("secret_most",))


def _one_opening(case: ScenarioCase, stories: PooledStories) -> Symptom:
    propose = case.propose
    evidence = [
        percent(f"evenings that begin with {first.who} {first.kind} {first.whom}", share)
        for first, share in list(reversed(stories.firsts.items()))[:3]
    ] or [percent("evenings with a dramatic act", 0.0)]
    changes = [
        propose.more("rules.departures.mood", 1.4, 0.25, most=1.0),
        propose.less("rules.flaws.fixate", 0.8),
        propose.more("rules.departures.opening_share", 1.2, most=1.0),
        propose.less("rules.departures.opening_restraint", 0.85, 0.55),
        propose.less("rules.departures.politeness_share", 0.8),
        propose.less("rules.departures.lie_pull", 0.75),
    ]
    return case.symptom("one_opening", "it always begins in the same way", evidence, changes, ("firsts",))


def _one_feud(case: ScenarioCase, stories: PooledStories) -> Symptom:
    propose = case.propose
    evidence = [
        percent(f"conflicts between {one} and {other}", share)
        for (one, other), share in list(reversed(stories.pairs.items()))[:3]
    ]
    changes = [
        propose.more("rules.departures.fatigue", 1.35, 0.15),
        propose.put("rules.departures.grounds", True),
        propose.more("rules.departures.grievance", 1.25, 0.35),
        propose.less("rules.flaws.fixate", 0.8),
        propose.less("rules.departures.suspicion_pull", 0.7),
        propose.more("rules.grievance.fatigue_kept", 1.015, most=0.99),
        propose.whole("rules.departures.ground_ticks", 1.3),
    ]
    return case.symptom("one_feud", "one pair has most of the conflicts", evidence, changes, ("pair",))


def _peaceful(case: ScenarioCase, stories: PooledStories) -> Symptom:
    propose = case.propose
    evidence = [
        percent(f"evenings in which {who} starts a conflict", share)
        for who, share in stories.starters.items()
        if share < 0.2
    ]
    trust = "rules.candidates.conflict_trust"
    changes = [
        propose.put(trust, round(min(0.6, float(propose.now(trust)) + 0.1), 3)),
        propose.more("rules.departures.outrage", 1.25, 0.6),
        propose.less("rules.departures.grievance_above", 0.8),
        propose.more("rules.departures.grievance", 1.25, 0.35),
        propose.less("rules.flaws.avoid_confrontation", 0.75),
        propose.less("rules.departures.politeness", 0.85, 0.8),
        propose.less("rules.departures.politeness_share", 0.85),
    ]
    return case.symptom("peaceful", "somebody never starts a conflict", evidence, changes, ("starters",))


def _unequal(case: ScenarioCase, stories: PooledStories) -> Symptom:
    propose, makers = case.propose, list(stories.makers.items())
    evidence = [percent(f"events that {who} makes", share) for who, share in (makers[0], makers[-1])]
    changes = [
        propose.more("rules.departures.conversation_noise", 1.5),
        propose.more("rules.departures.recency", 1.2, 0.18),
        propose.less("rules.bonds.chat_affection", 0.8),
        propose.less("rules.flaws.fixate", 0.85),
        lower_watching(case),
    ]
    return case.symptom(
        "unequal", "one person does everything, or another nothing", evidence, changes, ("quietest", "loudest")
    )


def lower_watching(case: ScenarioCase) -> Setting | None:
    """Make watching worth less, so that those who only look on take part."""
    return case.propose.less("rules.effects.OBSERVE[4]", 0.85, 0.3)


def _same_exit(case: ScenarioCase, stories: PooledStories) -> Symptom:
    propose = case.propose
    driven = [(who, share) for who, share in stories.driven_off.items() if share]
    evidence = [percent(f"evenings in which {who} is thrown out or storms off", share) for who, share in driven]
    trust = "rules.grievance.throwing_out_trust"
    changes = [
        propose.put("rules.departures.throwing_out", True),
        propose.put("rules.departures.leaving", True),
        propose.put(trust, round(min(-0.3, float(propose.now(trust)) + 0.15), 3)),
        propose.less("rules.grievance.throwing_out_grievance", 0.85),
        propose.less("rules.grievance.throwing_out_from", 0.85),
        propose.more("rules.leaving.scene", 1.2),
        propose.more("rules.leaving.stress", 1.25),
    ]
    return case.symptom(
        "same_exit",
        "hardly anybody storms off",
        evidence or [percent("evenings in which somebody does", 0.0)],
        changes,
        ("driven_off",),
    )


def _honest(case: ScenarioCase, stories: PooledStories) -> Symptom:
    propose = case.propose
    changes = [
        propose.more("rules.departures.lie_pull", 1.4, 0.2),
        propose.more("rules.departures.probing", 1.25, 1.0),
        propose.less("rules.candidates.lie_secrecy", 0.9),
        propose.whole("rules.departures.lie_ticks", 1.3),
    ]
    return case.symptom("honest", "nobody lies", [percent("evenings with a lie", stories.lied)], changes, ("lies",))


def _lies_believed(case: ScenarioCase, stories: PooledStories) -> Symptom:
    propose = case.propose
    evidence = [percent("evenings with a lie in which one that was believed is found out", stories.found_out)]
    changes = [
        propose.more("rules.information.lie_base", 1.2, most=1.0),
        propose.less("rules.information.lie_suspected", 0.7),
        propose.more("rules.information.forced", 1.3),
        propose.more("rules.departures.lie_pull", 1.3, 0.2),
        propose.less("rules.departures.telling_cost", 0.8),
    ]
    return case.symptom("believed", "lies are never found out", evidence, changes, ("found_out",))


def _by_chance(case: ScenarioCase, stories: PooledStories) -> Symptom:
    propose = case.propose
    evidence = [percent("decisions that hang on noise", case.pooled.share_hung("noise"))]
    changes = [propose.less("rules.noise.sigma", 0.75), propose.less("rules.departures.recency", 0.85, 0.18)]
    return case.symptom("by_chance", "too much hangs on chance", evidence, changes, ("noise",))


def _wrongs_unanswered(case: ScenarioCase, stories: PooledStories) -> Symptom:
    propose = case.propose
    evidence = [
        Evidence("wrongs that somebody learned of", sum(stories.answers)),
        percent("answered within 10 minutes", stories.answered_within(10)),
        percent("answered within 15 minutes", stories.answered_within(15)),
    ]
    changes = [
        propose.more("rules.departures.outrage", 1.4, 0.6),
        propose.more("rules.departures.cold", 1.4, 0.35),
        propose.more("rules.departures.ally", 1.4, 0.15),
        propose.more("rules.departures.grievance", 1.4, 0.35),
        propose.less("rules.departures.politeness", 0.8, 0.8),
        propose.less("rules.departures.politeness_share", 0.8),
        propose.less("rules.pacing.masking", 0.8),
        propose.less("rules.departures.grievance_above", 0.8),
    ]
    return case.symptom("unanswered", "wrongs are not answered", evidence, changes, ("answer", "answered"))


def _stale(case: ScenarioCase, stories: PooledStories) -> Symptom:
    evidence = [Evidence("truths in an evening that all present knew", stories.stale / len(stories.stories))]
    changes = [
        case.propose.put("rules.departures.theory_of_mind", True),
        case.propose.less("rules.information.forced", 0.8),
    ]
    return case.symptom("stale", "truths come out that everybody knows", evidence, changes, ("stale",))


def _wine_amid_rows(case: ScenarioCase, stories: PooledStories) -> Symptom:
    evidence = [percent("rounds of wine that are poured amid a row", stories.poured_amid_rows)]
    changes = [
        case.propose.put("rules.departures.hush", True),
        case.propose.more("rules.departures.unrest", 1.4, 0.6),
        case.propose.whole("rules.service.calm", 1.4),
    ]
    return case.symptom("unmoved", "wine is poured while people quarrel", evidence, changes, ("pours",))


def _sleeping_flaws(case: ScenarioCase, stories: PooledStories) -> Symptom:
    weak = [flaw for flaw in stories.flaws if flaw.sways < 0.03 or flaw.sleeps > SLEEPS]
    people = case.pooled.scenario.people
    evidence = [
        percent(f"choices that {flaw.who}'s {people[flaw.who].flaws[flaw.place].kind} changes", flaw.sways)
        for flaw in weak
    ]
    changes = [case.propose.put("rules.departures.evidence", True)]
    changes += [change for flaw in weak for change in _wake(case, flaw)]
    return case.symptom("sleeping_flaws", "flaws sleep", evidence, changes, ("flaws", "asleep"))


def _wake(case: ScenarioCase, flaw: FlawFigures) -> Iterator[Setting | None]:
    """Let a flaw show in quiet acts, wake more easily, and push harder."""
    propose, found = case.propose, case.pooled.scenario.people[flaw.who].flaws[flaw.place]
    wakes, colour = _WAKES.get(found.trigger.name), _COLOURS.get(found.effect.name)
    if colour is not None:
        yield propose.more(f"rules.departures.{colour}", 1.4, 0.15)
    if wakes is not None and wakes.startswith("rules.memory"):
        yield propose.whole(wakes, 1.4)
    elif wakes is not None:
        yield propose.less(wakes, 0.75)
    yield propose.more(f"rules.flaws.{_PUSHES[found.effect.name]}", 1.25)
    yield propose.more(f"people.{flaw.who}.flaws[{flaw.place}].strength", 1.25, 0.1, most=1.0)
