"""Many evenings of one scenario as packed rows: compiled where that is possible, in as many threads as there are cores."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

import numpy as np

from volition.core.chance import MASK_64
from volition.core.errors import format_value, refuse
from volition.drama.evening.building import sizes_of
from volition.drama.evening.checksum import checksum
from volition.drama.evening.compiled import is_kept
from volition.drama.evening.digest import digests_of
from volition.drama.evening.ending import ENDINGS, STOPS
from volition.drama.evening.look import EveningLooks
from volition.drama.evening.measure import EveningMeasures
from volition.drama.evening.players import ALL_STEPS, CompiledPlayer, InterpretedPlayer, check_size, fits
from volition.drama.evening.record import digest_of, packed_type, read_packed, write_packed
from volition.drama.evening.rows import MeasureRows, no_rows, pack_rows
from volition.drama.evening.state import EveningState

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from volition.drama.world.model import Scenario

Engine = Literal["auto", "compiled", "interpreted", "cuda"]
ENGINES: Final[tuple[Engine, ...]] = ("auto", "compiled", "interpreted", "cuda")

COMPILES: Final = (
    "compiling evenings: about a minute, once on this machine; from then on they are a hundred times faster"
)
"""What is said before something is compiled."""
ENOUGH: Final = 400
"""From so many evenings on, compiling them takes less time than interpreting them does."""
BATCH: Final = 64
"""How many evenings a thread plays at once: it changes nothing but the room that their measures need meanwhile."""


@dataclass(frozen=True, slots=True)
class PlayedEvenings:
    """Why each evening stopped, how it ended, the checksum of its last state, and that state; in the order of the seeds.

    `states` is empty where none were kept; an evening whose state is asked for is then played again.
    """

    scenario: Scenario
    engine: str
    seeds: NDArray[np.uint64]
    ticks: int
    states: NDArray[Any]
    stops: NDArray[np.int64]
    endings: NDArray[np.int64]
    checksums: NDArray[np.uint64]
    measured: MeasureRows | None = None

    def __len__(self) -> int:
        return len(self.stops)

    @property
    def measures(self) -> MeasureRows:
        """A row of measures for each evening; InvalidInput where they were not measured."""
        if self.measured is None:
            refuse(
                "these evenings were not measured",
                where="measures",
                expected="evenings that were measured while they were played",
                remedy="play them again: play_many(..., measures=True)",
            )
        return self.measured

    def state(self, number: int) -> EveningState:
        """The last state of an evening, as a plain record."""
        return read_packed(self._packed(number), EveningState, sizes_of(self.scenario))

    def digest(self, number: int) -> str:
        """One short name for the last state of an evening, whoever played it."""
        if self.measured is not None:
            return bytes(self.measured.row["state"][number]).hex()
        return digest_of(self._packed(number), EveningState, sizes_of(self.scenario))

    def _packed(self, number: int) -> Any:
        if len(self.states):
            return self.states[number]
        return play_many(self.scenario, [int(self.seeds[number])], ticks=self.ticks).states[0]

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
    measures: bool = False,
    states: bool = True,
) -> PlayedEvenings:
    """Play the evenings of many seeds to their endings, or for at most so many ticks each.

    Args:
        scenario: what is played.
        seeds: one for each evening; the same seed, the same evening, whatever the others are.
        ticks: the most ticks of an evening, where that is less than the scenario says.
        engine: "compiled" needs Numba and a scenario that fits. "auto" takes it where it can and it is worth it: where
            compiled code is kept on disk, or there are enough evenings to compile it first, which takes about a minute.
            Else it is "interpreted". "cuda" needs an NVIDIA graphics processor and the extra 'gpu' as well, and keeps
            neither states nor measures. All give the same evenings.
        threads: how many to use of the compiled engine; they change nothing but the time.
        measures: whether evenings are measured while they are played; that changes nothing about them.
        states: whether last states are kept, some 12 kB for each evening; measures have their digests in any case.
    """
    every = list(seeds)
    if engine in ("auto", "compiled") and fits(scenario) and not is_kept(check_size(sizes_of(scenario))):
        if engine == "auto" and len(every) < ENOUGH:
            engine = "interpreted"
        elif sys.stderr.isatty():
            sys.stderr.write(f"{COMPILES}\n")
    return EveningBatches(scenario, ticks=ticks, engine=engine, measures=measures, states=states).play(every, threads)


class EveningBatches:
    """Plays evenings of one scenario as `play_many` does, again and again: what they share is made once."""

    def __init__(
        self,
        scenario: Scenario,
        *,
        ticks: int | None = None,
        engine: Engine = "auto",
        measures: bool = False,
        states: bool = True,
    ) -> None:
        if engine not in ENGINES:
            expected = f"one of {', '.join(ENGINES)}"
            refuse(f"this is {format_value(engine)}", where="engine", expected=expected, remedy="use one")
        most = scenario.evening.ticks if ticks is None else min(ticks, scenario.evening.ticks)
        if engine == "auto":
            engine = "compiled" if fits(scenario) else "interpreted"
        self.engine: str = engine
        self._batches, self._states = _BATCHES[engine](scenario, most, measures), states

    def play(self, seeds: Iterable[int], threads: int | None = None) -> PlayedEvenings:
        """Play the evenings of some seeds, in the order of the seeds."""
        every = np.array([seed & MASK_64 for seed in seeds], dtype=np.uint64)
        size = len(every) or 1 if self.engine == "cuda" else BATCH
        batches = [every[first : first + size] for first in range(0, len(every), size)] or [every]
        hands = min(threads or os.cpu_count() or 1, len(batches)) if self.engine == "compiled" else 1
        if hands == 1:
            return _together([self._play(batch) for batch in batches])
        with ThreadPoolExecutor(max_workers=hands, thread_name_prefix="volition-evenings") as pool:
            return _together(list(pool.map(self._play, batches)))

    def _play(self, seeds: NDArray[np.uint64]) -> PlayedEvenings:
        played = self._batches.play(seeds)
        return played if self._states else replace(played, states=played.states[:0])


def _together(played: list[PlayedEvenings]) -> PlayedEvenings:
    """Batches as one; there is at least one."""
    first = played[0]
    rows = [one.measured for one in played if one.measured is not None]
    columns: dict[str, Any] = {
        part: np.concatenate([getattr(one, part) for one in played])
        for part in ("seeds", "states", "stops", "endings", "checksums")
    }
    return replace(first, **columns, measured=MeasureRows.together(rows) if rows else None)


class _Batches(Protocol):
    """Plays batches of evenings of one scenario, all for at most so many ticks."""

    def __init__(self, scenario: Scenario, ticks: int, measured: bool) -> None: ...

    def play(self, seeds: NDArray[np.uint64]) -> PlayedEvenings:
        """Play the evenings of some seeds."""


class _PlainBatches:
    """Plays batches interpreted."""

    def __init__(self, scenario: Scenario, ticks: int, measured: bool) -> None:
        self.player, self.ticks, self.measured = InterpretedPlayer(scenario, logged=measured), ticks, measured

    def play(self, seeds: NDArray[np.uint64]) -> PlayedEvenings:
        player = self.player
        states = np.zeros(len(seeds), packed_type(EveningState, player.sizes))
        stops, endings, checksums = _columns(len(seeds))
        rows: list[MeasureRows] = []
        for number, seed in enumerate(seeds):
            stops[number], endings[number] = player.play(int(seed), self.ticks, measured=self.measured)
            checksums[number] = checksum(player.evening, player.house)
            write_packed(states[number], player.evening, EveningState, player.sizes)
            if self.measured:
                rows.append(self._row(states[number : number + 1]))
        together = MeasureRows.together([no_rows(len(player.scenario.people)), *rows]) if self.measured else None
        return PlayedEvenings(
            player.scenario, "interpreted", seeds, self.ticks, states, stops, endings, checksums, together
        )

    def _row(self, state: NDArray[Any]) -> MeasureRows:
        player, room = self.player, self.player.room
        measures, looks = np.zeros(1, packed_type(EveningMeasures, room)), np.zeros(1, packed_type(EveningLooks, room))
        write_packed(measures[0], player.measures, EveningMeasures, room)
        write_packed(looks[0], player.looks, EveningLooks, room)
        return pack_rows(measures, looks, digests_of(state, EveningState, player.sizes), player.sizes)


class _CompiledBatches:
    """Plays batches compiled; measures that have too little room are taken interpreted."""

    def __init__(self, scenario: Scenario, ticks: int, measured: bool) -> None:
        self.player, self.ticks, self.measured = CompiledPlayer(scenario, logged=False), ticks, measured

    def play(self, seeds: NDArray[np.uint64]) -> PlayedEvenings:
        player = self.player
        states, logs = player.opened(seeds), player.new_log(logged=self.measured)
        stops, endings, checksums = _columns(len(seeds))
        measured = player.new_measures(len(seeds)) if self.measured else None
        player.play(states, logs, self.ticks, ALL_STEPS, True, stops, endings, measured)
        player.sum_up(states, checksums)
        rows = None
        if measured is not None:
            rows = pack_rows(*measured, digests_of(states, EveningState, player.sizes), player.sizes)
            rows = self._with_room(rows, np.flatnonzero(measured[0]["overflow"]), seeds)
        return PlayedEvenings(player.scenario, "compiled", seeds, self.ticks, states, stops, endings, checksums, rows)

    def _with_room(self, rows: MeasureRows, lacking: NDArray[Any], seeds: NDArray[np.uint64]) -> MeasureRows:
        """The rows, with those that lacked room measured again where there is enough."""
        parts, reached = list[MeasureRows](), 0
        for number in lacking.tolist():
            again = _PlainBatches(self.player.scenario, self.ticks, measured=True).play(seeds[number : number + 1])
            parts += [rows.part(reached, number), again.measures]
            reached = number + 1
        return MeasureRows.together([*parts, rows.part(reached, len(rows))]) if parts else rows


class _DeviceBatches:
    """Plays batches on a graphics processor; their states stay there, and they are not measured."""

    def __init__(self, scenario: Scenario, ticks: int, measured: bool) -> None:
        if measured:
            refuse(
                "evenings on a graphics processor are not measured",
                where="measures",
                expected="no measures with the engine cuda",
                remedy="use the compiled engine",
            )
        self.player, self.ticks = CompiledPlayer(scenario, logged=False), ticks

    def play(self, seeds: NDArray[np.uint64]) -> PlayedEvenings:
        from volition.drama.evening.cuda import play_on_device  # noqa: PLC0415 - for those alone who have one

        none = self.player.opened(seeds[:0])
        return PlayedEvenings(
            self.player.scenario, "cuda", seeds, self.ticks, none, *play_on_device(self.player, seeds, self.ticks)
        )


_BATCHES: Final[dict[str, type[_Batches]]] = {
    "compiled": _CompiledBatches,
    "interpreted": _PlainBatches,
    "cuda": _DeviceBatches,
}


def _columns(count: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64]]:
    """Room for why so many evenings stop, how they end, and their checksums."""
    return np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count, np.uint64)
