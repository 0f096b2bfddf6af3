"""An evening as people read it: a view of its state by name, with the events that people may still refer to.

What a state remembers of recent events is not written through the view: no delta says it. It follows from `recent`
whenever a state is made that people decide in or that an evening goes on from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from volition.core.chance import MASK_64
from volition.drama.evening.kept import make_once
from volition.drama.evening.names import ScenarioNames, names_of
from volition.drama.evening.person import AgentState
from volition.drama.evening.record import copy_plain, copy_value, parts_of
from volition.drama.evening.state import WORLD, EveningState
from volition.drama.rules.catalog import CATASTROPHE, CONFLICT, REVEAL, SOCIAL_MOVE, Belief

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from volition.drama.world.model import Happening, Scenario, Secret

T = TypeVar("T")

_PARTS: Final = parts_of(EveningState)
_MEMORY: Final = ("scene_at", "threat_at", "clash_at", "sided_at", "moved_from", "moved_to", "moved_seen")
_SCENES: Final = (CONFLICT, CATASTROPHE, REVEAL)
WORLD_PARTS: Final = {part.name: part for part in _PARTS if part.delta == WORLD}
"""What can change in an evening and is nobody's own."""


class _Number(Generic[T]):
    """A property that shows one number of an evening."""

    def __init__(self, name: str) -> None:
        self.part, self.kind = name, WORLD_PARTS[name].kind.name

    def __get__(self, world: Any, owner: type | None = None) -> T:
        return world.names.spellings[self.kind].read(getattr(world.evening, self.part))  # type: ignore[no-any-return]

    def __set__(self, world: Any, value: T) -> None:
        setattr(world.evening, self.part, world.names.spellings[self.kind].write(value))


class WorldState:
    """The current state of an evening: its people and its time, and what happened recently."""

    __slots__ = ("agents", "evening", "names", "recent")

    tick = _Number[int]("tick")
    minutes = _Number[float]("minutes")
    catastrophes = _Number[int]("catastrophes")
    course_served = _Number[float | None]("course_served")  # minute at which the course on the table was served
    courses = _Number[int]("courses")  # how many courses have been called for
    pours = _Number[int]("pours")  # how many rounds of wine have been called for
    rung = _Number[int]("rung")  # which events of the clock have happened, a bit each

    def __init__(self, evening: EveningState, names: ScenarioNames, recent: Iterable[Happening] = ()) -> None:
        self.evening, self.names, self.recent = evening, names, list(recent)
        self.agents = {id: AgentState(evening, who, names) for who, id in enumerate(names.people)}

    @property
    def scenario(self) -> Scenario:
        return self.names.scenario

    def copy(self) -> WorldState:
        """The same evening, which nothing that is done to this one changes."""
        return WorldState(copy_plain(self.evening, EveningState), self.names, self.recent)

    def state(self, seed: int = 0) -> EveningState:
        """A state from which the evening goes on, with what everybody remembers of recent events before this tick.

        What a seed draws once for a whole evening is not in a world: `tick.draw_needs` adds it.
        """
        state = EveningState()
        for part in _PARTS:
            source = self.evening if part.delta is not None else self.names.blank
            setattr(state, part.name, copy_value(getattr(source, part.name), len(part.shape)))
        self._remember(state, seed, range(len(self.names.people)))
        return state

    def state_around(self, who: int, seed: int) -> EveningState:
        """The state for a decision of `who`, to be read and not written: it shares all rows but the memory of `who`."""
        state, blank = EveningState(), self.names.blank
        for part in _PARTS:
            setattr(state, part.name, getattr(self.evening if part.delta is not None else blank, part.name))
        for name in _MEMORY:
            value = getattr(blank, name)
            setattr(state, name, value[:] if name == "clash_at" else [row[:] for row in value])
        self._remember(state, seed, (who,))
        return state

    def _remember(self, state: EveningState, seed: int, whose: Container[int]) -> None:
        state.seed = seed & MASK_64
        for happening in self.recent:
            if happening.tick < state.tick:
                _remember(state, happening, self.names, whose)

    def __deepcopy__(self, memo: object) -> WorldState:
        return self.copy()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WorldState):
            return NotImplemented
        same = all(getattr(self, part) == getattr(other, part) for part in (*WORLD_PARTS, "recent", "agents"))
        return same and (self.scenario is other.scenario or self.scenario == other.scenario)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"WorldState(scenario={self.scenario.id!r}, tick={self.tick}, minutes={self.minutes})"


