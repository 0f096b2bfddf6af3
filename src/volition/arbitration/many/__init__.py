"""The same decisions over arrays: many deciders, one model of their intentions.

Deciding:
    arbitrate_many  decides for every row of arrays of scores and vetoes
    ScoreNoise      keyed noise on scores, the same bits whatever the batch
"""

from volition.arbitration.many.batch import ScoreNoise, arbitrate_many

__all__ = [  # noqa: RUF022  in the order of the page above
    "arbitrate_many",
    "ScoreNoise",
]
