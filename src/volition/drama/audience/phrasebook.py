"""The phrases of the built-in narrator: read from data, checked completely, and filled in.

A phrasebook is a table of groups, each a table of pools. A pool contains templates with {placeholders}, exchanges of a
line and its answer, lines without placeholders, or one text. With another file of the same form the narrator uses other
words, or another language.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from volition.core.document import parse_toml
from volition.core.errors import InvalidInput, Problems, format_value
from volition.drama.rules.catalog import CONTENT
from volition.drama.rules.catastrophe import Breakdown
from volition.drama.stage.ending import ENDINGS

FILE: Final = "phrases.toml"

_TWO = "who whom line reply"
TEMPLATES: Final[Mapping[str, str]] = {
    **{
        f"chat.{tone}": _TWO
        for tone in ("plain", "warm", "cold", "tense", "tipsy", "aside", "facade", "sorry", "reconciled")
    },
    "chat.group": "who company line",
    "chat.group_tense": "who company line",
    "chat.question": "who whom line matter",
    "chat.sides": "who whom line",
    "conflict.plain": "who whom",
    "conflict.matter": "who whom line matter",
    "conflict.forced": "who whom line matter secret",
    "conflict.thrown_out": "who whom",
    **{f"{act}.{whose}": "who whom secret" for act in ("reveal", "confide") for whose in ("own", "other")},
    "lie.believed": "who whom line matter",
    "lie.doubted": "who whom line matter",
    **{f"catastrophe.{kind.name.lower()}": "who" for kind in Breakdown},
    "after.told_own": "who secret",
    "after.told_other": "who secret",
    **{f"after.{how}": "who whom" for how in ("knew", "hurt", "struck", "exposed", "caught")},
    "after.lie_found": "whom liar",
    "observe.found": "who whom matter",
    "observe.heard": "who",
    "observe.idle": "who whom",
    "observe.room": "who",
    "internal.plain": "who",
    **{
        f"move.{how}": "who room destination destination_start"
        for how in ("out", "back", "on", "fetching", "carrying", "banished")
    },
    "physical.fetch": "who course course_start",
    "physical.serve": "who course course_start",
    "physical.pour": "who toast",
    **{f"physical.{act}": "who" for act in ("drink", "slam", "leave", "leave_thrown_out", "leave_broken")},
    "physical.other": "who manner",
    "link.away": "room room_start",
    "link.back": "room room_start",
}
"""The required pools of templates, and the placeholders that each may use."""

NEED: Final = "who manner"
"""The placeholders of a need's pool; any other name under [physical] is a need."""

EXCHANGES: Final = tuple(
    f"talk.{kind}" for kind in ("plain", "warm", "cold", "tense", "tipsy", "aside", "sorry", "reconciled")
)
LINES: Final = (
    "talk.group",
    "talk.sides",
    *(f"{group}.{content}" for group in ("matter", "asked", "denied", "accused") for content in CONTENT),
    "toast.lines",
    "course.names",
    "opening.lines",
    *(f"ending.{kind}" for kind in ENDINGS),
)
TEXTS: Final[Mapping[str, str]] = {
    "course.later": "",
    "opening.cast": "",
    "link.with": "company",
    "link.alone": "company",
    "ending.heading": "",
    "ending.came_out": "",
    "ending.nothing_came_out": "",
    "ending.gone": "company",
    "ending.learned": "secret company",
}

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")

Phrasebook = Mapping[str, Any]
"""Checked pools by name, such as "chat.warm"."""


@cache
def phrasebook() -> Phrasebook:
    """The shipped phrases."""
    data = files("volition.drama.audience").joinpath(FILE).read_bytes()
    return phrasebook_from_data(parse_toml(data, where=FILE))


def phrasebook_from_data(data: Any) -> Phrasebook:
    """Check a phrasebook; InvalidInput lists every problem with its place."""
    problems = Problems()
    groups = data.items() if isinstance(data, Mapping) else ()
    pools = {
        f"{group}.{name}": pool for group, table in groups if isinstance(table, Mapping) for name, pool in table.items()
    }
    needs = [name for name in pools if name.startswith("physical.") and name not in TEMPLATES]
    fields = {**TEMPLATES, **dict.fromkeys(needs, NEED)}
    for name, allowed in fields.items():
        for where, template in _entries(name, pools, problems):
            _check_text(template, allowed, where, problems)
    for name in LINES:
        for where, line in _entries(name, pools, problems):
            _check_text(line, "", where, problems)
    for name in EXCHANGES:
        for where, exchange in _entries(name, pools, problems):
            _check_exchange(exchange, where, problems)
    for name, allowed in TEXTS.items():
        _check_text(pools.get(name), allowed, name, problems)
    for name in sorted(set(pools) - set(fields) - {*LINES, *EXCHANGES, *TEXTS}):
        problems.add("nothing uses this pool", where=name, expected="a known name", remedy="remove or rename it")
    problems.raise_if_any(InvalidInput)
    return pools


def fill(template: str, facts: Mapping[str, str]) -> str:
    """Replace placeholders by facts; `{line,}` turns the full stop of a line into a comma.

    >>> fill('"{line,}" says {who}. "{line}"', {"line": "It rains.", "who": "Ann"})
    '"It rains," says Ann. "It rains."'
    """

    def fact(match: re.Match[str]) -> str:
        name = match[1]
        if not name.endswith(","):
            return facts[name]
        spoken = facts[name[:-1]]
        return spoken[:-1] + "," if spoken.endswith(".") else spoken

    return _PLACEHOLDER.sub(fact, template)


def placeholders(template: str) -> set[str]:
    """The placeholders of a template.

    >>> sorted(placeholders("{who} to {whom}: {line,}"))
    ['line', 'who', 'whom']
    """
    return {name.removesuffix(",") for name in _PLACEHOLDER.findall(template)}


def _entries(name: str, pools: Mapping[str, Any], problems: Problems) -> list[tuple[str, Any]]:
    pool = pools.get(name)
    if not isinstance(pool, list) or not pool:
        problems.add(
            "this pool is missing" if pool is None else f"this pool is {format_value(pool)}",
            where=name,
            expected="a list of at least one phrase",
            remedy="write it, or start from a copy of the shipped phrases",
        )
        return []
    return [(f"{name}[{index}]", entry) for index, entry in enumerate(pool)]


def _check_text(text: Any, allowed: str, where: str, problems: Problems) -> None:
    if not isinstance(text, str) or not text:
        problems.add(
            f"this is {format_value(text)}", where=where, expected="a text", remedy="write the phrase in quotes"
        )
        return
    for name in sorted(placeholders(text) - set(allowed.split())):
        problems.add(
            f"{{{name}}} cannot be filled in here",
            where=where,
            expected=", ".join(f"{{{one}}}" for one in allowed.split()) or "no placeholder",
            remedy="use one of those, or none",
        )


def _check_exchange(exchange: Any, where: str, problems: Problems) -> None:
    if not isinstance(exchange, list) or len(exchange) != 2:
        problems.add(
            f"this is {format_value(exchange)}",
            where=where,
            expected="a line and its answer",
            remedy='write it as ["a line.", "an answer."]',
        )
        return
    for part in exchange:
        _check_text(part, "", where, problems)
