"""Ensembles: many seeds and settings of one scenario, played by whoever is there, and what they show together."""

from volition.drama.company.ensemble.axes import Names
from volition.drama.company.ensemble.comparison import Comparison, Pair
from volition.drama.company.ensemble.crews import ENGINES, Engine
from volition.drama.company.ensemble.figures import Figures
from volition.drama.company.ensemble.folder import MANIFEST
from volition.drama.company.ensemble.forms import array_term
from volition.drama.company.ensemble.intervals import Interval
from volition.drama.company.ensemble.lines import Played
from volition.drama.company.ensemble.means import Cell
from volition.drama.company.ensemble.paths import ASKED, Asked
from volition.drama.company.ensemble.plan import Plan
from volition.drama.company.ensemble.playing import ensemble, sweep
from volition.drama.company.ensemble.results import Ensemble
from volition.drama.company.ensemble.table import FORMATS, Format

__all__ = [  # noqa: RUF022  grouped as a reader meets them
    # what is to be played
    "Plan", "Names", "array_term",
    # by whom
    "ensemble", "sweep", "Engine", "ENGINES", "Asked", "ASKED", "Format", "FORMATS", "MANIFEST",
    # what came of it
    "Ensemble", "Played", "Figures", "Interval", "Comparison", "Pair", "Cell",
]  # fmt: skip
