"""Many deciders at once: arrays in, winners out, and each of them can be asked why."""

import numpy as np

from volition.arbitration.many import ScoreNoise, arbitrate_many

PLACES = ["harbour", "market", "temple", "tavern"]
chance = np.random.default_rng(1)

appeal = np.array([[0.2, -0.1, 0.4], [0.6, 0.1, -0.2], [-0.3, 0.9, 0.1], [0.5, -0.8, 0.7]])  # trade, faith, company
wishes = chance.uniform(0, 1, (100_000, 3))  # what each of them cares about
shut = np.zeros((100_000, 4), dtype=bool)
shut[::3, 3] = True  # every third has sworn off the tavern

chosen = arbitrate_many(
    appeal,
    wishes,
    vetoes=shut,
    noise=ScoreNoise(sigma=0.05, seed=7),
    candidates=PLACES,
    heuristics=["trade", "faith", "company"],
    constraints=["oath"],
)
print(dict(zip(PLACES, np.bincount(chosen.winners, minlength=4).tolist(), strict=True)))

decision = chosen.explain(42)
print(decision)
print(decision.why_not("tavern").text)
