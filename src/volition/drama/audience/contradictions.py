"""Words that contradict who says them, to whom, where or when: found by reading what was told against the moment.

The conditions of phrases say when they may be used. This checks the result without trusting them: every word is held
against the lexicon, every name against who speaks and who listens, and every truth against what the speaker knows.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from volition.core.typed import DataStruct
from volition.drama.audience.address import Titles, is_addressed, is_named, is_spoken_of, mistakes, names_of
from volition.drama.audience.composer import IDENTITY
from volition.drama.audience.moment import phase, places, relations
from volition.drama.audience.narrator import TemplateNarrator
from volition.drama.audience.prose import ENDS, is_answered, only_person, short_names
from volition.drama.audience.thoughts import thinkers_of
from volition.drama.rules.catalog import CLOCK, Belief
from volition.drama.stage.replay import unfold
from volition.drama.stage.run import run as play_run
from volition.drama.words.condition import TRUE, When
from volition.drama.words.lexicon import LooseWord, find_violations, loose_words
from volition.drama.words.people import pronouns_of
from volition.drama.words.phrase import spoken_parts
from volition.drama.words.pools import POOLS
from volition.drama.world.wording import phrases_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from volition.drama.audience.composer import UsedPhrase
    from volition.drama.evening.world import WorldState
    from volition.drama.stage.record import Run
    from volition.drama.words.people import Pronouns
    from volition.drama.words.phrasebook import Phrasebook
    from volition.drama.world.model import Scenario

_KNEW = frozenset({"knows", "holds"})
_NEWS: Final = {
    "after.hurt": frozenset({"unknown", "denied"}),
    "after.struck": frozenset({"unknown", "denied"}),
    "after.confirmed": frozenset({"suspects"}),
    "after.knew": _KNEW,
}
"""How a truth is taken, and what those who take it so believed before."""
_TO_THEMSELF: Final = r"\b{name} (?:\w+ ){{1,2}}{name}\b(?!')"
_BY_HOLDERS = ("evaded", "denied", "confessed")
_BY_OTHERS = ("covered", "told")
_TO_HOLDERS = ("asked", "hinted", "accused")
_TOASTS = "toast.lines"
_HEARD = "asked.heard"
_OF_THE_ABSENT = ("after.lie_remembered",)
_VERBS = "'m|'re|'s|'ll|'d|'ve"
SLIPS: Final = tuple(
    (re.compile(pattern), why)
    for pattern, why in (
        (r'\?" says\b', "a question is said, not asked"),
        (r"\basks [A-Z]\w* to [A-Z]", "something is asked to somebody"),
        (rf"\b[Hh]ow \w+ (?:I|you|he|she|it|we|they)(?:{_VERBS})\b", "a stressed verb is shortened"),
        (r"\b(the|a|an|to|of|and|in|is|was|it|at|about|with|for) \1\b", "a word is there twice"),
        (r"[,;:][.,;:!?]|[?!][.,](?!\w)|(?<!\.)\.\.(?!\.)| [,.;:!?](?!\.)|  ", "punctuation is out of place"),
        (
            r"\b[Tt]here(?:'s| is| was) (?:certain|all those|all these|things|papers|sums) ",
            "a plural with a singular verb",
        ),
    )
)
"""What is wrong wherever it stands, and why."""


class Contradiction(DataStruct, frozen=True):
    """Words that contradict their moment: in which event, from which pool, and why."""

    seed: int
    event: str
    pool: str
    text: str
    why: str

    def __str__(self) -> str:
        return f"{self.pool}, event {self.event} of seed {self.seed}: {self.why}\n  {self.text}"


def contradictions(run: Run, phrases: Phrasebook | None = None) -> Iterator[Contradiction]:
    """Every contradiction in the transcript of a run, told with its own phrases or with others."""
    narrator, world = TemplateNarrator(run.seed, phrases), run.opening_state()
    titles = Titles(run.scenario, phrases if phrases is not None else phrases_of(run.scenario))
    everybody = {name: pronouns_of(run.scenario.people[id].pronouns) for id, name in short_names(run.scenario).items()}
    for record in run.ticks:
        for event in unfold(world, record):
            paragraphs = [
                *narrator.tell(world, event),
                *narrator.think(world, event, thinkers_of(world, record, event)),
            ]
            for used in narrator.said:
                for why in reasons_against(world, used, titles):
                    yield Contradiction(run.seed, event.id, used.pool, used.text, why)
            pools = " and ".join(dict.fromkeys(used.pool for used in narrator.said if used.speaker is None))
            for paragraph in paragraphs:
                for why in slips_in(paragraph, everybody):
                    yield Contradiction(run.seed, event.id, pools, paragraph, why)
    narrator.closing(run)
    for used in narrator.said:
        for why in reasons_against(world, used, titles):
            yield Contradiction(run.seed, used.event.id, used.pool, used.text, why)


def check_words(scenario: Scenario, evenings: int) -> tuple[list[LooseWord], list[Contradiction]]:
    """What is wrong with the words of a scenario: found in its phrases, and in `evenings` evenings."""
    first: dict[tuple[str, str, str], Contradiction] = {}
    for seed in range(1, evenings + 1):
        for contradiction in contradictions(play_run(scenario, seed)):
            first.setdefault((contradiction.pool, contradiction.text, contradiction.why), contradiction)
    return loose_words_of(scenario), list(first.values())


def reasons_against(world: WorldState, used: UsedPhrase, titles: Titles | None = None) -> Iterator[str]:
    """Why some words cannot be used at a moment; `titles` are those of the scenario's own phrases, if no others are given."""
    scenario = world.scenario
    pieces = [(True, used.text)] if used.speaker is not None else spoken_parts(used.text)
    for spoken, piece in pieces:
        for word, why in find_violations(used.pool, spoken, piece, used.facts):
            yield f"{why} ({word!r})"
        if not spoken:
            yield from _deeds_against(scenario, piece)
    if used.pool not in _OF_THE_ABSENT and used.event.type != CLOCK:
        away = [id for id in used.there if world.agents[id].location != used.event.room]
        yield from (f"{id} is not in the room" for id in away)
    yield from _news_against(used)
    if used.speaker is not None:
        if used.pool == _TOASTS and used.facts.get("alone"):
            yield f"{used.speaker} drinks to somebody, and nobody is there"
        yield from _side_against(scenario, used, used.speaker)
        if used.facts.get("content") != frozenset({IDENTITY}):  # where a name is the secret, people may say their own
            titles = titles if titles is not None else Titles(scenario, phrases_of(scenario))
            yield from mistakes(scenario, titles, used.text, used.speaker, used.listener)
        yield from _truths_against(world, used, used.speaker)


