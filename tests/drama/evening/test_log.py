"""Laws of the log: reasons have names, rows have room, and a log that is off changes nothing."""

from __future__ import annotations

import pytest

from tests.drama.evening.casts import DINNER, invented, shipped
from tests.drama.evening.stepping import InterpretedSteps
from volition.drama.evening import log as module
from volition.drama.evening.ending import GOES_ON
from volition.drama.evening.log import REASONS, new_log, part_number
from volition.drama.evening.record import digest_of, parts_of
from volition.drama.evening.state import EveningState

OTHERWISE = {"BY_CONFLICT": "conflict", "BY_CATASTROPHE": "catastrophe", "BY_REVEAL": "reveal"}
OTHERWISE |= {"STATED_ALOUD": "stated", "HINTED": "hinted at", "BY_CLOCK": "clock"}
OTHERWISE |= {"BY_CONFIDE": "confide", "BY_LIE": "lie", "BY_ANSWER": "answer"}


def test_a_constant_is_the_place_of_its_reason() -> None:
    """Every reason has a constant with its name, which is its place; no two are the same."""
    assert len(set(REASONS)) == len(REASONS)
    for place, reason in enumerate(REASONS):
        names = {reason.upper().replace(" ", "_"), *(name for name, said in OTHERWISE.items() if said == reason)}
        assert place in {getattr(module, name, None) for name in names}, reason


def test_parts_are_named_by_their_place() -> None:
    """The rows of deltas name every part of the state, each by another number."""
    names = [part.name for part in parts_of(EveningState)]
    assert [part_number(name) for name in names] == list(range(len(names)))
    changed = [part.name for part in parts_of(EveningState) if part.delta is not None]
    assert {name: getattr(module, f"PART_{name.upper()}") for name in changed} == {
        name: part_number(name) for name in changed
    }


@pytest.mark.parametrize("seed", [0, 1, 2, 6])
def test_a_plain_log_has_room_for_any_tick(seed: int) -> None:
    """No tick of an invented evening needs half of the rows that a plain log has, and none overflows."""
    player = InterpretedSteps(invented(seed, most_people=12))
    player.begin(seed)
    while player.stop(10**6) == GOES_ON:
        log = player.tick()
        assert log is not None
        assert not log.overflow
        assert log.deltas < log.most_deltas / 2


def test_a_log_that_is_too_small_says_so() -> None:
    """A log of too few rows of any sort overflows, writes no further, and the state is the same as with none."""

    def last_state(player: InterpretedSteps) -> str:
        for _ in range(30):
            player.tick()
        return digest_of(player.state(), EveningState, player.sizes)

    other = InterpretedSteps(shipped(DINNER), logged=False)
    other.begin(1)
    expected = last_state(other)
    for most in ("most_events", "most_deltas", "most_strains"):
        player = InterpretedSteps(shipped(DINNER))
        player.begin(1)
        setattr(player.log, most, 1)
        assert last_state(player) == expected
        assert player.log.overflow, most


def test_a_log_that_is_off_holds_nothing() -> None:
    """Nothing is written into a log that is off."""
    player = InterpretedSteps(shipped(DINNER), logged=False)
    player.begin(2)
    for _ in range(20):
        player.tick()
    log = player.log
    assert (log.events, log.deltas, log.strains, log.overflow) == (0, 0, 0, 0)
    assert new_log(player.sizes).on == 1
