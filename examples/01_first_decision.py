"""A first decision: one constraint forbids, one heuristic votes, and the decision shows its table."""

from dataclasses import dataclass

from volition import CompositeIntention, arbitrate, constraint, heuristic


@dataclass(frozen=True)
class Way:
    id: str
    wet: bool
    minutes: int


@constraint
def dry(way: Way) -> bool:  # True forbids
    return way.wet


@heuristic(weight=1.0, priority=10)
def quick(way: Way) -> float:  # a score in [-1, 1]
    return 1 - way.minutes / 30


ways = [Way("bridge", wet=False, minutes=40), Way("ford", wet=True, minutes=10), Way("ferry", wet=False, minutes=25)]
decision = arbitrate(ways, CompositeIntention(dry, quick))

print(decision)
print()
print("take the", decision.require().id)
