from __future__ import annotations

import pytest

from tests.drama.audience.evenings import SCENARIOS, bond, evening, event
from volition.drama.audience.viewing import AXES, dominant_theme, shift
from volition.drama.rules.catalog import CATASTROPHE, CHAT, CONFIDE, CONFLICT, LIE, REVEAL, EventType
from volition.drama.stage.events import Strain


@pytest.mark.parametrize(
    ("type", "expected"),
    [
        (CONFLICT, {"order_chaos": -0.15}),
        (REVEAL, {"truth_deception": 0.2}),
        (LIE, {"truth_deception": -0.2}),
        (CONFIDE, {"truth_deception": 0.1, "loyalty_betrayal": 0.1}),
        (CATASTROPHE, {"order_chaos": -0.3, "innocence_corruption": -0.15}),
        (CHAT, {}),
    ],
)
def test_each_kind_moves_its_axes(type: EventType, expected: dict[str, float]) -> None:
    """Each kind of event shifts the themes as in the table."""
    assert shift(event(type, "ann", "ben")) == expected


def test_trust_and_commitment_move_themes() -> None:
    """A great loss of trust is betrayal, a great gain loyalty at half the step, and commitment control."""
    lost, won = bond("ben", "ann", 0.5, 0.2), bond("ann", "ben", 0.0, 0.4)
    slight = bond("ann", "ben", 0.0, 0.2)
    assert shift(event(CHAT, "ann", "ben", deltas=(lost,))) == {"loyalty_betrayal": -0.1}
    assert shift(event(CHAT, "ann", "ben", deltas=(won,))) == {"loyalty_betrayal": 0.05}
    assert shift(event(CHAT, "ann", "ben", deltas=(slight,))) == {}
    assert shift(event(CHAT, "ann", "ben", strains=(Strain("ann", "commitment", 0.1, "side"),))) == {
        "freedom_control": -0.1
    }


def test_what_cancels_out_is_dropped() -> None:
    """A confidence that costs as much trust as it gives loyalty leaves only its truth."""
    assert shift(event(CONFIDE, "ann", "ben", deltas=(bond("ben", "ann", 0.5, 0.2),))) == {"truth_deception": 0.1}


@pytest.mark.parametrize("name", SCENARIOS)
def test_shifts_of_a_run(name: str) -> None:
    """Every shift of a run is along a known axis, larger than nothing, and in the order of the axes."""
    for happened in evening(name).events:
        moved = shift(happened)
        assert list(moved) == [axis for axis in AXES if axis in moved]
        assert all(abs(amount) > 0.01 for amount in moved.values())


def test_dominant_theme() -> None:
    """The dominant theme is the axis with the largest absolute sum."""
    assert (
        dominant_theme([{"order_chaos": 0.2}, {"truth_deception": -0.15}, {"truth_deception": -0.15}])
        == "truth_deception"
    )
    assert dominant_theme([]) is None
