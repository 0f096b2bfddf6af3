"""Between a plain state and the world of objects that audience, narrator and studio read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from volition.drama.evening.building import sizes_of
from volition.drama.evening.grammar import numbered_acts
from volition.drama.evening.record import DEPARTED, NONE, new_plain
from volition.drama.evening.state import TASKS, EveningState
from volition.drama.rules.catalog import CATASTROPHE, CONFLICT, EMOTIONS, REVEAL, SOCIAL_MOVE, Belief
from volition.drama.world.model import DEPARTED as HAS_LEFT
from volition.drama.world.model import AgentState, Bond, PacingState, WorldState

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.drama.world.model import Happening, Scenario

_OF_THE_WORLD = ("tick", "minutes", "catastrophes", "courses", "pours")
_PACING = ("budget", "stress", "composure", "commitment", "timer", "suppression")
_BONDS = ("trust", "affection", "obligation")
_SCENES = (CONFLICT, CATASTROPHE, REVEAL)


class ScenarioNames:
    """The names of a scenario's people, rooms, secrets, needs and acts, and the places where each stands."""

    def __init__(self, scenario: Scenario) -> None:
        self.people, self.rooms = list(scenario.people), list(scenario.rooms)
        self.secrets, self.needs = list(scenario.secrets), list(scenario.evening.needs)
        self.numbered = numbered_acts(scenario)
        self.acts = [act.id for act in self.numbered]
        self.person = _places(self.people)
        self.place = _places(self.rooms) | {HAS_LEFT: DEPARTED}
        self.secret = _places(self.secrets)
        self.act = _places(self.acts)

    def room(self, place: int) -> str:
        """The name of a room, or that somebody has left."""
        return HAS_LEFT if place == DEPARTED else self.rooms[place]

    def members(self, people: int) -> tuple[str, ...]:
        """The people of a set, in the order of the scenario."""
        return tuple([id for place, id in enumerate(self.people) if people >> place & 1]) if people else ()


