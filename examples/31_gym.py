"""Reinforcement learning: a body as a Gymnasium environment, many in one fleet, and guests as PettingZoo agents."""

import gymnasium
import numpy as np

from volition.drama import play, scenario
from volition.gym import ARENA, OPTIONS, evening_v0

# Actions are the pilot's options. The mask is what its constraints leave, and each veto has a name.
env = gymnasium.make(ARENA, map="foundry", goal="5.5,2.5", max_steps=60)
_, info = env.reset(seed=7)
print("may:", int(info["action_mask"].sum()), "of", len(OPTIONS), "vetoes:", dict(list(info["vetoes"].items())[:3]))
_, reward, _, _, info = env.step(OPTIONS.index("release"))
print("release is not sent:", info["vetoed"], "reward", reward)

terminated = truncated = False
steps = 0
while not (terminated or truncated):
    _, reward, terminated, truncated, info = env.step(OPTIONS.index("move:way"))
    steps += 1
print(f"{info['verdict']} after {steps} steps: {info['because']}, reward {reward}")
env.close()

# One fleet for many bodies: the same seeds and actions give what single environments give.
actions = np.random.default_rng(1).integers(len(OPTIONS), size=(20, 4))
seen = []
for mode in ("sync", "vector_entry_point"):
    bodies = gymnasium.make_vec(ARENA, num_envs=4, vectorization_mode=mode)
    bodies.reset(seed=7)
    seen.append([bodies.step(row) for row in actions])
    bodies.close()
same = all(
    np.array_equal(one[0], other[0]) and np.array_equal(one[1], other[1]) for one, other in zip(*seen, strict=True)
)
print("a fleet and single bodies observe the same:", same)

# Victor is an agent; everybody else decides with their own mind.
evening = evening_v0.parallel_env("dinner-party", guests=("victor",), seed=9)
_, infos = evening.reset()
print("Victor may:", ", ".join(infos["victor"]["candidates"][:4]), "... and would:", infos["victor"]["own"])
total = 0.0
while evening.agents:
    _, rewards, _, _, infos = evening.step({"victor": 0})  # 0: as he would
    total += rewards["victor"]
print(f"{infos['victor']['ending']}, reward {total:+.2f}")
print("the ordinary evening:", evening.evening.run == play(scenario("dinner-party"), 9).run)
