"""What if? Branch off an evening: forbid an act, force one, or change part of the state, and compare the results."""

from volition.drama import play, scenario

evening = play(scenario("dinner-party"), seed=8)

# At tick 40 Victor confronts Marcus, whatever his reasons against it. All other random draws stay the same.
branch = evening.fork(at=40, force="conflict:secret_embezzle_01:marcus", agent="victor")
changed = evening.compare(branch)
print("forced: the evenings part at tick", changed.parted)
for tick, who, here, there in changed.choices[:3]:
    print(f"  tick {tick}: {who} chose {there} instead of {here}")
print("  endings:", " / ".join(ending.kind for ending in changed.endings if ending is not None))
print("  events:", changed.events, "who broke:", changed.broke)
print("  why not another?", branch.decision(40, "victor").why_not("chat:thorne").text)

# The first quarrel of the evening is forbidden: the person who wanted it does the next best thing.
quarrel = next(event for event in evening.events if event.type.name == "CONFLICT")
wanted = evening.run.ticks[quarrel.tick].choices[quarrel.source].id
calmer = evening.fork(at=quarrel.tick, veto=wanted, agent=quarrel.source)
instead = calmer.decision(quarrel.tick, quarrel.source).id
print(f"\nvetoed: at tick {quarrel.tick} {quarrel.source} chooses {instead} in place of a quarrel")

# At tick 50 Elena suspects something that nobody told her.
wary = evening.fork(at=50, set="elena.belief.secret_embezzle_01=suspects")
print("\nset:", ", ".join(map(str, wary.run.interference)))
print("  the evenings part at tick", evening.compare(wary).parted)
print("  ticks that play the same again:", wary.verify())
