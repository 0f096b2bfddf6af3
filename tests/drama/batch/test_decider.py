"""Many decisions at once: a batch decider chooses what the mind chooses, to the last bit, however it is asked."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.drama import golden
from tests.drama.batch.decided import SHIPPED, choices, invented, played, shipped, unsettled
from volition.core.compiling import can_compile
from volition.core.errors import InvalidInput
from volition.drama.batch import decider as module
from volition.drama.batch.decider import NOTHING, BatchDecider
from volition.drama.evening.world import begin
from volition.drama.mind.mind import Mind
from volition.drama.rules.leaf import leaf
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tests.drama.batch.decided import Choice
    from tests.sentences import Told
    from volition.drama.evening.world import WorldState

SCENARIOS = (*range(10, 22), 30, 40, 75)
MORE_SCENARIOS = 14
LIFT = 40.0
KINDS = {"chat", "observe", "move", "internal", "physical", "reveal", "conflict", "confide", "lie"}
LETTERS = pytest.mark.parametrize("departing", [False, True], ids=["letter", "departing"])


def check(found: list[Choice]) -> int:
    """Every decision is the same; counts those that were made."""
    wrong = [choice for choice in found if not choice.agree]
    assert not wrong, wrong[0]
    return sum(choice.by_mind is not None for choice in found)


@pytest.mark.req("DE-21")
@pytest.mark.parametrize("by_the_letter", [True, False], ids=["letter", "departing"])
@pytest.mark.parametrize("name", SHIPPED)
def test_along_played_evenings(name: str, by_the_letter: bool) -> None:
    """In every eighth state of an evening of each shipped scenario the two choose the same, with noise and without."""
    scenario = shipped(name, by_the_letter=by_the_letter)
    states = played(scenario, 1, every=8)
    assert check(choices(scenario, states, 7)) + check(choices(scenario, states[::4], None)) > 65


def test_decisions_are_what_they_were() -> None:
    """Decisions in random states have one hash; with it, that of a benchmark's million is written again."""
    assert golden.decisions(*golden.FEW) == golden.golden()["few decisions"]


@pytest.mark.req("DE-21")
@LETTERS
def test_in_random_scenarios(departing: bool) -> None:
    """In random states of random scenarios, with values around every threshold, the two choose the same.

    Every kind of act is chosen, and some of the best totals are tied, so the test is not vacuous.
    """
    found: list[Choice] = []
    for seed in SCENARIOS:
        states = invented(seed, departing=departing)
        found += choices(states[0].scenario, states, None if seed % 4 == 0 else seed)
    assert check(found) > 250
    assert {choice.by_mind.id.split(":")[0] for choice in found if choice.by_mind is not None} == KINDS
    assert any(choice.tied for choice in found)


@pytest.mark.req("DE-21")
@LETTERS
def test_acts_that_do_not_win(departing: bool) -> None:
    """Any act that is lifted above all others has the mind's total; one that the mind does not offer cannot be lifted."""
    chance, lifted_so_far = Random(4), Counter[str]()
    for seed in range(1000, 1000 + MORE_SCENARIOS):
        states = invented(seed, departing=departing)
        mind, decider = Mind(states[0].scenario), BatchDecider(states[0].scenario)
        shape = len(states), len(decider.people), len(decider.acts)
        lifts, absent = np.zeros(shape), np.full(shape, LIFT)
        lifted: dict[tuple[int, int], tuple[int, float, int]] = {}
        for number, state in enumerate(states):
            for who, me in enumerate(state.agents.values()):
                tally = mind.decide(state, me.id, seed).tally if me.location != DEPARTED else None
                if tally is None or tally.winner is None:
                    continue
                kinds = [id.split(":")[0] for id in tally.survivors]
                rarest = min(sorted(set(kinds)), key=lambda kind: lifted_so_far[kind])
                place = chance.choice([place for place, other in enumerate(kinds) if other == rarest])
                lifted_so_far[rarest] += 1
                act = decider.number[tally.survivors[place]]
                lifts[number, who, act] = LIFT
                absent[number, who, [decider.number[id] for id in tally.survivors]] = 0.0
                lifted[number, who] = act, tally.totals[place] + LIFT, decider.number[tally.survivors[tally.winner]]
        packed = decider.pack(states)
        acts, totals = decider.decide(packed, seed, term=lambda _, lifts=lifts: lifts)  # type: ignore[misc]
        kept, _ = decider.decide(packed, seed, term=lambda _, absent=absent: absent)  # type: ignore[misc]
        for at, told in lifted.items():
            assert (acts[at], totals[at], kept[at]) == told
    assert set(lifted_so_far) == KINDS
    assert min(lifted_so_far.values()) >= 3, lifted_so_far


