"""Remedies: which settings to change against each symptom, as symptoms.toml says, and those that depend on the scenario."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from volition.core.document import parse_toml
from volition.core.typed import convert
from volition.drama.doctor.case import Evidence, ScenarioCase, Symptom
from volition.drama.doctor.targets import ENDINGS, SLEEPS
from volition.drama.rules.catalog import EFFECTS, Effect
from volition.drama.world.rulebook import default_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from volition.drama.doctor.pooled import FlawFigures, PooledStories
    from volition.drama.world.settings import Setting

    Changes = Iterator[Setting | None]

FILE: Final = "symptoms.toml"
UNDONE: Final = 0.5
"""If a smaller share of people lose their composure, it is composure that keeps them from breaking."""
USED: Final = 0.75
"""A room is empty if it sees an act in a smaller share of the evenings."""
LIKELY: Final = 0.95
"""The most that a chance is raised to: what is certain is no difference between evenings."""

_ROUNDS: Final = (0.13, 0.36, 0.44, 0.51, 0.65, 0.72, 0.79, 0.85)
"""When to pour, as parts of an evening that has no wine yet."""
_COURSES: Final = (0.05, 0.3, 0.6)
"""When to serve, likewise."""
_VISIT: Final = "errand"
"""The name of a need that is proposed for a room without one."""
_LOUD: Final = {Effect.ESCALATE_CONFLICT, Effect.SELF_SACRIFICE, Effect.FIXATE_ON_TARGET, Effect.OVERCOMMIT}
_CAP: Final = "rules.departures.internal_cap"
_COURSES_RULE: Final = "rules.departures.courses"
_WAKES: Final = {
    "BETRAYAL_DETECTED": "rules.flaws.betrayal_suspicion",
    "REJECTION": "rules.flaws.rejection_shame",
    "LOSS_IMMINENT": "rules.flaws.loss_stress",
    "STATUS_THREAT": "rules.memory.challenge",
    "AUTHORITY_CHALLENGE": "rules.memory.challenge",
    "CONFLICT_NEARBY": "rules.memory.conflict",
}
"""The setting by which flaws with a trigger wake more easily; others wake by themselves."""
_PUSHES: Final = {
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
_COLOURS: Final = {
    "ESCALATE_CONFLICT": "glare",
    "SELF_SACRIFICE": "amends",
    "AVOID_CONFRONTATION": "shrink",
    "OVERCOMMIT": "press",
    "OVERWEIGHT_STATUS": "preen",
}
"""The departure by which flaws with an effect show in quiet acts too."""


class Remedy(Struct, frozen=True):
    """What symptoms.toml says about a symptom."""

    name: str
    changes: tuple[dict[str, Any] | str, ...]
    targets: tuple[str, ...] = ()


@cache
def remedies() -> Mapping[str, Remedy]:
    """Every symptom of symptoms.toml, by its id."""
    data = parse_toml(files("volition.drama.doctor").joinpath(FILE).read_bytes(), where=FILE)
    return convert(data, dict[str, Remedy])


def symptom_of(
    case: ScenarioCase, id: str, evidence: Iterable[Evidence], targets: Iterable[str] | None = None
) -> Symptom:
    """A symptom that was found, with the proposals that change something, and the targets that fail because of it."""
    remedy = remedies()[id]
    settings = (setting for change in remedy.changes for setting in _settings(case, change))
    changes = {setting.path: setting for setting in settings if setting is not None}
    failing = tuple(target for target in (remedy.targets if targets is None else targets) if case.fails(target))
    return Symptom(id, remedy.name, failing, tuple(evidence), tuple(changes.values()))


def _settings(case: ScenarioCase, change: dict[str, Any] | str) -> Changes:
    if isinstance(change, str):
        return _CHANGES[change](case)
    (way, path), *rest = change.items()
    return iter([getattr(case.propose, way)(path, **dict(rest))])


def _strengthen_flaws(case: ScenarioCase) -> Changes:
    """Strengthen the weakest flaw of each person that leads to drama."""
    for id, person in case.pooled.scenario.people.items():
        loud = [(flaw.strength, place) for place, flaw in enumerate(person.flaws) if flaw.effect in _LOUD]
        if loud:
            yield case.propose.more(f"people.{id}.flaws[{min(loud)[1]}].strength", 1.25, 0.1, most=1.0)


def _weaken_flaws(case: ScenarioCase) -> Changes:
    """Cap what flaws add together, and weaken everybody's strongest ones."""
    cap = case.propose.now("rules.flaws.cap")
    yield case.propose.put("rules.flaws.cap", 0.5 if not cap or cap > 0.5 else round(0.7 * cap, 4))
    for id, person in case.pooled.scenario.people.items():
        for place, flaw in enumerate(person.flaws):
            if flaw.strength == max(other.strength for other in person.flaws):
                yield case.propose.less(f"people.{id}.flaws[{place}].strength", 0.7)


