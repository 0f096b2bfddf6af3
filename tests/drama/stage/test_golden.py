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
from tests.drama.stage.evenings import difference
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
    (DINNER, False): "2a2db8868f461d88f4f3e0f143226057684f89478dcb161e3398ede72cbca460",
    (DINNER, True): "ed9a03fcab553088edeb65e9938efbc7bf7a4c1720ee06c0af3eaa83e82dd46c",
    (STATION, False): "1dabf18d0dce8b2c9850ccd308f1a8ef70407bcd4cf3793d74652a1a5396c4c9",
    (STATION, True): "890f8fc298e8cbe95a76d3496ab4b634fe28d8fbd34a194e827a6dc4fb6ec0e6",
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
        "b94fcc9ab1d52c434fb315c638ac14904f09985a32ca5f1d3b5c487d8f5f2ca3",
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
        "ad9588fc06e812c122c4f3eaf60b03c2b6ca08de5818711afdbe9c9f5885cd98",
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
        "79df93ca653bf49346e292c65cc056bc69aaabf444c2e9818bf4a09ee748d23f",
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
        "ce61c45c60d31993eaf4628cc9df206e1d11afd89ffe4552a36b0ebe4d12cc0a",
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
    scenario = shipped(name, by_the_letter=by_the_letter)
    hashes = [hash_of(run(scenario, seed)) for seed in SEEDS]
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
    played, player = run(scenario, 8), InterpretedSteps(scenario, logged=False)
    player.begin(8)
    for _ in played.ticks:
        player.tick()
    replayed, sizes = state_at(played, len(played.ticks)).evening, sizes_of(scenario)
    assert digest_of(replayed, EveningState, sizes) == digest_of(player.state(), EveningState, sizes)
