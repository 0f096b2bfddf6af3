"""Curves turn raw measures into scores; nothing is clamped unless you say so."""

from volition import CompositeIntention, Heuristic, InvalidInput, arbitrate
from volition.arbitration import RawMeasures
from volition.arbitration.curves import linear, logistic, piecewise

cheap = linear(40, 0)  # 40 coins score -1, nothing scores +1
warm = piecewise([(-10, -1), (18, 1), (26, 1), (40, -1)])
quiet = logistic(55, -0.2)  # 55 decibels are neutral, and any number is allowed

print("cheap:", [cheap(price) for price in (40, 20, 0)])
print("warm: ", [round(warm(degrees), 2) for degrees in (4, 20, 33)])
print("quiet:", [round(quiet(noise), 2) for noise in (30, 55, 1e308)])

try:
    cheap(55)
except InvalidInput as error:
    print("\ncheap(55) is refused:")
    print(error)
print("\ncheap.clamped()(55):", cheap.clamped()(55))

inns = CompositeIntention(
    Heuristic("price", RawMeasures({"crown": 30, "anchor": 12, "mill": 18}, cheap)),
    Heuristic("peace", RawMeasures({"crown": 42, "anchor": 71}, quiet), weight=0.5),
)
decision = arbitrate(["crown", "anchor", "mill"], inns)
print("\nstay at the", decision.id, "because of", ", ".join(decision.reason.voted_by))
