"""Played evenings as packed rows, in the order of their seeds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from volition.core.errors import refuse
from volition.drama.evening.building import sizes_of
from volition.drama.evening.ending import ENDINGS, STOPS
from volition.drama.evening.players import InterpretedPlayer
from volition.drama.evening.record import digest_of, read_packed
from volition.drama.evening.rows import MeasureRows
from volition.drama.evening.state import EveningState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from volition.drama.evening.terms import BoundedLaw
    from volition.drama.world.model import Scenario


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
        """How an evening ended: one of `ENDINGS`."""
        return ENDINGS[self.endings[number]]

    @classmethod
    def together(cls, parts: Sequence[Self]) -> Self:
        """The evenings of several parts that were played alike, one after the other; there must be at least one part."""
        rows = [one.measured for one in parts if one.measured is not None]
        columns: dict[str, Any] = {
            part: np.concatenate([getattr(one, part) for one in parts])
            for part in ("seeds", "states", "stops", "endings", "checksums")
        }
        return replace(parts[0], **columns, measured=MeasureRows.together(rows) if rows else None)
