"""One guest decides: goals, flaws, pacing and bonds are votes in one arbitration, which can be asked why not."""

from volition.drama import Mind, begin, scenario

party = scenario("dinner-party")
mind, evening = Mind(party), begin(party)

decision = mind.decide(evening, "victor", seed=7)
print("victor chooses", decision.id)
print(decision.why().text)
print()
for other in ("conflict:secret_embezzle_01:marcus", "chat:thorne"):
    print("why not", other + "?", decision.why_not(other).text)

# Twenty minutes later he has made a scene: dramatic acts are forbidden for a while, and why-not says so.
evening.tick, evening.minutes = 20, 20.0
evening.agents["victor"].pacing.recovery_timer = 3
print("\nafter a scene:", mind.decide(evening, "victor", seed=7).why_not("conflict:secret_embezzle_01:marcus").text)

# What he cannot perceive changes nothing.
before = mind.decide(evening, "victor", seed=7).to_data()
evening.agents["marcus"].pacing.stress = 0.9
evening.agents["elena"].emotions["fear"] = 1.0
print("\nothers' hidden feelings change his mind:", mind.decide(evening, "victor", seed=7).to_data() != before)
