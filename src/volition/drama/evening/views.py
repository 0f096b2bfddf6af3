"""Between a plain state and the world of objects that audience, narrator and studio read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from volition.core.chance import MASK_64
from volition.drama.evening.building import sizes_of
from volition.drama.evening.grammar import ALL, NumberedAct, numbered_acts
from volition.drama.evening.record import DEPARTED, NONE, copy_plain, new_plain, parts_of
from volition.drama.evening.state import PEOPLE, TASKS, EveningState
from volition.drama.rules.catalog import CATASTROPHE, CONFLICT, EMOTIONS, REVEAL, SOCIAL_MOVE, Belief
from volition.drama.world.model import DEPARTED as HAS_LEFT
from volition.drama.world.model import Action, AgentState, Bond, Happening, PacingState, Scenario, Secret, WorldState

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence


_OF_THE_WORLD = ("tick", "minutes", "catastrophes", "courses", "pours")
_PACING = ("budget", "stress", "composure", "commitment", "timer", "suppression")
_BONDS = ("trust", "affection", "obligation")
_PARTS = parts_of(EveningState)
_SCENES = (CONFLICT, CATASTROPHE, REVEAL)
CHAT_TO_ALL = f"chat:{ALL}"


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
        self.wanting = bool(scenario.rules["departures"]["needs"])
        self.blank = new_plain(EveningState, sizes_of(scenario))
        self._actions: dict[tuple[str, str], list[Action]] = {}

    def room(self, place: int) -> str:
        """The name of a room, or that somebody has left."""
        return HAS_LEFT if place == DEPARTED else self.rooms[place]

    def members(self, people: int) -> tuple[str, ...]:
        """The people of a set, in the order of the scenario."""
        return tuple([id for place, id in enumerate(self.people) if people >> place & 1]) if people else ()

    def actions(self, acts: Iterable[int], who: str, room: str, present: int) -> list[Action]:
        """Acts as candidates of somebody in a room; a word to all is addressed to those present."""
        every = self._actions.get((who, room))
        if every is None:
            every = self._actions[who, room] = [self._action(act, who, room) for act in self.numbered]
        made = [every[act] for act in acts]
        for place, action in enumerate(made):
            if action.id == CHAT_TO_ALL:
                made[place] = action._replace(target_agents=self.members(present))
                break
        return made

    def _action(self, act: NumberedAct, who: str, room: str) -> Action:
        focus = None if act.focus == NONE else self.people[act.focus]
        destination = None if act.destination == NONE else self.rooms[act.destination]
        secret = None if act.secret == NONE else self.secrets[act.secret]
        targets = () if act.target == NONE else (self.people[act.target],)
        return Action(act.id, who, act.kind, targets, room, act.dramatic, focus, destination, secret, act.manner)


def _places(names: Sequence[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(names)}


def state_of(world: WorldState, seed: int = 0, names: ScenarioNames | None = None) -> EveningState:
    """The plain state of a world of objects, with what everybody remembers of its recent events before this tick.

    What a seed draws once for a whole evening is not in a world: `tick.draw_needs` adds it.
    """
    names = names or ScenarioNames(world.scenario)
    evening = copy_plain(names.blank, EveningState)
    _write_setting(evening, world, seed, names, range(len(names.people)))
    for who, id in enumerate(names.people):
        write_person(evening, who, world.agents[id], names)
    return evening


def state_around(world: WorldState, who: int, seed: int, names: ScenarioNames) -> EveningState:
    """As much of the state of a world as one person's decision may depend on: of others their places and beliefs."""
    evening = own_state(names, who)
    _write_setting(evening, world, seed, names, (who,))
    for place, id in enumerate(names.people):
        other = world.agents[id]
        evening.room[place] = names.place[other.location]
        evening.belief[place] = [int(other.beliefs[secret]) for secret in names.secrets]
    write_person(evening, who, world.agents[names.people[who]], names)
    return evening


def own_state(names: ScenarioNames, who: int) -> EveningState:
    """A blank state for one person to be written into; it shares the rows of the others, which nobody writes."""
    evening = EveningState()
    for part in _PARTS:
        value = getattr(names.blank, part.name)
        if part.shape:
            value = value[:]
            for row in (who,) if part.shape[0] == PEOPLE else range(len(value)):
                if len(part.shape) == 2:
                    value[row] = value[row][:]
                elif len(part.shape) == 3:
                    value[row] = [entries[:] for entries in value[row]]
        setattr(evening, part.name, value)
    return evening


