"""From worlds to records: what everybody feels and perceives, as numbers and bit sets.

Perception is that of the mind, `perceive`, so a record contains no more than the mind knows.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Any

import numpy as np

from volition.core.errors import format_value, refuse
from volition.drama.company.kernel import layout
from volition.drama.company.kernel.layout import (
    NEEDS,
    NOBODY,
    OLDEST,
    OTHERS,
    RECENT,
    RECORD,
    ROOMS,
    SECRETS,
)
from volition.drama.company.kernel.names import slots_of
from volition.drama.mind.perception import perceive
from volition.drama.rules.catalog import CONFLICT, TASKS, Belief
from volition.drama.rules.situation import fatigue_cost, grievance_pull, leave_desire
from volition.drama.rules.tables import tables_of
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from volition.drama.mind.perception import PerceivedState
    from volition.drama.world.model import AgentState, Scenario, WorldState

_WRITTEN = Struct(f"={11 + NEEDS + 4 * OTHERS}d{12 + 2 * (ROOMS + SECRETS + RECENT)}B4x")
assert _WRITTEN.size == RECORD.itemsize
_NO_SETS = (0,) * (2 * (ROOMS + SECRETS))
_SUSPECTS, _BELIEVES_TRUE = Belief.SUSPECTS, Belief.BELIEVES_TRUE


class Packer:
    """Writes the records of one scenario's people."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario, self.tables = scenario, tables_of(scenario.rules)
        self.people, self.secrets = list(scenario.people), list(scenario.secrets)
        self.rooms = {id: place for place, id in enumerate(scenario.rooms)}
        self.places = {id: place for place, id in enumerate(scenario.people)}
        self.secret_places = {id: place for place, id in enumerate(scenario.secrets)}
        self.bits = {id: 1 << place for place, id in enumerate(scenario.people)}
        self.others = {id: [other for other in scenario.people if other != id] for id in scenario.people}
        self.slots = {slot.id: number for number, slot in slots_of(scenario).items()}
        departures = self.tables.departures
        self.remembers = bool(departures.recency or departures.recency_dramatic)
        self.quarrels = bool(departures.grievance or departures.fatigue)

    def pack(self, worlds: Iterable[WorldState]) -> NDArray[Any]:
        """One record per person and world, in the scenario's order; people who have left decide nothing."""
        every = list(worlds)
        for number, world in enumerate(every):
            self._check(world, f"worlds[{number}]")
        deciders = (
            (me, None if me.location == DEPARTED else perceive(world, me.id, self.tables))
            for world in every
            for me in world.agents.values()
        )
        return self.records(deciders, len(every) * len(self.people))

    def records(self, deciders: Iterable[tuple[AgentState, PerceivedState | None]], count: int) -> NDArray[Any]:
        """The records of `count` deciders, each with its perception; None for somebody who has left."""
        written = bytearray(count * RECORD.itemsize)
        for number, (me, perceived) in enumerate(deciders):
            self._write(written, number * RECORD.itemsize, me, perceived)
        return np.frombuffer(written, dtype=RECORD)

    def _check(self, world: WorldState, where: str) -> None:
        scenario, mine = world.scenario, self.scenario
        if scenario is not mine and (scenario.hash != mine.hash or scenario != mine):
            refuse(
                f"this is a world of the scenario {scenario.id!r} ({scenario.hash})",
                where=where,
                expected=f"a world of {mine.id!r} ({mine.hash})",
                remedy="pack the worlds of each scenario separately",
            )
        if list(world.agents) != self.people:
            refuse(
                f"the people are {format_value(list(world.agents))}",
                where=f"{where}.agents",
                expected=f"the scenario's, in its order: {format_value(self.people)}",
                remedy="begin the world with `begin(scenario)`",
            )

    def _write(self, written: bytearray, at: int, me: AgentState, seen: PerceivedState | None) -> None:
        if seen is None:
            _WRITTEN.pack_into(
                written, at, *(0.0,) * (11 + NEEDS + 4 * OTHERS), self.places[me.id], NOBODY, *(0,) * 10, *_NO_SETS,
                *(NOBODY,) * RECENT, *(0,) * RECENT,
            )  # fmt: skip
            return
        pacing, feels, others = me.pacing, me.emotions, self.others[me.id]
        bonds = [me.bonds[other] for other in others]
        rest = (0.0,) * (OTHERS - len(others))
        wants = [me.needs.get(need, 0.0) for need in self.scenario.evening.needs]
        wish = self._wish_to_leave(me, seen)
        moved = 0 if me.moved is None else max(0, min(seen.tick - me.moved, OLDEST))
        _WRITTEN.pack_into(
            written, at,
            pacing.stress, pacing.commitment, pacing.composure, pacing.dramatic_budget, me.alcohol,
            feels["anger"], feels["shame"], feels["suspicion"],
            seen.minutes, 0.0 if me.away is None else seen.minutes - me.away, wish,
            *wants, *(0.0,) * (NEEDS - len(wants)),
            *[bond.trust for bond in bonds], *rest,
            *[bond.affection for bond in bonds], *rest,
            *[bond.obligation for bond in bonds], *rest,
            *(self._quarrels(me, others) if self.quarrels else (0.0,) * len(others)), *rest,
            self.places[me.id], self.rooms[me.location], max(0, min(pacing.recovery_timer, 255)),
            self._set(seen.visible_agents), *self._belief_sets(me), *self._grudges(me, seen), self._signs(me, seen),
            NOBODY if me.task is None else TASKS.index(me.task), moved,
            *self._sets(seen), *self._lately(me, seen.tick),
        )  # fmt: skip

    def _wish_to_leave(self, me: AgentState, seen: PerceivedState) -> float:
        departures, minutes = self.tables.departures, seen.minutes
        if not departures.leaving or self.scenario.people[me.id].resident:
            return 0.0
        since = -1.0 if me.last_scene is None else minutes - me.last_scene
        stress, leaving = me.pacing.stress, self.tables.leaving
        return leave_desire(minutes, since, me.broken, stress, me.thrown_out, departures, leaving)

    def _set(self, people: Iterable[str]) -> int:
        bits, found = self.bits, 0
        for person in people:
            found |= bits[person]
        return found

    def _quarrels(self, me: AgentState, others: list[str]) -> list[float]:
        departures, grievance, fatigue = self.tables.departures, me.grievance, me.fatigue
        return [
            grievance_pull(CONFLICT, grievance.get(other, 0.0), departures)
            + fatigue_cost(CONFLICT, fatigue.get(other, 0.0), departures)
            for other in others
        ]

    def _belief_sets(self, me: AgentState) -> tuple[int, int]:
        """The secrets that somebody believes true, and those they suspect."""
        if list(me.beliefs) != self.secrets:
            refuse(
                f"the secrets are {format_value(list(me.beliefs))}",
                where=f"agents.{me.id}.beliefs",
                expected=f"the scenario's, in its order: {format_value(self.secrets)}",
                remedy="begin the world with `begin(scenario)`",
            )
        true = suspected = 0
        bit = 1
        for belief in me.beliefs.values():
            if belief == _BELIEVES_TRUE:
                true |= bit
            elif belief == _SUSPECTS:
                suspected |= bit
            bit <<= 1
        return true, suspected

    def _grudges(self, me: AgentState, seen: PerceivedState) -> tuple[int, int, int]:
        """Who provoked somebody, with whom there is nothing to quarrel about, and to whom they owe something."""
        departures = self.tables.departures
        above = departures.grievance_above
        provoked = self._set(other for other, held in me.grievance.items() if held > above) if me.grievance else 0
        groundless = 0
        if departures.grounds:
            for other in seen.visible_agents:
                last = me.confronted.get(other)
                fresh = last is None or seen.tick - last < departures.ground_ticks
                if fresh and not me.grounds.get(other, 0):
                    groundless |= self.bits[other]
        return provoked, groundless, self._set(me.confronted_by) | self._set(me.wronged)

    def _signs(self, me: AgentState, seen: PerceivedState) -> int:
        since = -1.0 if seen.course_served is None else seen.minutes - seen.course_served
        return (
            layout.THREAT * seen.status_threat
            | layout.RISK * seen.secret_at_risk
            | layout.CHALLENGED * seen.challenged
            | layout.SCENE * seen.recent_conflict_at_location
            | layout.PENDING * seen.pending
            | layout.COURSE * (0.0 <= since <= self.tables.departures.course_minutes)
            | layout.EXCUSED * (me.task is not None or me.thrown_out)
        )

    def _sets(self, seen: PerceivedState) -> list[int]:
        """Who is where, who went where, who is thought to know what, and who is curious about what."""
        found = [0] * len(_NO_SETS)
        for start, people_in in ((0, seen.occupants), (ROOMS, seen.movers)):
            self._place(found, start, people_in)
        for start, pairs in ((2 * ROOMS, seen.known_by), (2 * ROOMS + SECRETS, seen.curious)):
            for person, secret in pairs:
                found[start + self.secret_places[secret]] |= self.bits[person]
        return found

    def _place(self, found: list[int], start: int, people_in: Mapping[str, tuple[str, ...]]) -> None:
        for room, people in people_in.items():
            if people:
                found[start + self.rooms[room]] = self._set(people)

    def _lately(self, me: AgentState, tick: int) -> list[int]:
        ages: dict[int, int] = {}
        if self.remembers:
            for when, id in me.recent:
                if id in self.slots:
                    slot = self.slots[id]
                    ages[slot] = min(tick - when, ages.get(slot, tick - when))
            most = self.tables.departures.recency_ticks
            ages = {slot: age for slot, age in ages.items() if 1 <= age <= most}
        if len(ages) > RECENT:
            refuse(
                f"{len(ages)} different acts count as recent",
                where=f"agents.{me.id}.recent",
                expected=f"at most {RECENT} within the last {self.tables.departures.recency_ticks} ticks",
                remedy="decide for this state by Mind, which has no such limit",
            )
        rest = RECENT - len(ages)
        return [*ages, *(NOBODY,) * rest, *ages.values(), *(0,) * rest]
