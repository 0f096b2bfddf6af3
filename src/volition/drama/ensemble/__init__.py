"""Many evenings of one scenario, over seeds and settings: played, stored, compared.

Playing and comparing:
    EnsemblePlan  which evenings are to be played
    ensemble      plays a plan into a folder, and goes on where it stopped
    sweep         plays a scenario over settings, and compares them
    Ensemble      the evenings that were played, with figures and comparisons
    law_term      a custom term as a law, which is compiled
    array_term    a custom term with a form over arrays
"""

from volition.drama.ensemble.plan import EnsemblePlan
from volition.drama.ensemble.playing import ensemble, sweep
from volition.drama.ensemble.results import Ensemble
from volition.drama.ensemble.terms import array_term, law_term

__all__ = [  # noqa: RUF022  in the order of the page above
    "EnsemblePlan",
    "ensemble",
    "sweep",
    "Ensemble",
    "law_term",
    "array_term",
]
