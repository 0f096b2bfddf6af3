"""A symptom: what is wrong with a scenario's evenings, the numbers that show it, and the settings to change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.drama.company.pooled import Pooled
    from volition.drama.company.settings import Setting, Settings
    from volition.drama.company.targets import Target


class Evidence(NamedTuple):
    """A number that shows a symptom."""

    what: str
    value: float
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Symptom:
    """What is wrong, with its evidence, the settings to change, and the ids of the targets that fail by it.

    The settings are proposals: change one or two, and look again.
    """

    id: str
    name: str
    evidence: tuple[Evidence, ...]
    settings: tuple[Setting, ...]
    targets: tuple[str, ...] = ()


class Case:
    """What the doctor looks at: the evenings, the scenario's settings, and the targets."""

    def __init__(self, pooled: Pooled, settings: Settings, targets: Iterable[Target]) -> None:
        self.pooled, self.settings = pooled, settings
        self.targets = {target.id: target for target in targets}

    def fails(self, *ids: str) -> bool:
        """Whether any of these targets does not hold."""
        return any(not self.targets[id].holds for id in ids)

    def symptom(
        self,
        id: str,
        name: str,
        evidence: Iterable[Evidence],
        settings: Iterable[Setting | None],
        targets: Iterable[str] = (),
    ) -> Symptom:
        """A symptom with those proposals that change anything, and those targets that fail."""
        changes = {setting.path: setting for setting in settings if setting is not None}
        failing = tuple(target for target in targets if self.fails(target))
        return Symptom(id, name, tuple(evidence), tuple(changes.values()), failing)


def percent(what: str, share: float) -> Evidence:
    return Evidence(what, 100.0 * share, "%")
