"""How far evenings are from their targets, as one number that a search can make smaller."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from volition.drama.doctor.report import DoctorReport
    from volition.drama.doctor.targets import Target

FAILS: Final = 0.6
"""What a target costs that fails by a hair; the further it fails, the closer it comes to 1."""
CLOSE: Final = 0.3
"""What a target costs that holds by a hair; one that holds by more than its sampling error costs nothing."""


def misfit(report: DoctorReport) -> float:
    """0 if every target holds with a margin; each that fails adds more than any that holds."""
    return round(sum(misfit_of(target, report.evenings) for target in report.targets), 6)


def misfit_of(target: Target, evenings: int) -> float:
    """What one target adds, by how far its value is beyond its bounds, or how close to them."""
    beyond = max(_beyond(target.least, target.value), _beyond(target.value, target.most))
    scale = max(abs(bound) for bound in (target.least, target.most) if bound is not None) or 1.0
    if not target.holds:
        far = max(0.0, beyond) / scale
        return FAILS + (1.0 - FAILS) * far / (1.0 + far)  # never level, so that a search sees which way is down
    margin = _sampling_error(target, evenings)
    return CLOSE * max(0.0, 1.0 + beyond / margin) if margin else 0.0


def _beyond(low: float | None, high: float | None) -> float:
    """How far `low` is above `high`; below 0 where it is not."""
    return float("-inf") if low is None or high is None else low - high


def _sampling_error(target: Target, evenings: int) -> float:
    """By how much a share or a median time may differ among other evenings; 0 for anything else."""
    if target.unit in ("tick", "min"):
        return 0.2 * target.value
    if target.unit != "%":
        return 0.0
    share = min(0.99, max(0.01, target.value / 100.0))
    return 100.0 * sqrt(share * (1.0 - share) / evenings)
