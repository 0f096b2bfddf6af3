"""Take part: play a guest step by step, let your own code choose and vote, and see which acts mattered."""

from typing import Any

from volition.arbitration import heuristic
from volition.drama import Action, Evening, OfferedActs, play, scenario
from volition.drama.audience.introduction import describe_scene
from volition.drama.audience.offers import describe_act

party = scenario("dinner-party")

# You are Victor. An offer holds what he may do and what he knows, and no more; the rest of the house goes its own way.
evening = Evening.begin(party, 3, "victor")
offer = evening.offer()
assert offer is not None
print(describe_scene(party, offer))
print("Among other things you may", ", ".join(describe_act(party, act) for act in offer.acts[3:6]))
evening = evening.choose("chat:marcus").choose("move:kitchen")
evening = evening.play_on(ticks=4)  # he goes on by himself
print([record.choices["victor"].id for record in evening.run.ticks], evening.verify(), "ticks are the same")


def careful(offer: OfferedActs) -> str | None:
    """Victor thinks before he speaks."""
    return "internal" if offer.tick < 5 else None


@heuristic
def sociable(act: Action, context: Any) -> float:
    """Everybody likes to talk, most of all to many."""
    return len(context.perceived.visible_agents) / 50 if act.action_type.name == "CHAT" else 0.0


own = play(party, 12, ticks=70, minds={"victor": careful}, terms=[sociable])
print("\n" + own.decision(3, "victor").why_not("chat:all").text)
print(own.decision(6, "elena").why().text)

# Without the code the record answers in its place, so a run can be loaded, verified, explained and forked anywhere.
recorded = Evening(own.run)
print(recorded.verify(), "ticks are the same, without the code")
for one in recorded.significance(most=8)[:3]:
    print(f"{one.score:.2f} tick {one.event.tick}: {one.event.source} {one.act}; without it {one.instead}")
