"""The pilot plays: it defeats the opponent and survives, where a random policy does neither."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.execution.worlds.pilot.bodies import ArenaBody
from tests.execution.worlds.pilot.maps import arena_map
from volition.arbitration import CompositeIntention, Heuristic
from volition.arbitration.intent import Function
from volition.core.canonical import digest
from volition.core.chance import noise
from volition.execution import connect
from volition.execution.worlds.arena import shipped_map
from volition.execution.worlds.arena.ground import HAZARD
from volition.execution.worlds.pilot import PILOT, Pilot, drive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.execution.wire.request import Outcome
    from volition.execution.worlds.arena import ArenaMap
    from volition.execution.worlds.pilot import PilotOption
    from volition.execution.worlds.pilot.course import PilotStep
    from volition.execution.worlds.pilot.view import View

SEEDS = 2
STEPS = 200
RING = arena_map("######", "#@.&.#", "#....#", "######")


class Played(NamedTuple):
    """How one drive ended."""

    met: bool
    deaths: int
    harm: float
    burnt: int


def played(ground: ArenaMap, seed: int, composite: CompositeIntention) -> Played:
    body = ArenaBody(ground, seed)
    course = drive(body, STEPS, pilot=Pilot(composite))
    burnt = sum(
        not state["actor"]["air"] and body.arena.map.tile(state["actor"]["x"], state["actor"]["y"]) == HAZARD
        for state in body.states
    )
    return Played(course.verdict == "met", course.deaths, course.harm, burnt)


def by_chance(seed: int) -> CompositeIntention:
    """A policy that takes any option that its posture allows, by chance."""

    def chance(options: list[PilotOption], view: View) -> Iterator[float]:
        tick = view.memory.moment * 1000 + len(view.memory.tried)
        return (max(-1.0, min(1.0, noise(seed, tick, "chance", "play", option.id) / 7)) for option in options)

    return CompositeIntention(PILOT["posture"], Heuristic("chance", Function(chance, batch=True)))


@pytest.mark.parametrize(("name", "seeds"), [("courtyard", 3), ("foundry", 2)])
def test_every_seed_is_a_game_of_its_own(name: str, seeds: int) -> None:
    """Seeds make different games, by the sequence of intents and results and the last state, and the pilot wins each."""
    games = set()
    for seed in range(seeds):
        with connect("embedded", map=name, seed=seed) as body:
            steps: list[PilotStep] = []
            course = drive(body, STEPS, steps.append)
            assert body.state is not None
            games.add(digest([[_attempt(step.outcome) for step in steps], body.state.data]))
        assert (course.verdict, course.deaths) == ("met", 0), f"seed {seed}"
    assert len(games) == seeds


def _attempt(outcome: Outcome | None) -> list[object]:
    if outcome is None or outcome.sent is None:
        return []
    return [outcome.sent.name, outcome.sent.parameters, outcome.result.to_data()]


@pytest.mark.parametrize("name", ["courtyard", "foundry"])
def test_the_pilot_wins_on_the_shipped_maps(name: str) -> None:
    """The pilot defeats the opponent nearly always, never dies and is never in a hazard; random choices rarely win."""
    ground = shipped_map(name)
    mine = [played(ground, seed, PILOT) for seed in range(SEEDS)]
    others = [played(ground, seed, by_chance(seed)) for seed in range(SEEDS)]
    assert sum(play.met for play in mine) >= 0.9 * SEEDS
    assert sum(play.deaths for play in mine) == 0
    assert sum(play.burnt for play in mine) == 0
    assert sum(play.met for play in others) < 0.5 * SEEDS


def test_the_pilot_is_hurt_less_than_chance() -> None:
    """Face to face, the pilot wins and is hardly hurt; a random policy is hurt more, and loses."""
    mine = [played(RING, seed, PILOT) for seed in range(SEEDS)]
    others = [played(RING, seed, by_chance(seed)) for seed in range(SEEDS)]
    assert sum(play.met for play in mine) > sum(play.met for play in others)
    assert sum(play.deaths for play in mine) == 0 < sum(play.deaths for play in others)
    assert median(play.harm for play in mine) < median(play.harm for play in others)


def test_a_drive_goes_on_after_a_defeat() -> None:
    """After the goal is met a pilot may continue: it waits for the opponent to return and defeats it again."""
    body, pilot = ArenaBody(shipped_map("courtyard"), 3), Pilot()
    first = drive(body, STEPS, pilot=pilot)
    assert first.verdict == "met"
    assert any(pilot.step(body).judged.defeated for _ in range(STEPS))


def test_the_same_seed_plays_the_same() -> None:
    """A drive is a function of the map and the seed."""

    def steps_of(seed: int) -> list[object]:
        steps: list[object] = []
        drive(ArenaBody(shipped_map("foundry"), seed), 60, lambda step: steps.append(step.to_data()))
        return steps

    assert steps_of(5) == steps_of(5)
