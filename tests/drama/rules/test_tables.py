"""The coefficients as named tuples."""

from __future__ import annotations

from typing import Any, get_type_hints

import pytest

from tests.drama.rules.numbers import LITERAL, RULES_DATA
from volition.drama.rules.catalog import EventType
from volition.drama.rules.tables import tables_of

SECTIONS = [name for name in RULES_DATA if name != "effects"]


def changed(section: str, **numbers: Any) -> dict[str, dict[str, Any]]:
    return {**RULES_DATA, section: {**RULES_DATA[section], **numbers}}


@pytest.mark.parametrize("section", SECTIONS)
def test_a_table_has_its_sections_keys_in_the_files_order(section: str) -> None:
    """Each table's fields are its section's numbers and switches, name for name, and hold their values."""
    numbers = {key: value for key, value in RULES_DATA[section].items() if not isinstance(value, str)}
    table = getattr(LITERAL, section)
    assert table._asdict() == numbers
    assert list(table._fields) == list(numbers)


@pytest.mark.parametrize("section", SECTIONS)
def test_every_number_has_its_fields_type(section: str) -> None:
    """Fields are floats and ints and nothing else, so a table has one compiled type whatever a scenario writes."""
    table = getattr(LITERAL, section)
    assert [type(number) for number in table] == list(get_type_hints(type(table)).values())
    whole = tables_of(changed("physics", trust_repair=3)).physics.trust_repair
    assert isinstance(whole, float)


def test_effects_stand_in_the_order_of_acts() -> None:
    """The profile of an act is found at its number."""
    assert LITERAL.effects[EventType.LIE] == tuple(RULES_DATA["effects"]["LIE"])
    assert len(LITERAL.effects) == EventType.CATASTROPHE


@pytest.mark.parametrize(
    "rules",
    [
        changed("noise", sigmma=0.1),
        changed("departures", wisdom="much"),
        changed("effects", SHOUT=[0.0] * 7),
        changed("effects", CHAT=[0.0] * 6),
        {**RULES_DATA, "weather": {}},
        {name: section for name, section in RULES_DATA.items() if name != "bonds"},
        {**RULES_DATA, "alcohol": {"pull": 0.3}},
    ],
    ids=["strange key", "strange word", "strange act", "short profile", "strange section", "no section", "no key"],
)
def test_strange_and_missing_keys_are_type_errors(rules: dict[str, dict[str, Any]]) -> None:
    """Rules that were not checked do not become tables."""
    with pytest.raises(TypeError):
        tables_of(rules)
