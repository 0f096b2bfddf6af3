"""Words as data: phrases with conditions in a layer on top of the shipped ones, and a reader that finds contradictions."""

from collections import Counter

from volition.drama import TemplateNarrator, play, scenario
from volition.drama.audience.contradictions import contradictions, loose_words_of
from volition.drama.words.phrase import spoken_parts
from volition.drama.words.phrasebook import add_layer
from volition.drama.world.wording import phrases_of, terms_of

party = scenario("dinner-party")
evening = play(party, seed=8, ticks=40)

# Lines that only some people say, to some people, at some moments. Pronouns come with the person.
mine = {
    "talk": {
        "plain": [
            {
                "when": {"voice": "dry", "relation": "friend"},
                "say": [["Still here, {whom}?", "Still. It is my house."]],
            },
            {"when": {"served": True, "mood": "calm"}, "say": [["More?", "More. But do not tell my doctor."]]},
        ]
    },
    "thought": {"plain": ["{who} looks at {who.their} shoes. {who.They} {who.is|are} fond of them."]},
}
book = add_layer(phrases_of(party), mine, terms_of(party), "mine")
told = evening.transcript(TemplateNarrator(evening.seed, book))
lines = Counter(piece.rstrip(".,!?") for spoken, piece in spoken_parts(told) if spoken)
once = max(lines.values()) == 1
print(f"{lines.total()} spoken lines, {len(lines)} different ones; nobody says a line twice: {once}")

# The first line above is wrong about one thing: its answer claims a house. The checker says so without playing.
for loose in loose_words_of(party, book):
    print("\nloose:", loose)
print("\ncontradictions in this evening:", len(list(contradictions(evening.run, book))))
