"""Many decisions at once: the kernel of a scenario packs worlds, decides, and maps slots to acts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from volition.core.errors import format_value, refuse
from volition.drama.company.kernel import engine
from volition.drama.company.kernel.layout import LOOK, NOTHING, RECORD, SLOTS, UNKNOWN
from volition.drama.company.kernel.model import model_of
from volition.drama.company.kernel.names import slots_of
from volition.drama.company.kernel.packing import Packer
from volition.drama.mind.perception import perceive
from volition.drama.rules.leaf import LARGEST_TERM
from volition.drama.rules.pacing import priority_class
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable

    from numpy.typing import ArrayLike, NDArray

    from volition.drama.world.model import Action, Scenario, WorldState

    Term = Callable[[NDArray[Any]], NDArray[np.float64]]
    Seeds = int | ArrayLike | None


class Kernel:
    """Decides for many people of a scenario at once: the same choices as `Mind`, to the last bit."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.model = model_of(scenario)
        self.slots = slots_of(scenario)
        self.people, self.rooms = list(scenario.people), list(scenario.rooms)
        self.packer = Packer(scenario)

    def pack(self, worlds: Iterable[WorldState]) -> NDArray[Any]:
        """One record per person and world, world by world, in the order of the scenario's people."""
        return self.packer.pack(worlds)

    def decide(
        self,
        records: NDArray[Any],
        seed: Seeds,
        tick: int | ArrayLike,
        *,
        term: Term | None = None,
        threads: int | None = None,
        looks: NDArray[Any] | None = None,
    ) -> tuple[NDArray[np.int16], NDArray[np.float64]]:
        """The slot and the total of each choice; see `decide_many`. `looks`, a LOOK for each decider, are filled in."""
        _check(records, threads)
        records = engine.contiguous(records, RECORD)
        sigma = 0.0 if seed is None else self.packer.tables.noise.sigma
        seeds = _broadcast("seed", 0 if seed is None else seed, len(records))
        ticks = _broadcast("tick", tick, len(records))
        added = None if term is None else check_table(term(records), len(records))
        chosen, totals = engine.run(self.model, records, seeds, ticks, sigma, added, threads, looks)
        if len(chosen) and chosen.min() == UNKNOWN:
            self._refuse(records, int(np.argmin(chosen)))
        return chosen, totals

    def action(self, record: Any, slot: int, total: float | None = None) -> Action | None:
        """The act of a slot, with score and class if its total is given; None for somebody who has left."""
        if slot == NOTHING:
            return None
        present = tuple([id for place, id in enumerate(self.people) if int(record["present"]) >> place & 1])
        found = self.slots[int(slot)].act(self.people[record["person"]], self.rooms[record["room"]], present)
        if total is None:
            return found
        pacing = self.packer.tables.pacing
        urgency = priority_class(found.action_type, found.is_dramatic, float(record["stress"]), pacing)
        return found._replace(utility_score=float(total), priority_class=urgency)

    def proposals(
        self, world: WorldState, seed: int | None, absent: Container[str] = (), *, term: Term | None = None
    ) -> list[Action]:
        """What everybody in a world, except the absent, does now, with score and class for the stage."""
        return self._propose(world, seed, absent, term, look=False)[0]

    def propose_and_look(
        self, world: WorldState, seed: int | None, absent: Container[str] = (), *, term: Term | None = None
    ) -> tuple[list[Action], NDArray[Any]]:
        """The same, with a LOOK at each of these decisions."""
        return self._propose(world, seed, absent, term, look=True)

    def _propose(
        self, world: WorldState, seed: int | None, absent: Container[str], term: Term | None, *, look: bool
    ) -> tuple[list[Action], NDArray[Any]]:
        here = [me for me in world.agents.values() if me.location != DEPARTED and me.id not in absent]
        tables = self.packer.tables
        records = self.packer.records(((me, perceive(world, me.id, tables)) for me in here), len(here))
        looks = np.empty(len(here) if look else 0, dtype=LOOK)
        chosen, totals = self.decide(records, seed, world.tick, term=term, threads=1, looks=looks)
        found = map(self.action, records, chosen.tolist(), totals.tolist())
        return [action for action in found if action is not None], looks

    def _refuse(self, records: NDArray[Any], number: int) -> None:
        person, room = int(records["person"][number]), int(records["room"][number])
        refuse(
            f"person {person} in room {room} is not in the scenario {self.scenario.id!r}",
            where=f"records[{number}]",
            expected=f"a person below {len(self.people)} in a room below {len(self.rooms)}",
            remedy="decide for records with the scenario that they were packed for",
        )


