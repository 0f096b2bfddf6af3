"""Ties: priority levels decide, highest first, then the order offered. A margin makes close totals tie."""

from volition import CompositeIntention, Heuristic, arbitrate
from volition.arbitration import Scores

taste = Heuristic("taste", Scores({"tea": 0.5, "coffee": 0.25, "water": 0.0}))
price = Heuristic("price", Scores({"tea": 0.0, "coffee": 0.25, "water": 0.5}))
drinks = ["tea", "coffee", "water"]

decision = arbitrate(drinks, CompositeIntention(taste, price))
print(decision.id, "by", decision.reason.rule, "among", decision.reason.tied)

# A weight of 0 and a priority make a pure tie-breaker.
health = Heuristic("health", Scores({"tea": 0.2, "coffee": -0.5, "water": 1.0}), weight=0, priority=1)
decision = arbitrate(drinks, CompositeIntention(taste, price, health))
print(decision.id, "by", decision.reason.rule, "at level", decision.trace.level)
print(decision.why_not("tea").text)

strong = Heuristic("taste", Scores({"tea": 0.6, "coffee": 0.25, "water": 0.0}))
print(arbitrate(drinks, CompositeIntention(strong, price, health)).id, "without a margin")
print(arbitrate(drinks, CompositeIntention(strong, price, health), tie_margin=0.15).id, "with a margin of 0.15")
