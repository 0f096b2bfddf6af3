"""From a sentence to its words: a phrase that fits the moment, filled in with people, places and what is said."""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, structs

from volition.drama.audience.address import TITLES, Titles, mistakes, names_of
from volition.drama.audience.chronicle import Chronicle, stated_in
from volition.drama.audience.moment import facts_of, relations
from volition.drama.audience.prose import company_of, is_answered, short_names
from volition.drama.audience.telling import Draw, Sentence, words_of
from volition.drama.words.people import FAMILIAR, pronouns_of, relation_noun
from volition.drama.words.phrase import PersonWords, Phrase, fill, fitting_of, nearness, sums_up
from volition.drama.words.speech import MEASURED, relax
from volition.drama.world.model import DEPARTED, Scenario, Secret

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from volition.drama.evening.world import WorldState
    from volition.drama.stage.events import Event
    from volition.drama.words.condition import Facts
    from volition.drama.words.phrase import Picker
    from volition.drama.words.phrasebook import Phrasebook


class Utterance(Struct, frozen=True):
    """Words that `speaker` is about to say: the template's draft, and all that a narrator needs to say it otherwise.

    `before` is what was said to the speaker just now, if this is an answer. `spoken` are the secrets that the audience has
    heard by now.
    """

    world: WorldState
    event: Event
    pool: str
    speaker: str
    listener: str | None
    secret: str | None
    draft: str
    before: str = ""
    spoken: frozenset[str] = frozenset()


class UsedPhrase(Struct, frozen=True):
    """A phrase as it was used, for those who check the words.

    `speaker` is None for what the narrator tells; its text then leaves out what is said, and the names of rooms. `there`
    are the people whom it speaks of as being in the room.
    """

    event: Event
    pool: str
    text: str
    facts: Facts
    speaker: str | None = None
    listener: str | None = None
    there: tuple[str, ...] = ()


class Composer:
    """Finds the words of sentences, for one transcript. `said` holds the phrases of the last sentences."""

    def __init__(
        self, scenario: Scenario, book: Phrasebook, picker: Picker, past: Chronicle, speak: Callable[[Utterance], str]
    ) -> None:
        self.book, self.names = book, short_names(scenario)
        self.everybody = {name: pronouns_of(scenario.people[id].pronouns) for id, name in self.names.items()}
        self.said: list[UsedPhrase] = []
        self.titles = Titles(scenario, book)
        self._scenario, self._picker, self._past, self._speak = scenario, picker, past, speak
        self._summed_up: dict[str, deque[bool]] = {}
        names = {name for id in scenario.people for name in names_of(scenario, id)} | {*TITLES}
        self._has_name = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))})\b").search
        self._personal: dict[Phrase, bool] = {}
        self._near: dict[Phrase, int] = {}

    def compose(self, world: WorldState, event: Event, part: Sentence, before: str = "") -> str:
        """The words of a sentence that is told after others of the same event."""
        return _Sentence(self, world, event, part).words(before)

    def pick(
        self, pools: Sequence[str], fitting: Mapping[Phrase, str], event: Event, people: tuple[str, ...], *, line: bool
    ) -> tuple[str, Phrase] | None:
        """One of the phrases that fit, with its pool; None if there is none.

        One of the first pool that is new comes first; of new lines, those for who speaks, and to whom, before the others.
        Some of these wait for another evening, so that not all of them begin with the same words.
        """
        if not fitting:
            return None
        new = self._picker.find_unused(phrase for phrase, pool in fitting.items() if pool == pools[0])
        if line:
            new = new or self._picker.find_unused(fitting)
            near = [self._nearness(phrase) for phrase in new]
            nearest = min(near, default=0)
            new = [phrase for phrase, distance in zip(new, near, strict=True) if distance == nearest]
        chosen = self._picker.pick(new or list(fitting), event.tick, event.id, pools[0], people)
        return fitting[chosen], chosen

    def can_sum_up(self, room: str) -> bool:
        """Whether talk may be told here without a word of it: it was not, the last few times."""
        return not any(self._summed_up.get(room, ()))

    def note_talk(self, room: str, *, summed_up: bool) -> None:
        """Take note of whether talk was told without a word of it."""
        self._summed_up.setdefault(room, deque(maxlen=SPOKEN_BETWEEN)).append(summed_up)

    def _nearness(self, phrase: Phrase) -> int:
        near = self._near.get(phrase)
        if near is None:  # the same all evening: a line is looked at a hundred times in one
            near = nearness(phrase)
            if near < len(TONIGHT) and self._picker.chance(0, phrase.parts[0], "tonight") >= TONIGHT[near]:
                near = len(TONIGHT)
            self._near[phrase] = near
        return near

    def can_say(self, phrase: Phrase, who: str, whom: str | None) -> bool:
        """Whether `who` can say a line to `whom`, and get its answer: for the names and titles in it."""
        personal = self._personal.get(phrase)
        if personal is None:  # found as phrases come up: a whole phrasebook takes a tenth of a second to search
            personal = self._personal[phrase] = any(map(self._has_name, phrase.parts))
        if not personal:
            return True
        sides = [(who, whom), (whom if whom is not None else who, who)]
        return not any(
            True
            for part, (speaker, listener) in zip(phrase.parts, sides, strict=False)
            for _ in mistakes(self._scenario, self.titles, part, speaker, listener)
        )

    def facts(self, world: WorldState, event: Event, who: str, whom: str | None, secret: Secret | None) -> Facts:
        return facts_of(world, event, self._past, who, whom, secret)

    def person(self, id: str) -> PersonWords:
        return PersonWords(self.names[id], pronouns_of(self._scenario.people[id].pronouns))

    def choose(self, people: list[str], event: Event, purpose: str) -> str | None:
        return self._picker.choose(people, event.tick, event.id, purpose)

    def speak(self, utterance: Utterance) -> str:
        return self._speak(utterance)

    def secrets_spoken(self, event: Event) -> frozenset[str]:
        """The secrets that have been said in so many words, in this event or before."""
        return frozenset((*self._past.spoken, *stated_in(event)))

    def course(self) -> str:
        """The name of the course that is about to be served."""
        names = [phrase.parts[0] for phrase in self.book.pool("course.names")]
        return names[self._past.served] if self._past.served < len(names) else self.book.text("course.later")


