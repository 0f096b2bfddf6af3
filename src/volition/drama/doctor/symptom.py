"""Symptoms: what is wrong with a scenario's evenings, the numbers that show it, and the settings to change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.drama.doctor.pooled import PooledEvenings
    from volition.drama.doctor.proposals import Proposals
    from volition.drama.doctor.targets import Target
    from volition.drama.world.settings import Setting


class Evidence(NamedTuple):
    """A number that shows a symptom."""

    what: str
    value: float
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Symptom:
    """What is wrong, its evidence, the settings to change, and the ids of the targets that fail because of it.

    The settings are proposals: change one or two, then examine again.
    """

    id: str
    name: str
    evidence: tuple[Evidence, ...]
    settings: tuple[Setting, ...]
    targets: tuple[str, ...] = ()


class ScenarioCase:
    """What the doctor works with: the evenings, proposals for the scenario's settings, and the targets."""

    def __init__(self, pooled: PooledEvenings, propose: Proposals, targets: Iterable[Target]) -> None:
        self.pooled, self.propose = pooled, propose
        self.targets = {target.id: target for target in targets}

    def fails(self, *ids: str) -> bool:
        """Whether any of these targets fails."""
        return any(not self.targets[id].holds for id in ids)


def percent(what: str, share: float) -> Evidence:
    return Evidence(what, 100.0 * share, "%")
