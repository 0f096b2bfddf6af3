"""Players: the evenings of one scenario, interpreted over plain records or compiled over packed ones.

Both give the same states to the last bit, so callers need not know which it is.
"""

from __future__ import annotations

from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from volition.core.chance import MASK_64
from volition.core.compiling import can_compile
from volition.core.errors import InvalidInput, Problems
from volition.drama.evening.building import build_tables, sizes_of
from volition.drama.evening.checksum import sum_up
from volition.drama.evening.deciding import decide_everything
from volition.drama.evening.limits import LARGE, LIMITS, SMALL, size_for, too_large
from volition.drama.evening.log import DELTAS, EVENTS, STRAINS, new_log
from volition.drama.evening.look import HUNDREDTHS, EveningLooks, EveningSpreads
from volition.drama.evening.many import play_evenings
from volition.drama.evening.measure import BREAKDOWNS, EveningMeasures
from volition.drama.evening.perceive import Perceived
from volition.drama.evening.record import Sizes, copy_plain, new_plain, packed_type, read_packed, write_packed
from volition.drama.evening.state import EveningState
from volition.drama.evening.tables import ScenarioTables
from volition.drama.evening.tension import HAPPENINGS, EveningMoments
from volition.drama.evening.terms import BoundedLaw, check_bounds, plain_terms
from volition.drama.evening.weigh import ScoreSheet
from volition.drama.evening.world import begin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from volition.drama.world.model import Scenario


ALL_STEPS: Final = 2**31
"""More ticks than any evening has."""

_ROOM: Final = (HAPPENINGS, BREAKDOWNS, HUNDREDTHS)
_NOTHING_ADDED: Final = np.zeros((0, 0, 0))


class Measured(NamedTuple):
    """What is measured of some evenings, packed: one of each for every evening."""

    measures: NDArray[Any]
    looks: NDArray[Any]
    spreads: NDArray[Any]