def decide_many(
    scenario: Scenario | Kernel,
    records: NDArray[Any],
    seed: Seeds,
    tick: int | ArrayLike,
    *,
    term: Term | None = None,
    threads: int | None = None,
) -> tuple[NDArray[np.int16], NDArray[np.float64]]:
    """Decide for many: the slot and the total of what `Mind.choose` would choose for each, bit for bit.

    Args:
        scenario: the scenario of the records, or its kernel if it is used more than once.
        records: what `pack` made; any selection, in any order.
        seed: of the noise, one for all or one for each record; None for no noise.
        tick: of the noise, one for all or one for each record.
        term: a custom term of the score: it gets the records and returns an array of (records, SLOTS), whose values
            are rounded to the grain of scores and added before the noise.
        threads: the number of threads, which affects only the time.

    The slot is -1, and its total NaN, for somebody who has left.
    """
    return _kernel(scenario).decide(records, seed, tick, term=term, threads=threads)


def pack(worlds: Iterable[WorldState]) -> NDArray[Any]:
    """The records of everybody in some worlds of one scenario."""
    every = list(worlds)
    return _kernel(every[0].scenario).pack(every) if every else np.empty(0, dtype=RECORD)


def action_of(scenario: Scenario | Kernel, record: Any, slot: int, total: float | None = None) -> Action | None:
    """The act of a slot, for the person of a record."""
    return _kernel(scenario).action(record, slot, total)


_KEPT: list[Kernel] = []
_MOST_KEPT = 8


def _kernel(scenario: Scenario | Kernel) -> Kernel:
    """The kernel of a scenario; those of the last few scenarios are cached, by identity and not by name."""
    if isinstance(scenario, Kernel):
        return scenario
    for kernel in _KEPT:
        if kernel.scenario is scenario:
            return kernel
    kernel = Kernel(scenario)
    _KEPT.insert(0, kernel)
    del _KEPT[_MOST_KEPT:]
    return kernel


def _check(records: Any, threads: Any) -> None:
    if not (isinstance(records, np.ndarray) and records.dtype == RECORD and records.ndim == 1):
        refuse(
            f"the records are {format_value(records)}",
            where="records",
            expected="an array of one dimension with the dtype RECORD",
            remedy="make them with `pack`",
        )
    if threads is not None and threads < 1:
        refuse(
            f"this is {format_value(threads)}",
            where="threads",
            expected="at least 1, or None for a suitable number",
            remedy="leave it out",
        )


def _broadcast(what: str, numbers: Any, count: int) -> Any:
    lanes = engine.lanes(numbers)
    if len(lanes) not in (1, count):
        refuse(
            f"there are {len(lanes)} of them",
            where=what,
            expected=f"one for all, or one for each of {count} records",
            remedy="give one number, or as many as there are records",
        )
    return lanes


def check_table(
    added: Any,
    count: int,
    most: float = LARGEST_TERM,
    *,
    where: str = "term",
    remedy: str = "scale the term down; a veto is not a number",
) -> NDArray[np.float64]:
    """The array of a term: one number per record and slot, none beyond `most`; anything else is refused."""
    table = engine.contiguous(added, np.float64)
    if table.shape != (count, SLOTS):
        refuse(
            f"the term returns an array of the shape {table.shape}",
            where=where,
            expected=f"({count}, {SLOTS}): a number for each record and slot",
            remedy="start from np.zeros((len(records), SLOTS))",
        )
    wrong = np.argwhere(~(np.abs(table) <= most))
    if len(wrong):
        row, slot = wrong[0]
        refuse(
            f"the term says {table[row, slot]} of slot {slot}",
            where=f"{where}, record {row}",
            expected=f"a number within {most:g} of 0",
            remedy=remedy,
        )
    return table
