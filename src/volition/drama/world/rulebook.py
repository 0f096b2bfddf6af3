"""The files that ship with the package, and the rules among them: the defaults of every scenario."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from orjson import dumps, loads

from volition.core.document import parse_toml
from volition.core.errors import did_you_mean, format_value, refuse
from volition.drama.rules.catalog import EFFECTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from volition.drama.world.table import Table

WORDS: Final = {("departures", "knowledge"): ("omniscient", "perceived")}
"""The rules whose value is a word, with the allowed words."""

LARGEST: Final = 10.0
"""The largest absolute value of a rule that is not a time: larger totals would be meaningless."""
LONGEST: Final = 1000.0
"""The largest time, in minutes or ticks."""
DIVISORS: Final = frozenset(
    {
        ("situation", "manners_company"),
        ("situation", "owed_minutes"),
        ("physics", "trust_repair"),
    }
)
"""Rules that are used as divisors: at least 1."""
SHARES: Final = frozenset(
    {
        ("departures", "opening_share"),
        ("departures", "politeness_share"),
        ("departures", "pending_share"),
        ("leaving", "late_from"),
        ("leaving", "late_share"),
        ("leaving", "decency_share"),
        ("grievance", "throwing_out_from"),
    }
)
"""Rules that are shares of an evening. Most are used as divisors, so none is 0."""
SMALLEST_SHARE: Final = 0.001

_MOST = 1000
_TIMES = frozenset({"lapse_course", "lapse_pour", "gestures"})


def default_rules() -> dict[str, dict[str, Any]]:
    """The rules of scenarios/rules.toml, section by section: the literal specification."""
    return {
        section: {rule: _copy_value(value) for rule, value in rules.items()}
        for section, rules in _default_rules().items()
    }


@cache
def _default_rules() -> Mapping[str, Mapping[str, Any]]:
    rules: dict[str, dict[str, Any]] = read_shipped_file(RULES)
    return rules


def read_rules(table: Table) -> dict[str, dict[str, Any]]:
    """All rules: the defaults, with the changes in the table `[rules]`."""
    rules = default_rules()
    table.keys((), rules)
    for section, entries in rules.items():
        values = table.table(section, _MOST)
        for rule in values.data:
            if rule in entries:
                if not _is_same(values.data[rule], entries[rule]):
                    entries[rule] = _value(values, (section, rule), entries[rule])
            else:
                homes = [home for home, others in rules.items() if rule in others]
                values.note(
                    f"there is no rule {format_value(rule)} in this section",
                    str(rule)[:80],
                    expected=f"a rule of the section {section!r}",
                    remedy=f"write it under [rules.{homes[0]}]" if homes else did_you_mean(str(rule)[:80], entries),
                )
    return rules


def _is_same(value: Any, default: Any) -> bool:
    """Whether a number, a flag or a word is the default, and so is allowed: most are, where every rule is given."""
    return type(value) is type(default) and type(value) is not list and bool(value == default)


def _value(table: Table, rule: tuple[str, str], default: Any) -> Any:
    """The value given for a rule, of the same kind as its default."""
    key = rule[1]
    if rule in WORDS:
        return table.choice(key, WORDS[rule])
    if isinstance(default, bool):
        return table.flag(key)
    if isinstance(default, int):
        return table.whole(key, 0, int(LONGEST))
    if isinstance(default, list):
        return list(table.numbers(key, ((-LARGEST, LARGEST),) * len(default), ", ".join(EFFECTS)))
    return table.number(key, *limits(*rule))


def limits(section: str, rule: str) -> tuple[float, float]:
    """The smallest and the largest value of a rule that is a number.

    >>> limits("noise", "sigma"), limits("leaving", "late_share"), limits("leaving", "scene_minutes")
    ((-10.0, 10.0), (0.001, 1.0), (0.0, 1000.0))
    """
    time = rule.endswith("_minutes") or rule in _TIMES
    if (section, rule) in SHARES:
        return SMALLEST_SHARE, 1.0
    if (section, rule) in DIVISORS:
        return 1.0, LONGEST if time else LARGEST
    return (0.0, LONGEST) if time else (-LARGEST, LARGEST)


def _copy_value(value: Any) -> Any:
    return list(value) if isinstance(value, list) else value


SCENARIOS: Final = files("volition.drama").joinpath("scenarios")
RULES: Final = "rules.toml"
PATTERN: Final = "pattern.toml"
DRAFT: Final = "draft.toml"
SUFFIX: Final = ".phrases.toml"
"""The end of the name of a file with the phrases of the scenario beside it."""


def scenario_names() -> tuple[str, ...]:
    """The names of the shipped scenarios, sorted."""
    files = (file.name for file in SCENARIOS.iterdir() if file.name.endswith(".toml"))
    return tuple(
        sorted(_name(file) for file in files if file not in (RULES, PATTERN, DRAFT) and not file.endswith(SUFFIX))
    )


def shipped_data(name: str) -> Any:
    """The data of a shipped scenario."""
    text, phrases = shipped_text(name)
    file = name.replace("-", "_") + ".toml"
    data = read_shipped(text, file)
    return data if phrases is None else {**data, "phrases": read_shipped(phrases, file.replace(".toml", SUFFIX))}


def read_shipped(text: str, where: str) -> Any:
    """The data of the text of a shipped file, which is the caller's own."""
    return loads(_as_json(text, where))


@lru_cache(maxsize=16)
def _as_json(text: str, where: str) -> bytes:
    """A file in TOML as JSON, remembered: this is read in a millisecond, and TOML in thirty."""
    return dumps(parse_toml(text, where=where))


def shipped_text(name: str) -> tuple[str, str | None]:
    """The text of a shipped scenario, and that of the phrases beside it, if it has any."""
    if name not in scenario_names():
        refuse(
            f"no scenario named {format_value(name)} ships with volition",
            where="the name of the scenario",
            expected="the name of a scenario, or the path of a .toml or .json file",
            remedy=did_you_mean(name, scenario_names()),
        )
    file, phrases = (SCENARIOS.joinpath(name.replace("-", "_") + suffix) for suffix in (".toml", SUFFIX))
    return file.read_text(encoding="utf-8"), phrases.read_text(encoding="utf-8") if phrases.is_file() else None


def read_shipped_file(file: str) -> Any:
    """The data of a file that ships with the package, by its name."""
    return read_shipped(SCENARIOS.joinpath(file).read_text(encoding="utf-8"), file)


def _name(file: str) -> str:
    return file.removesuffix(".toml").replace("_", "-")
