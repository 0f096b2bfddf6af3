"""What if: other weights, fewer intentions, and the distance to the nearest flip."""

from volition import CompositeIntention, Constraint, Heuristic, arbitrate
from volition.arbitration import Scores, Violates

route = CompositeIntention(
    Constraint("avoid-tolls", Violates(["motorway"])),
    Heuristic("fast", Scores({"motorway": 1.0, "main": 0.5, "scenic": -0.5}), weight=1.0),
    Heuristic("pretty", Scores({"motorway": -1.0, "main": 0.0, "scenic": 1.0}), weight=0.75),
)
decision = arbitrate(["motorway", "main", "scenic"], route)
print(decision)

print("\nif the view counted 1.5:", decision.what_if(weights={"pretty": 1.5}).text)
print("without the view:", decision.what_if(without="pretty").text)
freed = decision.what_if(without="avoid-tolls", shadow=True)
print("with tolls allowed:", freed.text, "scored for this question only:", ", ".join(freed.shadows))

firm = decision.sensitivity()
for name, bounds in firm.ranges.items():
    low = "down to 0" if bounds.low is None else f"above {bounds.low:g} ({bounds.low_rival} wins there)"
    high = "any weight more" if bounds.high is None else f"below {bounds.high:g} ({bounds.high_rival} wins there)"
    print(f"{name} x{bounds.weight:g} may be {low}, and {high}")
print(f"every weight may be off by {firm.robustness:.1%}" if firm.robustness else "it is a tie")