class _Sentence:
    """One sentence while its words are being found."""

    def __init__(self, composer: Composer, world: WorldState, event: Event, part: Sentence) -> None:
        self.composer, self.world, self.event, self.part = composer, world, event, part
        self.secret = world.scenario.secrets[part.secret] if part.secret is not None else None
        self._cast_ids = self._cast()
        self.people = {role: composer.person(id) for role, id in self._cast_ids.items()}
        if part.whom == event.source:
            del self.people["who"]  # somebody who hears what they made another say: nobody thanks themself
        self.draws = dict(part.draws)
        if self.secret is not None:
            own, general = words_of(self.secret, "matter")
            self.draws["matter"] = Draw((own,) if composer.book.pool(own) else (general,))
        self.texts = self._texts()
        self._facts: dict[bool, Facts] = {}
        self._fit: dict[str, dict[Phrase, str]] = {}

    def words(self, before: str) -> str:
        """Pick a frame that can follow `before`, draw what it needs, and fill it in."""
        pool, facts = self._pool(), self.facts(by_whom=False)
        drawn = {name for name in self.draws if self._can_draw(name)}
        names = {*self.people, *self.texts, *drawn}
        if "line" in drawn:
            names |= {"reply", "says", "says_back"}
        allowed = [names]
        if drawn & _TRUTHS:
            allowed.insert(0, names - {"secret", "fact"})
        frames = self.composer.book.pool(pool)
        choices = (dict.fromkeys(fitting_of(frames, facts, may), pool) for may in allowed)
        fitting = next(filter(None, choices), {})
        fitting = {phrase: pool for phrase, pool in fitting.items() if self._can_follow(phrase, before)} or fitting
        if not self.composer.can_sum_up(self.event.room):
            fitting = {phrase: pool for phrase, pool in fitting.items() if not sums_up(phrase)} or fitting
        people_in_it = (self.event.source, *((self.part.whom,) if self.part.whom is not None else ()))
        picked = self.composer.pick((pool,), fitting, self.event, people_in_it, line=False)
        assert picked is not None, f"no phrase of {pool} fits"
        frame = picked[1]
        if pool.startswith("chat."):
            self.composer.note_talk(self.event.room, summed_up=sums_up(frame))
        needed = frame.needs & self.draws.keys() | ({"line"} if frame.needs & _OF_A_LINE else set())
        for name in sorted(needed, key=lambda name: (name != "line", name)):
            self._draw(name)
        people = self._people_related(self.people, frame)
        unspoken = {name: "" if name in _SPOKEN_AS else text for name, text in self.texts.items()}
        text = fill(frame.parts[0], unspoken, people)
        there = tuple(self._cast_ids[role] for role in sorted(_THERE & frame.needs & self._cast_ids.keys()))
        self.composer.said.append(UsedPhrase(self.event, pool, text, facts, there=there))
        return fill(frame.parts[0], self.texts, people)

    def _can_follow(self, frame: Phrase, before: str) -> bool:
        """Whether a frame tells who speaks, and about what: two quotations side by side read as of two speakers."""
        if self.part.goes_on and before.endswith('"') and frame.parts[0].startswith('"'):
            return False
        if before and is_answered(before, frame.parts[0]):
            return False
        own = self.draws["line"].pools[0] if self.part.unasked else ""
        return not own or bool(self.composer.book.pool(own)) or "matter" in frame.needs

    def facts(self, *, by_whom: bool) -> Facts:
        """What holds for the words of who acts, or of the person acted on."""
        if by_whom not in self._facts:
            who, whom = self._sides(by_whom)
            self._facts[by_whom] = self.composer.facts(self.world, self.event, who, whom, self.secret)
        return self._facts[by_whom]

    def _pool(self) -> str:
        return self.part.pool if self.composer.book.pool(self.part.pool) else "physical.other"

    def _sides(self, by_whom: bool) -> tuple[str, str | None]:
        who, whom = self.event.source, self.part.whom
        return (whom, who) if by_whom and whom is not None else (who, whom)

    def _cast(self) -> dict[str, str]:
        """Everybody whom a phrase may mention, by role."""
        world, event, part = self.world, self.event, self.part
        taken = {event.source, part.whom}
        others = [agent for agent in world.agents.values() if agent.id not in taken]
        here = [agent.id for agent in others if agent.location == event.room and agent.id not in event.targets]
        away = [agent.id for agent in others if agent.location not in (event.room, DEPARTED)]
        gone = [agent.id for agent in others if agent.has_left]
        cast = {"who": event.source, "whom": part.whom, "liar": part.liar}
        for role, people in (("third", here), ("absent", away), ("gone", gone)):
            cast[role] = self.composer.choose(people, event, role)
        about = event.details.get("topic") if self.secret is None else self.secret.about
        if event.details.get("wrong") == ATTACK:
            about = event.details["about"] if event.details["about"] in here else None
        if about not in taken:
            cast["about"] = about
        return {role: id for role, id in cast.items() if id is not None}

    def _texts(self) -> dict[str, str]:
        """What can be filled in without drawing."""
        event, rooms = self.event, self.world.scenario.rooms
        texts = {"room": rooms[event.room].name, "company": company_of(event.targets, self.composer.names)}
        texts["course"] = self.composer.course()
        texts["manner"] = (event.manner or "nothing in particular").replace("_", " ")
        if event.destination is not None:
            texts["destination"] = rooms[event.destination].name
        if self.secret is not None:
            texts["secret"] = self.secret.description.rstrip(".")
            if not self._is_named_in(texts["secret"]):
                texts["fact"] = texts["secret"]
        return texts

    def _is_named_in(self, text: str) -> bool:
        """Whether a text names who speaks or who is spoken to, so that nobody can say it as it is."""
        ids = (self.event.source, self.part.whom)
        names = {word for id in ids if id is not None for word in self.world.scenario.people[id].name.split()}
        return not names.isdisjoint(re.findall(r"\w+", text))

    def _can_draw(self, name: str) -> bool:
        """Whether there is a phrase for a placeholder; all of them are looked for only where one is drawn."""
        facts, names = self._terms_of(name)
        pools = map(self.composer.book.pool, self.draws[name].pools)
        return any(True for pool in pools for _ in fitting_of(pool, facts, names))

    def _terms_of(self, name: str) -> tuple[Facts, set[str]]:
        """What holds for the phrases of a placeholder, and what they can be filled in with."""
        return self.facts(by_whom=self.draws[name].by_whom), {*self.people, "room"}

    def _fitting(self, name: str) -> dict[Phrase, str]:
        """The phrases that can be drawn for a placeholder, with their pools.

        Where nothing that fits can be said, all that fits is drawn from, and the checker names what is wrong with it.
        """
        if name not in self._fit:
            self._fit[name] = self._find_fitting(name)
        return self._fit[name]

    def _find_fitting(self, name: str) -> dict[Phrase, str]:
        draw, book, terms = self.draws[name], self.composer.book, self._terms_of(name)
        fitting = {phrase: pool for pool in draw.pools for phrase in fitting_of(book.pool(pool), *terms)}
        if name in _SPOKEN and self.secret_is_no_name():
            sides = self._sides(draw.by_whom)
            sayable = {phrase: pool for phrase, pool in fitting.items() if self.composer.can_say(phrase, *sides)}
            fitting = sayable or fitting
        if name == "matter":
            unnamed = {phrase: pool for phrase, pool in fitting.items() if not self._is_named_in(phrase.parts[0])}
            fitting = unnamed or fitting
        return fitting

    def secret_is_no_name(self) -> bool:
        """Whether people are called by their names here: where a name is the secret, they may say their own."""
        return self.secret is None or self.secret.content != IDENTITY

    def _draw(self, name: str) -> None:
        """Draw words for a placeholder; a line may bring its answer along."""
        draw = self.draws[name]
        who, whom = self._sides(draw.by_whom)
        sides = (who,) if whom is None else (who, whom)
        picked = self.composer.pick(draw.pools, self._fitting(name), self.event, sides, line=name in _SPOKEN)
        assert picked is not None, f"nothing to draw for {name}"
        pool, phrase = picked
        if name in _SPOKEN:
            parts = self._say(pool, phrase, draw)
        else:
            parts = [fill(part, self.texts, self.people) for part in phrase.parts]
        self.texts[name] = parts[0]
        if name == "line":
            self.texts["says"] = _verb(parts[0])
            if len(parts) > 1:
                self.texts["reply"], self.texts["says_back"] = parts[1], _verb(parts[1])
        elif draw.by_whom:
            self.texts["says_back"] = _verb(parts[0])

    def _say(self, pool: str, phrase: Phrase, draw: Draw) -> list[str]:
        speaker, listener = self._sides(draw.by_whom)
        secret = self.part.secret
        lines: list[str] = []
        for number, part in enumerate(phrase.parts):
            who, whom = (speaker, listener) if number == 0 or listener is None else (listener, speaker)
            before = lines[-1] if lines else self.texts.get("line", "") if draw.by_whom else ""
            draft = fill(part, self.texts, self._people_related(self._as_called_by(who, draw.by_whom), phrase))
            if MEASURED.isdisjoint(self.world.scenario.people[who].voice):
                draft = relax(draft)
            text = self.composer.speak(
                Utterance(
                    self.world,
                    self.event,
                    pool,
                    who,
                    whom,
                    secret,
                    draft,
                    before,
                    self.composer.secrets_spoken(self.event),
                )
            )
            lines.append(text)
            facts = self.facts(by_whom=draw.by_whom != (number > 0))
            there = tuple(id for id in (who, whom) if id is not None)
            self.composer.said.append(UsedPhrase(self.event, pool, text, facts, who, whom, there))
        return lines

    def _as_called_by(self, speaker: str, by_whom: bool) -> dict[str, PersonWords]:
        """People by the names that a speaker uses; `who` and `whom` change places if it is `whom` who began to speak."""
        scenario = self.world.scenario
        people = {}
        for role, id in self._cast_ids.items():
            near = id != speaker and not FAMILIAR.isdisjoint(relations(scenario, speaker, id))
            familiar = scenario.people[id].familiar if near else ""
            people[role] = structs.replace(self.people[role], name=familiar or self.people[role].name)
        if by_whom and "whom" in people:
            people["who"], people["whom"] = people["whom"], people["who"]
        return people

    def _people_related(self, people: dict[str, PersonWords], phrase: Phrase) -> dict[str, PersonWords]:
        """People with what `whom` is to `who`, by the relation that the phrase is for."""
        wanted: frozenset[Any] = next((clause.some for clause in phrase.when if clause.key == "relation"), frozenset())
        whom = self.part.whom
        if not wanted or whom is None:
            return people
        pairs = {"whom": (self.event.source, whom), "who": (whom, self.event.source)}
        related = dict(people)
        for role, (who, of) in pairs.items():
            shared = [relation for relation in relations(self.world.scenario, who, of) if relation in wanted]
            if role in related and shared:
                pronoun = self.world.scenario.people[of].pronouns
                related[role] = structs.replace(
                    related[role], relation=relation_noun(shared[0], pronoun if isinstance(pronoun, str) else "")
                )
        return related


TONIGHT: Final = (0.5, 0.4, 0.2)
"""Of the lines for two people, for one, and for a voice or relation: how many come first in an evening. The rest are for all."""
IDENTITY: Final = "identity"
"""The content of secrets that are about a name."""
_TRUTHS = frozenset({"confession", "news"})
"""Truths in the words of who tells them: they come before the scenario's wording."""
_SPOKEN = _TRUTHS | {"line", "answer", "evasion", "retort", "toast"}
_THERE = frozenset({"who", "whom", "third", "liar"})
_SPOKEN_AS = _SPOKEN | {"reply", "fact", "secret", "room", "destination"}
_OF_A_LINE = frozenset({"line", "reply", "says", "says_back"})
SPOKEN_BETWEEN: Final = 3
"""So many talks in a room are told in their own words before one is summed up."""
ATTACK: Final = "attack"
"""The wrong of which another was the victim, whom its lines may name."""


def _verb(line: str) -> str:
    return "asks" if line.endswith("?") else "says"
