"""The plan of an ensemble: a scenario, seeds, and the settings that are swept. Each row of it is one evening.

Points are the combinations of settings: every combination of the grid, each with every draw. Rows go point by point, and
through all seeds of each point, so the number of a row determines its evening.
"""

from __future__ import annotations

import inspect
from collections import Counter
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from hashlib import sha256
from itertools import product
from typing import TYPE_CHECKING, Any, Final, Self

from msgspec import Struct
from msgspec.structs import asdict

from volition.arbitration.intent import Function
from volition.core.canonical import MAX_INTEGER, digest
from volition.core.errors import InvalidInput, Problem, Problems, VolitionError, refuse
from volition.drama.ensemble.axes import Names, Value, draw_value
from volition.drama.ensemble.terms import Forms
from volition.drama.evening.measure import MEASURES_VERSION
from volition.drama.evening.terms import LawForm
from volition.drama.mind.custom import Constraints, CustomMind, Playing, Terms, gather, split
from volition.drama.mind.outside import OutsideMinds
from volition.drama.stage.record import RULES_VERSION
from volition.drama.world.scenario import scenario_from_data, scenario_to_data
from volition.drama.world.settings import Setting, apply_settings
from volition.drama.world.wording import without_phrases, without_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from volition.arbitration import Intention
    from volition.drama.world.model import Scenario

MOST: Final = 10_000_000
"""The largest number of evenings in a plan."""
MOST_POINTS: Final = 100_000
KEPT: Final = 100
"""The number of points whose scenarios are kept: to check, to hash and to play a point, each needs its scenario."""

Point = tuple[tuple[str, Value], ...]
"""The settings of some evenings, by name."""


class PlannedEvening(Struct, frozen=True):
    """One evening of a plan: its row, its point and its seed."""

    row: int
    point: int
    seed: int


