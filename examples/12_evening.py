"""A whole evening: six guests decide a hundred times each. Afterwards you can ask what happened, and why."""

from volition.drama import play, scenario

evening = play(scenario("dinner-party"), seed=8)

numbers = evening.summary()
assert evening.ending is not None
print(f"{evening.ending.kind}: {evening.ending.because}")
print(f"{numbers.minutes:.0f} minutes, {numbers.ticks} ticks, {numbers.events} events")
print("broke:", ", ".join(f"{one.who} at minute {one.minutes:.0f}" for one in numbers.catastrophes) or "nobody")

# Any choice of the evening with its full reason: decided again from the state that the log rebuilds.
decision = evening.decision(tick=40, agent="victor")
print("\nat tick 40 victor chose", decision.id)
print("why:", decision.why().text)
print("why not confront Marcus?", decision.why_not("conflict:secret_embezzle_01:marcus").text)
items = ", ".join(
    f"{name} {value:+.2f}" for name, value in evening.situation(40, "victor", "conflict:secret_embezzle_01:marcus")
)
print("what the situation added to that:", items)

# Played again, it is the same evening, tick by tick.
print("\nplayed again:", evening.verify(), "ticks are the same")

paragraphs = evening.transcript().split("\n\n")
print("\n" + "\n\n".join(paragraphs[5:11]))
