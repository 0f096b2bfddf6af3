"""One mind choosing: constraints veto, heuristics vote, priority breaks ties, and the decision explains itself."""

from volition.arbitration.arbiter import arbitrate
from volition.arbitration.breakdown import RankedCandidate, Reason, Trace
from volition.arbitration.case import Case, case_from_data, load_case
from volition.arbitration.checker import CheckReport, check_intention
from volition.arbitration.choice import Shortfall, WeightedDraw
from volition.arbitration.composite import CompositeIntention
from volition.arbitration.counterfactual import Shadow
from volition.arbitration.curves import clamp, linear, logistic, logit, piecewise, power, step
from volition.arbitration.decision import Decision, WhatIf
from volition.arbitration.habits import ChoiceMemory, Cooldown, Inertia, Recency
from volition.arbitration.intent import Function, Intent
from volition.arbitration.intention import Constraint, Heuristic, Intention, constraint, heuristic
from volition.arbitration.interpreter import StaleMap, TacticalDecision, TacticalInterpreter
from volition.arbitration.lookahead import lookahead
from volition.arbitration.normalising import min_max_scores, rank_scores, z_scores
from volition.arbitration.sensitivity import Flip, Sensitivity, WeightRange
from volition.arbitration.settings import Margin, Total
from volition.arbitration.stages import IntentionFailed
from volition.arbitration.tables import RawMeasures, Scores, Violates
from volition.arbitration.tally import Rule
from volition.arbitration.tilemap import Tile, TileMap, TileSituation
from volition.arbitration.tiles import avoid, hold, reach
from volition.arbitration.why_answers import (
    Held,
    LostTie,
    NotDrawn,
    NotOffered,
    Outscored,
    Vetoed,
    Why,
    WhyNot,
    Won,
)

__all__ = [  # noqa: RUF022  grouped as a reader meets them
    # who speaks
    "Constraint", "Heuristic", "Intention", "constraint", "heuristic", "CompositeIntention",
    # what they say
    "Intent", "Function", "Violates", "Scores", "RawMeasures", "Inertia", "Cooldown", "Recency", "ChoiceMemory", "lookahead",
    "linear", "power", "logistic", "logit", "step", "clamp", "piecewise", "min_max_scores", "rank_scores", "z_scores",
    # deciding
    "arbitrate", "Margin", "Total", "Decision", "RankedCandidate", "WeightedDraw", "Reason", "Shortfall", "Trace", "Rule",
    "IntentionFailed", "Case", "case_from_data", "load_case",
    # asking why
    "Why", "WhyNot", "NotOffered", "Vetoed", "Outscored", "LostTie", "NotDrawn", "Held", "Won", "WhatIf", "Shadow", "Sensitivity", "WeightRange", "Flip",
    # tiles
    "TileMap", "Tile", "TileSituation", "avoid", "reach", "hold", "TacticalInterpreter", "TacticalDecision", "StaleMap",
    # checking your intentions
    "check_intention", "CheckReport",
]  # fmt: skip
