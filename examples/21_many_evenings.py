"""A thousand evenings at once: arrays of measures, what a setting changes seed by seed, and one evening opened again."""

from dataclasses import replace

import numpy as np

from volition.drama import play, play_many, scenario

party = scenario("dinner-party")
party = replace(party, evening=replace(party.evening, ticks=12))  # short ones: leave this line out for whole evenings
seeds = range(1, 13)  # a thousand take a second or two where Numba is installed

played = play_many(party, seeds, engine="interpreted", measures=True)
rows = played.measures.row
print(f"tension {rows['tension'].mean():.3f}, {rows['events'].sum()} events, {rows['glasses'].mean():.1f} glasses")

calm = replace(party, rules={**party.rules, "noise": {"sigma": 0.02}})
quieter = play_many(calm, seeds, engine="interpreted", measures=True).measures.row
difference = quieter["tension"] - rows["tension"]  # the same seeds, so the same luck
print(f"less noise changes tension by {difference.mean():+.4f}, seed by seed within {np.ptp(difference):.4f}")

tensest = int(np.argmax(rows["most_tension"]))
evening = play(party, seed=int(rows["seed"][tensest]))
print(f"seed {evening.seed} was the tensest: {evening.summary().events} events")
