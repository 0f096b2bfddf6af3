"""The rules as numbers: those that every scenario starts from, and what one scenario puts in their place."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from volition.core.errors import did_you_mean, shown
from volition.drama.rules.catalog import EFFECTS
from volition.drama.world.shelf import RULES, shelf_data

if TYPE_CHECKING:
    from collections.abc import Mapping

    from volition.drama.world.reading import Table

WORDS: Final = {("departures", "knowledge"): ("omniscient", "perceived")}
"""The rules that are words, with those they may be."""

LARGEST: Final = 1000.0
"""The largest size of a number in the rules."""

_MOST = 1000


def default_rules() -> dict[str, dict[str, Any]]:
    """The rules of scenarios/rules.toml, section by section: the specification to the letter."""
    return {
        section: {rule: _copied(value) for rule, value in rules.items()} for section, rules in _default_rules().items()
    }


@cache
def _default_rules() -> Mapping[str, Mapping[str, Any]]:
    rules: dict[str, dict[str, Any]] = shelf_data(RULES)
    return rules


def read_rules(table: Table) -> dict[str, dict[str, Any]]:
    """All rules, with those that the table `[rules]` names in place of the defaults."""
    rules = default_rules()
    table.keys((), rules)
    for section, entries in rules.items():
        given = table.table(section, _MOST)
        for rule in given.data:
            if rule in entries:
                entries[rule] = _value(given, (section, rule), entries[rule])
            else:
                homes = [home for home, others in rules.items() if rule in others]
                given.note(
                    f"there is no rule {shown(rule)} in this section",
                    str(rule)[:80],
                    expected=f"a rule of the section {section!r}",
                    remedy=f"write it under [rules.{homes[0]}]" if homes else did_you_mean(str(rule)[:80], entries),
                )
    return rules


def _value(given: Table, rule: tuple[str, str], default: Any) -> Any:
    """The value given for a rule, of the kind that its default is."""
    key = rule[1]
    if rule in WORDS:
        return given.choice(key, WORDS[rule])
    if isinstance(default, bool):
        return given.flag(key)
    if isinstance(default, int):
        return given.whole(key, 0, int(LARGEST))
    if isinstance(default, list):
        return list(given.numbers(key, ((-LARGEST, LARGEST),) * len(default), ", ".join(EFFECTS)))
    return given.number(key, -LARGEST, LARGEST)


def _copied(value: Any) -> Any:
    return list(value) if isinstance(value, list) else value
