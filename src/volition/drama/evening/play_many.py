"""Many evenings of one scenario as packed rows: compiled where that is possible, in as many threads as there are cores."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from volition.core.chance import MASK_64
from volition.core.errors import format_value, refuse
from volition.drama.evening.building import sizes_of
from volition.drama.evening.checksum import checksum
from volition.drama.evening.ending import ENDINGS, STOPS, ending_of
from volition.drama.evening.players import ALL_STEPS, CompiledPlayer, InterpretedPlayer, fits
from volition.drama.evening.record import digest_of, packed_type, read_packed, write_packed
from volition.drama.evening.state import EveningState
from volition.drama.evening.tick import play_out

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from volition.drama.world.model import Scenario

Engine = Literal["auto", "compiled", "interpreted", "cuda"]
ENGINES: Final[tuple[Engine, ...]] = ("auto", "compiled", "interpreted", "cuda")


@dataclass(frozen=True, slots=True)
class PlayedEvenings:
    """Why each evening stopped, how it ended, the checksum of its last state, and that state; in the order of the seeds.

    States that were played on a graphics processor stay there: an evening that is asked for is played again.
    """

    scenario: Scenario
    engine: str
    seeds: NDArray[np.uint64]
    ticks: int
    stops: NDArray[np.int64]
    endings: NDArray[np.int64]
    checksums: NDArray[np.uint64]
    states: NDArray[Any] | None = None

    def __len__(self) -> int:
        return len(self.seeds)

    def state(self, number: int) -> EveningState:
        """The last state of an evening, as a plain record."""
        return read_packed(self._packed(number), EveningState, sizes_of(self.scenario))

    def digest(self, number: int) -> str:
        """One short name for the last state of an evening, whoever played it."""
        return digest_of(self._packed(number), EveningState, sizes_of(self.scenario))

    def _packed(self, number: int) -> Any:
        if self.states is not None:
            return self.states[number]
        again = _compiled(self.scenario, self.seeds[number : number + 1], self.ticks, 1)
        assert again.states is not None
        return again.states[0]

    def stopped(self, number: int) -> str:
        """Why an evening stopped."""
        return STOPS[self.stops[number]]

    def ending(self, number: int) -> str:
        """How an evening ended: one of `ENDINGS`."""
        return ENDINGS[self.endings[number]]


def play_many(
    scenario: Scenario,
    seeds: Iterable[int],
    *,
    ticks: int | None = None,
    engine: Engine = "auto",
    threads: int | None = None,
) -> PlayedEvenings:
    """Play the evenings of many seeds to their endings, or for at most so many ticks each.

    Args:
        scenario: what is played.
        seeds: one for each evening; the same seed, the same evening, whatever the others are.
        ticks: the most ticks of an evening, where that is less than the scenario says.
        engine: "compiled" needs Numba and a scenario that fits; "auto" takes it where it can, else "interpreted". "cuda"
            needs an NVIDIA graphics processor and the extra 'gpu' as well. All give the same evenings.
        threads: how many to use of the compiled engine; they change nothing but the time.
    """
    if engine not in ENGINES:
        refuse(
            f"this is {format_value(engine)}", where="engine", expected=f"one of {', '.join(ENGINES)}", remedy="use one"
        )
    every = np.array([seed & MASK_64 for seed in seeds], dtype=np.uint64)
    most = scenario.evening.ticks if ticks is None else min(ticks, scenario.evening.ticks)
    if engine == "cuda":
        return _on_device(scenario, every, most)
    if engine == "compiled" or (engine == "auto" and fits(scenario)):
        return _compiled(scenario, every, most, threads or os.cpu_count() or 1)
    return _interpreted(scenario, every, most)


def _compiled(scenario: Scenario, seeds: NDArray[np.uint64], ticks: int, threads: int) -> PlayedEvenings:
    player = CompiledPlayer(scenario, logged=False)
    states = player.opened(seeds)
    stops, endings = np.zeros(len(seeds), np.int64), np.zeros(len(seeds), np.int64)
    checksums = np.zeros(len(seeds), np.uint64)
    shares = max(1, min(threads, len(seeds)))
    edges = [len(seeds) * share // shares for share in range(shares + 1)]

    def work(share: int) -> None:
        part = slice(edges[share], edges[share + 1])
        logs = player.new_log(logged=False)
        player.play(states[part], logs, ticks, ALL_STEPS, True, stops[part], endings[part])
        player.sum_up(states[part], checksums[part])

    if shares == 1:
        work(0)
    else:
        with ThreadPoolExecutor(max_workers=shares, thread_name_prefix="volition-evenings") as pool:
            for _ in pool.map(work, range(shares)):
                pass
    return PlayedEvenings(scenario, "compiled", seeds, ticks, stops, endings, checksums, states)


def _on_device(scenario: Scenario, seeds: NDArray[np.uint64], ticks: int) -> PlayedEvenings:
    from volition.drama.evening.cuda import play_on_device  # noqa: PLC0415 - for those alone who have one

    played = play_on_device(CompiledPlayer(scenario, logged=False), seeds, ticks)
    return PlayedEvenings(scenario, "cuda", seeds, ticks, played.stops, played.endings, played.checksums)


def _interpreted(scenario: Scenario, seeds: NDArray[np.uint64], ticks: int) -> PlayedEvenings:
    player = InterpretedPlayer(scenario, logged=False)
    states = np.zeros(len(seeds), packed_type(EveningState, player.sizes))
    stops, endings = np.zeros(len(seeds), np.int64), np.zeros(len(seeds), np.int64)
    checksums = np.zeros(len(seeds), np.uint64)
    for number, seed in enumerate(seeds):
        player.begin(int(seed))
        stop = play_out(player.evening, player.house, player.log, player.seen, player.desk, ticks)
        write_packed(states[number], player.evening, EveningState, player.sizes)
        stops[number], endings[number] = stop, ending_of(player.evening, player.house, stop)
        checksums[number] = checksum(player.evening, player.house)
    return PlayedEvenings(scenario, "interpreted", seeds, ticks, stops, endings, checksums, states)
