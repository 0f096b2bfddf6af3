"""One mind choosing: constraints veto, heuristics vote, priority breaks ties, and the decision explains itself.

Who speaks:
    Intention            a constraint or a heuristic
    Constraint           an intention that vetoes candidates
    Heuristic            an intention that scores candidates, with a weight and a priority
    constraint           makes a constraint of a function
    heuristic            makes a heuristic of a function
    CompositeIntention   the intentions that take part in a decision

What they say:
    Violates             a constraint's answers as a table
    Scores               a heuristic's scores as a table
    RawMeasures          measures as a table, which a curve turns into scores
    curves               functions from a measure to a score: linear, power, logistic, step, piecewise and more
    normalising          functions from the measures of all candidates to scores: by span, by rank, by deviation
    lookahead            a score by what could follow
    ChoiceMemory         what was chosen before, which habits look at

Deciding:
    arbitrate            turns candidates and a composite into a decision
    Decision             what was chosen and why
    Margin               hold below this lead over the next best
    Total                hold below this total
    IntentionFailed      an intention raised, or answered nonsense
    load_case            reads candidates and intentions from a file

Asking it:
    why_answers          what why_not answers: NotOffered, Vetoed, Outscored, LostTie, NotDrawn, Held or Won

Moving on a grid:
    TileMap              a grid of tiles with tags
    tiles                intentions about tiles: avoid a tag, reach one, hold still
    TacticalInterpreter  decides moves on a tile map

Checking your intentions:
    check_intention      tries an intention on samples, and says which laws it breaks
"""

from volition.arbitration import curves, normalising, tiles, why_answers
from volition.arbitration.arbiter import arbitrate
from volition.arbitration.case import load_case
from volition.arbitration.checker import check_intention
from volition.arbitration.composite import CompositeIntention
from volition.arbitration.decision import Decision
from volition.arbitration.habits import ChoiceMemory
from volition.arbitration.intention import Constraint, Heuristic, Intention, constraint, heuristic
from volition.arbitration.interpreter import TacticalInterpreter
from volition.arbitration.lookahead import lookahead
from volition.arbitration.settings import Margin, Total
from volition.arbitration.stages import IntentionFailed
from volition.arbitration.tables import RawMeasures, Scores, Violates
from volition.arbitration.tilemap import TileMap

__all__ = [  # noqa: RUF022  in the order of the page above
    "Intention",
    "Constraint",
    "Heuristic",
    "constraint",
    "heuristic",
    "CompositeIntention",
    "Violates",
    "Scores",
    "RawMeasures",
    "curves",
    "normalising",
    "lookahead",
    "ChoiceMemory",
    "arbitrate",
    "Decision",
    "Margin",
    "Total",
    "IntentionFailed",
    "load_case",
    "why_answers",
    "TileMap",
    "tiles",
    "TacticalInterpreter",
    "check_intention",
]
