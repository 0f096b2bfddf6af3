"""Many decisions at once: what everybody in many states would choose, by the laws that evenings are played by."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from volition.core.chance import MASK_64
from volition.core.compiling import can_compile, warn_slow
from volition.core.errors import format_value, refuse
from volition.drama.evening.names import names_of
from volition.drama.evening.players import CompiledPlayer, InterpretedPlayer, check_size
from volition.drama.evening.record import DEPARTED, NONE, write_packed
from volition.drama.evening.state import EveningState
from volition.drama.rules.leaf import LARGEST_TERM
from volition.drama.rules.pacing import priority_class
from volition.drama.rules.tables import tables_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import ArrayLike, NDArray

    from volition.drama.evening.world import WorldState
    from volition.drama.world.model import Action, Scenario

    Term = Callable[[NDArray[Any]], NDArray[np.float64]]
    Seeds = int | ArrayLike | None

NOTHING: Final = NONE
"""In place of an act, for a person who has left."""
WORTH_A_THREAD: Final = 1_000
"""With fewer states than this, starting a thread takes longer than deciding in them."""


class BatchDecider:
    """Decides for everybody in many states of a scenario: the same choices as `Mind`, to the last bit.

    Raises InvalidInput if the scenario is too large for packed records.
    """

    def __init__(self, scenario: Scenario) -> None:
        check_size(scenario)
        self.scenario, self.names, self.pacing = scenario, names_of(scenario), tables_of(scenario.rules).pacing
        self.people, self.acts = self.names.people, self.names.acts
        self.number = self.names.act
        self._compiled = can_compile()
        if not self._compiled:
            _warn_once()
        self.player: Any = CompiledPlayer(scenario) if self._compiled else InterpretedPlayer(scenario)

    def pack(self, worlds: Iterable[WorldState]) -> NDArray[Any]:
        """One packed state for each world."""
        every = list(worlds)
        states = np.zeros(len(every), self.player.state_type)
        for number, world in enumerate(every):
            self._check_world(world, number)
            write_packed(states[number], world.state(), EveningState, self.player.sizes)
        return states

    def decide(
        self, states: NDArray[Any], seed: Seeds, *, term: Term | None = None, threads: int | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Decide for everybody in many states: the act and the total of what `Mind` would choose for each, bit for bit.

        Args:
            states: what `pack` or `play_many` made; any selection, in any order.
            seed: of the noise, one for all or one for each state; None for no noise.
            term: a custom term of the score: it gets the states and returns an array of (states, people, acts), whose
                values are rounded to the grain of scores and added before the noise.
            threads: the number of threads, which affects only the time.

        Both arrays have a row for each state and a column for each person. The act is -1, and its total NaN, for
        a person who has left.
        """
        self._check(states, threads)
        count, people = len(states), len(self.people)
        packed = np.require(states, requirements=["C", "A", "W"])  # as the laws were compiled for; they write nothing
        seeds = np.array(np.broadcast_to(_seeds(seed, count), count))  # a view of one seed would be read-only
        acts, totals = np.empty((count, people), np.int64), np.full((count, people), np.nan)
        added = None if term is None else check_table(term(states), (count, people, len(self.acts)), self.acts)
        hands = threads or min(os.cpu_count() or 1, 1 + count // WORTH_A_THREAD)
        edges = [count * share // hands for share in range(hands + 1)]

        def work(share: int) -> None:
            part = slice(edges[share], edges[share + 1])
            table = None if added is None else added[part]
            self.player.decide(packed[part], table, seeds[part], acts[part], totals[part], noisy=seed is not None)

        if hands == 1 or not self._compiled:
            for share in range(hands):
                work(share)
        else:
            for _ in _pool().map(work, range(hands)):
                pass
        return acts, totals

    def action(self, state: Any, who: int, act: int, total: float | None = None) -> Action | None:
        """The act of a person, with score and class if its total is given; None for a person who has left."""
        if act == NOTHING:
            return None
        names, here = self.names, int(state["room"][who])
        present = sum(1 << other for other in range(len(names.people)) if other != who and state["room"][other] == here)
        (action,) = names.actions([int(act)], names.people[who], names.rooms[here], present)
        if total is None:
            return action
        urgency = priority_class(action.action_type, action.is_dramatic, float(state["stress"][who]), self.pacing)
        return action._replace(utility_score=float(total), priority_class=urgency)

    def _check_world(self, world: WorldState, number: int) -> None:
        if (world.names.people, world.names.secrets) != (self.people, self.names.secrets):
            refuse(
                f"its people or secrets are not those of {self.scenario.id!r}, in the same order",
                where=f"worlds[{number}]",
                expected=f"the people {', '.join(self.people)}; the order decides ties",
                remedy="pack worlds of one scenario, as `begin` makes them",
            )

    def _check(self, states: Any, threads: Any) -> None:
        kind = self.player.state_type
        if not (isinstance(states, np.ndarray) and states.dtype == kind and states.ndim == 1):
            refuse(
                f"the states are {format_value(states)}",
                where="states",
                expected="an array of one dimension, as `pack` makes it",
                remedy="make them with `pack`",
            )
        if threads is not None and threads < 1:
            refuse(
                f"this is {format_value(threads)}",
                where="threads",
                expected="at least 1, or None for a suitable number",
                remedy="leave it out",
            )
        rooms = states["room"][:, : len(self.people)]
        wrong = np.argwhere((rooms >= len(self.names.rooms)) | ((rooms < 0) & (rooms != DEPARTED)))
        if len(wrong):
            number, who = wrong[0]
            refuse(
                f"{self.people[who]} is in room {rooms[number, who]}",
                where=f"states[{number}]",
                expected=f"a room below {len(self.names.rooms)}, or {DEPARTED} for somebody who has left",
                remedy="decide in states of the scenario that they were packed for",
            )


def check_table(
    added: Any,
    shape: tuple[int, int, int],
    acts: list[str],
    most: float = LARGEST_TERM,
    *,
    where: str = "term",
    remedy: str = "scale the term down; a veto is not a number",
) -> NDArray[np.float64]:
    """The array of a term: one number per state, person and act, none beyond `most`; anything else is refused."""
    table = np.require(added, np.float64, ["C", "A"])
    if table.shape != shape:
        refuse(
            f"the term returns an array of the shape {table.shape}",
            where=where,
            expected=f"{shape}: a number for each state, person and act",
            remedy="start from np.zeros((len(states), people, acts))",
        )
    wrong = np.argwhere(~(np.abs(table) <= most))
    if len(wrong):
        number, who, act = wrong[0]
        refuse(
            f"the term says {table[number, who, act]} of {acts[act]}",
            where=f"{where}, state {number}, person {who}",
            expected=f"a number within {most:g} of 0",
            remedy=remedy,
        )
    return table


def _seeds(seed: Seeds, count: int) -> NDArray[np.uint64]:
    """Seeds modulo 2^64, one for each state or one for all."""
    if isinstance(seed, np.ndarray) and seed.dtype.kind in "iu":
        seeds = seed.astype(np.uint64)
    else:
        numbers = np.ravel(np.asarray(0 if seed is None else seed, dtype=object))
        seeds = np.array([int(number) & MASK_64 for number in numbers], np.uint64)
    if seeds.size not in (1, count):
        refuse(
            f"there are {seeds.size} of them",
            where="seed",
            expected=f"one for all, or one for each of {count} states",
            remedy="give one number, or as many as there are states",
        )
    return seeds


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=max(2, os.cpu_count() or 1), thread_name_prefix="volition-batch")


@cache
def _warn_once() -> None:
    warn_slow("deciding for many")
