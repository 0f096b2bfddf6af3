"""The golden logs: every byte of some evenings, as they were when they were first played.

Whoever changes an evening raises RULES_VERSION and writes the new hashes here.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from msgspec import structs

from tests.drama.evening.casts import DINNER, READINGS, STATION, shipped
from tests.drama.evening.logged import play_logged
from tests.drama.evening.stepping import InterpretedSteps
from tests.drama.golden import what_changed
from tests.drama.stage.evenings import difference, watched
from volition.drama.evening.building import sizes_of
from volition.drama.evening.record import digest_of
from volition.drama.evening.state import EveningState
from volition.drama.stage.archive import tick_to_data
from volition.drama.stage.interference import Interference
from volition.drama.stage.replay import state_at
from volition.drama.stage.run import run

if TYPE_CHECKING:
    from volition.drama.stage.record import Run

SEEDS = (1, 12, 13, 2**63 + 9)
GOLDEN = {
    (DINNER, False): "4612b570cf1324882ba96d6b6009e6cfe6fd28363f60b742b252afe7481367d7",
    (DINNER, True): "d4798edb85fd7cc4e20b8f6839f7934e245abb6d61b96c7c957a68cb945df31f",
    (STATION, False): "edcaa6007de90012b8c1d29a8dca5141b3a7eea62dad647d3d6833223f64a503",
    (STATION, True): "cc24f4d9e699fea850f1aeed9b8cb6a1afd236878c1a6854609144f803bd694f",
}
FORKED: list[tuple[str, bool, int, list[tuple[Any, ...]], str]] = [
    (
        "winter-station",
        True,
        0,
        [
            (75, "force", "mireille", "internal", None),
            (51, "set", "joon", "suspicion", 0.9),
            (21, "veto", "tamsin", "internal", None),
            (100, "set", "pavel", "alcohol", 0.89),
        ],
        "8f7a55efa57108081379278d0ff74d16ace97d28f3d7c50af8d4c6e8d3142180",
    ),
    (
        "dinner-party",
        True,
        3,
        [
            (124, "force", "marcus", "observe:room", None),
            (68, "veto", "diana", "chat:all", None),
            (60, "set", "marcus", "commitment", 0.13),
            (137, "set", "diana", "affection.elena", 0.45),
        ],
        "927681faf670da9c2b61803331c79714a8f4366a3fc6178b76b0cbdbfd4c074a",
    ),
    (
        "dinner-party",
        False,
        4,
        [
            (56, "veto", "thorne", "observe:lydia", None),
            (65, "set", "thorne", "recovery_timer", 1),
            (104, "force", "thorne", "observe:diana", None),
            (32, "set", "elena", "commitment", 0.7),
        ],
        "bb5545da64a5e115d6b1c6091adaccccd0b6862e331ff044c7bd719d24133cca",
    ),
    (
        "winter-station",
        False,
        6,
        [
            (90, "veto", "mireille", "observe:room", None),
            (9, "veto", "halvard", "chat:aldo", None),
            (70, "force", "mireille", "observe:halvard", None),
            (114, "set", "noor", "composure", 0.74),
        ],
        "d533a5f9826925b19fdc843af41d44071e867d925106e5b3f9a349214c5d3b4d",
    ),
]


def hash_of(played: Run) -> str:
    """A hash of the opening, every tick and the ending, as a ledger holds them."""
    assert played.ending is not None
    total = sha256(orjson.dumps(played.opening))
    for record in played.ticks:
        total.update(orjson.dumps(tick_to_data(record)))
    total.update(orjson.dumps(structs.astuple(played.ending)))
    return total.hexdigest()


@pytest.mark.parametrize(("name", "by_the_letter"), GOLDEN)
def test_the_same_logs_as_ever(name: str, by_the_letter: bool) -> None:
    """Choices, scores, events, deltas, strains, causes, opening and ending: every byte is what it was."""
    called = f"literal {name}" if by_the_letter else name
    hashes = [hash_of(watched(called, seed).run) for seed in SEEDS]
    if sha256("".join(hashes).encode()).hexdigest() != GOLDEN[name, by_the_letter]:
        pytest.fail(what_changed(name, by_the_letter=by_the_letter))


@pytest.mark.parametrize(("name", "by_the_letter", "seed", "given", "golden"), FORKED)
def test_the_same_forks_as_ever(name: str, by_the_letter: bool, seed: int, given: list[Any], golden: str) -> None:
    """An evening in which acts are forbidden and forced and parts of the state are set has the bytes that it had."""
    interference = tuple(Interference(*one) for one in given)
    assert hash_of(run(shipped(name, by_the_letter=by_the_letter), seed, interference=interference)) == golden


@pytest.mark.parametrize("ticks", [0, 1, 17])
def test_a_shorter_evening_is_broken_off_alike(ticks: int) -> None:
    """An evening of at most so many ticks stops and ends as a run of as many."""
    scenario = shipped(DINNER)
    assert difference(play_logged(scenario, 4, ticks=ticks), run(scenario, 4, ticks=ticks)) is None


@pytest.mark.parametrize(("name", "by_the_letter"), READINGS)
def test_the_log_leads_to_the_last_state(name: str, by_the_letter: bool) -> None:
    """The opening and the deltas of the log, applied by a replay that asks no rule, give the last state."""
    scenario = shipped(name, by_the_letter=by_the_letter)
    played, player = run(scenario, 8, ticks=50), InterpretedSteps(scenario, logged=False)
    player.begin(8)
    for _ in played.ticks:
        player.tick()
    replayed, sizes = state_at(played, len(played.ticks)).evening, sizes_of(scenario)
    assert digest_of(replayed, EveningState, sizes) == digest_of(player.state(), EveningState, sizes)
