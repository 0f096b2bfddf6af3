"""The tuning problems of the specification (7.2): each of its symptoms, seen in decisions, with its remedies."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from volition.drama.company.symptom import Evidence, percent
from volition.drama.rules.catalog import EFFECTS, Effect
from volition.drama.world.rulebook import default_rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.drama.company.settings import Setting
    from volition.drama.company.symptom import Case, Symptom

DRAMA: Final = 8
"""Fewer dramatic acts in an evening (of six people and 150 minutes) are next to none."""
CHANCE: Final = 0.25
"""If noise changes fewer winners than this, the gaps between scores are too large for it."""
ROW: Final = 8
"""So many equal acts running are too many, if every second evening has them."""
BONDS: Final = 0.05
"""If bonds decide less than this, they do not count."""
MOVES: Final = 0.12
"""If moves win more than this, people are always on their way."""
BIAS: Final = 1.0
"""A flaw that adds more than this leaves nothing to decide."""
BIASED: Final = 0.01
FLAWS: Final = 0.4
"""If flaws decide more than this, people are their flaws."""

_LOUD = {Effect.ESCALATE_CONFLICT, Effect.SELF_SACRIFICE, Effect.FIXATE_ON_TARGET, Effect.OVERCOMMIT}
_STATUS = EFFECTS.index("status")


def guide(case: Case) -> Iterator[Symptom]:
    """The symptoms of the tuning guide that a case shows."""
    for look in (_never_dramatic, _same_act, _ignore_bonds, _always_flee, _flaws_dominate):
        if (found := look(case)) is not None:
            yield found


def _never_dramatic(case: Case) -> Symptom | None:
    pooled, settings = case.pooled, case.settings
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
        settings.less("rules.pacing.masking", 0.6),
        *_strengthened(case),
        settings.less("rules.departures.politeness", 0.8, 0.8),
    ]
    return case.symptom("never_dramatic", "people never act dramatically", evidence, changes, ("conflicts",))


def _strengthened(case: Case) -> Iterator[Setting | None]:
    """The weakest flaw of each person that leads to drama, made stronger."""
    for id, person in case.pooled.scenario.people.items():
        loud = [(flaw.strength, place) for place, flaw in enumerate(person.flaws) if flaw.effect in _LOUD]
        if loud:
            yield case.settings.more(f"people.{id}.flaws[{min(loud)[1]}].strength", 1.25, 0.1, most=1.0)


def _same_act(case: Case) -> Symptom | None:
    pooled, settings = case.pooled, case.settings
    rows = pooled.share(lambda record: record.row.times >= ROW)
    if pooled.hung("noise") >= CHANCE and rows <= 0.5:
        return None
    longest = Counter((record.row.who, record.row.act) for record in pooled.records)
    who, act = min(longest, key=lambda row: (-longest[row], row))
    gaps = pooled.spread("gaps")
    evidence = [
        percent("winners that noise changes", pooled.hung("noise")),
        Evidence("median gap to the runner-up", gaps.quantile(0.5) or 0.0),
        percent(f"evenings in which somebody does the same {ROW} times running (mostly {who}: {act})", rows),
        percent("acts that repeat the one before", pooled.mean(lambda record: record.repeats)),
    ]
    changes = [
        settings.more("rules.noise.sigma", 1.5),
        settings.more("rules.departures.recency", 1.5, 0.15),
        *_loosened(case, who, act),
    ]
    return case.symptom("same_act", "people always choose the same act", evidence, changes)


def _loosened(case: Case, who: str, act: str) -> Iterator[Setting | None]:
    """What makes this person do this: a fixation on somebody, or the worth of doing nothing."""
    about = act.rpartition(":")[2]
    for place, flaw in enumerate(case.pooled.scenario.people[who].flaws if who else ()):
        if flaw.target is not None and flaw.target == about:
            yield case.settings.less(f"people.{who}.flaws[{place}].strength", 0.75)
    if act == "internal":
        yield quieter(case)


def quieter(case: Case) -> Setting | None:
    """Doing nothing, worth less; a cap of 0 is none."""
    cap = case.settings.now("rules.departures.internal_cap")
    return (
        case.settings.less("rules.departures.internal_cap", 0.9, 0.45)
        if cap
        else case.settings.put("rules.departures.internal_cap", 0.45)
    )


def _ignore_bonds(case: Case) -> Symptom | None:
    pooled, settings = case.pooled, case.settings
    if pooled.hung("bonds") >= BONDS:
        return None
    evidence = [percent("winners that bonds change", pooled.hung("bonds"))]
    changes = [settings.more(f"rules.bonds.{rule}", 2.0) for rule in default_rules()["bonds"]]
    return case.symptom("ignore_bonds", "people ignore their relationships", evidence, changes)


def _always_flee(case: Case) -> Symptom | None:
    pooled, settings = case.pooled, case.settings
    if pooled.won("SOCIAL_MOVE") <= MOVES and not case.fails("moves"):
        return None
    evidence = [
        percent("decisions that a move wins", pooled.won("SOCIAL_MOVE")),
        percent("events that are moves", pooled.part("SOCIAL_MOVE")),
    ]
    status = f"rules.effects.SOCIAL_MOVE[{_STATUS}]"
    changes = [
        settings.less("rules.movement.stress_privacy", 0.7),
        settings.less("rules.movement.pending_privacy", 0.7),
        settings.put(status, round(min(-0.15, 1.5 * settings.now(status)), 4)),
        settings.more("rules.departures.move_cost", 1.25, 0.5),
        settings.more("rules.departures.manners", 1.25, 0.5),
    ]
    return case.symptom("always_flee", "people always flee", evidence, changes, ("moves",))


def _flaws_dominate(case: Case) -> Symptom | None:
    pooled, settings = case.pooled, case.settings
    biased = pooled.spread("biases").share_from(BIAS)
    if biased < BIASED and pooled.hung("flaws") <= FLAWS:
        return None
    evidence = [
        percent("winners to which flaws add 1.0 or more", biased),
        percent("winners that flaws change", pooled.hung("flaws")),
    ]
    cap = settings.now("rules.flaws.cap")
    changes = [
        settings.put("rules.flaws.cap", 0.5 if not cap or cap > 0.5 else round(0.7 * cap, 4)),
        *(
            settings.less(f"people.{id}.flaws[{place}].strength", 0.7)
            for id, person in pooled.scenario.people.items()
            for place, flaw in enumerate(person.flaws)
            if flaw.strength == max(other.strength for other in person.flaws)
        ),
    ]
    return case.symptom("flaws_dominate", "flaws dominate everything", evidence, changes)