@dataclass(frozen=True)
class EnsemblePlan:
    """What to play. `EnsemblePlan.of` makes and checks one; equal plans have equal hashes."""

    scenario: Scenario
    seeds: tuple[int, ...]
    grid: tuple[tuple[str, tuple[Value, ...]], ...] = ()
    spans: tuple[tuple[str, tuple[float, float]], ...] = ()
    draws: int = 1
    draw_seed: int = 1
    terms: tuple[Intention, ...] = field(default=(), compare=False)
    until: tuple[str, float] | None = None

    @classmethod
    def of(
        cls,
        scenario: Scenario,
        seeds: Iterable[int],
        *,
        grid: Mapping[str, Iterable[object]] | None = None,
        random: Mapping[str, tuple[object, object]] | None = None,
        draws: int | None = None,
        draw_seed: int = 1,
        terms: Terms = (),
        minds: Mapping[str, CustomMind] | None = None,
        constraints: Constraints = (),
        outside: OutsideMinds | None = None,
        until: tuple[str, float] | None = None,
    ) -> Self:
        """A plan that can be played; InvalidInput lists everything that is wrong with its settings.

        `grid` maps settings to lists of values; `random` maps settings to a low and a high bound, between which each of
        the `draws` draws a number. `terms` are custom intentions, which take part in decisions beside the scenario's,
        and so are `constraints`; `minds` choose for some people, and minds from `outside` take part, whose budget is for
        each evening. All are those of `play`.
        `until` names a column and a width: seeds are played in order until the 95 % interval of the column is at most
        this wide at every point, and the rest of them is not played.
        """
        names, problems = Names(scenario), Problems()
        cells: dict[str, tuple[Value, ...]] = {}
        spans: dict[str, tuple[float, float]] = {}
        for name, values in (grid or {}).items():
            try:
                path = names.check_name(name)
                cells[path] = tuple(dict.fromkeys(names.value(path, value) for value in values))
            except InvalidInput as error:
                problems.include(error)
        for name, (low, high) in (random or {}).items():
            try:
                path = names.check_name(name)
                spans[path] = names.span(path, low, high)
            except InvalidInput as error:
                problems.include(error)
        _check_axes(cells, spans, problems)
        _check_draws(draws, len(random or {}), problems)
        wanted = tuple(sorted(set(seeds)))
        _check_seeds(wanted, draw_seed, problems)
        problems.raise_if_any(InvalidInput)
        axes = tuple(sorted(cells.items())), tuple(sorted(spans.items()))
        plan = cls(scenario, wanted, *axes, draws or 1, draw_seed, gather(minds, terms, constraints, outside), until)
        plan.check()
        return plan

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """Every combination of settings; a plan that sweeps nothing has one empty point."""
        cells = [[(name, value) for value in values] for name, values in self.grid]
        draws = [
            tuple((name, draw_value(span, name, draw, self.draw_seed)) for name, span in self.spans)
            for draw in range(self.draws)
        ]
        return tuple((*cell, *draw) for cell in product(*cells) for draw in draws)

    @property
    def names(self) -> tuple[str, ...]:
        """The settings that are swept, in the order of a point."""
        return tuple(name for name, _ in (*self.grid, *self.spans))

    @cached_property
    def varied(self) -> tuple[str, ...]:
        """The swept settings that take more than one value."""
        taken = Counter(name for name, _ in {setting for point in self.points for setting in point})
        return tuple(name for name in self.names if taken[name] > 1)

    @property
    def size(self) -> int:
        """The number of evenings."""
        return len(self.points) * len(self.seeds)

    def evening(self, row: int) -> PlannedEvening:
        """The evening of a row."""
        point, place = divmod(row, len(self.seeds))
        return PlannedEvening(row, point, self.seeds[place])

    def scenario_at(self, point: int) -> Scenario:
        """The scenario with the settings of a point."""
        if not self.names:
            return self.scenario
        if (scenario := self._kept.get(point)) is not None:
            return scenario
        settings = [Setting(name, None, value) for name, value in self.points[point]]
        scenario = apply_settings(self.scenario, settings)
        return self._kept.setdefault(point, scenario) if len(self._kept) < KEPT else scenario

    @cached_property
    def _kept(self) -> dict[int, Scenario]:
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """Another process gets what determines the plan, and makes what follows from it again."""
        return {part.name: getattr(self, part.name) for part in fields(self)}

    def without_phrases(self) -> Self:
        """The same evenings, of a scenario without phrases: nothing that is played depends on them."""
        return replace(self, scenario=without_phrases(self.scenario))

    @cached_property
    def hashes(self) -> tuple[str, ...]:
        """The hash of the scenario of every point."""
        return tuple(self.scenario_at(point).hash for point in range(len(self.points)))

    @cached_property
    def hash(self) -> str:
        """A hash of everything that determines what is played."""
        return digest(leave_words_out(self.to_data()))

    def to_data(self) -> dict[str, Any]:
        """The plan as JSON-compatible data; terms are only named, because a function cannot be stored."""
        data = {
            "scenario": scenario_to_data(self.scenario),
            "scenario_hash": self.scenario.hash,
            "rules": RULES_VERSION,
            "seeds": [list(span) for span in _spans(self.seeds)],
            "grid": {name: list(values) for name, values in self.grid},
            "random": {name: list(span) for name, span in self.spans},
            "draws": self.draws,
            "draw_seed": self.draw_seed,
            "terms": [_term_to_data(term) for term in self.terms],
        }
        if self.until is not None:
            data["until"] = list(self.until)
        return {**data, "measures": MEASURES_VERSION}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], terms: Sequence[Intention] = ()) -> Self:
        """The plan that `to_data` wrote. Terms are not in the data and have to be given again."""
        return cls(
            scenario_from_data(data["scenario"]),
            tuple(seed for first, last in data["seeds"] for seed in range(first, last + 1)),
            tuple((name, tuple(values)) for name, values in data["grid"].items()),
            tuple((name, (low, high)) for name, (low, high) in data["random"].items()),
            data["draws"],
            data["draw_seed"],
            tuple(terms),
            (data["until"][0], data["until"][1]) if "until" in data else None,
        )

    def check(self) -> None:
        """Refuse a plan that is too large, that has a point that cannot be played, or that plays people whom it has not."""
        split(self.terms, self.scenario.people)
        counts = len(self.seeds) * self.draws
        for _, values in self.grid:
            counts *= len(values)
        if counts > MOST or counts > MOST_POINTS * len(self.seeds):
            refuse(
                f"the plan has {counts} evenings, {counts // max(1, len(self.seeds))} for each seed",
                where="the plan",
                expected=f"at most {MOST} evenings, and {MOST_POINTS} combinations of settings",
                remedy="use fewer seeds, values or draws",
            )
        for point, settings in enumerate(self.points if self.names else ()):
            try:
                self.scenario_at(point)
            except VolitionError as error:
                shown = ", ".join(f"{name}={value}" for name, value in settings)
                problems = (
                    Problem(problem.what, f"{problem.where}, with {shown}", problem.expected, problem.remedy)
                    for problem in error.problems
                )
                raise InvalidInput(*problems) from None


