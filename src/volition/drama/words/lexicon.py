"""What words take for granted, as data, and the phrases that use them without making sure of it."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from volition.core.document import parse_toml
from volition.drama.words.condition import FLAGS, Clause, Facts, When, ensures, holds, read_when, turn
from volition.drama.words.phrase import spoken_parts
from volition.drama.words.pools import pool_named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from volition.drama.words.phrasebook import Phrasebook

FILE: Final = "lexicon.toml"
_UNFIT: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), why)
    for pattern, why in (
        (
            r"\bthere (?:is|was) \{(?:matter|subject)\}|\{(?:matter|subject)\} (?:is|was|has|does|did|came|comes|goes)\b",
            "what is filled in may be a plural or half a sentence",
        ),
        (r'\{\w+,\}" (?:says|asks)\b', "it may be a question, or none: {says} fits both"),
        (r"\b(?:in|into|inside) \{(?:room|destination)\}", "one is not in a terrace, or at a kitchen"),
    )
)
"""Words around a placeholder that do not fit all that it may be filled in with, and why."""
_KINDS = {"said": (True,), "told": (False,), "used": (True, False)}


class LexiconRule(Struct, frozen=True):
    """Some words, spoken or not, and the condition under which they may be used; `pools` are excepted."""

    why: str
    words: re.Pattern[str]
    spoken: tuple[bool, ...]
    when: When
    pools: tuple[str, ...]

    def find_word(self, spoken: bool, text: str) -> str | None:
        """The word of a piece of text that this rule is about, or None."""
        match = self.words.search(text) if spoken in self.spoken else None
        return None if match is None else match[0]


class LooseWord(Struct, frozen=True):
    """A phrase with a word whose condition it does not make sure of."""

    pool: str
    text: str
    word: str
    why: str
    needs: When

    def __str__(self) -> str:
        needs = ", ".join(f"{clause.key} = {_format_clause(clause)}" for clause in self.needs)
        remedy = f"add when = {{ {needs} }}" if needs else "say it otherwise, or add a condition"
        return f"{self.pool}: {self.why} ({self.word!r}); {remedy}\n  {self.text}"

    def to_data(self) -> dict[str, str]:
        return {"pool": self.pool, "text": self.text, "word": self.word, "why": self.why}


def _format_clause(clause: Clause) -> str:
    if clause.key in FLAGS:
        return "true" if clause.some else "false"
    words = [*sorted(clause.some), *(f"not {word}" for word in sorted(clause.none))]
    return repr(words[0] if len(words) == 1 else words).replace("'", '"')


@cache
def lexicon() -> tuple[LexiconRule, ...]:
    """The rules of lexicon.toml."""
    data = parse_toml(files("volition.drama.words").joinpath(FILE).read_bytes(), where=FILE)
    return tuple(_rule(entry) for entry in data["rule"])


def _rule(entry: dict[str, object]) -> LexiconRule:
    kind = next(key for key in _KINDS if key in entry)
    words = re.compile(rf"\b(?:{entry[kind]})\b", re.IGNORECASE)
    pools = entry.get("except", ())
    return LexiconRule(str(entry["why"]), words, _KINDS[kind], read_when(entry["when"]), tuple(pools))  # type: ignore[arg-type]


def find_violations(pool: str, spoken: bool, text: str, facts: Facts) -> Iterator[tuple[str, str]]:
    """The words of a text that contradict the moment at which it is used, each with the reason."""
    for rule, word in _find_words(spoken, text):
        if not pool.startswith(rule.pools) and not holds(rule.when, facts):
            yield word, rule.why


def loose_words(book: Phrasebook, infer: Callable[[str, When], Facts] = lambda *_: {}) -> Iterator[LooseWord]:
    """The phrases that could contradict a moment.

    `infer` says what is sure, in a scenario, where a pool is used and a condition holds.
    """
    for pool, phrases in book.pools.items():
        known = pool_named(pool, secrets=(pool.split(".")[1],) if pool.startswith("secrets.") else ())
        spoken_pool = known is not None and known.kind in {"line", "exchange"}
        for phrase in phrases:
            for number, part in enumerate(phrase.parts):
                for pattern, why in _UNFIT:
                    if match := pattern.search(part):
                        yield LooseWord(pool, part, match[0], why, ())
                when = turn(phrase.when) if number else phrase.when
                sure = infer(pool, when)
                pieces = [(True, part)] if spoken_pool else spoken_parts(part)
                for spoken, piece in pieces:
                    for rule, word in _rules_about(spoken, piece):
                        if not pool.startswith(rule.pools) and not _is_sure(rule.when, when, sure):
                            yield LooseWord(pool, part, word, rule.why, turn(rule.when) if number else rule.when)


@lru_cache(maxsize=2**15)
def _rules_about(spoken: bool, text: str) -> tuple[tuple[LexiconRule, str], ...]:
    """The rules about words of a piece of a phrase, each with its word; remembered, as most phrases are in every book."""
    return tuple(_find_words(spoken, text))


def _find_words(spoken: bool, text: str) -> Iterator[tuple[LexiconRule, str]]:
    """The rules about words of a text, each with its word."""
    if _words_of_all(spoken).search(text.lower()):
        for rule in lexicon():
            word = rule.find_word(spoken, text)
            if word is not None:
                yield rule, word


@cache
def _words_of_all(spoken: bool) -> re.Pattern[str]:
    """The words of all rules, in lower case. Nineteen texts of twenty have none of them, and one such search takes a fifth of the
    time of asking each of the sixty rules."""
    return re.compile("|".join(rule.words.pattern.lower() for rule in lexicon() if spoken in rule.spoken))


def _is_sure(needed: When, when: When, sure: Facts) -> bool:
    """Whether each clause is ensured by a condition, or by what is sure where it holds."""
    return all(ensures(when, (clause,)) or (clause.key in sure and holds((clause,), sure)) for clause in needed)
