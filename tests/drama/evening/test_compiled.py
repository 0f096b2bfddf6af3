"""Laws of the compiled engine: it is the same source, so it gives the same numbers, whatever the batch, order or log."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.drama.evening.casts import READINGS, invented, shipped
from tests.drama.evening.logged import play_logged
from tests.drama.evening.stepping import CompiledSteps, InterpretedSteps
from tests.drama.stage.evenings import difference, watched
from volition.core.errors import InvalidInput
from volition.drama.evening.building import sizes_of
from volition.drama.evening.ending import GOES_ON
from volition.drama.evening.limits import LARGE, LIMITS, SMALL, size_for
from volition.drama.evening.log import EveningLog
from volition.drama.evening.play_many import play_many
from volition.drama.evening.players import fits
from volition.drama.evening.record import bytes_of, parts_of
from volition.drama.evening.state import EveningState
from volition.drama.stage.run import run

if TYPE_CHECKING:
    from tests.sentences import Told
    from volition.drama.world.model import Scenario

pytest.importorskip("numba")


def _check_every_tick(scenario: Scenario, seed: int, ticks: int) -> int:
    """Compare every part of the state and every row of the log after every tick; how many ticks there were."""
    plain, packed, played = InterpretedSteps(scenario), CompiledSteps(scenario), 0
    plain.begin(seed)
    packed.begin(seed)
    while plain.stop(ticks) == packed.stop(ticks) == GOES_ON:
        ours, theirs = plain.tick(), packed.tick()
        assert ours is not None
        assert theirs is not None
        for part in parts_of(EveningState):
            held = bytes_of(packed.evenings[0], part, plain.sizes)
            assert held == bytes_of(plain.evening, part, plain.sizes), (played, part.name)
        for row in parts_of(EveningLog):
            held, its = getattr(ours, row.name), getattr(theirs, row.name)
            if isinstance(held, list):
                assert held[: len(its)] == its, (played, row.name)
            elif not row.name.startswith("most"):
                assert held == its, (played, row.name)
        played += 1
    assert plain.stop(ticks) == packed.stop(ticks)
    return played


@pytest.mark.req("DE-29")
@pytest.mark.parametrize(("name", "by_the_letter"), READINGS)
def test_compiled_is_interpreted_after_every_tick(name: str, by_the_letter: bool) -> None:
    """Every part of the state, scratch included, and every row of the log are the same to the bit after every tick."""
    assert _check_every_tick(shipped(name, by_the_letter=by_the_letter), 21, 40) > 20


@pytest.mark.parametrize("seed", range(8))
def test_so_it_is_for_invented_evenings(seed: int) -> None:
    """So they are for scenarios up to the limits of small records and under odd rules."""
    assert size_for(sizes_of(scenario := invented(seed))) == SMALL
    assert _check_every_tick(scenario, seed, 25) > 0


def test_so_it_is_for_large_houses() -> None:
    """So they are for sixteen people, rooms and secrets, in large records; one of the two is as large as can be.

    It is one test, since code for large records may have to be compiled and nothing else needs it.
    """
    for seed in range(2):
        scenario = invented(seed, most_people=16, most_rooms=16)
        assert size_for(sizes_of(scenario)) == LARGE
        assert _check_every_tick(scenario, seed, 12) > 0


def test_a_house_takes_the_smallest_records_that_hold_it() -> None:
    """At eight of everything records are small, at nine to sixteen of anything large, and at seventeen there are none."""
    for part in ("people", "rooms", "secrets"):
        assert size_for({part: 8}) == SMALL
        assert size_for({part: 9}) == size_for({part: 16}) == LARGE
        assert size_for({part: 17}) is None


@pytest.mark.parametrize(("name", "by_the_letter"), READINGS)
def test_a_compiled_log_is_the_stages(name: str, by_the_letter: bool) -> None:
    """The log of a compiled evening has the stage's own bytes, to its ending."""
    staged = watched(f"literal {name}" if by_the_letter else name, 12).run
    assert difference(play_logged(shipped(name, by_the_letter=by_the_letter), 12, compiled=True), staged) is None


