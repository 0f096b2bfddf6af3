"""No decision depends on which others are made with it, nor on how."""

from __future__ import annotations

import sys
from io import StringIO
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.drama.company.kernel.decided import shipped, unsettled
from volition.core.compiling import can_compile
from volition.drama.company.kernel import NOTHING, RECORD, SLOTS, Kernel, action_of, decide_many, engine, pack
from volition.drama.mind.mind import Mind, chosen_action
from volition.drama.rules.leaf import leaf
from volition.drama.world.model import DEPARTED, begin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from volition.drama.world.model import WorldState


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    return Kernel(shipped("winter-station", by_the_letter=False))


@pytest.fixture(scope="module")
def states(kernel: Kernel) -> list[WorldState]:
    chance = Random(3)
    return [unsettled(chance, kernel.scenario, departing=False) for _ in range(60)]


def bits(found: tuple[NDArray[Any], NDArray[Any]]) -> tuple[bytes, bytes]:
    return found[0].tobytes(), found[1].tobytes()


@pytest.mark.req("DE-21")
def test_batches_threads_and_order_change_nothing(kernel: Kernel, states: list[WorldState]) -> None:
    """Whatever the size of the batch, the number of threads and the order of the worlds, everybody chooses the same."""
    records = kernel.pack(states)
    ticks = np.arange(len(records)) % 50
    slots, totals = kernel.decide(records, 7, ticks, threads=1)
    assert len(set(slots.tolist())) > 10
    for threads in (2, 3, 7):
        assert bits(kernel.decide(records, 7, ticks, threads=threads)) == bits((slots, totals))
    for size in (1, 6, 100):
        parts = [
            kernel.decide(records[start : start + size], 7, ticks[start : start + size])
            for start in range(0, len(records), size)
        ]
        assert bits((np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts]))) == bits(
            (slots, totals)
        )
    order = np.random.default_rng(1).permutation(len(records))
    assert bits(kernel.decide(records[order], 7, ticks[order])) == bits((slots[order], totals[order]))
    backwards = kernel.pack(states[::-1]).reshape(len(states), -1)[::-1].ravel()
    assert (backwards == records).all()


@pytest.mark.skipif(not can_compile(), reason="counts what was compiled")
def test_one_compiled_loop_for_all(kernel: Kernel, states: list[WorldState]) -> None:
    """Records in any memory, of any scenario, with or without noise and custom terms, are decided by one compiled loop."""
    records = kernel.pack(states[:10])
    slots, _ = kernel.decide(records, 7, 3)
    frozen = records.copy()
    frozen.flags.writeable = False
    assert (kernel.decide(frozen, None, 3, term=lambda given: np.zeros((len(given), SLOTS)))[0] >= NOTHING).all()
    assert (
        kernel.decide(records[::2], np.array([7], dtype=np.int32), np.array([3], dtype=np.uint8))[0] == slots[::2]
    ).all()
    party = shipped("dinner-party", by_the_letter=True)
    decide_many(party, pack([begin(party)]), 7, 3)
    assert len(engine._loop().signatures) == 1


def test_seeds_and_ticks_for_all_or_for_each(kernel: Kernel, states: list[WorldState]) -> None:
    """A seed or tick for all is the same as one for each; integers count modulo 2^64, and another gives other noise."""
    records = kernel.pack(states[:20])
    one = bits(kernel.decide(records, 7, 3))
    assert bits(kernel.decide(records, np.full(len(records), 7), [3] * len(records))) == one
    assert bits(kernel.decide(records, 7 + 2**64, 3)) == one
    assert bits(kernel.decide(records, -1, 3)) == bits(kernel.decide(records, 2**64 - 1, 3))
    assert bits(kernel.decide(records, 8, 3)) != one != bits(kernel.decide(records, 7, 4))