@pytest.fixture(scope="module")
def decider() -> BatchDecider:
    return BatchDecider(shipped("winter-station", by_the_letter=False))


@pytest.fixture(scope="module")
def states(decider: BatchDecider) -> list[WorldState]:
    chance = Random(3)
    return [unsettled(chance, decider.scenario, departing=False) for _ in range(60)]


def bits(found: tuple[NDArray[Any], NDArray[Any]]) -> tuple[bytes, bytes]:
    return found[0].tobytes(), found[1].tobytes()


@pytest.mark.req("DE-21")
def test_batches_threads_and_order_change_nothing(decider: BatchDecider, states: list[WorldState]) -> None:
    """Whatever the size of the batch, the number of threads and the order of the states, everybody chooses the same."""
    packed = decider.pack(states)
    acts, totals = decider.decide(packed, 7, threads=1)
    assert len(np.unique(acts)) > 10
    for threads in (2, 3, 7):
        assert bits(decider.decide(packed, 7, threads=threads)) == bits((acts, totals))
    for size in (1, 25):
        parts = [decider.decide(packed[start : start + size], 7) for start in range(0, len(packed), size)]
        assert bits((np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts]))) == bits(
            (acts, totals)
        )
    order = np.random.default_rng(1).permutation(len(packed))
    assert bits(decider.decide(packed[order], 7)) == bits((acts[order], totals[order]))


def test_deciding_changes_no_state(decider: BatchDecider, states: list[WorldState]) -> None:
    """States are as they were, and may be read-only."""
    packed = decider.pack(states[:5])
    before = packed.tobytes()
    packed.flags.writeable = False
    decider.decide(packed, 7)
    assert packed.tobytes() == before


@pytest.mark.skipif(not can_compile(), reason="nothing is compiled")
def test_the_laws_are_compiled_once(decider: BatchDecider, states: list[WorldState]) -> None:
    """One state or many, a seed for all or for each, read-only or not: the same compiled code decides."""
    packed = decider.pack(states[:2])
    decider.decide(packed, 7)
    compiled = decider.player._decide
    before = compiled.signatures
    for given, seed in ((packed[:1], 7), (packed[:1], [7]), (packed[:1], None), (packed, [7, 8]), (packed[::2], 7)):
        given.flags.writeable = False
        decider.decide(given, seed)
    assert compiled.signatures == before


def test_seeds_for_all_or_for_each(decider: BatchDecider, states: list[WorldState]) -> None:
    """A seed for all is the same as one for each; integers count modulo 2^64, and another gives other noise."""
    packed = decider.pack(states[:20])
    one = bits(decider.decide(packed, 7))
    assert bits(decider.decide(packed, np.full(len(packed), 7))) == one
    assert bits(decider.decide(packed, [7] * len(packed))) == one
    assert bits(decider.decide(packed, 7 + 2**64)) == one
    assert bits(decider.decide(packed, -1)) == bits(decider.decide(packed, 2**64 - 1))
    assert bits(decider.decide(packed, 8)) != one


def test_nobody_decides(decider: BatchDecider, states: list[WorldState]) -> None:
    """For no states there are no choices, and somebody who has left chooses nothing."""
    packed = decider.pack(states[:3])
    assert len(decider.decide(packed[:0], 7)[0]) == 0
    gone = begin(decider.scenario)
    next(iter(gone.agents.values())).location = DEPARTED
    acts, totals = decider.decide(decider.pack([gone]), 7)
    assert acts[0, 0] == NOTHING < acts[0, 1:].min()
    assert np.isnan(totals[0, 0])
    assert decider.action(decider.pack([gone])[0], 0, int(acts[0, 0])) is None