def begin(scenario: Scenario) -> WorldState:
    """The state at the beginning of an evening."""
    return _beginning(scenario).copy()


@make_once
def _beginning(scenario: Scenario) -> WorldState:
    names = names_of(scenario)
    world = WorldState(copy_plain(names.blank, EveningState), names)
    for person in scenario.people.values():
        me = world.agents[person.id]
        me.location, me.emotions = person.room, dict(person.emotions)
        me.pacing.dramatic_budget, me.pacing.stress = 1.0, person.stress
        me.pacing.composure, me.pacing.commitment = person.composure, person.commitment
        for other, bond in person.bonds.items():
            me.bonds[other], me.grounds[other] = bond, 1
        for secret in scenario.secrets.values():
            if person.id in secret.knowers:
                me.beliefs[secret.id] = Belief.BELIEVES_TRUE
            elif person.id in secret.suspecters:
                me.beliefs[secret.id] = Belief.SUSPECTS
    for who, whom, secret_id in scenario.known:
        world.agents[who].knows.add((whom, secret_id))
    for thing, owner in scenario.evening.things.items():
        world.agents[owner].carries[thing] = 1.0
    return world


def _remember(state: EveningState, happening: Happening, names: ScenarioNames, whose: Container[int]) -> None:
    """Write what those of `whose` who saw an event remember of it: the last tick of each sort, whatever their order."""
    tick, room = happening.tick, names.place[happening.room]
    source, targets = names.person[happening.source], [names.person[other] for other in happening.targets]
    seen = [names.person[who] for who in happening.seen_by]
    if happening.type == SOCIAL_MOVE and state.tick - tick < len(state.moved_to):
        at = tick % len(state.moved_to)
        state.moved_from[at][source] = room
        state.moved_to[at][source] = names.place[happening.destination or ""]
        state.moved_seen[at][source] = sum(1 << who for who in seen)
    if happening.type in (CONFLICT, CATASTROPHE):
        state.clash_at[room] = max(state.clash_at[room], tick)
    if happening.failed and source in whose:
        state.threat_at[source][room] = max(state.threat_at[source][room], tick)
    if happening.type in _SCENES:
        secret = None if happening.secret is None else names.scenario.secrets[happening.secret]
        for who in (who for who in seen if who in whose):
            state.scene_at[who][room] = max(state.scene_at[who][room], tick)
            quarrels = happening.type == CONFLICT and (who == source or who in targets)
            breaks = happening.type == CATASTROPHE and who == source
            if quarrels or breaks or (secret is not None and _shames(secret, names.people[who])):
                state.threat_at[who][room] = max(state.threat_at[who][room], tick)
            for party in _shaken(happening, names, source, targets):
                if who != source and (happening.type == CATASTROPHE or who not in targets):
                    state.sided_at[who][party] = max(state.sided_at[who][party], tick)


def _shaken(happening: Happening, names: ScenarioNames, source: int, targets: list[int]) -> list[int]:
    """With whom a bystander of an event may side: both parties of an open quarrel, and who has an outburst."""
    if happening.type == CONFLICT and not happening.hinted:
        return [source, *targets]
    comforts = names.scenario.rules["departures"]["comfort"] != 0.0
    return [source] if happening.type == CATASTROPHE and comforts else []


def _shames(secret: Secret, who: str) -> bool:
    """Whether a truth that comes out lowers `who` in others' eyes."""
    return who == secret.about or who in secret.holders or secret.harm.get(who, 0.0) > 0.0
