"""Batches of evenings: each engine in its own way, and all to the same bits; what they play, as packed rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Protocol, Self

import numpy as np

from volition.core.errors import refuse
from volition.drama.evening.building import sizes_of
from volition.drama.evening.checksum import checksum
from volition.drama.evening.ending import STOPS
from volition.drama.evening.look import EveningLooks, EveningSpreads
from volition.drama.evening.measure import EveningMeasures
from volition.drama.evening.names import endings_of
from volition.drama.evening.players import ALL_STEPS, CompiledPlayer, InterpretedPlayer
from volition.drama.evening.record import digest_of, packed_type, read_packed, write_packed
from volition.drama.evening.rows import MeasureRows, digests_of, no_rows, pack_rows
from volition.drama.evening.state import EveningState

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from volition.drama.evening.terms import BoundedLaw
    from volition.drama.world.model import Scenario

    Laws = tuple[BoundedLaw, ...]
    from collections.abc import Sequence


class Batches(Protocol):
    """Plays batches of evenings of one scenario, all for at most `ticks` ticks and with the same custom terms."""

    def __init__(self, scenario: Scenario, ticks: int, measured: bool, laws: Laws) -> None: ...

    def play(self, seeds: NDArray[np.uint64]) -> PlayedEvenings:
        """Play the evenings of some seeds."""


class InterpretedBatches:
    """Plays batches interpreted; a `player` may be given that lets people decide in another way."""

    def __init__(
        self, scenario: Scenario, ticks: int, measured: bool, laws: Laws, player: InterpretedPlayer | None = None
    ) -> None:
        self.player = player or InterpretedPlayer(scenario, logged=measured, brief=True, laws=laws)
        self.ticks, self.measured, self.laws = ticks, measured, laws

    def play(self, seeds: NDArray[np.uint64]) -> PlayedEvenings:
        player = self.player
        states = np.zeros(len(seeds), packed_type(EveningState, player.sizes))
        stops, endings, checksums = _columns(len(seeds))
        rows: list[MeasureRows] = []
        for number, seed in enumerate(seeds):
            stops[number], endings[number] = player.play(int(seed), self.ticks, measured=self.measured)
            checksums[number] = checksum(player.evening, player.tables)
            write_packed(states[number], player.evening, EveningState, player.sizes)
            if self.measured:
                rows.append(self._row(states[number : number + 1]))
        together = MeasureRows.together([no_rows(len(player.scenario.people)), *rows]) if self.measured else None
        return PlayedEvenings(
            player.scenario, "interpreted", seeds, self.ticks, states, stops, endings, checksums, together, self.laws
        )

    def _row(self, state: NDArray[Any]) -> MeasureRows:
        player, room = self.player, self.player.room

        def pack(held: Any, cls: type) -> NDArray[Any]:
            packed = np.zeros(1, packed_type(cls, room))
            write_packed(packed[0], held, cls, room)
            return packed

        return pack_rows(
            pack(player.measures, EveningMeasures),
            pack(player.looks, EveningLooks),
            pack(player.spreads, EveningSpreads),
            digests_of(state, EveningState, player.sizes),
            player.sizes,
        )


class CompiledBatches:
    """Plays batches compiled; measures that have too little room are taken interpreted."""

    def __init__(self, scenario: Scenario, ticks: int, measured: bool, laws: Laws) -> None:
        self.player, self.laws = CompiledPlayer(scenario, laws=laws), laws
        self.ticks, self.measured = ticks, measured

    def play(self, seeds: NDArray[np.uint64]) -> PlayedEvenings:
        player = self.player
        states, logs = player.open_evenings(seeds), player.new_log(logged=self.measured, brief=True)
        stops, endings, checksums = _columns(len(seeds))
        measured = player.new_measures(len(seeds)) if self.measured else None
        player.play(states, logs, self.ticks, ALL_STEPS, True, stops, endings, measured)
        player.sum_up(states, checksums)
        rows = None
        if measured is not None:
            rows = pack_rows(*measured, digests_of(states, EveningState, player.sizes), player.sizes)
            lacking = np.flatnonzero(measured.measures["overflow"])
            rows = replace_rows(rows, lacking, self._make_interpreted, seeds)
        return PlayedEvenings(
            player.scenario, "compiled", seeds, self.ticks, states, stops, endings, checksums, rows, self.laws
        )

    def _make_interpreted(self) -> Batches:
        return InterpretedBatches(self.player.scenario, self.ticks, measured=True, laws=self.laws)


class DeviceBatches:
    """Plays batches on a graphics processor; their states stay there. What has too little room is played here."""

    def __init__(self, scenario: Scenario, ticks: int, measured: bool, laws: Laws) -> None:
        if laws:
            refuse(
                "evenings on a graphics processor have no terms",
                where="terms",
                expected="no terms with the engine cuda",
                remedy="use the compiled engine",
            )
        self.player, self.ticks, self.measured = CompiledPlayer(scenario), ticks, measured

    def play(self, seeds: NDArray[np.uint64]) -> PlayedEvenings:
        from volition.drama.evening.device import play_on_device  # noqa: PLC0415 - for those alone who have one

        player, none = self.player, self.player.open_evenings(seeds[:0])
        results = play_on_device(player, seeds, self.ticks, measured=self.measured)
        rows = results.rows
        if rows is not None:
            rows = replace_rows(rows, results.lacking, self._make_compiled, seeds)
        return PlayedEvenings(player.scenario, "cuda", seeds, self.ticks, none, *results.columns, rows)

    def _make_compiled(self) -> Batches:
        return CompiledBatches(self.player.scenario, self.ticks, measured=True, laws=())


def replace_rows(
    rows: MeasureRows, lacking: NDArray[np.int64], roomier: Callable[[], Batches], seeds: NDArray[np.uint64]
) -> MeasureRows:
    """The rows, with those that lacked room measured again where there is more."""
    if not len(lacking):
        return rows
    again = roomier().play(seeds[lacking]).measures
    parts, reached = list[MeasureRows](), 0
    for place, number in enumerate(lacking.tolist()):
        parts += [rows.part(reached, number), again.part(place, place + 1)]
        reached = number + 1
    return MeasureRows.together([*parts, rows.part(reached, len(rows))])


def _columns(count: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64]]:
    """Room for why `count` evenings stop, how they end, and their checksums."""
    return np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count, np.uint64)


BATCHES: Final[dict[str, type[Batches]]] = {
    "compiled": CompiledBatches,
    "interpreted": InterpretedBatches,
    "cuda": DeviceBatches,
}


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
    laws: tuple[BoundedLaw, ...] = ()

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
        if len(self.states):
            return read_packed(self.states[number], EveningState, sizes_of(self.scenario))
        player = InterpretedPlayer(self.scenario, logged=False, laws=self.laws)
        player.play(int(self.seeds[number]), self.ticks, measured=False)
        return player.evening

    def digest(self, number: int) -> str:
        """One short name for the last state of an evening, whichever engine played it."""
        if self.measured is not None and self.measured.row["state"][number].any():
            return bytes(self.measured.row["state"][number]).hex()
        state = self.states[number] if len(self.states) else self.state(number)
        return digest_of(state, EveningState, sizes_of(self.scenario))

    def stop_reason(self, number: int) -> str:
        """Why an evening stopped."""
        return STOPS[self.stops[number]]

    def ending(self, number: int) -> str:
        """How an evening ended: one of `endings_of`."""
        return endings_of(self.scenario)[int(self.endings[number])]

    @classmethod
    def together(cls, parts: Sequence[Self]) -> Self:
        """The evenings of several parts that were played alike, one after the other; there must be at least one part."""
        rows = [evenings.measured for evenings in parts if evenings.measured is not None]
        columns: dict[str, Any] = {
            part: np.concatenate([getattr(evenings, part) for evenings in parts])
            for part in ("seeds", "states", "stops", "endings", "checksums")
        }
        return replace(parts[0], **columns, measured=MeasureRows.together(rows) if rows else None)
