"""Ensembles: every seed once, in order, and the same whatever the number of processes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.drama.company.records import PARTY
from volition.core.errors import InvalidInput
from volition.drama.company.ensemble import ensemble
from volition.drama.company.settings import Setting, applied

SHORT = applied(PARTY, [Setting("evening.ticks", None, 25)])


def test_workers() -> None:
    """One process here and two elsewhere give equal results, in the order of the seeds, each of them once."""
    told: list[tuple[int, int]] = []
    here = ensemble(SHORT, [9, 3, 3, 7, 1, 5], workers=1, progress=lambda done, of: told.append((done, of)))
    assert [record.seed for record in here] == [1, 3, 5, 7, 9]
    assert told == [(done, 5) for done in range(1, 6)]
    assert ensemble(SHORT, range(1, 10, 2), workers=2) == here


def test_nothing_to_play() -> None:
    """No seeds, no evenings."""
    assert ensemble(SHORT, []) == ()


@pytest.mark.parametrize("workers", [0, -2])
def test_no_workers(workers: int) -> None:
    """Somebody has to do it."""
    with pytest.raises(InvalidInput, match="workers"):
        ensemble(SHORT, [1], workers=workers)


@pytest.mark.parametrize("workers", [1, 2])
def test_errors_arrive(workers: int) -> None:
    """What goes wrong in another process is raised here, as it was there."""
    with pytest.raises(KeyError, match="effects"):
        ensemble(replace(SHORT, rules={}), range(1, 4), workers=workers)
