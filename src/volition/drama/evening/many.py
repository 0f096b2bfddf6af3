"""Many evenings one after the other: the loop that is compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.evening.ending import GOES_ON, ending_of, stop_of
from volition.drama.evening.tick import open_evening, play_tick

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.drama.evening.house import House
    from volition.drama.evening.log import EveningLog
    from volition.drama.evening.perceive import Perceived
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.weigh import Desk


def play_evenings(
    evenings: Sequence[EveningState],
    houses: Sequence[House],
    logs: Sequence[EveningLog],
    seen: Sequence[Perceived],
    desks: Sequence[Desk],
    ticks: int,
    steps: int,
    opens: bool,
    stops: list[int],
    endings: list[int],
) -> None:
    """Play each evening for at most so many ticks, and for at most so many from where it stands.

    Where it `opens`, evenings begin; else they go on. `stops` and `endings` get why each stopped and how it ended, and
    GOES_ON where it did not. There is one house, log, perception and desk for all.
    """
    house, log = houses[0], logs[0]
    for number in range(len(evenings)):
        evening = evenings[number]
        if opens:
            open_evening(evening, house)
        stop, left = stop_of(evening, house, ticks), steps
        while stop == GOES_ON and left > 0:
            play_tick(evening, house, log, seen[0], desks[0])
            stop = stop_of(evening, house, ticks)
            left -= 1
        stops[number] = stop
        endings[number] = ending_of(evening, house, stop)
