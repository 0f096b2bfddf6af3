"""A scenario as the doctor has it before them: its evenings, its targets, proposals for its settings, and symptoms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from volition.drama.world.clock import MOST_EVENTS, SERVED_AS
from volition.drama.world.rulebook import default_rules
from volition.drama.world.scenario import scenario_to_data
from volition.drama.world.settings import Setting, value_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.drama.doctor.pooled import PooledEvenings
    from volition.drama.doctor.targets import Target
    from volition.drama.world.model import Scenario


CHANCE: Final = 0.3
"""How often a circumstance is drawn that is proposed."""


class Evidence(Struct, frozen=True):
    """A number that shows a symptom."""

    what: str
    """What was counted or measured."""
    value: float
    """The number."""
    unit: str = ""
    """Its unit."""


def percent(what: str, share: float) -> Evidence:
    """A share as evidence."""
    return Evidence(what, 100.0 * share, "%")


class Symptom(Struct, frozen=True):
    """What is wrong, the ids of the targets that fail because of it, its evidence, and the settings to change.

    The settings are proposals: change one or two, then examine again.
    """

    id: str
    """The id of the symptom."""
    name: str
    """What is wrong, in words."""
    targets: tuple[str, ...]
    """The ids of the targets that fail because of it."""
    evidence: tuple[Evidence, ...]
    """The numbers that show it."""
    settings: tuple[Setting, ...]
    """The settings that could be changed."""


class ScenarioCase:
    """What the doctor works with: the evenings, proposals for the scenario's settings, and the targets."""

    def __init__(self, pooled: PooledEvenings, targets: Iterable[Target]) -> None:
        self.pooled, self.propose = pooled, Proposals(pooled.scenario)
        self.targets = {target.id: target for target in targets}

    def fails(self, *ids: str) -> bool:
        """Whether any of these targets fails."""
        return any(id in self.targets and not self.targets[id].holds for id in ids)


class Proposals:
    """Proposes changes to the settings of one scenario. Naming a setting that does not exist raises KeyError.

    A proposal is None if it would change nothing.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self._data = scenario_to_data(scenario)
        self._default = {"rules": default_rules()}

    def now(self, path: str) -> Any:
        """The current value of a setting."""
        return value_at(self._data, path)

    def put(self, path: str, to: Any) -> Setting | None:
        """Propose another value."""
        now = self.now(path)
        return Setting(path, now, to) if to != now else None

    def add(self, path: str, to: Any) -> Setting:
        """Propose a new entry in a table that has none of this name."""
        table, _, name = path.rpartition(".")
        assert name not in value_at(self._data, table)
        return Setting(path, None, to)

    def serve(self, id: str, minutes: list[float]) -> Setting | None:
        """Propose when something is served; an event for it, if it is not served yet."""
        evening = self.scenario.evening
        if evening.pours if id == "wine" else evening.courses:
            return self.put(f"evening.events[{id}].minutes", minutes)
        return Setting(f"evening.events[{id}]", None, {"id": id, "serve": SERVED_AS[id], "minutes": minutes})

    def happen(self, what: dict[str, Any]) -> Setting | None:
        """Propose a circumstance that the seed draws in some evenings; None if there is no place for another."""
        taken = {circumstance.id for circumstance in self.scenario.evening.circumstances}
        id = f"{next(iter(what))}_{len(taken) + 1}"
        if len(taken) >= MOST_EVENTS or id in taken:
            return None
        return Setting(f"evening.circumstances[{id}]", None, {"id": id, "chance": CHANCE, **what})

    def rate(self, path: str, usual: float, by: float) -> Setting:
        """Propose a larger rate in a table of rates; an entry that is not in the table has the usual rate."""
        table, _, name = path.rpartition(".")
        named = value_at(self._data, table)
        return Setting(path, named.get(name), _round(by * named.get(name, usual)))

    def more(self, path: str, by: float, usual: float | None = None, most: float = 1000.0) -> Setting | None:
        """Propose a larger number: the usual one if the current one is smaller, else the current one times a factor.

        The usual number of a rule is the specification's, unless another is given.
        """
        now, usual = float(self.now(path)), self._usual(path, usual)
        to = usual if abs(now) < abs(usual) else now * by
        return self.put(path, _round(min(most, to)))

    def less(self, path: str, by: float, usual: float | None = None) -> Setting | None:
        """Propose a smaller number, likewise: the usual one if the current one is larger."""
        now, usual = float(self.now(path)), self._usual(path, usual)
        to = usual if usual and abs(now) > abs(usual) else now * by
        return self.put(path, _round(to))

    def whole(self, path: str, by: float) -> Setting | None:
        """Propose a larger whole number: times a factor, and at least one more."""
        now = int(self.now(path))
        return self.put(path, max(now + 1, round(now * by)))

    def shift(self, path: str, by: float, most: float) -> Setting | None:
        """Propose a number that is larger by so much, up to a bound."""
        return self.put(path, round(min(most, float(self.now(path)) + by), 3))

    def _usual(self, path: str, usual: float | None) -> float:
        if usual is None:
            return float(value_at(self._default, path)) if path.startswith("rules.") else 0.0
        return usual


def _round(value: float) -> float:
    """A number rounded to four significant digits."""
    return float(f"{value:.4g}")
