"""Places: what an executor declares about how exactly it tells them is little, and is kept."""

from __future__ import annotations

from itertools import pairwise
from math import dist, hypot
from typing import TYPE_CHECKING, Final

from volition.execution.conformance.law import Group, expect, expect_standstill
from volition.execution.conformance.open_moves import open_moves, was_open
from volition.execution.conformance.verdict import NotApplicable, Unoffered

if TYPE_CHECKING:
    from volition.execution.conformance.bed import TestBed


PLACES: Final = Group("places")

_SHARE: Final = 10
"""A tolerance is at most one part in this many of the longest free way: otherwise nothing can be told from standing."""


@PLACES.law("Places")
def tolerance(bed: TestBed) -> None:
    """A declared tolerance is at most a tenth of the longest way that is free, so that moving differs from standing."""
    if not bed.tolerance:
        raise Unoffered("the welcome declares no tolerance: places are exact")
    probe, connection = bed.need_move_probe(), bed.session()
    state, _ = bed.ready(connection)
    ways = bed.consult(probe.ways, state)
    if not ways:
        raise NotApplicable("no way is free")
    longest = hypot(*ways[0])
    found = f"a tolerance of {bed.tolerance:g}, where the longest free way is {longest:g}"
    expect(bed.tolerance <= longest / _SHARE, found, f"at most {longest / _SHARE:g}")


@PLACES.law("Places")
def coasting(bed: TestBed) -> None:
    """An actor that coasts slows down: in the second half of its time it goes half as far as in the first, at most."""
    if not bed.coast:
        raise Unoffered("the welcome declares that the actor does not coast")
    bed.need_probe("MOVE")
    for connection, id in open_moves(bed):
        connection.do("STOP")
        sights = [bed.see(connection)]
        for _ in range(2):
            bed.let_coast(connection, 0.5)
            sights.append(bed.see(connection))
        first, second = (dist(one.place, other.place) for one, other in pairwise(sights))
        found = f"it went {first:g}, then {second:g} after a STOP"
        expect(second <= first / 2 + bed.tolerance, found, "an actor that slows down")
        expect_standstill(bed, connection)
        if was_open(connection, id):
            return