def _deeds_against(scenario: Scenario, text: str) -> Iterator[str]:
    """People who are told to do something to themselves, such as thanking."""
    for name in short_names(scenario).values():
        if deed := re.search(_TO_THEMSELF.format(name=re.escape(name)), text):
            yield f"{name} does it to {name} ({deed[0]!r})"


def _news_against(used: UsedPhrase) -> Iterator[str]:
    """Truths that are taken otherwise than by what the person believed before, and questions about what was heard."""
    believed = used.facts.get("whom_knows", frozenset())
    if (fitting := _NEWS.get(used.pool)) is not None and believed and believed.isdisjoint(fitting):
        yield f"somebody takes it so who {', '.join(believed)} it"
    kind = used.pool.split(".")[-1] if used.pool.startswith("secrets.") else used.pool.split(".")[0]
    if kind == "asked" and used.pool != _HEARD and used.facts.get("heard") and used.speaker is not None:
        yield f"{used.speaker} has heard it said, and asks as if it were new"


def _side_against(scenario: Scenario, used: UsedPhrase, speaker: str) -> Iterator[str]:
    """Words of those whose secret it is, from others, and the other way round."""
    kind = used.pool.split(".")[-1] if used.pool.startswith("secrets.") else used.pool.split(".")[0]
    for id in used.facts.get("secret", ()):
        is_holder = speaker in scenario.secrets[id].holders
        if kind in _BY_HOLDERS and not is_holder:
            yield f"{speaker} speaks of the secret {id} as if it were theirs"
        if kind in _BY_OTHERS and is_holder:
            yield f"{speaker} speaks of the secret {id} as of somebody else's"