def test_threads_batches_and_order_change_nothing() -> None:
    """However many threads, in batches or at once, in any order, with a log or without: each seed has its bytes."""
    scenario = shipped("dinner-party")
    whole = play_many(scenario, range(40), threads=1)
    digests = [whole.digest(number) for number in range(40)]
    threaded = play_many(scenario, range(40), threads=3)
    assert [threaded.digest(number) for number in range(40)] == digests
    backwards = play_many(scenario, reversed(range(40)), threads=2)
    assert [backwards.digest(number) for number in reversed(range(40))] == digests
    batches = [play_many(scenario, range(first, first + 8)) for first in range(0, 40, 8)]
    assert [batch.digest(number) for batch in batches for number in range(8)] == digests
    assert len(set(digests)) == 40


def test_many_evenings_end_as_interpreted_ones() -> None:
    """Both engines give the same last states, stops and endings."""
    for name, by_the_letter in READINGS:
        scenario = shipped(name, by_the_letter=by_the_letter)
        compiled, plain = (play_many(scenario, [100], engine=engine) for engine in ("compiled", "interpreted"))
        assert (compiled.engine, plain.engine) == ("compiled", "interpreted")
        assert compiled.digest(0) == plain.digest(0)
        assert compiled.checksums[0] == plain.checksums[0]
        assert compiled.ending(0) == plain.ending(0)
        assert compiled.stop_reason(0) == plain.stop_reason(0)


def test_a_state_that_was_not_kept_is_played_again() -> None:
    """Evenings without their states have the same checksums, and a state that is asked for is what it was."""
    scenario = shipped("dinner-party")
    kept, lost = (play_many(scenario, range(4), ticks=9, states=states) for states in (True, False))
    assert (len(kept.states), len(lost.states)) == (4, 0)
    assert kept.checksums.tolist() == lost.checksums.tolist()
    assert kept.digest(2) == lost.digest(2)
    assert kept.state(3).trust == lost.state(3).trust


def test_a_log_that_overflows_is_seen_and_the_evening_is_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a compiled log has too few rows of any sort, the player says so and the run is still the stage's."""
    scenario, ticks = shipped("dinner-party"), 12
    staged = run(scenario, 1, ticks=ticks)
    for rows, few in (("events", 1), ("deltas", 30), ("strains", 2)):
        with monkeypatch.context() as patch:
            patch.setitem(LIMITS[SMALL], rows, few)
            player = CompiledSteps(scenario)
            player.begin(1)
            assert any(player.tick() is None for _ in range(ticks)), rows
            assert difference(play_logged(scenario, 1, ticks=ticks, compiled=True), staged) is None


def test_what_does_not_fit_is_refused_or_interpreted(told: Told) -> None:
    """A house that is too large is refused by the compiled engine, which names what is too much, and else interpreted."""
    scenario = next(large for seed in range(99) if len((large := invented(seed, most_people=17)).people) > 16)
    assert not fits(scenario)
    with told.raises(InvalidInput):
        play_many(scenario, [1], engine="compiled")
    played = play_many(scenario, [1, 2], ticks=5)
    assert played.engine == "interpreted"
    assert len(played.state(0).trust) == len(scenario.people)
    with pytest.raises(InvalidInput, match="engine"):
        play_many(scenario, [1], engine="fast")  # type: ignore[arg-type]


def test_no_python_object_is_made_in_the_loop() -> None:
    """The compiled loop runs without the interpreter: it is nopython code, and gives its lock back while it runs."""
    player = CompiledSteps(shipped("dinner-party"), logged=False)
    evenings = player.open_evenings(np.arange(2, dtype=np.uint64))
    stops, endings = np.zeros(2, np.int64), np.zeros(2, np.int64)
    player.play(evenings, player.new_log(logged=False), 10, 10, True, stops, endings)
    assert player._loop.nopython_signatures
    assert player._loop.targetoptions["nogil"]
