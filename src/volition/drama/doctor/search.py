"""Searching for settings with which a scenario's evenings meet their targets: proposals first, then the settings around.

Where much is wrong, the rules of a shipped scenario are tried first, and where nothing else helps, small random changes.
Only numbers of `rules` and `evening` are searched: people and secrets are the author's. The same scenario, seeds and
rounds give the same steps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import combinations
from math import exp
from operator import itemgetter
from random import Random
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from volition.core.document import parse_toml
from volition.core.errors import InvalidInput
from volition.drama.doctor.pooled import PooledEvenings
from volition.drama.doctor.report import DoctorReport, examine, judge, misfit_of
from volition.drama.doctor.targets import CLOSE
from volition.drama.world.rulebook import default_rules, scenario_names, shipped_text
from volition.drama.world.scenario import scenario_from_data, scenario_to_data
from volition.drama.world.settings import Setting, apply_settings, value_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from volition.drama.batch.measures import Measures
    from volition.drama.world.model import Scenario

    Play = Callable[[Scenario, Sequence[int]], Sequence[Measures]]

OPEN_TO_SEARCH: Final = ("rules.", "evening.")
FACTORS: Final = (0.45, 0.75, 1.35, 2.2)
"""By how much a number is changed in the small search around the settings of a symptom."""
REACH: Final = 4.0
"""No number gets further from where it began than by this factor."""
NEARLY: Final = 7
"""How many of the changes that do not help alone are tried in pairs."""
GAIN: Final = 0.02
"""A change has to make the misfit smaller by this much."""
LEADING: Final = 6
"""How many of the changes that help are tried on top of each other."""
MUCH: Final = 6
"""If this many targets fail, the rules of a shipped scenario may be the better start."""
DRIFTS: Final = 60
"""How many small random changes are tried in a round in which nothing else helps."""
DRIFT: Final = 0.2
"""How far random changes go: the deviation of the logarithm of a factor."""
BY_CHANCE: Final = "found by chance"


@dataclass(frozen=True)
class Trial:
    """A scenario that was tried, and its evenings. For most trials only the distance from the targets matters."""

    scenario: Scenario
    records: Sequence[Measures]

    @cached_property
    def misfit(self) -> float:
        return misfit_of(judge(PooledEvenings(self.records, self.scenario)), len(self.records))

    @cached_property
    def report(self) -> DoctorReport:
        """What the doctor says of the evenings."""
        return examine(self.records, self.scenario)


class CureStep(Struct, frozen=True):
    """Changes that helped: what they were, the symptom that they are for, and the misfit before and after."""

    changes: tuple[Setting, ...]
    symptom: str
    before: Trial
    after: Trial

    def __str__(self) -> str:
        changes = ", ".join(map(str, self.changes))
        return f"{changes} ({self.symptom}; misfit {self.before.misfit:.2f} -> {self.after.misfit:.2f})"


class Idea(Struct, frozen=True):
    """Changes to try, and the symptom that they are for."""

    changes: tuple[Setting, ...]
    symptom: str


class SettingSearch:
    """Searches the settings of one scenario, on the evenings of some seeds; `play` measures them."""

    def __init__(self, scenario: Scenario, seeds: Sequence[int], play: Play) -> None:
        self.scenario = replace(scenario, phrases={})  # words change no evening, and take long to read
        self.seeds, self._play = list(seeds), play
        self._start = scenario_to_data(self.scenario)
        self._best_first: list[Idea] = []
        self._chance, self.trials = Random(0), 0  # noqa: S311  no secret hangs on a search
        self.now = self.try_out(self.scenario)
        self._was_healthy = self.now.report.healthy

    def try_out(self, scenario: Scenario) -> Trial:
        """Play a scenario."""
        self.trials += 1
        return Trial(scenario, self._play(scenario, self.seeds))

    def round(self, tell: Callable[[int, int], None] | None = None) -> Iterator[CureStep]:
        """Try the doctor's proposals, and if none helps the settings around them; every step that helps is taken.

        If none does, and a target fails or some hold by a hair alone, small random changes are tried; what was healthy
        from the start is left alone.
        """
        if self.trials == 1 and sum(not target.holds for target in self.now.report.targets) >= MUCH:
            yield from self._borrow()
        for ideas in (self._proposals, self._around, self._combine_two):
            taken = False
            for step in self._take(list(ideas()), tell):
                taken = True
                yield step
            if taken:
                return
        if not self._was_healthy and self.now.misfit > CLOSE:
            yield from self._drift(tell)

    def _borrow(self) -> Iterator[CureStep]:
        """Take the rules of the shipped scenario with which the evenings are best, if they are better than they were."""
        trials: list[tuple[Idea, Trial]] = []
        ours = scenario_to_data(self.now.scenario)["rules"]
        for name, shipped in _shipped_rules().items():
            idea = Idea(tuple(_differences(ours, shipped, "rules")), f"the rules of {name}")
            if (trial := self._with(idea)) is not None:
                trials.append((idea, trial))
        if trials:
            idea, trial = min(trials, key=lambda tried: tried[1].misfit)  # the first of equals
            if trial.misfit < self.now.misfit - GAIN:
                self._start = scenario_to_data(trial.scenario)
                yield self._accept(idea, trial)

    def _drift(self, tell: Callable[[int, int], None] | None) -> Iterator[CureStep]:
        """Change a few numbers a little, at random, and keep what helps."""
        paths = find_tunable_numbers()
        for number in range(DRIFTS):
            if tell is not None:
                tell(number, DRIFTS)
            data = scenario_to_data(self.now.scenario)
            changes = [
                Setting(path, now, _scale(now, exp(self._chance.gauss(0.0, DRIFT))))
                for path in self._chance.sample(paths, self._chance.randint(1, 3))
                if (now := value_at(data, path))
            ]
            idea = Idea(tuple(setting for setting in changes if self._is_open(setting)), BY_CHANCE)
            trial = self._with(idea) if idea.changes else None
            if trial is not None and trial.misfit < self.now.misfit - GAIN / 2.0:
                yield self._accept(idea, trial)

    def _take(self, ideas: list[Idea], tell: Callable[[int, int], None] | None) -> Iterator[CureStep]:
        """Try ideas one by one, then the best of them on top of each other."""
        tried: list[tuple[float, Idea]] = []
        for number, idea in enumerate(ideas):
            if tell is not None:
                tell(number, len(ideas))
            trial = self._with(idea)
            if trial is not None:
                tried.append((trial.misfit, idea))
        self._best_first = [idea for _, idea in sorted(tried, key=itemgetter(0))]
        for idea in self._best_first[:LEADING]:
            further: Idea | None = idea
            while further is not None:
                trial = self._with(further)
                if trial is None or trial.misfit >= self.now.misfit - GAIN:
                    break
                yield self._accept(further, trial)
                further = self._further(further)

    def _accept(self, idea: Idea, trial: Trial) -> CureStep:
        before, self.now = self.now, trial
        return CureStep(idea.changes, idea.symptom, before, trial)

    def _further(self, idea: Idea) -> Idea | None:
        """The same again: numbers that were changed are changed by the same factor once more."""
        changes = [
            Setting(setting.path, setting.to, _scale(setting.to, setting.to / setting.now))
            for setting in idea.changes
            if _is_number(setting.now) and _is_number(setting.to) and setting.now * setting.to > 0
        ]
        open_ = tuple(setting for setting in changes if self._is_open(setting))
        return Idea(open_, idea.symptom) if open_ else None

    def _with(self, idea: Idea) -> Trial | None:
        """The trial of an idea; None for one that changes nothing, or that a scenario cannot contain."""
        try:
            scenario = apply_settings(self.now.scenario, idea.changes)
        except InvalidInput:
            return None
        return None if scenario.hash == self.now.scenario.hash else self.try_out(scenario)

    def _proposals(self) -> Iterator[Idea]:
        """Each proposal of each symptom, and all of a symptom together."""
        for symptom in self.now.report.symptoms:
            open_ = [setting for setting in symptom.settings if self._is_open(setting)]
            for setting in open_:
                idea = Idea((setting,), symptom.name)
                bold = self._bold(idea)
                yield idea
                if bold is not None:
                    yield bold
            if len(open_) > 1:
                yield Idea(tuple(open_[:3]), symptom.name)

    def _bold(self, idea: Idea) -> Idea | None:
        """A proposal for one number, three steps at once."""
        (setting,) = idea.changes
        third = idea
        for _ in range(2):
            more = self._further(third)
            if more is None:
                return None
            third = more
        return Idea((Setting(setting.path, setting.now, third.changes[0].to),), idea.symptom)

    def _around(self) -> Iterator[Idea]:
        """Every number that a symptom depends on, up and down."""
        data = scenario_to_data(self.now.scenario)
        for path, symptom in self._numbers().items():
            now = value_at(data, path)
            for factor in FACTORS:
                setting = Setting(path, now, _scale(now, factor))
                if self._is_open(setting):
                    yield Idea((setting,), symptom)

    def _combine_two(self) -> Iterator[Idea]:
        """Two at once of the changes that did least harm alone."""
        for first, second in combinations(self._best_first[:NEARLY], 2):
            if {setting.path for setting in first.changes}.isdisjoint(setting.path for setting in second.changes):
                yield Idea((*first.changes, *second.changes), first.symptom)

    def _numbers(self) -> dict[str, str]:
        """The numbers that symptoms depend on, each with the first such symptom."""
        names: dict[str, str] = {}
        for symptom in self.now.report.symptoms:
            for setting in symptom.settings:
                if self._is_open(setting) and _is_number(setting.now):
                    names.setdefault(setting.path, symptom.name)
        data = scenario_to_data(self.now.scenario)
        return {path: name for path, name in names.items() if value_at(data, path)}

    def _is_open(self, setting: Setting) -> bool:
        """Whether a change may be tried: no person, no secret, nothing too far from where it began."""
        if not setting.path.startswith(OPEN_TO_SEARCH) or setting.to == setting.now:
            return False
        began = _began(self._start, setting.path)
        if not _is_number(began) or not began:
            return True
        return bool(abs(began) / REACH <= abs(setting.to) <= abs(began) * REACH)

    def prune(self) -> list[Setting]:
        """Put back every changed setting without which the evenings are as good; those that remain."""
        for setting in changed_settings(self.scenario, self.now.scenario):
            if setting.now is not None:
                trial = self._with(Idea((Setting(setting.path, setting.to, setting.now),), ""))
                if trial is not None and trial.misfit <= self.now.misfit + GAIN / 2.0:
                    self.now = trial
        return changed_settings(self.scenario, self.now.scenario)


@cache
def _shipped_rules() -> dict[str, Any]:
    """The rules of the shipped scenarios by name, read without their words, which take long to read."""
    texts = {name: shipped_text(name)[0] for name in scenario_names()}
    return {name: scenario_to_data(scenario_from_data(parse_toml(text)))["rules"] for name, text in texts.items()}


@cache
def find_tunable_numbers() -> tuple[str, ...]:
    """The numbers of the rules that a shipped scenario changes."""
    paths: dict[str, None] = {}
    for rules in _shipped_rules().values():
        for setting in _differences(default_rules(), rules, "rules"):
            if _is_number(setting.to):
                paths.setdefault(setting.path)
    return tuple(paths)


def changed_settings(before: Scenario, after: Scenario) -> list[Setting]:
    """Every setting that differs between two forms of a scenario, in the order of their paths."""
    return sorted(_differences(scenario_to_data(before), scenario_to_data(after), ""))


def _differences(before: Any, after: Any, path: str) -> Iterator[Setting]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in {**before, **after}:
            yield from _differences(before.get(key), after.get(key), f"{path}.{key}" if path else key)
    elif _by_id(before) or _by_id(after):
        were, are = _by_id(before), _by_id(after)
        for id in {**were, **are}:
            yield from _differences(were.get(id), are.get(id), f"{path}[{id}]")
    elif before != after:
        yield Setting(path, before, after)


def _by_id(value: Any) -> dict[str, Any]:
    """The entries of a list that have ids; none of anything else."""
    entries = value if isinstance(value, list) else []
    return {entry["id"]: entry for entry in entries if isinstance(entry, dict) and "id" in entry}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _began(data: Any, path: str) -> Any:
    try:
        return value_at(data, path)
    except KeyError:
        return None


def _scale(value: float, factor: float) -> float:
    """A number times a factor: whole where it is whole, with four digits otherwise."""
    if isinstance(value, int):
        return max(value + 1, round(value * factor)) if factor > 1.0 else min(value - 1, round(value * factor))
    return float(f"{value * factor:.4g}")