def _truths_against(world: WorldState, used: UsedPhrase, speaker: str) -> Iterator[str]:
    for secret in world.scenario.secrets.values():
        known = world.agents[speaker].beliefs[secret.id] == Belief.BELIEVES_TRUE
        if not known and secret.description.rstrip(".").lower() in used.text.lower():
            yield f"{speaker} does not know that {secret.description!r}"


def slips_in(text: str, everybody: Mapping[str, Pronouns]) -> Iterator[str]:
    """Why a paragraph cannot stand as it is; `everybody` are all names with their pronouns.

    >>> print(*slips_in('"Why?" says Ann.', {}))
    a question is said, not asked ('?" says')
    """
    for pattern, why in SLIPS:
        if slip := pattern.search(text):
            yield f"{why} ({slip[0]!r})"
    for sentence, following in pairwise(ENDS.split(text)):
        name = only_person(sentence, everybody)
        if name and not everybody[name].plural and sentence.startswith(f"{name} ") and following.startswith(f"{name} "):
            yield f"two sentences running begin with {name!r}"
        if is_answered(sentence, following):
            yield "a time is asked for that was just given"


def loose_words_of(scenario: Scenario, phrases: Phrasebook | None = None) -> list[LooseWord]:
    """The phrases of a scenario that could contradict a moment, found without playing."""
    book = phrases if phrases is not None else phrases_of(scenario)
    loose = (*_loose_names(book, scenario), *_loose_pronouns(book, scenario))
    return [*loose_words(book, lambda pool, when: infer(when, scenario) | _by_the_clock(pool, scenario)), *loose]


def _by_the_clock(pool: str, scenario: Scenario) -> dict[str, frozenset[str]]:
    """What is sure where an event of the clock is told: that it is not early, if it cannot be."""
    events = {f"clock.{event.id}": event for event in scenario.evening.events}
    if (event := events.get(pool)) is None:
        return {}
    return {} if phase(event.minute, scenario) == "early" else {"phase": frozenset({"middle", "late"})}


def _loose_names(book: Phrasebook, scenario: Scenario) -> Iterator[LooseWord]:
    """Lines that can never be said: they name the only one who could say or hear them, or call somebody who cannot hear.

    Where others could say them, or hear them, the composer takes care of it.
    """
    names = {id: names_of(scenario, id) for id in scenario.people}
    for pool, phrases in book.pools.items():
        for phrase in phrases:
            for number, text in enumerate(phrase.parts):
                speakers, listeners = sides_of(pool, phrase.when, scenario)
                sides = (listeners, speakers) if number else (speakers, listeners)
                for id, why in _named_people(pool, text, *sides, scenario, names):
                    yield LooseWord(pool, text, scenario.people[id].name, why, ())