def leave_words_out(data: Mapping[str, Any]) -> dict[str, Any]:
    """The data of a plan without the scenario's words, which do not determine what is played."""
    return {**data, "scenario": without_words(data["scenario"])}


def _check_axes(cells: Mapping[str, Sequence[Value]], spans: Mapping[str, Sequence[float]], problems: Problems) -> None:
    for name in cells.keys() & spans.keys():
        problems.add(
            f"{name} is swept twice",
            where="the settings of the sweep",
            expected="each setting once, by a grid or at random",
            remedy="remove one of the two",
        )
    for name, values in cells.items():
        if not values:
            problems.add(f"{name} has no value", where="the grid", expected="at least one value", remedy="add values")


def _check_draws(draws: int | None, drawn: int, problems: Problems) -> None:
    if (draws is None) == bool(drawn) or (draws is not None and draws < 1):
        problems.add(
            f"there are {'no' if draws is None else draws} draws and {drawn} settings to draw",
            where="draws",
            expected="a number of draws from 1 on if settings are drawn, and none otherwise",
            remedy="give the number of draws, or leave it out",
        )


def _check_seeds(seeds: Sequence[int], draw_seed: int, problems: Problems) -> None:
    if not seeds:
        problems.add("there is no seed", where="seeds", expected="at least one seed", remedy="add seeds")
    if any(not 0 <= seed <= MAX_INTEGER for seed in (*seeds, draw_seed)):
        problems.add(
            "a seed is out of range",
            where="seeds",
            expected=f"whole numbers from 0 to {MAX_INTEGER}",
            remedy="use smaller seeds",
        )


def _spans(seeds: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Sorted seeds as (first, last) of every sequence without a gap."""
    start = None
    for place, seed in enumerate(seeds):
        start = seed if start is None else start
        if place + 1 == len(seeds) or seeds[place + 1] != seed + 1:
            yield start, seed
            start = None


def _term_to_data(term: Intention) -> dict[str, Any]:
    """What identifies a custom term: its id and numbers and, if it is available, a hash of its function's source."""
    data: dict[str, Any] = {"id": term.id, "kind": term.kind}
    data |= {part: getattr(term, part) for part in ("weight", "priority", "range") if hasattr(term, part)}
    intent = term.intent
    if isinstance(intent, Playing):
        return data | {"plays": intent.who, "says": _source_hash(intent.function)}
    if isinstance(intent, Forms):
        return data | {"says": _source_hash(intent.one), "array": _source_hash(Function(intent.many))}
    if isinstance(intent, LawForm):
        return data | {"law": sha256(_source(intent.law).encode()).hexdigest()}
    if isinstance(intent, OutsideMinds):
        return data | {"outside": {who: asdict(consulted.voice) for who, consulted in intent.people.items()}}
    return data | {"says": _source_hash(intent) if isinstance(intent, Function) else digest(intent.to_data())}


def _source_hash(function: Function) -> str:
    text = _source(function.call, function.reference)
    return sha256(f"{function.batch} {function.curve} {text}".encode()).hexdigest()


def _source(call: Callable[..., Any], reference: str | None = None) -> str:
    """The source of a function, or what names it where there is none."""
    try:
        return inspect.getsource(call)
    except (OSError, TypeError):
        return repr(type(call)) if reference is None else reference
