"""A cure: the changed settings of a scenario with their reasons, and how its evenings were before and are now."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, to_builtins

from volition.drama.batch.reading import RowReader
from volition.drama.doctor.report import DoctorReport, examine
from volition.drama.doctor.search import CureStep, SettingSearch
from volition.drama.doctor.targets import SHAPE, STORY, Target
from volition.drama.evening.play_many import play_many
from volition.drama.world.amend import to_toml
from volition.drama.world.settings import Setting, apply_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from volition.drama.batch.measures import Measures
    from volition.drama.doctor.search import Play
    from volition.drama.world.model import Scenario

ROUNDS: Final = 12
_LISTED = re.compile(r"(?P<list>[\w.]+)\[(?P<id>[a-z]\w*)\](?:\.(?P<key>.+))?")
"""The path of an entry that has an id, or of something in it."""


class Cure(Struct, frozen=True):
    """What was changed, step by step, and the reports before and after on evenings that nobody tuned on."""

    scenario: Scenario
    cured: Scenario
    steps: tuple[CureStep, ...]
    settings: tuple[Setting, ...]
    trials: int
    before: DoctorReport
    after: DoctorReport

    def reason(self, setting: Setting) -> str:
        """Why a setting was changed: the symptom that it was first changed for, and what that did."""
        step = next(
            (step for step in self.steps if any(change.path.startswith(setting.path) for change in step.changes)), None
        )
        return "" if step is None else f"{step.symptom}; {tell_gain(step)}"

    def to_data(self) -> dict[str, Any]:
        """The cure as JSON-compatible data."""
        return {
            "scenario": self.scenario.id,
            "hash": self.scenario.hash,
            "trials": self.trials,
            "settings": [{**to_builtins(setting), "reason": self.reason(setting)} for setting in self.settings],
            "steps": [
                {
                    "symptom": step.symptom,
                    "settings": to_builtins(step.changes),
                    "misfit": [step.before.misfit, step.after.misfit],
                    "held": [count_targets(step.before.report), count_targets(step.after.report)],
                }
                for step in self.steps
            ],
            "before": self.before.to_data(),
            "after": self.after.to_data(),
        }

    def __str__(self) -> str:
        lines = [
            *(f"step {number}: {step}; {tell_gain(step)}" for number, step in enumerate(self.steps, 1)),
            f"{self.scenario.id}: {len(self.settings)} settings changed after {self.trials} trials",
            f"on {self.after.evenings} evenings that were not used for it (seeds {self.after.seeds[0]} to {self.after.seeds[1]}):",
            f"  before: {count_held(self.before)}",
            f"  after:  {count_held(self.after)}",
            *(f"  still fails: {_figure(target)}" for target in self.after.targets if not target.holds),
        ]
        return "\n".join(lines)

    def patch(self) -> str:
        """The changed settings as TOML, each with what it was and why it was changed."""
        first, last = self.after.seeds
        head = [
            f"# Settings for {self.scenario.id}, found by its doctor. Copy them into the sections of the scenario.",
            f"# On {self.after.evenings} evenings that were not used for it (seeds {first} to {last}):",
            f"#   before: {count_held(self.before)}",
            f"#   after:  {count_held(self.after)}",
        ]
        return "\n".join([*head, *_sections(self)]) + "\n"


def find_cure(
    scenario: Scenario,
    seeds: Sequence[int],
    fresh: Sequence[int],
    *,
    rounds: int = ROUNDS,
    play: Play | None = None,
    on_step: Callable[[int, CureStep], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Cure:
    """Search the settings of a scenario on the evenings of `seeds`, and judge what was found on `fresh` ones.

    It stops after `rounds` rounds, or when every target holds or nothing helps. `on_step` is told of each step that is
    taken, with its round; `progress` of how many trials of a stage are done.
    """
    measure = play or measure_evenings
    search, steps = SettingSearch(scenario, seeds, measure), list[CureStep]()
    for number in range(1, rounds + 1):
        taken = len(steps)
        for step in search.round(progress) if search.now.misfit > 0.0 else ():
            steps.append(step)
            if on_step is not None:
                on_step(number, step)
        if len(steps) == taken:
            break
    settings = search.prune()
    cured = apply_settings(scenario, settings)
    before, after = (examine(measure(each, fresh), each) for each in (scenario, cured))
    return Cure(scenario, cured, tuple(steps), tuple(settings), search.trials, before, after)


def measure_evenings(scenario: Scenario, seeds: Sequence[int]) -> list[Measures]:
    """Play the evenings of some seeds, compiled where that is possible, and measure them."""
    return list(RowReader(scenario).read(play_many(scenario, seeds, measures=True, states=False).measures))


def count_targets(report: DoctorReport) -> dict[str, list[int]]:
    """How many targets of each part hold, of how many."""
    parts = {part: [target.holds for target in report.targets if target.part == part] for part in (SHAPE, STORY)}
    return {part: [sum(holds), len(holds)] for part, holds in parts.items() if holds}


def count_held(report: DoctorReport) -> str:
    """How many targets hold, in words."""
    return ", ".join(f"{part} {count} of {of}" for part, (count, of) in count_targets(report).items())


def tell_gain(step: CureStep) -> str:
    """The target that a step brought furthest, before and after, in words."""
    before = {target.id: target for target in step.before.report.targets}
    evenings = step.after.report.evenings
    gained = max(
        step.after.report.targets,
        key=lambda target: before[target.id].misfit(evenings) - target.misfit(evenings),
    )
    return f"{gained.name}: {_number(before[gained.id])} -> {_number(gained)}"


def _number(target: Target) -> str:
    return f"{target.value:.3g} {target.unit}".rstrip()


def _figure(target: Target) -> str:
    return f"{target.name}: {_number(target)} ({target.bar}) {target.detail}".rstrip()


def _sections(cure: Cure) -> Iterator[str]:
    """The changed settings under their sections; an entry of a list has its id with it."""
    section = ""
    for setting in cure.settings:
        head, key = _section_of(setting)
        if head != section:
            section = head
            yield f"\n{head}"
        if reason := cure.reason(setting):
            yield f"# {reason}"
        was = "nothing" if setting.now is None else to_toml(setting.now)
        entries = setting.to if isinstance(setting.to, dict) and not key else {key: setting.to}
        yield from (f"{name} = {to_toml(value)}  # was {was}" for name, value in entries.items() if name != "id")


def _section_of(setting: Setting) -> tuple[str, str]:
    """The section that a setting is in, and its key there."""
    listed = _LISTED.fullmatch(setting.path)
    if listed is None:
        parent, _, key = setting.path.rpartition(".")
        return f"[{parent}]", key
    return f"[[{listed['list']}]]\nid = {to_toml(listed['id'])}", listed["key"] or ""
