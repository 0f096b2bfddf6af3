"""The whole ranking, when to hold rather than act on a small lead, and chance that follows the totals."""

from volition import CompositeIntention, Constraint, Heuristic, arbitrate
from volition.arbitration import Margin, Scores, Total, Violates
from volition.arbitration.normalising import rank_scores

noise = {"garden": 38, "attic": 41, "corner": 60, "loft": 45}  # decibels: only their order should count
flat = CompositeIntention(
    Constraint("pets", Violates({"loft": "no dogs"})),
    Heuristic("light", Scores({"garden": 0.3, "attic": 0.9, "corner": 0.5})),
    Heuristic("quiet", Scores(rank_scores(noise, best="lowest"))),
    Heuristic("view", Scores({"attic": 0.2}), weight=0.5),
)
decision = arbitrate(noise, flat)

print("the whole ranking (a dash is an abstention):")
for one in decision.ranking():
    print(f"  {one}")
print("the best two:", [one.id for one in decision.ranking(top=2)])
print(decision.why().text)
print(decision.why_not("corner").text)

print("\nact only on a clear lead, or on a total that is good enough:")
for bound in (Margin(0.01), Margin(0.5), Total(2.0)):
    held = arbitrate(noise, flat, hold_below=bound)
    print(f"  {bound}: {held.kind} {held.id or '-'}")
    print(f"    {held.why().text}")

print("\nchance chooses, and the seed says how:")
chosen = [arbitrate(noise, flat, choose="weighted", seed=seed) for seed in range(1000)]
draw = chosen[3].draw
assert draw is not None  # it was drawn
for name, chance in draw.chances.items():
    print(f"  {name:<7} chance {float(chance):.3f}, drawn {sum(one.id == name for one in chosen)} times in 1000")
print(" ", chosen[3].why().text)

print("\nthe same again is equal:", arbitrate(noise, flat) == decision)