def test_a_custom_term(decider: BatchDecider, states: list[WorldState]) -> None:
    """A custom term is rounded to a leaf and added before the noise: the best sum wins, the first of equals."""
    mind = Mind(decider.scenario)
    liking = np.random.default_rng(5).normal(0.0, 0.5, len(decider.acts))
    packed = decider.pack(states[:20])
    acts, totals = decider.decide(
        packed, 7, term=lambda given: np.tile(liking, (*given["room"].shape[:1], len(decider.people), 1))
    )
    assert (acts != decider.decide(packed, 7)[0]).any()
    for number, state in enumerate(states[:20]):
        for who, me in enumerate(state.agents.values()):
            if me.location != DEPARTED:
                tally = mind.decide(state, me.id, 7).tally
                sums = [
                    total + leaf(float(liking[decider.number[id]]))
                    for id, total in zip(tally.survivors, tally.totals, strict=True)
                ]
                assert totals[number, who] == max(sums)
                assert decider.acts[acts[number, who]] == tally.survivors[sums.index(max(sums))]


@pytest.mark.skipif(not can_compile(), reason="compares compiled code with plain code")
@pytest.mark.parametrize("by_the_letter", [True, False])
def test_without_numba(by_the_letter: bool, monkeypatch: pytest.MonkeyPatch, told: Told) -> None:
    """Without Numba the same laws run as Python, which is said once, and give the same bits."""
    scenario, chance = shipped("dinner-party", by_the_letter=by_the_letter), Random(8)
    worlds = [unsettled(chance, scenario, departing=not by_the_letter) for _ in range(4)]
    fast = BatchDecider(scenario)
    expected = [bits(fast.decide(fast.pack(worlds), seed)) for seed in (7, None)]
    monkeypatch.setattr(module, "can_compile", lambda: False)
    module._warn_once.cache_clear()
    with pytest.warns(RuntimeWarning) as warned:
        slow = BatchDecider(scenario)
    told(*(one.message for one in warned))
    with warnings.catch_warnings(action="error"):
        BatchDecider(scenario)
    assert [bits(slow.decide(slow.pack(worlds), seed)) for seed in (7, None)] == expected


PARTY = shipped("dinner-party", by_the_letter=False)


@pytest.mark.parametrize(
    ("given", "seed", "term", "match"),
    [
        (np.zeros(3), 7, None, "as `pack` makes it"),
        (None, [1, 2, 3], None, "one for all, or one for each of 2"),
        (None, 7, lambda states: np.zeros((len(states), 3)), r"\(2, 6, \d+\)"),
        (None, 7, lambda states: np.full((len(states), 6, 128), np.nan), "says nan of chat:"),
        (None, 7, lambda states: np.full((len(states), 6, 128), 65.0), "within 64 of 0"),
    ],
)
def test_what_cannot_be_decided_is_refused(given: Any, seed: Any, term: Any, match: str) -> None:
    """Arrays of another kind, seeds that do not fit and terms that are no numbers are refused before anything is decided."""
    decider = BatchDecider(PARTY)
    states = decider.pack([begin(PARTY)] * 2) if given is None else given
    if term is not None and match.startswith(("says", "within")):
        value = term(states)[0, 0, 0]
        term = lambda states: np.full((len(states), 6, len(decider.acts)), value)  # noqa: E731
    with pytest.raises(InvalidInput, match=match):
        decider.decide(states, seed, term=term)
    with pytest.raises(InvalidInput, match="threads"):
        decider.decide(decider.pack([begin(PARTY)]), 7, threads=0)


def test_states_of_another_scenario() -> None:
    """Somebody in no room of the scenario, and worlds of another one, are refused by their number."""
    decider, world = BatchDecider(PARTY), begin(PARTY)
    states = decider.pack([world, world])
    states["room"][1, 4] = 7
    with pytest.raises(InvalidInput, match=r"states\[1\]"):
        decider.decide(states, 7)
    with pytest.raises(InvalidInput, match=r"worlds\[1\]"):
        decider.pack([world, begin(shipped("winter-station", by_the_letter=False))])
    world = begin(replace(PARTY, secrets=dict(reversed([*PARTY.secrets.items()]))))
    with pytest.raises(InvalidInput, match=r"worlds\[0\]"):
        decider.pack([world])