def _write_setting(
    evening: EveningState, world: WorldState, seed: int, names: ScenarioNames, whose: Container[int]
) -> None:
    """Write what is nobody's own, and what some people remember."""
    evening.seed = seed & MASK_64
    for part in _OF_THE_WORLD:
        setattr(evening, part, getattr(world, part))
    evening.course_served = _minute(world.course_served)
    for happening in world.recent:
        if happening.tick < world.tick:
            _remember(evening, happening, world.scenario, names, whose)


def write_person(evening: EveningState, who: int, me: AgentState, names: ScenarioNames) -> None:
    """Write somebody's own state into a plain one."""
    _write_oneself(evening, who, me, names)
    _write_bonds(evening, who, me, names)
    _write_secrets(evening, who, me, names)


def world_of(
    evening: EveningState, scenario: Scenario, recent: Iterable[Happening] = (), names: ScenarioNames | None = None
) -> WorldState:
    """The world of objects that a plain state describes; recent events come from its log."""
    names = names or ScenarioNames(scenario)
    agents = {id: person_of(evening, who, names) for who, id in enumerate(names.people)}
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


def _write_oneself(evening: EveningState, who: int, me: AgentState, names: ScenarioNames) -> None:
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
    evening.last_scene[who], evening.course_seen[who] = _minute(me.last_scene), _minute(me.course_seen)
    evening.moved[who] = NONE if me.moved is None else me.moved
    evening.challenged[who] = NONE if me.challenged is None else me.challenged
    evening.broken[who], evening.thrown_out[who] = int(me.broken), int(me.thrown_out)
    known = [(tick, names.act[act]) for tick, act in me.recent if act in names.act]
    rest = [NONE] * (len(evening.recent_act[who]) - len(known))
    evening.recents[who] = len(known)
    evening.recent_tick[who] = [tick for tick, _ in known] + rest
    evening.recent_act[who] = [act for _, act in known] + rest


def _write_bonds(evening: EveningState, who: int, me: AgentState, names: ScenarioNames) -> None:
    trust, affection, obligation = evening.trust[who], evening.affection[who], evening.obligation[who]
    for other, bond in me.bonds.items():
        place = names.person[other]
        trust[place], affection[place], obligation[place] = bond.trust, bond.affection, bond.obligation
    for part in ("grievance", "peaks", "stung", "fatigue", "grounds", "confronted", "confronted_by"):
        entries: dict[str, Any] = getattr(me, part)
        if entries:
            row = getattr(evening, part)[who]
            for other, held in entries.items():
                row[names.person[other]] = held
    for other, (room, since) in me.sightings.items():
        evening.seen_in[who][names.person[other]] = names.place[room]
        evening.seen_since[who][names.person[other]] = since
    evening.reconciled[who] = sum(1 << names.person[other] for other in me.reconciled)
    evening.wronged[who] = sum(1 << names.person[other] for other in me.wronged)
    evening.answered[who] = sum(1 << names.person[other] for other in me.answered)


def _write_secrets(evening: EveningState, who: int, me: AgentState, names: ScenarioNames) -> None:
    evening.belief[who] = [int(me.beliefs[secret]) for secret in names.secrets]
    for other, secret in me.knows:
        evening.knows[who][names.secret[secret]] |= 1 << names.person[other]
    for other, secret in me.suspects:
        evening.suspects[who][names.secret[secret]] |= 1 << names.person[other]
    for other, secret in me.lied:
        evening.lied[who][names.secret[secret]] |= 1 << names.person[other]
    for secret, liar in me.planted.items():
        evening.planted[who][names.secret[secret]] = names.person[liar]
    for (asker, secret), tick in me.questions.items():
        evening.questions[who][names.person[asker]][names.secret[secret]] = tick


