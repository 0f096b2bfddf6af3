"""A pasted or dropped case, decided within bounds: how much a case says is counted before anything is made of it."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct

from volition.arbitration.case import case_from_data
from volition.core.canonical import canonical
from volition.core.document import parse_json, parse_toml
from volition.core.errors import refuse
from volition.studio.decisions import DecisionShape, WhatIfAsked, WhatIfShape, decision_shape, what_if_shape
from volition.studio.errors import TooMuch

CELLS: Final = 10_000
"""The most cells, candidates times intentions, that a case may have: each is explained, against every weight."""
INTENTIONS: Final = 500
"""The most intentions: how far each weight may move depends on all the others."""
VALUES: Final = 50_000
"""The most values, at any depth, that a case may have: all cells have scores, and there is room for names and more."""
MAP_CELLS: Final = 400_000
"""The most tiles of a map times intentions: each may search for a path."""
TEXT: Final = 4 * 2**20
"""The most characters of a case as text."""
TOML_TEXT: Final = 2**18
"""The same for TOML, whose parser takes seconds for each megabyte; JSON is read a hundred times as fast."""


class CaseAsked(WhatIfAsked, frozen=True, forbid_unknown_fields=True):
    """A case: a document (see docs/files.md), or its text in JSON or TOML; with other weights to ask what if."""

    document: dict[str, Any] | None = None
    """The case as a document."""
    text: Annotated[str, Meta(max_length=TEXT)] | None = None
    """The case as text; at most 256 Ki characters of TOML."""
    format: Literal["json", "toml"] = "json"
    """What the text is written in."""


class CaseDecided(Struct, frozen=True):
    """The decision of a case, the reader's warnings, and what other weights would change where they were given."""

    decision: DecisionShape
    """The decision."""
    warnings: tuple[str, ...]
    """What may be misspelt."""
    what_if: WhatIfShape | None = None
    """What other weights would change, where they were given."""


def decide_case(asked: CaseAsked) -> CaseDecided:
    """The decision of a case, and what other weights would change. Python code that a document names is never imported."""
    document = _read_case(asked)
    if isinstance(document, dict):
        # Checked before the case is built, because building it already costs.
        _check_document(document)
    case = case_from_data(document)
    _check_cells(len(case.candidates), len(case.composite))
    decision = case.decide()
    then = what_if_shape(decision, asked) if asked.weights or asked.without else None
    return CaseDecided(decision_shape(decision), case.warnings, then)


def check_toml(text: str, where: str) -> None:
    """Refuse TOML that would take longer than about a second to read."""
    if len(text) > TOML_TEXT:
        raise TooMuch.of(
            f"{len(text)} characters of TOML",
            where=where,
            expected=f"at most {TOML_TEXT} characters of TOML",
            remedy="send it as JSON, or use the command line",
        )


def _read_case(asked: CaseAsked) -> Any:
    if (asked.document is None) == (asked.text is None):
        refuse(
            "there is no document, or there are two",
            where="document, text",
            expected="one of them",
            remedy="send the document, or its text",
        )
    if asked.text is None:
        return parse_json(canonical(asked.document), where="document")
    if asked.format == "toml":
        check_toml(asked.text, "text")
        return parse_toml(asked.text, where="text")
    return parse_json(asked.text, where="text")


def _check_document(document: dict[str, Any]) -> None:
    lists = [document.get(name) for name in ("candidates", "intentions")]
    candidates, intentions = (len(entries) if isinstance(entries, list | dict) else 1 for entries in lists)
    _check_cells(candidates, intentions)
    drawn = document.get("map")
    tiles = sum(map(len, filter(_is_text, drawn if isinstance(drawn, list) else [drawn])))
    if tiles * intentions > MAP_CELLS:
        what = f"a map of {tiles} tiles and {intentions} intentions"
        _refuse_size(what, "map", f"at most {MAP_CELLS} tiles times intentions")
    if _has_more_values(document, VALUES):
        _refuse_size(f"more than {VALUES} values", "document", f"at most {VALUES} values, at any depth")


def _check_cells(candidates: int, intentions: int) -> None:
    cells = max(1, candidates) * max(1, intentions)
    if cells > CELLS:
        what = f"{candidates} candidates and {intentions} intentions are {cells} cells"
        _refuse_size(what, "candidates, intentions", f"at most {CELLS} cells")
    if intentions > INTENTIONS:
        _refuse_size(f"{intentions} intentions", "intentions", f"at most {INTENTIONS} intentions")


def _refuse_size(what: str, where: str, expected: str) -> None:
    remedy = "leave out what cannot win or does not matter, or use `volition arbitrate`"
    raise TooMuch.of(what, where=where, expected=expected, remedy=remedy)


def _has_more_values(document: Any, most: int) -> bool:
    """Whether a document has more values than so many; it is not looked at further than that."""
    waiting, count = [document], 0
    while waiting and count <= most:
        value = waiting.pop()
        if isinstance(value, dict | list):
            count += len(value)
            if count <= most:
                waiting += value.values() if isinstance(value, dict) else value
    return count > most


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
