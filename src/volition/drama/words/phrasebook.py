"""Phrasebooks: phrases read from data, checked completely, and stacked in layers.

A layer is a table of groups of pools. A pool is a list of phrases and of blocks `{ when = CONDITION, say = [...] }`.
The phrases of a layer join those below it; pools named in `replace` take their place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any, Final

from msgspec import Struct, structs

from volition.core.document import parse_toml
from volition.core.errors import InvalidInput, Problems, did_you_mean, format_value
from volition.drama.words.condition import ScenarioTerms, Vocabulary, When, check_when, read_when, vocabulary
from volition.drama.words.phrase import Phrase, find_malformed, needs_relation, placeholders
from volition.drama.words.pools import POOLS, SECRET_LINES, Pool, pool_named

FOLDER: Final = "phrases"
LONGEST: Final = 2000
"""The longest phrase, in letters."""
MOST: Final = 20_000
"""The most phrases of a layer."""
OWN: Final = 4
"""How much heavier a line of a secret is than one for all secrets like it."""


_GENERAL = ScenarioTerms(needs=("relief", "air", "telephone", "work"))
"""The general phrases know these needs of scenarios."""


class Phrasebook(Struct, frozen=True):
    """Checked phrases by pool."""

    pools: Mapping[str, tuple[Phrase, ...]]

    def pool(self, name: str) -> tuple[Phrase, ...]:
        """The phrases of a pool; none if there is no such pool."""
        return self.pools.get(name, ())

    def text(self, name: str) -> str:
        """The one phrase of a pool that is a text."""
        return self.pools[name][0].parts[0]


class _Layer(Struct, frozen=True):
    pools: dict[str, list[Phrase]]
    replaced: frozenset[str]
    faulty: set[str]
    """The pools in which there is a problem."""


@cache
def phrasebook() -> Phrasebook:
    """The general phrases, which ship with the package."""
    folder = files("volition.drama.words").joinpath(FOLDER)
    book = Phrasebook({})
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        layer = _read(parse_toml(file.read_bytes(), where=file.name), file.name, _GENERAL, problems := Problems())
        problems.raise_if_any(InvalidInput)
        book = _stack(book, layer)
    _check_complete(book, POOLS, "the general phrases", problems := Problems())
    problems.raise_if_any(InvalidInput)
    return book


def add_layer(book: Phrasebook, data: Any, terms: ScenarioTerms, where: str) -> Phrasebook:
    """A phrasebook with another layer on top; InvalidInput lists every problem with its place."""
    problems = Problems()
    layered = stack_layer(book, data, terms, where, problems)
    problems.raise_if_any(InvalidInput)
    return layered


def stack_layer(book: Phrasebook, data: Any, terms: ScenarioTerms, where: str, problems: Problems) -> Phrasebook:
    """The same, with problems noted."""
    layer = _read(data, where, terms, problems)
    layered = _stack(book, layer)
    touched = {name: POOLS[name] for name in sorted(layer.replaced - layer.faulty) if name in POOLS}
    _check_complete(layered, touched, where, problems)
    return layered


def _stack(book: Phrasebook, layer: _Layer) -> Phrasebook:
    pools = {name: phrases for name, phrases in book.pools.items() if name not in layer.replaced}
    for name, phrases in layer.pools.items():
        is_text = (pool := POOLS.get(name)) is not None and pool.kind == "text"
        pools[name] = tuple(phrases) if is_text else (*pools.get(name, ()), *phrases)
    return Phrasebook(pools)


def _read(data: Any, where: str, terms: ScenarioTerms, problems: Problems) -> _Layer:
    """Read a layer and note every problem in it."""
    layer = _Layer({}, frozenset(), set())
    if not isinstance(data, Mapping):
        _note(problems, data, where, "a table of groups of pools", "write each pool under [group]")
        return layer
    words, count = vocabulary(terms), 0
    for name, entries in _pools_in(data, where, problems):
        pool = pool_named(name, terms.needs, terms.secrets, terms.events)
        if pool is None:
            problems.add(
                f"nothing uses the pool {name!r}",
                where=f"{where}, {name}",
                expected="the name of a pool",
                remedy=_suggest_pool(name, terms),
            )
            continue
        before = len(problems)
        phrases = list(_phrases(name, pool, entries, where, words, problems))
        if len(problems) > before:
            layer.faulty.add(name)
        layer.pools[name] = phrases
        count += len(phrases)
    if count > MOST:
        problems.add(f"{count} phrases", where=where, expected=f"at most {MOST}", remedy="keep the best ones")
    return structs.replace(layer, replaced=frozenset(_read_replaced(data, layer, where, problems)))


def _suggest_pool(name: str, terms: ScenarioTerms) -> str:
    """What to do about a pool that there is not."""
    group, _, rest = name.partition(".")
    if group == "secrets":
        secret, _, kind = rest.rpartition(".")
        return did_you_mean(kind, SECRET_LINES) if secret in terms.secrets else did_you_mean(secret, terms.secrets)
    known = [*POOLS, *(f"physical.{need}" for need in terms.needs), *(f"clock.{event}" for event in terms.events)]
    return did_you_mean(name, known) if any(name[:3] == pool[:3] for pool in known) else "remove or rename it"


def _read_replaced(data: Mapping[str, Any], layer: _Layer, where: str, problems: Problems) -> Iterator[str]:
    names = data.get("replace", [])
    if not isinstance(names, list):
        _note(problems, names, f"{where}, replace", "a list of pools", 'write replace = ["group.name", ...]')
        return
    for number, name in enumerate(names):
        if isinstance(name, str) and name in layer.pools:
            yield name
        else:
            problems.add(
                f"{format_value(name)} is replaced by nothing",
                where=f"{where}, replace[{number}]",
                expected="a pool that this file has",
                remedy=did_you_mean(name, layer.pools),
            )


def _pools_in(data: Mapping[str, Any], where: str, problems: Problems) -> Iterator[tuple[str, Any]]:
    """Every pool of a layer with its full name."""
    for group, table in data.items():
        if group == "replace":
            continue
        if not isinstance(table, Mapping):
            _note(problems, table, f"{where}, {group}", "a table of pools", "write each pool under [group]")
            continue
        for name, entries in table.items():
            if group == "secrets" and isinstance(entries, Mapping):
                yield from ((f"secrets.{name}.{kind}", lines) for kind, lines in entries.items())
            else:
                yield f"{group}.{name}", entries


def _phrases(
    name: str, pool: Pool, entries: Any, where: str, words: Vocabulary, problems: Problems
) -> Iterator[Phrase]:
    """The phrases of a pool, with and without conditions."""
    place = f"{where}, {name}"
    if pool.kind == "text":
        yield from _phrase(name, pool, entries, (), place, problems)
        return
    if not isinstance(entries, list) or not entries:
        _note(problems, entries, place, "a list of at least one phrase", "write [ ... ], with commas")
        return
    for number, entry in enumerate(entries):
        spot = f"{place}[{number}]"
        if not isinstance(entry, Mapping):
            yield from _phrase(name, pool, entry, (), spot, problems)
            continue
        when, lines = entry.get("when", {}), entry.get("say")
        for key in entry.keys() - {"when", "say"}:
            problems.add(
                f"{format_value(key)} is not known here",
                where=f"{spot}.{key}",
                expected="when and say",
                remedy=did_you_mean(key, ("when", "say")),
            )
        fits = check_when(when, f"{spot}.when", words, problems)
        if not isinstance(lines, list) or not lines:
            _note(problems, lines, f"{spot}.say", "a list of at least one phrase", "write say = [ ... ]")
            continue
        clauses = read_when(when) if fits else ()
        for index, phrase in enumerate(lines):
            yield from _phrase(name, pool, phrase, clauses, f"{spot}.say[{index}]", problems)


def _phrase(name: str, pool: Pool, entry: Any, when: When, where: str, problems: Problems) -> Iterator[Phrase]:
    parts = tuple(entry) if pool.kind == "exchange" and isinstance(entry, list) else (entry,)
    if len(parts) != (2 if pool.kind == "exchange" else 1):
        _note(problems, entry, where, "a line and its answer", 'write it as ["a line.", "an answer."]')
        return
    before = len(problems)
    for part in parts:
        _check_text(part, pool, when, where, problems)
    if len(problems) == before:
        weight = 1 + len(when) + (OWN if name.startswith("secrets.") else 0)
        yield Phrase(parts, when, frozenset().union(*map(placeholders, parts)), weight)


def _check_text(text: Any, pool: Pool, when: When, where: str, problems: Problems) -> None:
    if not isinstance(text, str) or not text.strip() or not text.isprintable() or len(text) > LONGEST:
        remedy = "write something, on one line" if isinstance(text, str) else "write the phrase in quotes"
        remedy = f"it has {len(text)}: shorten it" if isinstance(text, str) and len(text) > LONGEST else remedy
        _note(problems, text, where, f"a text on one line, of at most {LONGEST} letters", remedy)
        return
    allowed = pool.always | pool.sometimes
    bad = [f"{{{name}}}" for name in sorted(placeholders(text) - allowed)]
    listed = [f"{{{known}}}" for known in sorted(allowed)]
    for placeholder in dict.fromkeys([*find_malformed(text), *bad]):
        problems.add(
            "a brace is out of place" if placeholder in "{}" else f"{placeholder} cannot be filled in here",
            where=where,
            expected=", ".join(listed) or "no placeholder",
            remedy=_suggest_placeholder(placeholder, listed),
        )
    spoken = pool.kind in {"line", "exchange"}
    if text.count('"') % 2 or (spoken and '"' in text):
        expected = "no quotation marks: the line is quoted as a whole" if spoken else "quotation marks in pairs"
        problems.add("a quotation mark is out of place", where=where, expected=expected, remedy="use ' inside a line")
    if needs_relation(text) and not any(clause.key == "relation" and clause.some for clause in when):
        problems.add(
            "this calls somebody by a relation that they may not have",
            where=where,
            expected="a condition that says which relation",
            remedy="add relation to its when",
        )


def _suggest_placeholder(placeholder: str, known: list[str]) -> str:
    """What to do about a placeholder that cannot be filled in."""
    if placeholder in "{}":
        return "give it its partner, or leave it out"
    if near := get_close_matches(placeholder, known, n=1, cutoff=0.75):
        return f"did you mean {near[0]}?"
    if not known:
        return "leave it out"
    return "use one of those; people also have forms such as {who.their} and {who.is|are}"


def _check_complete(book: Phrasebook, pools: Mapping[str, Pool], where: str, problems: Problems) -> None:
    """Note every pool that could leave an event without words: each needs a phrase that fits always."""
    for name, pool in pools.items():
        if pool.needed and not any(not phrase.when and phrase.needs <= pool.always for phrase in book.pool(name)):
            problems.add(
                f"the pool {name!r} could leave an event without words",
                where=f"{where}, {name}",
                expected="at least one phrase without a condition, with no placeholders but "
                + (", ".join(f"{{{placeholder}}}" for placeholder in sorted(pool.always)) or "none"),
                remedy="add one that fits always",
            )


def _note(problems: Problems, value: Any, where: str, expected: str, remedy: str) -> None:
    what = "this is missing" if value is None else f"this is {format_value(value)}"
    problems.add(what, where=where, expected=expected, remedy=remedy)