class InterpretedPlayer:
    """Plays evenings as plain Python, of any scenario."""

    def __init__(
        self, scenario: Scenario, *, logged: bool = True, brief: bool = False, laws: Sequence[BoundedLaw] = ()
    ) -> None:
        self.scenario, self.sizes, self.tables = scenario, sizes_of(scenario), build_tables(scenario)
        self.start = begin(scenario).state()
        self.log = new_log(self.sizes, on=logged, brief=brief)
        self.seen, self.sheet = new_plain(Perceived, self.sizes), new_plain(ScoreSheet, self.sizes)
        self.sheet.custom, self._add_terms = int(len(laws) > 0), plain_terms(laws)
        self.evening = self.start
        self.room = {**self.sizes, **{part: LIMITS[SMALL][part] for part in _ROOM}}
        self.state_type = packed_type(EveningState, self.sizes)

    def play(self, seed: int, ticks: int, *, measured: bool) -> tuple[int, int]:
        """Play the whole evening of a seed; why it stopped, and how it ended.

        What is `measured` is in `measures`, `looks` and `spreads` afterwards. An evening that has no room in them is played again
        with twice the room, until it has.
        """
        while True:
            stop, ending = self.play_once(seed, ticks, measured=measured)
            if not measured or self.measures.overflow == 0:
                return stop, ending
            self.make_room({part: 2 * self.room[part] for part in _ROOM})

    def play_once(self, seed: int, ticks: int, *, measured: bool) -> tuple[int, int]:
        """Play the whole evening of a seed in the room that there is."""
        self.evening, stops, endings = copy_plain(self.start, EveningState), [0], [0]
        self.evening.seed = seed & MASK_64
        taken = ([self.moments], [self.measures], [self.looks], [self.spreads]) if measured else ([], [], [], [])
        self.sheet.looked_at, self.sheet.beyond = int(measured), 0
        play_evenings(
            [self.evening], [self.tables], [self.log], [self.seen], [self.sheet], *taken, [],
            self._add_terms, ticks, ALL_STEPS, True, stops, endings,
        )  # fmt: skip
        check_bounds(self.sheet.beyond)
        return stops[0], endings[0]

    def decide(
        self,
        states: NDArray[Any],
        added: NDArray[np.float64] | None,
        seeds: NDArray[np.uint64],
        acts: NDArray[np.int64],
        totals: NDArray[np.float64],
        *,
        noisy: bool = True,
    ) -> None:
        """Write what everybody would choose in packed states, as `deciding.decide_everything` does."""
        tables = self.tables
        if not noisy:
            tables = copy(tables)
            tables.rules = tables.rules._replace(noise=tables.rules.noise._replace(sigma=0.0))
        for number, state in enumerate(states):
            evening = read_packed(state, EveningState, self.sizes)
            table = [] if added is None else added[number : number + 1].tolist()
            chosen: Any = acts[number : number + 1]
            best: Any = totals[number : number + 1]
            decide_everything(
                [evening],
                [tables],
                [self.seen],
                [self.sheet],
                table,
                self._add_terms,
                [int(seeds[number])],
                chosen,
                best,
            )

    def make_room(self, room: Sizes) -> None:
        """Make room for this many happenings, breakdowns and hundredths of an evening."""
        self.room = {**self.sizes, **room}
        for name in ("moments", "measures", "looks", "spreads"):
            vars(self).pop(name, None)

    @cached_property
    def moments(self) -> EveningMoments:
        """The memory of an evening that is measured."""
        moments = new_plain(EveningMoments, self.room)
        moments.most = self.room[HAPPENINGS]
        return moments

    @cached_property
    def measures(self) -> EveningMeasures:
        """The measures of an evening."""
        measures = new_plain(EveningMeasures, self.room)
        measures.most_breakdowns = self.room[BREAKDOWNS]
        return measures

    @cached_property
    def looks(self) -> EveningLooks:
        """What is measured of choices."""
        return new_plain(EveningLooks, self.room)

    @cached_property
    def spreads(self) -> EveningSpreads:
        """How what is measured of choices is spread."""
        spreads = new_plain(EveningSpreads, self.room)
        spreads.hundredths = self.room[HUNDREDTHS]
        return spreads