def test_the_functions_are_the_kernel(kernel: Kernel, states: list[WorldState]) -> None:
    """`pack`, `decide_many` and `action_of` do for a scenario what its kernel does."""
    records = pack(states[:3])
    assert (records == kernel.pack(states[:3])).all()
    slots, totals = decide_many(states[0].scenario, records, 7, 3)
    assert bits((slots, totals)) == bits(kernel.decide(records, 7, 3))
    assert action_of(kernel, records[0], int(slots[0])) == kernel.action(records[0], int(slots[0]))
    assert len(pack([])) == 0
    assert len(decide_many(kernel, np.empty(0, dtype=RECORD), 7, 3)[0]) == 0


def test_proposals_for_the_stage(kernel: Kernel, states: list[WorldState]) -> None:
    """`Kernel.proposals` gives the stage what the mind gives it, for all but the absent; who has left does nothing."""
    mind = Mind(kernel.scenario)
    for state in states[:20]:
        absent = [id for place, id in enumerate(state.agents) if place % 5 == 4]
        deciders = [me for me in state.agents.values() if me.location != DEPARTED and me.id not in absent]
        by_mind = [chosen_action(mind.decide(state, me.id, 7), me, mind) for me in deciders]
        assert kernel.proposals(state, 7, absent) == by_mind
    gone = begin(kernel.scenario)
    next(iter(gone.agents.values())).location = DEPARTED
    slots, totals = kernel.decide(kernel.pack([gone]), 7, 0)
    assert slots[0] == NOTHING < slots[1:].min()
    assert np.isnan(totals[0])
    assert kernel.action(kernel.pack([gone])[0], int(slots[0])) is None


def test_an_own_term(kernel: Kernel, states: list[WorldState]) -> None:
    """A custom term is rounded to a leaf and added before the noise: the best sum wins, the first of equals."""
    mind = Mind(kernel.scenario)
    liking = np.random.default_rng(5).normal(0.0, 0.5, SLOTS)
    records = kernel.pack(states[:20])
    ticks = [state.tick for state in states[:20] for _ in state.agents]
    slots, totals = kernel.decide(records, 7, ticks, term=lambda given: np.tile(liking, (len(given), 1)))
    plain = kernel.decide(records, 7, ticks)[0]
    assert (slots != plain).any()
    number = {slot.id: place for place, slot in kernel.slots.items()}
    deciders = ((state, me) for state in states[:20] for me in state.agents.values())
    for place, (state, me) in enumerate(deciders):
        if me.location != DEPARTED:
            tally = mind.decide(state, me.id, 7).tally
            sums = [
                total + leaf(float(liking[number[id]])) for id, total in zip(tally.survivors, tally.totals, strict=True)
            ]
            assert totals[place] == max(sums)
            assert kernel.slots[int(slots[place])].id == tally.survivors[sums.index(max(sums))]


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if there were no Numba."""
    monkeypatch.setattr(engine, "can_compile", lambda: False)
    engine._loop.cache_clear()
    yield
    engine._loop.cache_clear()


@pytest.mark.skipif(not can_compile(), reason="compares compiled code with plain code")
@pytest.mark.parametrize("by_the_letter", [True, False])
def test_without_numba(by_the_letter: bool, request: pytest.FixtureRequest) -> None:
    """Without Numba the same loop runs as Python, says so once, and gives the same bits."""
    scenario, chance = shipped("dinner-party", by_the_letter=by_the_letter), Random(8)
    kernel = Kernel(scenario)
    records = kernel.pack([unsettled(chance, scenario, departing=not by_the_letter) for _ in range(4)])
    fast = kernel.decide(records, 7, 3), kernel.decide(records, None, 3)
    request.getfixturevalue("uncompiled")
    with pytest.warns(RuntimeWarning, match="install volition") as said:
        slow = kernel.decide(records, 7, 3), kernel.decide(records, None, 3)
    assert len(said) == 1
    assert list(map(bits, slow)) == list(map(bits, fast))


@pytest.mark.parametrize("terminal", [True, False])
def test_a_note_at_a_terminal(terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user at a terminal is told that code is being compiled; a file or a pipe is not."""
    screen = StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: terminal)
    monkeypatch.setattr(sys, "stderr", screen)
    engine._say_compiling()
    assert ("compiling" in screen.getvalue()) is terminal
