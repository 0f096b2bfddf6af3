"""An evening from its beginning to its ending."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.drama.rules.numbers import near
from tests.drama.stage.evenings import DINNER, LITERAL_DINNER, STATION, mind_of, scenario_of, watched
from volition.drama.evening.world import begin
from volition.drama.mind.mind import Mind
from volition.drama.stage.run import opening, run
from volition.drama.stage.state import state_digest, state_to_data

if TYPE_CHECKING:
    from volition.drama.evening.world import WorldState
    from volition.drama.stage.events import TickRecord
    from volition.drama.stage.record import Run


@pytest.mark.req("DE-08", "DE-17")
def test_the_same_seed_is_the_same_evening_and_another_is_another() -> None:
    """Everything that is recorded is a function of scenario and seed."""
    first = run(scenario_of(DINNER), 7, ticks=25)
    again = run(scenario_of(DINNER), 7, ticks=25, mind=mind_of(DINNER))
    assert first == again
    assert repr(first.ticks) == repr(again.ticks)
    evenings = {repr(run(scenario_of(DINNER), seed, ticks=12).ticks) for seed in range(8)}
    assert len(evenings) == 8


@pytest.mark.req("DE-17")
def test_a_shorter_run_is_the_beginning_of_a_longer_one() -> None:
    """How long an evening is asked to last changes nothing of what happens until then."""
    whole, short = watched(DINNER, 12).run, watched(DINNER, 12, 30).run
    assert short.ticks == whole.ticks[:30]
    assert short.opening == whole.opening
    assert short.ending is not None
    assert (short.ending.kind, short.ending.tick) == ("broken_off", 30)
    assert run(scenario_of(DINNER), 12, ticks=0).ticks == ()
    assert len(run(scenario_of(LITERAL_DINNER), 3, ticks=5000).ticks) <= 300


@pytest.mark.req("DE-17")
def test_watchers_see_the_beginning_and_every_tick() -> None:
    """`on_begin` gets the run before its first tick, `on_tick` each record with the state that it left."""
    begun: list[Run] = []
    seen: list[tuple[str, int, TickRecord]] = []

    def watch(world: WorldState, record: TickRecord) -> None:
        seen.append((state_digest(world), world.tick, record))

    whole = run(scenario_of(STATION), 4, ticks=6, on_begin=begun.append, on_tick=watch)
    assert [record for _, _, record in seen] == list(whole.ticks)
    assert [tick for _, tick, _ in seen] == [1, 2, 3, 4, 5, 6]
    (start,) = begun
    assert (start.ticks, start.ending, start.opening, start.seed) == ((), None, whole.opening, 4)
    assert whole.events == tuple(event for record in whole.ticks for event in record.events)


def moods(world: WorldState) -> list[float]:
    """How much more everybody trusts and likes each other than the scenario says, and twice how much more strained they are.

    Trust and affection move together, unless one of them is at its limit.
    """
    shifts: list[float] = []
    for was in begin(world.scenario).agents.values():
        me = world.agents[was.id]
        shifts.append(2.0 * (me.pacing.stress - was.pacing.stress))
        for other, bond in was.bonds.items():
            trust, affection = me.bonds[other].trust - bond.trust, me.bonds[other].affection - bond.affection
            assert trust == near(affection) or 1.0 in (abs(me.bonds[other].trust), abs(me.bonds[other].affection))
            assert me.bonds[other].obligation == bond.obligation
            shifts += trust, affection
    return shifts


@pytest.mark.req("DE-17")
@pytest.mark.parametrize("name", [DINNER, STATION, LITERAL_DINNER])
def test_an_evening_opens_as_the_scenario_says(name: str) -> None:
    """As it begins, with needs somewhere below .4 and moods by seed and person, and with all seeing who is in their room."""
    scenario = scenario_of(name)
    scenario = replace(scenario, evening=replace(scenario.evening, events=(), circumstances=()))
    mind = Mind(scenario)
    world, plain = opening(scenario, 5, mind), begin(scenario)
    needy, mood = bool(scenario.rules["departures"]["needs"]), scenario.rules["departures"]["mood"]
    assert all(abs(shift) <= mood * (1.0 + 1e-9) for shift in moods(world))
    for me in world.agents.values():
        here = [other.id for other in world.agents.values() if other.location == me.location and other.id != me.id]
        assert me.sightings == dict.fromkeys(here, (me.location, 0))
        assert set(me.needs) == (set(scenario.evening.needs) if needy else set())
        assert all(0.0 <= need < 0.4 for need in me.needs.values())
        me.sightings, me.needs = {}, {}
        me.bonds, me.pacing.stress = plain.agents[me.id].bonds, plain.agents[me.id].pacing.stress
    assert world == plain
    evenings = [opening(scenario, seed, mind) for seed in range(20)]
    shifts = [shift for evening in evenings for shift in moods(evening)]
    assert min(shifts) <= -0.9 * mood <= 0.9 * mood <= max(shifts)
    everybody = [me for evening in evenings for me in evening.agents.values()]
    starts = {need for me in everybody for need in me.needs.values()}
    assert len(starts) == (len(everybody) * len(scenario.evening.needs) if needy else 0)
    assert not needy or (min(starts) < 0.02 and max(starts) > 0.38)
    assert state_to_data(opening(scenario_of(name), 5, mind_of(name))) == watched(name, 5, 1).run.opening


@pytest.mark.req("DE-17")
def test_a_run_keeps_its_beginning() -> None:
    """Every copy of the opening is fresh: what is done to one does not touch the run."""
    evening = watched(DINNER, 12, 30).run
    world = evening.opening_state()
    world.agents.clear()
    world.tick = 99
    assert state_to_data(evening.opening_state()) == evening.opening
