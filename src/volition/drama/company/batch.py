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
from volition.drama.evening.players import CompiledPlayer, InterpretedPlayer, check_size
from volition.drama.evening.record import DEPARTED, NONE, write_packed
from volition.drama.evening.state import EveningState
from volition.drama.evening.views import ScenarioNames, state_of
from volition.drama.rules.leaf import LARGEST_TERM
from volition.drama.rules.pacing import priority_class
from volition.drama.rules.tables import tables_of
from volition.drama.world.model import Action

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import ArrayLike, NDArray

    from volition.drama.world.model import Scenario, WorldState

    Term = Callable[[NDArray[Any]], NDArray[np.float64]]
    Seeds = int | ArrayLike | None

NOTHING: Final = NONE
"""In place of an act, for somebody who has left."""
WORTH_A_THREAD: Final = 1_000
"""With fewer states than this, starting a thread takes longer than deciding in them."""

CHAT_TO_ALL: Final = "chat:all"


class Company:
    """Decides for everybody in many states of a scenario: the same choices as `Mind`, to the last bit.

    Raises InvalidInput if the scenario is too large for packed records.
    """

    def __init__(self, scenario: Scenario) -> None:
        check_size(scenario)
        self.scenario, self.names, self.pacing = scenario, ScenarioNames(scenario), tables_of(scenario.rules).pacing
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
            write_packed(states[number], state_of(world), EveningState, self.player.sizes)
        return states

    def decide(
        self, states: NDArray[Any], seed: Seeds, *, term: Term | None = None, threads: int | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The act and the total of each choice; see `decide_many`."""
        self._check(states, threads)
        count, people = len(states), len(self.people)
        given = np.require(states, requirements=["C", "A", "W"])  # as the laws were compiled for; they write nothing
        seeds = np.array(np.broadcast_to(_seeds(seed, count), count))  # a view of one seed would be read-only
        acts, totals = np.empty((count, people), np.int64), np.full((count, people), np.nan)
        added = None if term is None else check_table(term(states), (count, people, len(self.acts)), self.acts)
        hands = threads or min(os.cpu_count() or 1, 1 + count // WORTH_A_THREAD)
        edges = [count * share // hands for share in range(hands + 1)]

        def work(share: int) -> None:
            part = slice(edges[share], edges[share + 1])
            table = None if added is None else added[part]
            self.player.decide(given[part], table, seeds[part], acts[part], totals[part], noisy=seed is not None)

        if hands == 1 or not self._compiled:
            for share in range(hands):
                work(share)
        else:
            for _ in _pool().map(work, range(hands)):
                pass
        return acts, totals

    def action(self, state: Any, who: int, act: int, total: float | None = None) -> Action | None:
        """The act of a person, with score and class if its total is given; None for somebody who has left."""
        if act == NOTHING:
            return None
        names, here, found = self.names, int(state["room"][who]), self.names.numbered[int(act)]
        if found.id == CHAT_TO_ALL:
            rooms = state["room"][: len(names.people)].tolist()
            targets = tuple(id for place, id in enumerate(names.people) if place != who and rooms[place] == here)
        else:
            targets = () if found.target == NONE else (names.people[found.target],)
        action = Action(
            found.id,
            names.people[who],
            found.kind,
            targets,
            names.rooms[here],
            found.dramatic,
            None if found.focus == NONE else names.people[found.focus],
            None if found.destination == NONE else names.rooms[found.destination],
            None if found.secret == NONE else names.secrets[found.secret],
            found.manner,
        )
        if total is None:
            return action
        urgency = priority_class(found.kind, found.dramatic, float(state["stress"][who]), self.pacing)
        return action._replace(utility_score=float(total), priority_class=urgency)

    def _check_world(self, world: WorldState, number: int) -> None:
        order = list(world.agents)
        if order != self.people or any(list(me.beliefs) != self.names.secrets for me in world.agents.values()):
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


def decide_many(
    scenario: Scenario | Company,
    states: NDArray[Any],
    seed: Seeds,
    *,
    term: Term | None = None,
    threads: int | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Decide for everybody in many states: the act and the total of what `Mind` would choose for each, bit for bit.

    Args:
        scenario: the scenario of the states, or its company if it is used more than once.
        states: what `pack` or `play_many` made; any selection, in any order.
        seed: of the noise, one for all or one for each state; None for no noise.
        term: a custom term of the score: it gets the states and returns an array of (states, people, acts), whose
            values are rounded to the grain of scores and added before the noise.
        threads: the number of threads, which affects only the time.

    Both arrays have a row for each state and a column for each person. The act is -1, and its total NaN, for somebody
    who has left.
    """
    return _company(scenario).decide(states, seed, term=term, threads=threads)


def pack(worlds: Iterable[WorldState]) -> NDArray[Any]:
    """The packed states of some worlds of one scenario, of which there is at least one."""
    every = list(worlds)
    return _company(every[0].scenario).pack(every)


def action_of(
    scenario: Scenario | Company, state: Any, who: int, act: int, total: float | None = None
) -> Action | None:
    """The act of a person in a state, by its number."""
    return _company(scenario).action(state, who, act, total)


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


_KEPT: list[Company] = []
_MOST_KEPT = 8


def _company(scenario: Scenario | Company) -> Company:
    """The company of a scenario; those of the last few scenarios are cached, by identity and not by name."""
    if isinstance(scenario, Company):
        return scenario
    for company in _KEPT:
        if company.scenario is scenario:
            return company
    _KEPT.insert(0, Company(scenario))
    del _KEPT[_MOST_KEPT:]
    return _KEPT[0]


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
    return ThreadPoolExecutor(max_workers=max(2, os.cpu_count() or 1), thread_name_prefix="volition-company")


@cache
def _warn_once() -> None:
    warn_slow("deciding for many")
