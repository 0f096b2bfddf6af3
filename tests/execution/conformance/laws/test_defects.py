"""A kit that cannot fail proves nothing: every planted defect is caught by the check that is made for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.execution.conformance.laws.defects import DEFECTS
from volition.execution.conformance.laws import CHECKS

if TYPE_CHECKING:
    from tests.execution.conformance.laws.defect import Defect
    from volition.execution.conformance.verdict import Report


@pytest.mark.req("EX-18")
@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.__name__)
def test_a_planted_defect_is_caught_by_name(defect: type[Defect]) -> None:
    """An executor with one defect breaks the checks made for it, and each with its evidence."""
    report = defect().tested(*defect.laws())
    breaks_these_alone(defect, report)
    assert not report.holds
    for row in report.rows:
        if row.verdict == "breaks":
            assert row.found
            assert row.expected
            assert row.frames or row.check == "conduct.timestamp_unit"


@pytest.mark.req("EX-18")
@pytest.mark.parametrize("defect", DEFECTS[::16], ids=lambda defect: defect.__name__)
def test_a_defect_is_caught_among_its_neighbours(defect: type[Defect]) -> None:
    """Among all checks of their groups too, those catch a defect that are made for it, and hardly another does."""
    breaks_these_alone(defect, defect().tested(*defect.neighbours()))


@pytest.mark.req("EX-18")
@pytest.mark.parametrize("defect", DEFECTS[::142], ids=lambda defect: defect.__name__)
def test_a_defect_is_caught_in_the_whole_kit(defect: type[Defect]) -> None:
    """Among all checks too, those catch a defect that are made for it."""
    assert defect.caught_by <= set(defect().tested().broken)


def breaks_these_alone(defect: type[Defect], report: Report) -> None:
    assert defect.caught_by <= set(report.broken), f"not caught by {defect.caught_by - set(report.broken)}"
    others = set(report.broken) - defect.caught_by - defect.also
    assert not others, f"also caught by {others}"


@pytest.mark.req("EX-26")
def test_every_check_can_fail() -> None:
    """Every check has a defect that is made for it: none of them holds by itself."""
    assert len(DEFECTS) >= 200
    names = {check.name for check in CHECKS}
    assert set().union(*(defect.caught_by for defect in DEFECTS)) == names
    assert set().union(*(defect.also for defect in DEFECTS)) <= names