def _places(names: Sequence[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(names)}


def state_of(world: WorldState, seed: int = 0) -> EveningState:
    """The plain state of a world of objects, with what everybody remembers of its recent events.

    What a seed draws once for a whole evening is not in a world: `opening.draw_needs` adds it.
    """
    scenario, names = world.scenario, ScenarioNames(world.scenario)
    evening = new_plain(EveningState, sizes_of(scenario))
    evening.seed = seed
    for part in _OF_THE_WORLD:
        setattr(evening, part, getattr(world, part))
    evening.course_served = _minute(world.course_served)
    for who, me in enumerate(world.agents.values()):
        _write_person(evening, who, me, names)
        _write_bonds(evening, who, me, names)
        _write_secrets(evening, who, me, names)
    for happening in world.recent:
        _remember(evening, happening, scenario, names)
    return evening


def world_of(evening: EveningState, scenario: Scenario, recent: Iterable[Happening] = ()) -> WorldState:
    """The world of objects that a plain state describes; recent events come from its log."""
    names = ScenarioNames(scenario)
    wanting = bool(scenario.rules["departures"]["needs"])
    agents = {id: _read_person(evening, who, id, names, wanting) for who, id in enumerate(names.people)}
    world = WorldState(scenario, agents)
    for part in _OF_THE_WORLD:
        setattr(world, part, getattr(evening, part))
    world.course_served = _optional(evening.course_served)
    world.recent = list(recent)
    return world


def _minute(value: float | None) -> float:
    return -1.0 if value is None else value


def _optional(value: Any) -> Any:
    return None if value < 0 else value


def _write_person(evening: EveningState, who: int, me: AgentState, names: ScenarioNames) -> None:
    pacing = me.pacing
    evening.budget[who], evening.stress[who] = pacing.dramatic_budget, pacing.stress
    evening.composure[who], evening.commitment[who] = pacing.composure, pacing.commitment
    evening.timer[who], evening.suppression[who] = pacing.recovery_timer, pacing.suppression_count
    evening.room[who] = names.place[me.location]
    evening.emotions[who] = [me.emotions[emotion] for emotion in EMOTIONS]
    evening.alcohol[who] = me.alcohol
    evening.needs[who] = [me.needs.get(need, 0.0) for need in names.needs]
    evening.task[who] = NONE if me.task is None else TASKS.index(me.task)
    evening.task_since[who], evening.away[who] = _minute(me.task_since), _minute(me.away)
    evening.last_scene[who] = _minute(me.last_scene)
    evening.moved[who] = NONE if me.moved is None else me.moved
    evening.challenged[who] = NONE if me.challenged is None else me.challenged
    evening.broken[who], evening.thrown_out[who] = int(me.broken), int(me.thrown_out)
    evening.recents[who] = len(me.recent)
    for place, (tick, act) in enumerate(me.recent):
        evening.recent_tick[who][place], evening.recent_act[who][place] = tick, names.act[act]


def _write_bonds(evening: EveningState, who: int, me: AgentState, names: ScenarioNames) -> None:
    for other, bond in me.bonds.items():
        for part in _BONDS:
            getattr(evening, part)[who][names.person[other]] = getattr(bond, part)
    for part in ("grievance", "peaks", "fatigue", "grounds", "confronted", "confronted_by"):
        for other, held in getattr(me, part).items():
            getattr(evening, part)[who][names.person[other]] = held
    for other, (room, since) in me.sightings.items():
        evening.seen_in[who][names.person[other]] = names.place[room]
        evening.seen_since[who][names.person[other]] = since
    evening.reconciled[who] = sum(1 << names.person[other] for other in me.reconciled)
    evening.wronged[who] = sum(1 << names.person[other] for other in me.wronged)


def _write_secrets(evening: EveningState, who: int, me: AgentState, names: ScenarioNames) -> None:
    evening.belief[who] = [int(me.beliefs[secret]) for secret in names.secrets]
    for other, secret in me.knows:
        evening.knows[who][names.secret[secret]] |= 1 << names.person[other]
    for other, secret in me.lied:
        evening.lied[who][names.secret[secret]] |= 1 << names.person[other]
    for secret, liar in me.planted.items():
        evening.planted[who][names.secret[secret]] = names.person[liar]
    for (asker, secret), tick in me.questions.items():
        evening.questions[who][names.person[asker]][names.secret[secret]] = tick


def _remember(evening: EveningState, happening: Happening, scenario: Scenario, names: ScenarioNames) -> None:
    """Write what those who saw an event remember of it; events come in the order in which they happened."""
    tick, room = happening.tick, names.place[happening.room]
    source, targets = names.person[happening.source], [names.person[other] for other in happening.targets]
    seen = [names.person[who] for who in happening.seen_by]
    if happening.type == SOCIAL_MOVE and evening.tick - tick < len(evening.moved_to):
        at = tick % len(evening.moved_to)
        evening.moved_from[at][source] = room
        evening.moved_to[at][source] = names.place[happening.destination or ""]
        evening.moved_seen[at][source] = sum(1 << who for who in seen)
    if happening.type in (CONFLICT, CATASTROPHE):
        evening.clash_at[room] = tick
    if happening.type in _SCENES:
        about = None if happening.secret is None else scenario.secrets[happening.secret].about
        for who in seen:
            evening.scene_at[who][room] = tick
            if names.people[who] == about:
                evening.threat_at[who][room] = tick
    if happening.type == CONFLICT:
        for who in seen:
            if who in targets:
                evening.threat_at[who][room] = tick
            elif who != source:
                for party in (source, *targets):
                    evening.sided_at[who][party] = tick


def _read_person(evening: EveningState, who: int, id: str, names: ScenarioNames, wanting: bool) -> AgentState:
    others = [(place, other) for place, other in enumerate(names.people) if place != who]
    me = AgentState(
        id,
        names.room(evening.room[who]),
        PacingState(*[getattr(evening, part)[who] for part in _PACING]),
        dict(zip(EMOTIONS, evening.emotions[who], strict=True)),
        {other: Bond(*[getattr(evening, part)[who][place] for part in _BONDS]) for place, other in others},
        {secret: Belief(belief) for secret, belief in zip(names.secrets, evening.belief[who], strict=True)},
        evening.alcohol[who],
    )
    for part in ("grievance", "peaks"):
        setattr(me, part, {other: held for place, other in others if (held := getattr(evening, part)[who][place])})
    for part in ("fatigue", "confronted", "confronted_by"):
        setattr(me, part, {other: held for place, other in others if (held := getattr(evening, part)[who][place]) >= 0})
    me.grounds = {other: evening.grounds[who][place] for place, other in others}
    me.sightings = {
        other: (names.room(evening.seen_in[who][place]), evening.seen_since[who][place])
        for place, other in others
        if evening.seen_in[who][place] != NONE
    }
    me.reconciled, me.wronged = set(names.members(evening.reconciled[who])), set(names.members(evening.wronged[who]))
    me.needs = dict(zip(names.needs, evening.needs[who], strict=True)) if wanting else {}
    me.task = None if evening.task[who] == NONE else TASKS[evening.task[who]]
    me.task_since, me.away = _optional(evening.task_since[who]), _optional(evening.away[who])
    me.last_scene, me.moved = _optional(evening.last_scene[who]), _optional(evening.moved[who])
    me.challenged = _optional(evening.challenged[who])
    me.broken, me.thrown_out = bool(evening.broken[who]), bool(evening.thrown_out[who])
    acts, ticks = evening.recent_act[who], evening.recent_tick[who]
    me.recent = [(ticks[place], names.acts[acts[place]]) for place in range(evening.recents[who])]
    _read_secrets(evening, who, me, names)
    return me


def _read_secrets(evening: EveningState, who: int, me: AgentState, names: ScenarioNames) -> None:
    for place, secret in enumerate(names.secrets):
        me.knows |= {(other, secret) for other in names.members(evening.knows[who][place])}
        me.lied |= {(other, secret) for other in names.members(evening.lied[who][place])}
        if evening.planted[who][place] != NONE:
            me.planted[secret] = names.people[evening.planted[who][place]]
        for asker, asked in enumerate(evening.questions[who]):
            if asked[place] >= 0:
                me.questions[names.people[asker], secret] = asked[place]
