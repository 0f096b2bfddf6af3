"""A decision for people, as a table, and for programs, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from volition.arbitration.breakdown import rank_survivors, reason_of
from volition.arbitration.choice import draw_of, leader_of
from volition.arbitration.counterfactual import reconsider
from volition.arbitration.explain import margin, why
from volition.arbitration.sensitivity import sensitivity
from volition.core.typed import FrozenStruct, asdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.arbitration.sensitivity import Sensitivity
    from volition.arbitration.tally import Tally

MOST_ROWS = 20
"""How many candidates a table shows; it says how many it leaves out."""
_NOTHING = 2.0**-40
"""A weight that is smaller than it was by this factor reads as 0."""


class ReportLine(FrozenStruct, frozen=True):
    """A line of a report and what it is: "head", "winner", "survivor", "vetoed", "note" or "" for nothing special."""

    text: str
    role: str = ""


def lines(tally: Tally, most: int = MOST_ROWS) -> list[ReportLine]:
    """The report, line by line, each with its role, so that a terminal may colour it; `most` bounds its rows."""
    leader, chosen = leader_of(tally), tally.winner_id
    if chosen is None:
        chosen = f"{len(tally.vetoed)} vetoed" if leader is None else f"{tally.survivors[leader]} is first"
    return [
        ReportLine(f"{tally.kind}: {chosen} ({tally.rule})", "head"),
        ReportLine(""),
        *_table(tally, most),
        ReportLine(""),
        ReportLine(f"why:    {why(tally).text}"),
        *_firmness(tally),
    ]


def tally_to_data(tally: Tally) -> dict[str, Any]:
    """Everything about a decision as plain data: reason, firmness, trace."""
    reason, firm = reason_of(tally), sensitivity(tally)
    return {
        "kind": tally.kind,
        "candidate": tally.winner_id,
        "reason": explanation_to_data(reason),
        "why": why(tally).text,
        "margin": margin(tally),
        "ranking": [tally.survivors[place] for place in rank_survivors(tally)],
        "draw": explanation_to_data(draw_of(tally)),
        "nearest_flip": explanation_to_data(firm.nearest),
        "robustness": firm.robustness,
        "weight_ranges": {id: explanation_to_data(bounds) for id, bounds in firm.ranges.items()},
        "trace": {
            "filter": {name: tally.vetoed_by(name) for name in tally.vetoed},
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
    } | ({"remarks": dict(tally.remarks)} if tally.remarks else {})


def fields_to_data(record: FrozenStruct) -> dict[str, Any]:
    """The fields of a record as JSON data."""
    return {name: explanation_to_data(value) for name, value in asdict(record).items()}


def explanation_to_data(value: Any) -> Any:
    """Explanations as JSON data: decisions and records become objects, fractions the nearest float, tuples lists."""
    if hasattr(value, "to_data"):
        return value.to_data()
    if isinstance(value, FrozenStruct):
        return fields_to_data(value)
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, Mapping):
        return {key: explanation_to_data(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [explanation_to_data(part) for part in value]
    return value


def _table(tally: Tally, most: int) -> list[ReportLine]:
    order = rank_survivors(tally)
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
    aligned = [ReportLine(text, role) for text, role in zip(_align(rows, width), roles, strict=True)]
    refused = [ReportLine(f"x {name:<{width}}  vetoed by {tally.veto_text(name)}", "vetoed") for name in vetoed]
    more = _left_out_note(len(order), most, "survivors"), _left_out_note(len(tally.vetoed), most, "vetoed")
    return [*aligned, *more[0], *refused, *more[1]]


def _left_out_note(count: int, most: int, what: str) -> list[ReportLine]:
    return [ReportLine(f"  ... and {count - most} more {what}", "note")] if count > most else []


def _align(rows: Sequence[Sequence[str]], name_width: int) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        " ".join(
            [row[0].ljust(widths[0]), row[1].ljust(name_width)]
            + [" " + cell.rjust(width) for cell, width in zip(row[2:], widths[2:], strict=True)]
        ).rstrip()
        for row in rows
    ]


def _firmness(tally: Tally) -> list[ReportLine]:
    firm, lead = sensitivity(tally), margin(tally)
    if firm.robustness is None:
        return []
    ahead = "no rival" if lead is None else f"margin {lead:.6g}"
    return [ReportLine(f"firm:   {ahead}; robustness {firm.robustness:.1%}; {_flip(tally, firm)}")]


def _flip(tally: Tally, firm: Sensitivity) -> str:
    flip = firm.nearest
    if flip is None:
        return "no single weight can flip it"
    to, weight = flip.to or "a hold", firm.ranges[flip.intention].weight
    before, after = f"{weight:.6g}", f"{flip.weight:.6g}"
    if before == after:
        change = "increase" if flip.change > 0 else "decrease"
        return f"nearest flip: the slightest {change} of {flip.intention} (x{before}) makes it {to}"
    if flip.weight < _NOTHING * weight:
        silenced, _ = reconsider(tally, {flip.intention: 0.0}, {}, {}, (), shadow=False)
        after = "0" if silenced.winner_id == flip.to else after
    # Six digits may be on the near side of the weight itself: then it is past what is printed.
    past = "" if (float(after) - flip.weight) * flip.change >= 0 else "past "
    return f"nearest flip: {flip.intention} x{before} -> {past}x{after} makes it {to}"
