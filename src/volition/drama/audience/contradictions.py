"""Words that contradict who says them, to whom, where or when: found by reading what was told against the moment.

The conditions of phrases say when they may be used. This checks the result without trusting them: every word is held
against the lexicon, every name against who speaks and who listens, and every truth against what the speaker knows.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from volition.drama.audience.casting import short_names
from volition.drama.audience.joining import slips_in
from volition.drama.audience.moment import places, relations
from volition.drama.audience.narrator import TemplateNarrator
from volition.drama.audience.telling import thinkers_of
from volition.drama.rules.catalog import Belief
from volition.drama.stage.replay import unfold
from volition.drama.stage.run import run as play_run
from volition.drama.words.condition import TRUE, Facts, When
from volition.drama.words.lexicon import LooseWord, find_violations, loose_words
from volition.drama.words.people import pronouns_of
from volition.drama.words.phrase import spoken_parts
from volition.drama.words.pools import POOLS
from volition.drama.world.wording import phrases_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from volition.drama.audience.composer import UsedPhrase
    from volition.drama.evening.world import WorldState
    from volition.drama.stage.record import Run
    from volition.drama.words.phrasebook import Phrasebook
    from volition.drama.world.model import Scenario

_AS_A_THIRD = r"(?:'s|\s+(?:is|was|has|had|says|said|knows|takes|lives|looks|owes|sells|came|does|did)\b)"
_ADDRESS = r"(?:^|[.!?] )(?:{names}), (?!and\b|or\b)|, (?:{names})[.,!?]"
_IDENTITY = "identity"
_BY_HOLDERS = ("evaded", "denied", "confessed")
_BY_OTHERS = ("covered", "told")
_TO_HOLDERS = ("asked", "accused")
_TOASTS = "toast.lines"
_OF_THE_ABSENT = ("after.lie_remembered",)


class Contradiction(NamedTuple):
    """Words that contradict their moment: in which event, from which pool, and why."""

    seed: int
    event: str
    pool: str
    text: str
    why: str

    def __str__(self) -> str:
        return f"{self.pool}, event {self.event} of seed {self.seed}: {self.why}\n  {self.text}"

    def to_data(self) -> dict[str, Any]:
        return self._asdict()


class SpokenLines(NamedTuple):
    """How varied what people say is: how many lines, how many different ones, and the most frequent one."""

    total: int
    distinct: int
    most: int
    line: str

    @property
    def share_distinct(self) -> float:
        return self.distinct / self.total if self.total else 1.0

    @property
    def share_most(self) -> float:
        return self.most / self.total if self.total else 0.0


def contradictions(run: Run, phrases: Phrasebook | None = None) -> Iterator[Contradiction]:
    """Every contradiction in the transcript of a run, told with its own phrases or with others."""
    narrator, world = TemplateNarrator(run.seed, phrases), run.opening_state()
    everybody = {name: pronouns_of(run.scenario.people[id].pronouns) for id, name in short_names(run.scenario).items()}
    for record in run.ticks:
        for event in unfold(world, record):
            told = [
                *narrator.tell(world, event),
                *narrator.think(world, event, thinkers_of(world, record, event)),
            ]
            for said in narrator.said:
                for why in reasons_against(world, said):
                    yield Contradiction(run.seed, event.id, said.pool, said.text, why)
            pools = " and ".join(dict.fromkeys(said.pool for said in narrator.said if said.speaker is None))
            for paragraph in told:
                for why in slips_in(paragraph, everybody):
                    yield Contradiction(run.seed, event.id, pools, paragraph, why)
    narrator.closing(run)
    for said in narrator.said:
        for why in reasons_against(world, said):
            yield Contradiction(run.seed, said.event.id, said.pool, said.text, why)


def check_words(scenario: Scenario, evenings: int) -> tuple[list[LooseWord], list[Contradiction]]:
    """What is wrong with the words of a scenario: found in its phrases, and in `evenings` evenings."""
    found: dict[tuple[str, str, str], Contradiction] = {}
    for seed in range(1, evenings + 1):
        for one in contradictions(play_run(scenario, seed)):
            found.setdefault((one.pool, one.text, one.why), one)
    return loose_words_of(scenario), list(found.values())


def reasons_against(world: WorldState, said: UsedPhrase) -> Iterator[str]:
    """Why some words cannot be used at a moment."""
    pieces = [(True, said.text)] if said.speaker is not None else spoken_parts(said.text)
    for spoken, piece in pieces:
        for word, why in find_violations(said.pool, spoken, piece, said.facts):
            yield f"{why} ({word!r})"
    if said.pool not in _OF_THE_ABSENT:
        away = [id for id in said.there if world.agents[id].location != said.event.room]
        yield from (f"{id} is not in the room" for id in away)
    if said.speaker is not None:
        if said.pool == _TOASTS and said.facts.get("alone"):
            yield f"{said.speaker} drinks to somebody, and nobody is there"
        yield from _side_against(world.scenario, said, said.speaker)
        yield from _names_against(world.scenario, said, said.speaker)
        yield from _truths_against(world, said, said.speaker)


def _side_against(scenario: Scenario, said: UsedPhrase, speaker: str) -> Iterator[str]:
    """Words of those whose secret it is, from somebody else, and the other way round."""
    kind = said.pool.split(".")[-1] if said.pool.startswith("secrets.") else said.pool.split(".")[0]
    for id in said.facts.get("secret", ()):
        is_holder = speaker in scenario.secrets[id].holders
        if kind in _BY_HOLDERS and not is_holder:
            yield f"{speaker} speaks of the secret {id} as if it were theirs"
        if kind in _BY_OTHERS and is_holder:
            yield f"{speaker} speaks of the secret {id} as of somebody else's"


def _names_against(scenario: Scenario, said: UsedPhrase, speaker: str) -> Iterator[str]:
    if said.facts.get("content") == frozenset({_IDENTITY}):
        return  # where a name is the secret, people may say their own
    for name in _names(scenario, speaker):
        if re.search(rf"\b{re.escape(name)}\b", said.text):
            yield f"{speaker} speaks of {name} as of somebody else"
    if said.listener is not None:
        for id in _people_addressed(scenario, said.text, {speaker, said.listener}):
            yield f"{id} is addressed, and {said.listener} is listening"
        for name in _names(scenario, said.listener):
            if re.search(rf"\b{re.escape(name)}{_AS_A_THIRD}", said.text):
                yield f"{said.listener} is spoken to as if {name} were somebody else"


def _people_addressed(scenario: Scenario, text: str, but: set[str]) -> Iterator[str]:
    """Those whom a line addresses by name, leaving some people out."""
    for id in scenario.people.keys() - but:
        names = "|".join(map(re.escape, sorted(_names(scenario, id))))
        if re.search(_ADDRESS.format(names=names), text):
            yield id


def _names(scenario: Scenario, id: str) -> set[str]:
    """The names that mean this person and no other."""
    words = Counter(word for person in scenario.people.values() for word in person.name.split())
    person = scenario.people[id]
    return {word for word in person.name.split() if words[word] == 1} | ({person.familiar} - {""})


def _truths_against(world: WorldState, said: UsedPhrase, speaker: str) -> Iterator[str]:
    for secret in world.scenario.secrets.values():
        known = world.agents[speaker].beliefs[secret.id] == Belief.BELIEVES_TRUE
        if not known and secret.description.rstrip(".").lower() in said.text.lower():
            yield f"{speaker} does not know that {secret.description!r}"


def loose_words_of(scenario: Scenario, phrases: Phrasebook | None = None) -> list[LooseWord]:
    """The phrases of a scenario that could contradict a moment, found without playing."""
    book = phrases if phrases is not None else phrases_of(scenario)
    loose = (*_loose_names(book, scenario), *_loose_pronouns(book, scenario))
    return [*loose_words(book, lambda when: infer(when, scenario)), *loose]


def _loose_names(book: Phrasebook, scenario: Scenario) -> Iterator[LooseWord]:
    """Lines that name somebody who could be the one to say them, or speak of somebody as of a third who could be listening."""
    for pool, phrases in book.pools.items():
        for phrase in phrases:
            for number, text in enumerate(phrase.parts):
                speakers, listeners = sides_of(pool, phrase.when, scenario)
                sides = (listeners, speakers) if number else (speakers, listeners)
                for id, why in _named_people(pool, text, *sides, scenario):
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
        names = {name for who in alike for name in (*_names(scenario, who), *scenario.people[who].name.split())}
        meant = re.compile(rf"\b(?:{forms.they}|{forms.them}|{forms.their}|{forms.theirs})\b", re.IGNORECASE)
        for kind in _TO_HOLDERS:
            for phrase in book.pool(pool := f"secrets.{id}.{kind}"):
                found = meant.search(phrase.parts[0])
                is_another = any(re.search(rf"\b{re.escape(name)}\b", phrase.parts[0]) for name in names)
                is_theirs = any(clause.key == "who" and wronged in clause.some for clause in phrase.when)
                speakers, _ = sides_of(pool, phrase.when, scenario)
                if found and not is_another and not is_theirs and wronged in speakers:
                    why = f"{scenario.people[wronged].name} could be the one who says it"
                    yield LooseWord(pool, phrase.parts[0], found[0], why, ())


def _named_people(
    pool: str, text: str, speakers: set[str], listeners: set[str], scenario: Scenario
) -> Iterator[tuple[str, str]]:
    known = scenario.secrets.get(pool.split(".")[1]) if pool.startswith("secrets.") else None
    if known is not None and (known.content == _IDENTITY or pool.endswith((".matter", ".overheard"))):
        return
    for spoken, piece in [(True, text)] if '"' not in text else spoken_parts(text):
        for id in scenario.people:
            for name in _names(scenario, id) if spoken else ():
                if id in speakers and re.search(rf"\b{re.escape(name)}\b", piece):
                    yield id, f"{name} could be the one who says it"
                if listeners - {id} and id not in speakers and re.search(_ADDRESS.format(names=re.escape(name)), piece):
                    yield id, f"{name} is addressed, and somebody else could be listening"
                if id in listeners and re.search(rf"\b{re.escape(name)}{_AS_A_THIRD}", piece):
                    yield id, f"{name} could be the one to whom it is said"


def sides_of(pool: str, when: When, scenario: Scenario) -> tuple[set[str], set[str]]:
    """Who could say a line, and to whom: by its condition, and by who holds the secret that it is about."""
    speakers = listeners = set(scenario.people)
    if pool.startswith("secrets."):
        _, id, kind = pool.split(".")
        holders = set(scenario.secrets[id].holders)
        speakers = holders if kind in _BY_HOLDERS else speakers - holders
        listeners = holders if kind in _TO_HOLDERS else listeners
    given = {clause.key: clause for clause in when}
    allowed = []
    for key, people in (("who", speakers), ("whom", listeners)):
        clause = given.get(key)
        allowed.append(people if clause is None else (people & clause.some if clause.some else people) - clause.none)
    speakers, listeners = allowed
    if len(listeners) == 1:
        speakers = speakers - listeners
    if len(speakers) == 1:
        listeners = listeners - speakers
    return speakers, listeners if _has_listener(pool) else set()


def _has_listener(pool: str) -> bool:
    return pool.startswith("secrets.") or (pool in POOLS and "whom" in POOLS[pool].always)


def infer(when: When, scenario: Scenario) -> Facts:
    """What is sure in a scenario where a condition holds: by its setting, and by the people and rooms that it names."""
    given = {clause.key: clause.some for clause in when}
    who, whom, rooms = (given.get(key, frozenset()) for key in ("who", "whom", "room"))
    sure = {"setting": frozenset(scenario.setting)}
    for key, ids in (("resident", who), ("whom_resident", whom)):
        lives = {scenario.people[id].resident for id in ids}
        if len(lives) == 1:
            sure[key] = TRUE if True in lives else frozenset()
    pairs = [frozenset(relations(scenario, one, other)) for one in who for other in whom if one != other]
    if pairs:
        sure["relation"] = frozenset.intersection(*pairs)
    if rooms:
        sure["place"] = frozenset.intersection(*(frozenset(places(scenario, scenario.rooms[id])) for id in rooms))
    return sure


def spoken_lines(transcripts: Iterable[str]) -> SpokenLines:
    """Count what is said in some transcripts; the punctuation at the end of a line does not make it another one.

    >>> spoken_lines(['"No," says Ann. "No." "Yes?"'])
    SpokenLines(total=3, distinct=2, most=2, line='No')
    """
    counts = Counter(piece.rstrip(".,!?") for text in transcripts for spoken, piece in spoken_parts(text) if spoken)
    line, most = max(counts.items(), key=lambda entry: entry[1], default=("", 0))
    return SpokenLines(counts.total(), len(counts), most, line)
