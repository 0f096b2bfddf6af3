"""A decision for people, as a table, and for programs, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from volition.arbitration.decision import Decision, vetoed_by

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.arbitration.sensitivity import Sensitivity
    from volition.arbitration.tally import Tally

MOST_ROWS = 20
"""How many candidates a table shows; it says how many it leaves out."""
_NOTHING = 2.0**-40
"""A weight that is so much smaller than it was reads as 0."""


class Line(NamedTuple):
    """A line of a report and what it is: "head", "winner", "survivor", "vetoed", "note" or "" for nothing special."""

    text: str
    role: str = ""


def as_text(decision: Decision[Any]) -> str:
    """The decision as a table of votes and vetoes, with its reason, margin, nearest flip and robustness."""
    return "\n".join(line.text for line in lines(decision))


def lines(decision: Decision[Any], most: int = MOST_ROWS) -> list[Line]:
    """The report, line by line, each with its role, so that a terminal may colour it; `most` bounds its rows."""
    chosen = decision.id if decision.id is not None else f"{len(decision.tally.vetoed)} vetoed"
    return [
        Line(f"{decision.kind}: {chosen} ({decision.tally.rule})", "head"),
        Line(""),
        *_table(decision.tally, most),
        Line(""),
        Line(f"why:    {decision.why().text}"),
        *(Line(f"firm:   {text}") for text in _firmness(decision)),
    ]


def decision_to_data(decision: Decision[Any]) -> dict[str, Any]:
    """Everything about a decision as plain data: reason, firmness, trace."""
    tally, reason, firm = decision.tally, decision.reason, decision.sensitivity()
    return {
        "kind": decision.kind,
        "candidate": decision.id,
        "reason": plain(reason._asdict()),
        "why": decision.why().text,
        "margin": decision.margin,
        "nearest_flip": plain(firm.nearest),
        "robustness": firm.robustness,
        "weight_ranges": {id: plain(bounds) for id, bounds in firm.ranges.items()},
        "trace": {
            "filter": {name: vetoed_by(tally, name) for name in tally.vetoed},
            "aggregate": {
                name: {
                    "total": total,
                    "votes": {
                        id: {"score": score, "contribution": product}
                        for id, score, product in zip(tally.composite.voters, scores, products, strict=True)
                    },
                }
                for name, scores, products, total in zip(
                    tally.survivors, tally.scores, tally.products, tally.totals, strict=True
                )
            },
            "tie_break": None if tally.tie is None else {"tied": list(reason.tied), "level": tally.tie.level},
        },
        "version": tally.version,
    }


def plain(value: Any) -> Any:
    """Explanations as JSON data: dataclasses become objects, fractions the nearest float, tuples lists."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Decision):
        return {"kind": value.kind, "candidate": value.id, "rule": value.tally.rule}
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, Mapping):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return value


def _table(tally: Tally, most: int) -> list[Line]:
    order = tally.ranking
    entries = tally.composite.heuristics
    rows = [[" ", "candidate", "total", *(f"{entry.id} x{entry.weight:g}" for entry in entries)]]
    roles = ["head"]
    for position in order[:most]:
        won = position == tally.winner
        votes = zip(tally.scores[position], tally.products[position], strict=True)
        cells = ["-" if score is None else f"{product:+.3f}" for score, product in votes]
        name = tally.survivors[position]
        rows.append([">" if won else " ", name, f"{tally.totals[position]:+.3f}", *cells])
        roles.append("winner" if won else "survivor")
    vetoed = list(tally.vetoed)[:most]
    width = max(len(name) for name in (*vetoed, *(row[1] for row in rows)))
    aligned = [Line(text, role) for text, role in zip(_aligned(rows, width), roles, strict=True)]
    return [*aligned, *_left_out(len(order), most, "survivors"), *_vetoed(tally, vetoed, width, most)]


def _vetoed(tally: Tally, names: Sequence[str], width: int, most: int) -> list[Line]:
    shown = []
    for name in names:
        by = vetoed_by(tally, name)
        told = ", ".join(who if why is True else f"{who} ({why})" for who, why in by.items())
        shown.append(Line(f"x {name:<{width}}  vetoed by {told}", "vetoed"))
    return [*shown, *_left_out(len(tally.vetoed), most, "vetoed")]


def _left_out(count: int, most: int, what: str) -> list[Line]:
    return [Line(f"  ... and {count - most} more {what}", "note")] if count > most else []


def _aligned(rows: Sequence[Sequence[str]], name_width: int) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        " ".join(
            [row[0].ljust(widths[0]), row[1].ljust(name_width)]
            + [" " + cell.rjust(width) for cell, width in zip(row[2:], widths[2:], strict=True)]
        ).rstrip()
        for row in rows
    ]


def _firmness(decision: Decision[Any]) -> list[str]:
    firm = decision.sensitivity()
    if firm.robustness is None:
        return []
    margin = "no rival" if decision.margin is None else f"margin {decision.margin:.6g}"
    return [f"{margin}; robustness {firm.robustness:.1%}; {_flip(decision, firm)}"]


def _flip(decision: Decision[Any], firm: Sensitivity) -> str:
    flip = firm.nearest
    if flip is None:
        certain = all(bounds.exact for bounds in firm.ranges.values())
        return "no single weight can flip it" if certain else "where a single weight flips it is not known exactly"
    weight = firm.ranges[flip.intention].weight
    before, after = f"{weight:.6g}", f"{flip.weight:.6g}"
    if before == after:
        change = "increase" if flip.change > 0 else "decrease"
        return f"nearest flip: the least {change} of {flip.intention} (x{before}) makes it {flip.to}"
    if flip.weight < _NOTHING * weight and decision.what_if(weights={flip.intention: 0.0}).after == flip.to:
        after = "0"
    # Six digits may be on the near side of the weight itself: then it is past what is printed.
    past = "" if (float(after) - flip.weight) * flip.change >= 0 else "past "
    return f"nearest flip: {flip.intention} x{before} -> {past}x{after} makes it {flip.to}"
