"""The problems of the specification's tuning guide (7.2), as they show in decisions, with their remedies."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from volition.drama.doctor.symptom import Evidence, percent
from volition.drama.rules.catalog import EFFECTS, Effect
from volition.drama.world.rulebook import default_rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.drama.doctor.symptom import ScenarioCase, Symptom
    from volition.drama.world.settings import Setting

DRAMA: Final = 8
"""Fewer dramatic acts than this in an evening (of six people and 150 minutes) count as none."""
CHANCE: Final = 0.25
"""If noise changes a smaller share of the winners, it is too weak for the gaps between scores."""
ROW: Final = 8
"""This many equal acts in a row are too many if more than half of the evenings have them."""
BONDS: Final = 0.05
"""If bonds change a smaller share of the winners, people ignore them."""
MOVES: Final = 0.12
"""If moves win a larger share of the decisions, people are always on the move."""
BIAS: Final = 1.0
"""A flaw that adds this much or more leaves nothing to decide."""
BIASED: Final = 0.01
FLAWS: Final = 0.4
"""If flaws change a larger share of the winners, they dominate everything."""

_LOUD = {Effect.ESCALATE_CONFLICT, Effect.SELF_SACRIFICE, Effect.FIXATE_ON_TARGET, Effect.OVERCOMMIT}
_STATUS = EFFECTS.index("status")


def guide_symptoms(case: ScenarioCase) -> Iterator[Symptom]:
    """The symptoms of the tuning guide that are found in a case."""
    for look in (_never_dramatic, _same_act, _ignore_bonds, _always_flee, _flaws_dominate):
        if (found := look(case)) is not None:
            yield found


def _never_dramatic(case: ScenarioCase) -> Symptom | None:
    pooled, propose = case.pooled, case.propose
    acts = pooled.mean(lambda record: record.dramatic_acts)
    if acts >= DRAMA * pooled.size and not case.fails("conflicts"):
        return None
    winners, dramatic = pooled.spread("winners"), pooled.spread("dramatic")
    evidence = [
        Evidence("dramatic acts in an evening", acts),
        percent("winners below 0.5", 1.0 - winners.share_from(0.5)),
        Evidence("median total of the winner", winners.quantile(0.5) or 0.0),
        Evidence("median total of the best dramatic act", dramatic.quantile(0.5) or 0.0),
    ]
    changes = [
        propose.less("rules.pacing.masking", 0.6),
        *_strengthen_flaws(case),
        propose.less("rules.departures.politeness", 0.8, 0.8),
    ]
    return case.symptom("never_dramatic", "people never act dramatically", evidence, changes, ("conflicts",))


def _strengthen_flaws(case: ScenarioCase) -> Iterator[Setting | None]:
    """Strengthen the weakest flaw of each person that leads to drama."""
    for id, person in case.pooled.scenario.people.items():
        loud = [(flaw.strength, place) for place, flaw in enumerate(person.flaws) if flaw.effect in _LOUD]
        if loud:
            yield case.propose.more(f"people.{id}.flaws[{min(loud)[1]}].strength", 1.25, 0.1, most=1.0)


def _same_act(case: ScenarioCase) -> Symptom | None:
    pooled, propose = case.pooled, case.propose
    rows = pooled.share(lambda record: record.row.times >= ROW)
    if pooled.share_hung("noise") >= CHANCE and rows <= 0.5:
        return None
    longest = Counter((record.row.who, record.row.act) for record in pooled.records)
    who, act = min(longest, key=lambda row: (-longest[row], row))
    gaps = pooled.spread("gaps")
    evidence = [
        percent("winners that noise changes", pooled.share_hung("noise")),
        Evidence("median gap to the runner-up", gaps.quantile(0.5) or 0.0),
        percent(f"evenings in which somebody does the same {ROW} times in a row (mostly {who}: {act})", rows),
        percent("acts that repeat the one before", pooled.mean(lambda record: record.repeats)),
    ]
    changes = [
        propose.more("rules.noise.sigma", 1.5),
        propose.more("rules.departures.recency", 1.5, 0.15),
        *_loosen(case, who, act),
    ]
    return case.symptom("same_act", "people always choose the same act", evidence, changes)


def _loosen(case: ScenarioCase, who: str, act: str) -> Iterator[Setting | None]:
    """Weaken what makes this person do this: a fixation on somebody, or the value of doing nothing."""
    about = act.rpartition(":")[2]
    for place, flaw in enumerate(case.pooled.scenario.people[who].flaws if who else ()):
        if flaw.target is not None and flaw.target == about:
            yield case.propose.less(f"people.{who}.flaws[{place}].strength", 0.75)
    if act == "internal":
        yield lower_internal_cap(case)


def lower_internal_cap(case: ScenarioCase) -> Setting | None:
    """Make doing nothing worth less; a cap of 0 means no cap."""
    cap = case.propose.now("rules.departures.internal_cap")
    return (
        case.propose.less("rules.departures.internal_cap", 0.9, 0.45)
        if cap
        else case.propose.put("rules.departures.internal_cap", 0.45)
    )


def _ignore_bonds(case: ScenarioCase) -> Symptom | None:
    pooled, propose = case.pooled, case.propose
    if pooled.share_hung("bonds") >= BONDS:
        return None
    evidence = [percent("winners that bonds change", pooled.share_hung("bonds"))]
    changes = [propose.more(f"rules.bonds.{rule}", 2.0) for rule in default_rules()["bonds"]]
    return case.symptom("ignore_bonds", "people ignore their relationships", evidence, changes)


def _always_flee(case: ScenarioCase) -> Symptom | None:
    pooled, propose = case.pooled, case.propose
    if pooled.share_won("SOCIAL_MOVE") <= MOVES and not case.fails("moves"):
        return None
    evidence = [
        percent("decisions that a move wins", pooled.share_won("SOCIAL_MOVE")),
        percent("events that are moves", pooled.share_of_events("SOCIAL_MOVE")),
    ]
    status = f"rules.effects.SOCIAL_MOVE[{_STATUS}]"
    changes = [
        propose.less("rules.movement.stress_privacy", 0.7),
        propose.less("rules.movement.pending_privacy", 0.7),
        propose.put(status, round(min(-0.15, 1.5 * propose.now(status)), 4)),
        propose.more("rules.departures.move_cost", 1.25, 0.5),
        propose.more("rules.departures.manners", 1.25, 0.5),
    ]
    return case.symptom("always_flee", "people always flee", evidence, changes, ("moves",))


def _flaws_dominate(case: ScenarioCase) -> Symptom | None:
    pooled, propose = case.pooled, case.propose
    biased = pooled.spread("biases").share_from(BIAS)
    if biased < BIASED and pooled.share_hung("flaws") <= FLAWS:
        return None
    evidence = [
        percent("winners to which flaws add 1.0 or more", biased),
        percent("winners that flaws change", pooled.share_hung("flaws")),
    ]
    cap = propose.now("rules.flaws.cap")
    changes = [
        propose.put("rules.flaws.cap", 0.5 if not cap or cap > 0.5 else round(0.7 * cap, 4)),
        *(
            propose.less(f"people.{id}.flaws[{place}].strength", 0.7)
            for id, person in pooled.scenario.people.items()
            for place, flaw in enumerate(person.flaws)
            if flaw.strength == max(other.strength for other in person.flaws)
        ),
    ]
    return case.symptom("flaws_dominate", "flaws dominate everything", evidence, changes)
