"""The table of a decision is aligned, bounded, and what it says about the nearest flip is true."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.arbitration.brute import Case, table
from volition.arbitration.report import lines

if TYPE_CHECKING:
    from tests.sentences import Told

pytestmark = pytest.mark.req("AR-15", "AR-21")


def flip_of(case: Case) -> str:
    """What the report says of the nearest flip."""
    return str(case.decision()).rpartition("; ")[2]


def offered(vetoed: str) -> Case:
    """Three candidates, of which the last has the longest name; some of them are vetoed."""
    names = ("near", "far", "a-much-longer-name")
    scores: dict[str, dict[str, float | None]] = {"goal": dict(zip(names, (0.5, -1.0, 0.25), strict=True))}
    return Case(names, {"goal": 2.0}, {"goal": None}, scores, {"dry": frozenset(vetoed.split())})


@pytest.mark.parametrize("vetoed", ["", "a-much-longer-name", "near", "near far a-much-longer-name"])
def test_names_and_totals_are_aligned(vetoed: str) -> None:
    """Names begin below "candidate", totals end below "total", and the vetoed are told apart behind the longest name."""
    case = offered(vetoed)
    head, *rows = (line.text for line in lines(case.decision().tally)[2:6])
    start, end = head.index("candidate"), head.index("total") + len("total")
    assert [row[0] for row in rows if row[0] != " "] == [">"] * (len(rows) > len(vetoed.split())) + ["x"] * len(
        vetoed.split()
    )
    for row in rows:
        name = row[start:].split()[0]
        assert row.index(name) == start
        if name in case.survivors:
            assert row[:end].endswith(f"{2.0 * (case.scores['goal'][name] or 0.0):+.3f}")
            assert row[end] == " "
        else:
            assert row[start + len("a-much-longer-name") :] == "  vetoed by dry"


def test_a_long_table_says_what_it_leaves_out(told: Told) -> None:
    """Rows beyond the bound are counted, survivors and vetoed apart; none is left out silently."""
    case = table({"x": (1, None, [0.1, 0.2, 0.3, 0.4, 0.5])}, vetoes={"no": "ab"})
    texts = [line.text for line in lines(case.decision().tally, most=1)]
    told(*texts)
    assert not any("more" in line.text for line in lines(case.decision().tally))


@pytest.mark.parametrize(
    ("case", "says"),
    [
        (table({"x": (1, None, [0.5, 0.5]), "y": (1, None, [0.5, 0.5])}), "no single weight can flip it"),
        (
            table({"x": (1.5, None, [0.25, 0.5]), "y": (1.5, None, [0.5, 0.25])}),
            "nearest flip: the slightest increase of x (x1.5) makes it b",
        ),
        (
            table({"x": (1.5, None, [0.5, 0.25]), "y": (1.5, None, [0.25, 0.5])}),
            "nearest flip: the slightest decrease of x (x1.5) makes it b",
        ),
        (
            table(
                {
                    "x": (0.25, None, [-0.5, -0.5, 0.5]),
                    "y": (1, None, [0.5 + 2.0**-52, 0.5 + 3 * 2.0**-53, 0.5 + 2.0**-52]),
                }
            ),
            "nearest flip: x x0.25 -> x1.11022e-16 makes it a",
        ),
    ],
)
def test_what_it_says_of_the_nearest_flip(case: Case, says: str) -> None:
    """A change that six digits cannot show is described in words; a tiny weight is printed as 0 only if the same candidate wins
    at 0; where no weight can flip it, it says so.
    """
    assert flip_of(case) == says


@pytest.mark.parametrize("third", [1, 2, 4, 5, 7, 8])
def test_a_printed_weight_on_the_near_side_is_past(third: int) -> None:
    """The printed weight is at the flip or beyond it; where its six digits are before it, the flip is "past" it."""
    case = table({"x": (1, None, [third / 9, 0.0]), "y": (0.1, None, [0.0, 1.0])})
    flip = case.decision().sensitivity().nearest
    assert flip is not None
    before = float(f"{flip.weight:.6g}")
    reached = before >= flip.weight if flip.change > 0 else before <= flip.weight
    assert ("-> past x" in flip_of(case)) == (not reached)
