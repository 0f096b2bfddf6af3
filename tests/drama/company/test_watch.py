"""Evenings decided through the kernel: the same evenings, and the same numbers of every decision."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.drama.company.kernel.decided import SHIPPED, invented, shipped
from volition.core.canonical import digest
from volition.core.errors import InvalidInput
from volition.drama.company.measures import Meter
from volition.drama.company.onlooker import TERMS, Onlooker
from volition.drama.company.watch import Watch
from volition.drama.mind.mind import Mind, chosen_action
from volition.drama.stage.archive import tick_to_data
from volition.drama.stage.run import run
from volition.drama.world.model import DEPARTED
from volition.drama.world.settings import Setting, apply_settings

if TYPE_CHECKING:
    from volition.drama.stage.record import Run
    from volition.drama.world.model import Scenario

pytestmark = pytest.mark.req("DE-21")
SHORT = 15
SCENARIOS = 100
LETTERS = pytest.mark.parametrize("by_the_letter", [True, False], ids=["letter", "departing"])


def meters(scenario: Scenario) -> tuple[Meter, Meter]:
    """A meter that uses minds, and one that uses the kernel."""
    scalar = Meter(scenario)
    return scalar, Meter(scenario, watch=Watch(scalar.mind))


def cut(scenario: Scenario) -> Scenario:
    return apply_settings(scenario, [Setting("evening.ticks", None, SHORT)])


@pytest.mark.parametrize("name", SHIPPED)
def test_whole_evenings(name: str) -> None:
    """Evenings of both shipped scenarios, to their end, have equal measures on both paths, to the last state."""
    scalar, kernel = meters(shipped(name, by_the_letter=False))
    for seed in (3, 4):
        assert repr(kernel.measure(seed)) == repr(scalar.measure(seed))


@LETTERS
@pytest.mark.parametrize("name", SHIPPED)
def test_short_evenings(name: str, by_the_letter: bool) -> None:
    """So have the beginnings of many evenings, by the letter and as shipped, and no evening affects the next."""
    scalar, kernel = meters(cut(shipped(name, by_the_letter=by_the_letter)))
    for seed in (*range(5, 13), 2**53 - 1):
        assert repr(kernel.measure(seed)) == repr(scalar.measure(seed))


def test_every_record() -> None:
    """Not the measures alone: every choice, event and change of an evening is the same."""

    def told(played: Run) -> str:
        return digest([tick_to_data(record) for record in played.ticks])

    for scenario in (cut(shipped(name, by_the_letter=False)) for name in SHIPPED):
        mind = Mind(scenario)
        watch = Watch(mind)
        for seed in (1, 2):
            watch.begin(seed)
            assert told(run(scenario, seed, mind=mind, propose=watch.propose)) == told(run(scenario, seed, mind=mind))


def test_no_noise() -> None:
    """Without noise, no decision depends on it, on either path."""
    scalar, kernel = meters(
        apply_settings(cut(shipped("dinner-party", by_the_letter=False)), [Setting("rules.noise.sigma", None, 0.0)])
    )
    measures = kernel.measure(1)
    assert measures == scalar.measure(1)
    assert measures.looks.hung["noise"] == 0


@pytest.mark.parametrize("departing", [False, True], ids=["letter", "departing"])
def test_looks_in_random_scenarios(departing: bool) -> None:
    """In random states of random scenarios, decision by decision, a watch sees what an onlooker sees.

    Nearly every kind of act wins somewhere and decisions depend on every term, so the test is not vacuous.
    """
    won, hung = set[str](), dict.fromkeys(TERMS, 0)
    for number in range(2000, 2000 + SCENARIOS):
        states = invented(number, departing=departing)
        mind = Onlooker(states[0].scenario)
        watch, chance = Watch(mind), Random(number)
        for state in states[:4]:
            mind.begin()
            watch.begin(number)
            absent = [id for id in state.agents if chance.random() < 0.1]
            here = [me for me in state.agents.values() if me.location != DEPARTED and me.id not in absent]
            by_mind = [chosen_action(mind.decide(state, me.id, number), me, mind) for me in here]
            assert watch.propose(state, absent) == by_mind
            looks = watch.looks()
            assert looks == mind.looks()
            won |= set(looks.won)
            hung = {term: count + looks.hung[term] for term, count in hung.items()}
    assert len(won) >= 8
    assert min(hung.values()) > 20


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"rules.noise.sigma": 10.0, "rules.bonds.chat_affection": 10.0}, "scores may reach"),
        ({"rules.departures.recency_ticks": 6}, "recency_ticks"),
    ],
)
def test_what_does_not_fit(settings: dict[str, float], said: str) -> None:
    """A scenario beyond the kernel's slots, or with scores too large for exact sums, is refused."""
    changes = [Setting(name, None, value) for name, value in settings.items()]
    with pytest.raises(InvalidInput, match=said):
        Watch(Mind(apply_settings(shipped("dinner-party", by_the_letter=False), changes)))
