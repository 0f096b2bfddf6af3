"""A mind from outside votes for one guest of an evening, and the record replays without it.

Victor's mind is a function here; `ChatMind(url, model)` in its place asks a language model. Elena's mind cannot be reached,
so Elena decides by herself, and the record says why.
"""

from tempfile import TemporaryDirectory

from volition.drama import Evening, play, scenario
from volition.drama.minds import Consulted, OutsideMinds
from volition.minds import Budget, MindOption, MindSituation, MindVote, Unanswered


def bold(situation: MindSituation) -> MindVote | None:
    """Vote for the first confrontation that is open."""
    rows: list[MindOption] = [option for option in situation.options if option.id.startswith("conflict")]
    return MindVote(rows[0].id, "somebody has to begin") if rows else None


def away(situation: MindSituation) -> MindVote:
    raise Unanswered("unreachable", "the server is switched off")


minds = OutsideMinds(
    {"victor": Consulted(bold, weight=1.0), "elena": Consulted(away, "choose")},
    deadline_s=30,
    budget=Budget(calls=40),
)
evening = play(scenario("dinner-party"), 24, outside=minds)

first = next(tick for tick in evening.run.ticks if "victor" in tick.asked and not tick.asked["victor"].fallback)
print("Victor's mind says:", first.asked["victor"].reason)
print(evening.decision(first.tick, "victor").why().text)

faults = [asked.fault for tick in evening.run.ticks for asked in tick.asked.values() if asked.who == "elena"]
print("Elena's mind:", ", ".join(dict.fromkeys(faults)))

with TemporaryDirectory() as folder:
    evening.save(f"{folder}/run")
    replayed = Evening.load(f"{folder}/run")  # no mind is given, and none is asked
    print("ticks replayed without a mind:", replayed.verify(), "of", len(evening.run.ticks))