def _remember(
    evening: EveningState, happening: Happening, scenario: Scenario, names: ScenarioNames, whose: Container[int]
) -> None:
    """Write what those of some who saw an event remember of it: the last tick of each sort, whatever their order."""
    tick, room = happening.tick, names.place[happening.room]
    source, targets = names.person[happening.source], [names.person[other] for other in happening.targets]
    seen = [names.person[who] for who in happening.seen_by]
    if happening.type == SOCIAL_MOVE and evening.tick - tick < len(evening.moved_to):
        at = tick % len(evening.moved_to)
        evening.moved_from[at][source] = room
        evening.moved_to[at][source] = names.place[happening.destination or ""]
        evening.moved_seen[at][source] = sum(1 << who for who in seen)
    if happening.type in (CONFLICT, CATASTROPHE):
        evening.clash_at[room] = max(evening.clash_at[room], tick)
    if happening.failed and source in whose:
        evening.threat_at[source][room] = max(evening.threat_at[source][room], tick)
    if happening.type in _SCENES:
        secret = None if happening.secret is None else scenario.secrets[happening.secret]
        for who in (who for who in seen if who in whose):
            evening.scene_at[who][room] = max(evening.scene_at[who][room], tick)
            quarrels = happening.type == CONFLICT and (who == source or who in targets)
            breaks = happening.type == CATASTROPHE and who == source
            if quarrels or breaks or (secret is not None and _shames(secret, names.people[who])):
                evening.threat_at[who][room] = max(evening.threat_at[who][room], tick)
            if happening.type == CONFLICT and who != source and who not in targets:
                for party in (source, *targets):
                    evening.sided_at[who][party] = max(evening.sided_at[who][party], tick)


def _shames(secret: Secret, who: str) -> bool:
    """Whether a truth that comes out lowers somebody in others' eyes."""
    return who == secret.about or who in secret.holders or secret.harm.get(who, 0.0) > 0.0


def person_of(evening: EveningState, who: int, names: ScenarioNames) -> AgentState:
    """The state of one person that a plain state describes."""
    others = [(place, other) for place, other in enumerate(names.people) if place != who]
    me = AgentState(
        names.people[who],
        names.room(evening.room[who]),
        PacingState(*[getattr(evening, part)[who] for part in _PACING]),
        dict(zip(EMOTIONS, evening.emotions[who], strict=True)),
        {other: Bond(*[getattr(evening, part)[who][place] for part in _BONDS]) for place, other in others},
        {secret: Belief(belief) for secret, belief in zip(names.secrets, evening.belief[who], strict=True)},
        evening.alcohol[who],
    )
    for part in ("grievance", "peaks"):
        setattr(me, part, {other: held for place, other in others if (held := getattr(evening, part)[who][place])})
    for part in ("stung", "fatigue", "confronted", "confronted_by"):
        setattr(me, part, {other: held for place, other in others if (held := getattr(evening, part)[who][place]) >= 0})
    me.grounds = {other: evening.grounds[who][place] for place, other in others}
    me.sightings = {
        other: (names.room(evening.seen_in[who][place]), evening.seen_since[who][place])
        for place, other in others
        if evening.seen_in[who][place] != NONE
    }
    for part in ("reconciled", "wronged", "answered"):
        setattr(me, part, set(names.members(getattr(evening, part)[who])))
    me.needs = dict(zip(names.needs, evening.needs[who], strict=True)) if names.wanting else {}
    me.task = None if evening.task[who] == NONE else TASKS[evening.task[who]]
    me.task_since, me.away = _optional(evening.task_since[who]), _optional(evening.away[who])
    me.last_scene, me.moved = _optional(evening.last_scene[who]), _optional(evening.moved[who])
    me.challenged, me.course_seen = _optional(evening.challenged[who]), _optional(evening.course_seen[who])
    me.broken, me.thrown_out = bool(evening.broken[who]), bool(evening.thrown_out[who])
    acts, ticks = evening.recent_act[who], evening.recent_tick[who]
    me.recent = [(ticks[place], names.acts[acts[place]]) for place in range(evening.recents[who])]
    _read_secrets(evening, who, me, names)
    return me


def _read_secrets(evening: EveningState, who: int, me: AgentState, names: ScenarioNames) -> None:
    for place, secret in enumerate(names.secrets):
        me.knows |= {(other, secret) for other in names.members(evening.knows[who][place])}
        me.suspects |= {(other, secret) for other in names.members(evening.suspects[who][place])}
        me.lied |= {(other, secret) for other in names.members(evening.lied[who][place])}
        if evening.planted[who][place] != NONE:
            me.planted[secret] = names.people[evening.planted[who][place]]
        for asker, asked in enumerate(evening.questions[who]):
            if asked[place] >= 0:
                me.questions[names.people[asker], secret] = asked[place]
