"""A pasted case, decided within bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from volition.arbitration.case import case_from_data
from volition.core.canonical import canonical
from volition.core.document import parse_json, parse_toml
from volition.core.errors import refuse
from volition.studio.decisions import decision_shape, what_if_shape
from volition.studio.errors import TooMuch
from volition.studio.shapes.decisions import CaseDecided

if TYPE_CHECKING:
    from volition.studio.shapes.decisions import CaseAsked

CELLS: Final = 10_000
"""The most cells, candidates times intentions, that a case may have: each is explained, against every weight."""


def decide_case(asked: CaseAsked) -> CaseDecided:
    """The decision of a case, and what other weights would change. Python code that a document names is never imported."""
    document = _read(asked)
    if isinstance(document, dict):
        # Checked before the case is built, because building it already costs.
        lists = [document.get(name) for name in ("candidates", "intentions")]
        _check_cells(*(len(one) if isinstance(one, list | dict) else 1 for one in lists))
    case = case_from_data(document)
    _check_cells(len(case.candidates), len(case.composite))
    decision = case.decide()
    then = what_if_shape(decision, asked) if asked.weights or asked.without else None
    return CaseDecided(decision_shape(decision), case.warnings, then)


def _read(asked: CaseAsked) -> Any:
    if (asked.document is None) == (asked.text is None):
        refuse(
            "there is no document, or there are two",
            where="document, text",
            expected="one of them",
            remedy="send the document, or its text",
        )
    if asked.text is not None:
        return (parse_toml if asked.format == "toml" else parse_json)(asked.text, where="text")
    return parse_json(canonical(asked.document), where="document")


def _check_cells(candidates: int, intentions: int) -> None:
    cells = max(1, candidates) * max(1, intentions)
    if cells > CELLS:
        raise TooMuch.of(
            f"{candidates} candidates and {intentions} intentions are {cells} cells",
            where="candidates, intentions",
            expected=f"at most {CELLS} cells",
            remedy="leave out candidates that cannot win, or use `volition arbitrate`",
        )
