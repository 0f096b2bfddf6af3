"""What a person decides from, by name: the view of the record that the laws perceive into, and what they think of others.

With `knowledge = "perceived"` it contains only what the person can see, remember or guess, so changing anything else
cannot change their decision. With "omniscient", the reading of the specification, it contains others' beliefs and places.

What a person thinks that others know is itself a belief: one step of a theory of mind, with the reason for each thought.
It may be wrong: others may know more, and a person who was fooled may be thought to suspect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from volition.drama.evening import perceive as laws
from volition.drama.rules.catalog import GOALS, Belief

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from volition.drama.evening.names import ScenarioNames
    from volition.drama.evening.perceive import Perceived
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables
    from volition.drama.evening.world import WorldState
    from volition.drama.world.model import Scenario

_STATUS = GOALS.index("status")
Why = Literal["holds it", "was there", "asked"]


class PerceivedState(Struct, frozen=True):
    """The world as one person perceives it this tick.

    `known_by` contains (person, secret) if the person thinks that the other knows the secret; `curious` contains those to
    whom a lie about it may be worth telling. `occupants` are the people thought to be in this and the adjacent rooms,
    `movers` those who just went there. `standing` is the public status of those present, and `shaken` are those of them
    in whose quarrel the person just was a bystander.
    """

    tick: int
    minutes: float
    room: str
    visible_agents: tuple[str, ...]
    occupants: Mapping[str, tuple[str, ...]]
    movers: Mapping[str, tuple[str, ...]]
    known_by: frozenset[tuple[str, str]]
    curious: frozenset[tuple[str, str]]
    standing: Mapping[str, float]
    shaken: tuple[str, ...]
    status_threat: bool
    secret_at_risk: bool
    challenged: bool
    recent_conflict_at_location: bool
    pending: bool
    course_served: float | None


def perceived_of(
    evening: EveningState, who: int, seen: Perceived, scenario: Scenario, names: ScenarioNames
) -> PerceivedState:
    """What a record of perception says, by name."""
    here = names.room(evening.room[who])
    rooms, present = (here, *scenario.rooms[here].adjacent), names.members(seen.present)
    quarrelled, ticks = evening.sided_at[who], scenario.rules["memory"]["conflict"]
    return PerceivedState(
        evening.tick,
        evening.minutes,
        here,
        present,
        {room: names.members(seen.there[names.place[room]]) for room in rooms},
        {room: names.members(seen.followed[names.place[room]]) for room in rooms},
        _pairs(seen.knowing, names),
        _pairs(seen.curious, names),
        {other: scenario.people[other].goals[_STATUS] for other in present},
        tuple(other for other in present if laws.recently(quarrelled[names.person[other]], evening.tick, ticks)),
        seen.status_threat != 0,
        seen.exposure != 0,
        seen.challenged != 0,
        seen.scene != 0,
        seen.pending != 0,
        None if evening.course_seen[who] < 0.0 else evening.course_seen[who],
    )


def write_perceived(
    perceived: PerceivedState,
    evening: EveningState,
    tables: ScenarioTables,
    who: int,
    seen: Perceived,
    names: ScenarioNames,
) -> None:
    """Write a perception into a record, and what `who` knows of themselves; `evening` holds their own state."""
    evening.tick, evening.minutes = perceived.tick, perceived.minutes
    evening.course_seen[who] = -1.0 if perceived.course_served is None else perceived.course_served
    company = [names.person[other] for other in perceived.visible_agents]
    seen.present, seen.company = _bits(company), len(company)
    seen.other[: len(company)] = company
    for rooms, sets in ((perceived.occupants, seen.there), (perceived.movers, seen.followed)):
        for place, room in enumerate(names.rooms):
            sets[place] = _bits(names.person[other] for other in rooms.get(room, ()))
    for pairs, sets in ((perceived.known_by, seen.knowing), (perceived.curious, seen.curious)):
        for place, secret in enumerate(names.secrets):
            sets[place] = _bits(names.person[other] for other, about in pairs if about == secret)
    for other in perceived.shaken:
        evening.sided_at[who][names.person[other]] = perceived.tick - 1  # any tick that is recent
    seen.status_threat, seen.exposure = int(perceived.status_threat), int(perceived.secret_at_risk)
    seen.challenged, seen.scene = int(perceived.challenged), int(perceived.recent_conflict_at_location)
    seen.pending = int(perceived.pending)
    laws.classify_own_beliefs(evening, tables, who, seen)
    seen.wish = laws.wish_to_leave(evening, tables, who)


def _bits(places: Iterable[int]) -> int:
    return sum({1 << place for place in places})


def _pairs(sets: list[int], names: ScenarioNames) -> frozenset[tuple[str, str]]:
    return frozenset(
        (other, secret) for secret, people in zip(names.secrets, sets, strict=True) for other in names.members(people)
    )


class ThoughtOfOther(Struct, frozen=True):
    """A thought: that another knows a secret, or suspects it, and why; `right` says whether they do."""

    whom: str
    secret: str
    thinks: Literal["knows", "suspects"]
    why: Why
    right: bool

    def __str__(self) -> str:
        return f"{self.whom} {self.thinks} {self.secret} ({self.why}{'' if self.right else '; wrong'})"


def thoughts_of_others(world: WorldState, agent: str) -> tuple[ThoughtOfOther, ...]:
    """Everything that `agent` thinks of what others know, by secret and then by person.

    Without the departure `theory_of_mind` nobody infers that a holder knows, or that who asks suspects.
    """
    scenario, me, thoughts = world.scenario, world.agents[agent], list[ThoughtOfOther]()
    infers = bool(scenario.rules["departures"]["theory_of_mind"])
    for secret in scenario.secrets.values():
        for whom in scenario.people:
            belief = world.agents[whom].beliefs[secret.id]
            knows, suspects = belief == Belief.BELIEVES_TRUE, belief in (Belief.SUSPECTS, Belief.BELIEVES_TRUE)
            inferred = infers and whom in secret.holders and me.beliefs[secret.id] == Belief.BELIEVES_TRUE
            if whom == agent:
                continue
            if inferred:
                thoughts.append(ThoughtOfOther(whom, secret.id, "knows", "holds it", knows))
            elif (whom, secret.id) in me.knows:
                thoughts.append(ThoughtOfOther(whom, secret.id, "knows", "was there", knows))
            elif infers and (whom, secret.id) in me.suspects:
                thoughts.append(ThoughtOfOther(whom, secret.id, "suspects", "asked", suspects))
    return tuple(thoughts)