def _loosen(case: ScenarioCase) -> Changes:
    """Weaken what makes a person do the same again: a fixation, or the value of doing nothing."""
    who, act = case.pooled.commonest_row
    about = act.rpartition(":")[2]
    for place, flaw in enumerate(case.pooled.scenario.people[who].flaws if who else ()):
        if flaw.target is not None and flaw.target == about:
            yield case.propose.less(f"people.{who}.flaws[{place}].strength", 0.75)
    if act == "internal":
        yield from _lower_internal_cap(case)


def _double_bonds(case: ScenarioCase) -> Changes:
    return (case.propose.more(f"rules.bonds.{rule}", 2.0) for rule in default_rules()["bonds"])


def _disgrace_moves(case: ScenarioCase) -> Changes:
    """Let moves cost more status."""
    status = f"rules.effects.SOCIAL_MOVE[{EFFECTS.index('status')}]"
    yield case.propose.put(status, round(min(-0.15, 1.5 * case.propose.now(status)), 4))


def _lower_internal_cap(case: ScenarioCase) -> Changes:
    """Make doing nothing worth less; a cap of 0 means no cap."""
    propose = case.propose
    yield propose.less(_CAP, 0.9, 0.45) if propose.now(_CAP) else propose.put(_CAP, 0.45)


def _raise_internal_cap(case: ScenarioCase) -> Changes:
    if case.propose.now(_CAP):
        yield case.propose.more(_CAP, 1.15, 0.45)


def _pour_less(case: ScenarioCase) -> Changes:
    """Leave out the last round of wine, unless it is the only one."""
    if len(pours := case.pooled.scenario.evening.pours) > 1:
        yield case.propose.put("evening.events[wine].minutes", list(pours[:-1]))


def _pour_more(case: ScenarioCase) -> Changes:
    """Where composure keeps people from breaking, pour more wine, and let people be there when it is poured; where there is
    neither a kitchen nor anybody who serves, let strain wear composure down earlier."""
    propose, evening = case.propose, case.pooled.scenario.evening
    if case.pooled.undone < UNDONE and evening.kitchen is None and not evening.servers:
        yield propose.less("rules.physics.stress_erodes_above", 0.5)
        yield propose.more("rules.physics.composure_erosion", 1.4)
        yield propose.less("rules.physics.composure_recovery", 0.5)
        yield propose.less("rules.pacing.masking", 0.8)
    elif case.pooled.undone < UNDONE:
        yield from _name_servers(case)
        yield propose.serve("wine", _more_pours(evening.pours, evening.minutes))
        yield from _serve_courses(case)
        yield propose.more("rules.departures.manners", 1.2, 0.5)
        yield propose.more("rules.physics.composure_alcohol", 1.2)


def _strain_more(case: ScenarioCase) -> Changes:
    """Where composure does not, or nobody comes close to breaking, strain people more."""
    propose, pooled = case.propose, case.pooled
    if pooled.undone >= UNDONE or pooled.potential < pooled.scenario.rules["physics"]["catastrophe_threshold"]:
        yield propose.put("rules.departures.uphold", True)
        yield propose.more("rules.physics.stress_direct", 1.25)
        yield propose.less("rules.departures.threshold_rise", 0.7, 0.3)
        yield propose.less("rules.physics.catastrophe_threshold", 0.85)


def _name_servers(case: ScenarioCase) -> Changes:
    """Name servers if there are none: the residents, or else the first person."""
    people = case.pooled.scenario.people
    if not case.pooled.scenario.evening.servers:
        residents = [id for id, person in people.items() if person.resident]
        yield case.propose.put("evening.servers", residents or [next(iter(people))])