class CompiledPlayer:
    """Plays evenings through the compiled loop; InvalidInput says where a scenario has no room in packed records."""

    def __init__(self, scenario: Scenario, *, laws: Sequence[BoundedLaw] = ()) -> None:
        from volition.drama.evening import compiled, compiled_terms  # noqa: PLC0415 - they need Numba when called

        self.scenario, self.sizes, self.tables = scenario, sizes_of(scenario), build_tables(scenario)
        self.size = check_size(scenario)
        self.limits, self._types = LIMITS[self.size], compiled.PACKED[self.size]
        self._loop, self._decide, self._sum_up = (
            compiled.compiled_loop(self.size, entry) for entry in (play_evenings, decide_everything, sum_up)
        )
        self._custom, self._add_terms = len(laws) > 0, compiled_terms.compiled_terms(self.size, tuple(laws))
        self.packed_tables = np.zeros(1, self._types.tables)
        write_packed(self.packed_tables[0], self.tables, ScenarioTables, self.sizes)
        self.state_type = self._types.state
        self.start = np.zeros(1, self.state_type)
        write_packed(self.start[0], begin(scenario).state(), EveningState, self.sizes)

    def new_measures(self, count: int) -> Measured:
        """Room for what is measured of this many evenings."""
        types = self._types
        measured = Measured(
            np.zeros(count, types.measures), np.zeros(count, types.looks), np.zeros(count, types.spreads)
        )
        measured.measures["most_breakdowns"] = self.limits[BREAKDOWNS]
        measured.spreads["hundredths"] = self.limits[HUNDREDTHS]
        return measured

    def new_log(self, *, logged: bool, brief: bool = False) -> NDArray[Any]:
        """A packed log; what it has no room for is told by its `overflow`."""
        logs = np.zeros(1, self._types.log)
        logs["on"], logs["brief"] = logged, brief
        for part, rows in (("most_events", EVENTS), ("most_deltas", DELTAS), ("most_strains", STRAINS)):
            logs[part] = self.limits[rows]
        return logs

    def open_evenings(self, seeds: NDArray[np.uint64]) -> NDArray[Any]:
        """A packed state for each seed, as the scenario sets it."""
        evenings = np.repeat(self.start, len(seeds))
        evenings["seed"] = seeds
        return evenings

    def play(
        self,
        evenings: NDArray[Any],
        logs: NDArray[Any],
        ticks: int,
        steps: int,
        opens: bool,
        stops: NDArray[np.int64],
        endings: NDArray[np.int64],
        measured: Measured | None = None,
        moments: NDArray[Any] | None = None,
        added: NDArray[np.float64] | None = None,
    ) -> None:
        """Let evenings pass, as `many.play_evenings` does; any number of threads may do so at once.

        What is `measured` is filled in where it is given; `moments` must be given too where evenings are measured tick
        by tick.
        """
        seen, sheets = np.zeros(1, self._types.perceived), self.new_sheet()
        sheets["looked_at"] = measured is not None
        memory = self.new_moments(int(measured is not None)) if moments is None else moments
        table = _NOTHING_ADDED if added is None else added
        self._loop(
            evenings, self.packed_tables, logs, seen, sheets, memory, *(measured or self.new_measures(0)), table,
            self._add_terms, ticks, steps, opens, stops, endings,
        )  # fmt: skip
        check_bounds(int(sheets["beyond"][0]))

    def sum_up(self, evenings: NDArray[Any], checksums: NDArray[np.uint64]) -> None:
        """Write the checksum of each evening, in any thread."""
        self._sum_up(evenings, self.packed_tables, checksums)

    def decide(
        self,
        states: NDArray[Any],
        added: NDArray[np.float64] | None,
        seeds: NDArray[np.uint64],
        acts: NDArray[np.int64],
        totals: NDArray[np.float64],
        *,
        noisy: bool = True,
    ) -> None:
        """Write what everybody would choose in packed states, as `deciding.decide_everything` does, in any thread."""
        seen, sheets, packed_tables = np.zeros(1, self._types.perceived), self.new_sheet(), self.packed_tables
        if not noisy:
            packed_tables = packed_tables.copy()
            packed_tables["rules"]["noise"]["sigma"] = 0.0
        table = _NOTHING_ADDED if added is None else added
        self._decide(states, packed_tables, seen, sheets, table, self._add_terms, seeds, acts, totals)

    def new_sheet(self) -> NDArray[Any]:
        """A packed score sheet on which nothing is itemised."""
        sheets = np.zeros(1, self._types.sheet)
        sheets["custom"] = self._custom
        return sheets

    def new_moments(self, count: int) -> NDArray[Any]:
        """Packed memories of moments."""
        moments = np.zeros(count, self._types.moments)
        moments["most"] = self.limits[HAPPENINGS]
        return moments


def check_size(scenario: Scenario) -> str:
    """The size of packed records for a scenario; one that fits in none is refused with everything that is too much."""
    problems, sizes = Problems(), sizes_of(scenario)
    for part, count, most in too_large(sizes):
        problems.add(
            f"{count} are too many for compiled evenings",
            where=_WHERE.get(part, part),
            expected=f"at most {most} in packed records",
            remedy="make it smaller, or play it interpreted, which has no such limit",
        )
    problems.raise_if_any(InvalidInput)
    return size_for(sizes) or LARGE


_WHERE: Final = {
    "needs": "evening.needs",
    "recent": "rules.departures.recency_ticks",
    "moves": "rules.memory.move",
    "due": "minutes of evening.events that serve",
}


def fits(scenario: Scenario) -> bool:
    """Whether the evenings of a scenario can be compiled here."""
    return can_compile() and size_for(sizes_of(scenario)) is not None
