"""Settings: changes to a scenario by paths, which leave the scenario itself as it was."""

from __future__ import annotations

import pytest

from volition.core.errors import InvalidInput
from volition.drama.world.scenario import load_scenario, scenario_to_data
from volition.drama.world.settings import Setting, apply_settings, value_at

PARTY = load_scenario("dinner-party")
DATA = scenario_to_data(PARTY)
NUMBERS = [
    "rules.noise.sigma",
    "people.victor.flaws[0].strength",
    "evening.events[courses].minutes[0]",
    "rooms.kitchen.privacy",
    "evening.events[cab].minute",
    "evening.circumstances[a_glance].chance",
]


PHRASE = "phrases.talk.plain[0].say[0][1]"


@pytest.mark.parametrize("path", NUMBERS)
def test_what_is_changed_is_another_scenario(path: str) -> None:
    """The changed scenario has the new number, and changed back it is the scenario that it was made of."""
    now = value_at(DATA, path)
    changed = apply_settings(PARTY, [Setting(path, now, now * 0.5)])
    assert value_at(scenario_to_data(changed), path) == now * 0.5
    assert changed.hash != PARTY.hash
    back = apply_settings(changed, [Setting(path, now * 0.5, now)])
    assert (back, back.hash) == (PARTY, PARTY.hash)


@pytest.mark.parametrize("path", [*NUMBERS, PHRASE])
def test_what_is_given_stays_as_it_was(path: str) -> None:
    """The scenario that is given has nothing of a change, however deep in its tables and lists."""
    before = repr(PARTY)
    value = value_at(DATA, path)
    apply_settings(PARTY, [Setting(path, value, f"{value} Indeed." if path == PHRASE else value * 0.5)])
    assert repr(PARTY) == before


def test_what_cannot_be_is_refused() -> None:
    """A changed scenario is checked as a file is."""
    with pytest.raises(InvalidInput, match=r"rules\.noise\.sigma"):
        apply_settings(PARTY, [Setting("rules.noise.sigma", None, "much")])