def _serve_courses(case: ScenarioCase) -> Changes:
    if not case.propose.now(_COURSES_RULE):
        yield case.propose.put(_COURSES_RULE, 0.9)


def _more_pours(pours: tuple[float, ...], minutes: float) -> list[float]:
    """One more round, in the middle of the longest gap; rounds for the whole evening if there are none."""
    if not pours:
        return [float(round(part * minutes)) for part in _ROUNDS]
    gap, before = max((after - before, before) for before, after in pairwise([0.0, *pours, minutes]))
    return sorted([*pours, before + gap / 2.0])


def _steady_most(case: ScenarioCase) -> Changes:
    """Make the person who breaks most less sensitive, and less committed."""
    who = next(iter(case.pooled.catastrophes))
    yield case.propose.less(f"people.{who}.sensitivity", 0.8)
    yield case.propose.less(f"people.{who}.pacing.commitment", 0.7)


def _unsettle_others(case: ScenarioCase) -> Changes:
    """Make those who never break more sensitive, and less composed."""
    for who in case.pooled.unbroken:
        yield case.propose.more(f"people.{who}.sensitivity", 1.3, 0.5, most=10.0)
        if case.pooled.composure_of(who) >= case.pooled.scenario.rules["physics"]["catastrophe_gate"]:
            composure = case.pooled.scenario.people[who].composure
            yield case.propose.put(f"people.{who}.pacing.composure", max(0.05, round(0.85 * composure, 3)))


def _allow_more_ticks(case: ScenarioCase) -> Changes:
    if case.pooled.ran_out:
        yield case.propose.put("evening.ticks", case.pooled.scenario.evening.ticks * 2)


def _invite(case: ScenarioCase) -> Changes:
    return (change for room, used in case.pooled.rooms.items() if used < USED for change in _invite_into(case, room))


def _invite_into(case: ScenarioCase, room: str) -> Changes:
    """Bring people into a room: by a need, by a course to fetch, or by leaving through it."""
    propose, evening = case.propose, case.pooled.scenario.evening
    needs = [need for need, place in evening.needs.items() if place == room]
    if room == evening.gathering:
        yield propose.more("rules.departures.away_pull", 1.25, 0.045)
    elif room == evening.kitchen:
        yield from _serve_courses(case)
        yield from _name_servers(case)
        if not evening.courses:
            yield propose.serve("courses", [float(round(part * evening.minutes)) for part in _COURSES])
        yield propose.more("rules.departures.course_window", 1.25, 0.25)
    elif needs:
        yield propose.rate(f"evening.need_rates.{needs[0]}", propose.now("rules.wants.growth"), 1.5)
        yield propose.more("rules.departures.needs", 1.25, 1.0)
    else:
        name = next(name for name in (_VISIT, *(f"{_VISIT}_{n}" for n in range(2, 99))) if name not in evening.needs)
        yield propose.add(f"evening.needs.{name}", room)
        yield propose.more("rules.departures.needs", 1.0, 1.0)
    if room == evening.exit:
        yield propose.put("rules.departures.leaving", True)


def _make_endings_rarer(case: ScenarioCase) -> Changes:
    """Make the kinds of ending rarer that leave no room for others."""
    for kind, share in case.pooled.endings.items():
        if share > 1.0 - 2 * ENDINGS:
            match kind:
                case "thrown_out":
                    yield case.propose.more("rules.grievance.throwing_out_grievance", 1.2)
                case "reconciliation":
                    yield case.propose.more("rules.grievance.reconciled_from", 1.25)
                case "ran_its_course":
                    yield case.propose.less("rules.leaving.decency", 0.8)
                case _:
                    yield case.propose.less("rules.leaving.scene", 0.8)


def _narrow_scores(case: ScenarioCase) -> Changes:
    propose = case.propose
    if case.fails("winners"):
        yield propose.put("rules.departures.normalise_groups", True)
        yield propose.put("rules.flaws.cap", 0.5)
        yield propose.less(_COURSES_RULE, 0.9, 0.9)
        yield propose.less("rules.departures.grievance", 0.8, 0.35)
    else:
        yield propose.more("rules.noise.sigma", 1.25)


