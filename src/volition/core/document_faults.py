"""Where a document is invalid: the line and column of what the strict reader refuses."""

from __future__ import annotations

import json
import math
import re

from volition.core.canonical import MAX_INTEGER
from volition.core.errors import InvalidInput, Problem

MAX_DEPTH = 64
"""How deeply the arrays and objects of a document may be nested."""

TOO_DEEP = Problem(
    f"the document is nested deeper than {MAX_DEPTH} levels",
    "document",
    f"at most {MAX_DEPTH} arrays and objects inside one another",
    "flatten it: refer to inner parts by an id",
)

_TEXT = r'"(?:[^"\\]++|\\.)*+"'
_TOKEN = re.compile(
    rf"""(?P<key>{_TEXT}(?=[ \t\n\r]*:)) | (?P<text>{_TEXT}) | (?P<open>[\[{{]) | (?P<close>[\]}}])
    | (?P<number>-?+(?:[0-9]++(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?|Infinity)|NaN)""",
    re.VERBOSE | re.DOTALL,
)
_INTEGER = re.compile(r"-?[0-9]+")
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def place(where: str, text: str, position: int) -> str:
    """The line and column of `position` in `text`, with the name of its document; both count from 1.

    >>> place("a.json", "ab\\ncd", 4)
    'a.json, line 2, column 2'
    """
    line, column = text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)
    return f"{where}, line {line}, column {column}"


def first_json_fault(text: str, where: str) -> InvalidInput | None:
    """The first thing in `text` that JSON allows but a document does not, or None; `text` is JSON up to there."""
    keys: list[dict[str, int]] = []  # for each object or array around the token: its keys so far, with their positions
    for token in _TOKEN.finditer(text):
        word, position = token.group(), token.start()
        problem = None
        match token.lastgroup:
            case "open":
                if len(keys) == MAX_DEPTH:
                    problem = TOO_DEEP.what, TOO_DEEP.expected, TOO_DEEP.remedy
                keys.append({})
            case "close":
                keys.pop()
            case "number":
                problem = _number_problem(word)
            case kind:
                content = json.loads(word)
                if _HALF_CHARACTER.search(content):
                    problem = f"half a character (a lone surrogate) in {word}", "whole characters", "repair the text"
                elif kind == "key":
                    first = keys[-1].setdefault(content, position)
                    if first != position:
                        advice = f"remove or rename one of them; the first: {place(where, text, first)}"
                        problem = f"the key {_short(word)} is duplicated in one object", "each key once", advice
        if problem:
            what, expected, remedy = problem
            return InvalidInput(Problem(what, place(where, text, position), expected, remedy))
    return None


def _number_problem(word: str) -> tuple[str, str, str] | None:
    if _INTEGER.fullmatch(word):
        if len(word) > 17 or abs(int(word)) > MAX_INTEGER:
            return f"the integer {_short(word)} is too large", "-(2^53 - 1) to 2^53 - 1", "write it as text"
    elif not math.isfinite(float(word)):
        return f"{_short(word)} is not a finite number", "a finite number", "leave it out or use null"
    return None


def _short(word: str) -> str:
    return word if len(word) <= 60 else word[:57] + "..."
