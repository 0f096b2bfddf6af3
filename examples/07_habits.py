"""Habits are votes and vetoes like any others: inertia prevents flicker, a cooldown prevents repetition."""

from volition import CompositeIntention, Heuristic, arbitrate
from volition.arbitration import ChoiceMemory, Scores

WORTH = [{"flee": 0.50, "fight": 0.52}, {"flee": 0.53, "fight": 0.50}]  # two acts that are almost equal, and alternate

for weight in (0.0, 0.1):
    memory, acts = ChoiceMemory(), []
    for tick in range(6):
        mind = CompositeIntention(Heuristic("worth", Scores(WORTH[tick % 2])), memory.inertia(weight))
        decision = arbitrate(["flee", "fight"], mind)
        memory = memory.remember(decision, now=tick)
        acts.append(decision.id)
    print(f"inertia {weight}:", " ".join(map(str, acts)))
print("the last one was voted for by", " and ".join(decision.reason.voted_by))

print("\na spell that needs 3 ticks to come back:")
memory = ChoiceMemory()
for tick in range(6):
    strength = Heuristic("strength", Scores({"spell": 0.9, "staff": 0.2}))
    decision = arbitrate(["spell", "staff"], CompositeIntention(strength, memory.cooldown(3, now=tick)))
    if decision.id == "spell":
        memory = memory.remember(decision, now=tick)
    print(f"  tick {tick}: {decision.id}, vetoed by {list(decision.reason.vetoed_by)}")