def _let_others_remain(case: ScenarioCase) -> Changes:
    """Make departures of those who always remain likelier, and others rarer; where there are none, let two have words."""
    propose, scenario = case.propose, case.pooled.scenario
    people = next(reversed(case.pooled.stories.remained))
    for event in scenario.evening.events:
        chance = f"evening.events[{event.id}].when.chance"
        if event.depart and 0.0 < event.when.chance < 1.0:
            remains = not set(people).isdisjoint(event.depart)
            most = max(LIKELY, event.when.chance)
            yield propose.more(chance, 1.3, most=most) if remains else propose.less(chance, 0.7)
    if len(people) > 1 and not any(
        set(people) >= set(circumstance.words) for circumstance in scenario.evening.circumstances if circumstance.words
    ):
        yield propose.happen({"words": list(people[:2])})


def _let_another_come_out_first(case: ScenarioCase) -> Changes:
    """Put off what brings the first secret out, and let somebody have caught wind of another."""
    propose, evening = case.propose, case.pooled.scenario.evening
    first = next(reversed(case.pooled.stories.first_out), "")
    for event in evening.events:
        if event.news == first:
            yield propose.put(f"evening.events[{event.id}].minute", (event.minute + event.until) / 2.0)
    for circumstance in evening.circumstances:
        if circumstance.suspects and 0.0 < circumstance.chance < 1.0:
            chance = f"evening.circumstances[{circumstance.id}].chance"
            likelier = first not in circumstance.suspects.values()
            most = max(LIKELY, circumstance.chance)
            yield propose.more(chance, 1.3, most=most) if likelier else propose.less(chance, 0.7)
    yield from _catch_wind(case, (id for id in case.pooled.stories.secrets if id != first))


def _let_something_be_suspected(case: ScenarioCase) -> Changes:
    """Let somebody have caught wind of a secret, where nobody has of any."""
    if not any(secret.suspecters for secret in case.pooled.scenario.secrets.values()):
        yield from _catch_wind(case, case.pooled.stories.secrets)


def _catch_wind(case: ScenarioCase, secrets: Iterable[str]) -> Changes:
    """A circumstance in which somebody suspects the first of these secrets that nobody suspects by a circumstance yet."""
    scenario = case.pooled.scenario
    caught = {secret for circumstance in scenario.evening.circumstances for secret in circumstance.suspects.values()}
    for id in secrets:
        aware = {*scenario.secrets[id].knowers, *scenario.secrets[id].suspecters}
        others = sorted(scenario.people.keys() - aware, key=lambda who: (-scenario.secrets[id].harm.get(who, 0.0), who))
        if id not in caught and others:
            yield case.propose.happen({"suspects": {others[0]: id}})
            return


def weak_flaws(stories: PooledStories) -> list[FlawFigures]:
    """The flaws that hardly change anything, or sleep through most evenings."""
    return [flaw for flaw in stories.flaws if flaw.sways < 0.03 or flaw.sleeps > SLEEPS]


def _wake_flaws(case: ScenarioCase) -> Changes:
    """Let weak flaws show in quiet acts, wake more easily, and push harder."""
    propose = case.propose
    for weak in weak_flaws(case.pooled.stories):
        flaw = case.pooled.scenario.people[weak.who].flaws[weak.place]
        wakes, colour = _WAKES.get(flaw.trigger.name), _COLOURS.get(flaw.effect.name)
        if colour is not None:
            yield propose.more(f"rules.departures.{colour}", 1.4, 0.15)
        if wakes is not None and wakes.startswith("rules.memory"):
            yield propose.whole(wakes, 1.4)
        elif wakes is not None:
            yield propose.less(wakes, 0.75)
        yield propose.more(f"rules.flaws.{_PUSHES[flaw.effect.name]}", 1.25)
        yield propose.more(f"people.{weak.who}.flaws[{weak.place}].strength", 1.25, 0.1, most=1.0)


_CHANGES: Final[Mapping[str, Callable[[ScenarioCase], Changes]]] = {
    make.__name__.removeprefix("_"): make
    for make in (
        _strengthen_flaws, _weaken_flaws, _loosen, _double_bonds, _disgrace_moves, _lower_internal_cap,
        _raise_internal_cap, _pour_less, _pour_more, _strain_more, _steady_most, _unsettle_others, _allow_more_ticks,
        _invite, _make_endings_rarer, _narrow_scores, _wake_flaws, _let_others_remain, _let_another_come_out_first,
        _let_something_be_suspected,
    )
}  # fmt: skip
