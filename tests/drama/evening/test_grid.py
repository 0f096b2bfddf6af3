"""The kernel of a graphics processor, interpreted with a device of one thread: it plays the evenings of everybody."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from tests.drama.evening.casts import DINNER, READINGS, shipped
from volition.drama.evening import grid
from volition.drama.evening.checksum import checksum
from volition.drama.evening.perceive import Perceived
from volition.drama.evening.players import InterpretedPlayer
from volition.drama.evening.record import PARTS, copy_plain, new_plain
from volition.drama.evening.state import EveningState
from volition.drama.evening.weigh import ScoreSheet

if TYPE_CHECKING:
    from collections.abc import Callable

SEEDS = (3, 11)


class OneRecord(list[Any]):
    """An array of one record that is written in place, as in a thread's own memory."""

    def __init__(self, make: Callable[[], Any]) -> None:
        super().__init__([make()])

    def __setitem__(self, place: Any, record: Any) -> None:
        copy = copy_plain(record, type(record))
        for part in PARTS[type(record).__name__]:
            setattr(self[place], part, getattr(copy, part))


def take(numbers: list[int], place: int, more: int) -> int:
    """Add to a number and return what it was."""
    numbers[place] += more
    return numbers[place] - more


DEVICE = SimpleNamespace(
    local=SimpleNamespace(array=lambda _, make: OneRecord(make)),
    atomic=SimpleNamespace(add=take),
    syncthreads=lambda: None,
    syncthreads_or=bool,
)


@pytest.mark.parametrize(("name", "by_the_letter"), READINGS)
def test_the_kernel_plays_everybodys_evenings(name: str, by_the_letter: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Step by step the kernel does what the loop over evenings does: the same stop, ending and state, clock and all."""
    scenario = shipped(name, by_the_letter=by_the_letter)
    player = InterpretedPlayer(scenario, logged=False)
    ticks = scenario.evening.ticks if (name, by_the_letter) == (DINNER, False) else 20
    expected = []
    for seed in SEEDS:
        stop, ending = player.play(seed, ticks, measured=False)
        expected.append((stop, ending, checksum(player.evening, player.tables)))
    monkeypatch.setattr(grid, "cuda", DEVICE)
    for record, type in (("STATE", EveningState), ("PERCEIVED", Perceived), ("SHEET", ScoreSheet)):
        monkeypatch.setattr(grid, record, lambda type=type: new_plain(type, player.sizes))
    stops, endings, sums = ([0] * len(SEEDS) for _ in range(3))
    blank, unused = new_plain(ScoreSheet, player.sizes), [None]
    grid.play_grid(
        [player.start], [blank], [player.tables], [player.log], unused, unused, list(SEEDS), ticks, [0, 0],
        stops, endings, sums, unused, unused, unused, unused, unused,
    )  # fmt: skip
    assert list(zip(stops, endings, sums, strict=True)) == expected
