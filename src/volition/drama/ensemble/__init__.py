"""Ensembles: one scenario played with many seeds and settings, and what the evenings show together."""

from volition.drama.ensemble.axes import Names
from volition.drama.ensemble.figures import Cell, Differences, Figures, Pair, PointComparison
from volition.drama.ensemble.folder import MANIFEST
from volition.drama.ensemble.frames import Played
from volition.drama.ensemble.intervals import Interval
from volition.drama.ensemble.paths import ASKED, Asked
from volition.drama.ensemble.plan import EnsemblePlan
from volition.drama.ensemble.playing import ensemble, sweep
from volition.drama.ensemble.pools import ENGINES, Engine
from volition.drama.ensemble.results import Ensemble
from volition.drama.ensemble.table import FORMATS, Format
from volition.drama.ensemble.terms import array_term, law_term

__all__ = [  # noqa: RUF022  grouped as a reader meets them
    # what is to be played
    "EnsemblePlan", "Names", "array_term", "law_term",
    # by whom
    "ensemble", "sweep", "Engine", "ENGINES", "Asked", "ASKED", "Format", "FORMATS", "MANIFEST",
    # the results
    "Ensemble", "Played", "Figures", "Interval", "PointComparison", "Pair", "Differences", "Cell",
]  # fmt: skip
