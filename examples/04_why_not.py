"""Why not B? Five answers, each exact: not offered, vetoed, outscored, lost a tie, or it won."""

from volition import CompositeIntention, Constraint, Heuristic, arbitrate
from volition.arbitration import Scores, Violates
from volition.arbitration.why_answers import LostTie, NotOffered, Outscored, Vetoed, Won

flat = CompositeIntention(
    Constraint("pets", Violates({"loft": "no dogs"})),
    Heuristic("light", Scores({"loft": 0.9, "garden": 0.25, "attic": 0.5, "corner": 0.25}), weight=2),
    Heuristic("quiet", Scores({"garden": 0.75, "attic": -0.5, "corner": 0.75})),
)
decision = arbitrate(["loft", "garden", "attic", "corner"], flat)

ANSWERS = {Won: "won", Outscored: "outscored", LostTie: "lost a tie", Vetoed: "vetoed", NotOffered: "not offered"}
for name in ("garden", "attic", "corner", "loft", "castle"):
    answer = decision.why_not(name)
    print(f"{ANSWERS[type(answer)]:<11} {answer.text}")

answer = decision.why_not("attic")
assert isinstance(answer, Outscored)
print("\nthe margin, vote by vote, without a rounding error:")
for part in answer.contributions:
    print(f"  {part.by:<6} {part.exact!s:>5}")
print("  sum   ", sum(part.exact for part in answer.contributions))
needed = {by: round(score, 6) for by, score in answer.needed.items()}
print("to draw level one score would have to be:", needed or "none is enough")

# A vetoed candidate was never scored. A shadow score is computed now, and marked as one.
print("\nthe loft would have scored", decision.shadow("loft").total, "- the price of the rule:", decision.price("pets"))
