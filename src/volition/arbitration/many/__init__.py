"""Many minds choosing at once: arbitration over arrays, with the same laws and the same winners."""

from __future__ import annotations

from volition.arbitration.many.batch import Many, ScoreNoise, arbitrate_many

__all__ = ["Many", "ScoreNoise", "arbitrate_many"]