def _loose_pronouns(book: Phrasebook, scenario: Scenario) -> Iterator[LooseWord]:
    """Questions and accusations that speak of the person wronged as 'him' or 'her', and that this person could say."""
    for id, secret in scenario.secrets.items():
        wronged = max(secret.harm, key=lambda who: secret.harm[who], default=None)
        if wronged is None or (forms := pronouns_of(scenario.people[wronged].pronouns)).plural:
            continue
        alike = [who for who in scenario.people if pronouns_of(scenario.people[who].pronouns) == forms]
        if len(secret.holders) > 1 and any(who in alike for who in secret.holders):
            continue  # it may be another holder who is meant
        names = {name for who in alike for name in (*names_of(scenario, who), *scenario.people[who].name.split())}
        meant = re.compile(rf"\b(?:{forms.they}|{forms.them}|{forms.their}|{forms.theirs})\b", re.IGNORECASE)
        for kind in _TO_HOLDERS:
            for phrase in book.pool(pool := f"secrets.{id}.{kind}"):
                pronoun = meant.search(phrase.parts[0])
                is_another = any(re.search(rf"\b{re.escape(name)}\b", phrase.parts[0]) for name in names)
                is_theirs = any(clause.key == "who" and wronged in clause.some for clause in phrase.when)
                speakers, _ = sides_of(pool, phrase.when, scenario)
                if pronoun and not is_another and not is_theirs and wronged in speakers:
                    why = f"{scenario.people[wronged].name} could be the one who says it"
                    yield LooseWord(pool, phrase.parts[0], pronoun[0], why, ())


def _named_people(
    pool: str,
    text: str,
    speakers: set[str],
    listeners: set[str],
    scenario: Scenario,
    names: Mapping[str, AbstractSet[str]],
) -> Iterator[tuple[str, str]]:
    known = scenario.secrets.get(pool.split(".")[1]) if pool.startswith("secrets.") else None
    if known is not None and (known.content == IDENTITY or pool.endswith((".matter", ".overheard"))):
        return
    for spoken, piece in [(True, text)] if '"' not in text else spoken_parts(text):
        for id in names if spoken else ():
            if speakers == {id} and is_named(piece, names[id]):
                yield id, f"only {scenario.people[id].name} can say it"
            if id not in speakers and not listeners & {id} and is_addressed(piece, names[id]):
                yield id, f"{scenario.people[id].name} is addressed, and cannot be listening"
            if listeners == {id} and is_spoken_of(piece, names[id]):
                yield id, f"it can only be said to {scenario.people[id].name}"


def sides_of(pool: str, when: When, scenario: Scenario) -> tuple[set[str], set[str]]:
    """Who could say a line, and to whom: by its condition, and by who holds the secret that it is about."""
    speakers = listeners = set(scenario.people)
    if pool.startswith("secrets."):
        _, id, kind = pool.split(".")
        holders = set(scenario.secrets[id].holders)
        speakers = holders if kind in _BY_HOLDERS else speakers - holders
        listeners = holders if kind in _TO_HOLDERS else listeners
    clauses = {clause.key: clause for clause in when}
    allowed = []
    for key, people in (("who", speakers), ("whom", listeners)):
        clause = clauses.get(key)
        allowed.append(people if clause is None else (people & clause.some if clause.some else people) - clause.none)
    speakers, listeners = allowed
    if len(listeners) == 1:
        speakers = speakers - listeners
    if len(speakers) == 1:
        listeners = listeners - speakers
    return speakers, listeners if _has_listener(pool) else set()


def _has_listener(pool: str) -> bool:
    return pool.startswith("secrets.") or (pool in POOLS and "whom" in POOLS[pool].always)


def infer(when: When, scenario: Scenario) -> dict[str, frozenset[str]]:
    """What is sure in a scenario where a condition holds: by its setting, and by the people and rooms that it names."""
    named = {clause.key: clause.some for clause in when}
    who, whom, rooms = (named.get(key, frozenset()) for key in ("who", "whom", "room"))
    sure = {"setting": frozenset(scenario.setting)}
    for key, ids in (("resident", who), ("whom_resident", whom)):
        lives = {scenario.people[id].resident for id in ids}
        if len(lives) == 1:
            sure[key] = TRUE if True in lives else frozenset()
    pairs = [frozenset(relations(scenario, person, other)) for person in who for other in whom if person != other]
    if pairs:
        sure["relation"] = frozenset.intersection(*pairs)
    if rooms:
        sure["place"] = frozenset.intersection(*(frozenset(places(scenario, scenario.rooms[id])) for id in rooms))
    return sure
