"""Words as data: phrases with conditions in a layer on top of the shipped ones, and a reader that finds contradictions."""

from volition.drama import TemplateNarrator, play, scenario
from volition.drama.audience.contradictions import contradictions, loose_words_of, spoken_lines
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
lines = spoken_lines([told])
print(f"{lines.total} spoken lines, {lines.distinct} different ones; nobody says a line twice: {lines.most == 1}")

# The first line above is wrong about one thing: its answer claims a house. The checker says so without playing.
for loose in loose_words_of(party, book):
    print("\nloose:", loose)
print("\ncontradictions in this evening:", len(list(contradictions(evening.run, book))))
