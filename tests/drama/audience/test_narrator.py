from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from tests.drama.audience.evenings import SCENARIOS, belief, evening, event, events_in, told_of
from tests.drama.evening.casts import shipped
from tests.drama.party import AFFAIR, EMBEZZLE, party
from tests.drama.worlds import worlds
from tests.processes import under_hash_seeds
from volition.drama.audience.blocks import arrange
from volition.drama.audience.chronicle import Chronicle
from volition.drama.audience.narrator import Narrator, NarratorFailed, TemplateNarrator, transcript
from volition.drama.audience.prose import clock, short_names
from volition.drama.audience.summary import lessons
from volition.drama.audience.telling import sentences_of
from volition.drama.evening.world import WorldState, begin
from volition.drama.rules.catalog import (
    CATASTROPHE,
    CHAT,
    CLOCK,
    CONFIDE,
    CONFLICT,
    INTERNAL,
    LIE,
    OBSERVE,
    PHYSICAL,
    REVEAL,
    SOCIAL_MOVE,
    Belief,
)
from volition.drama.stage.run import ENDINGS
from volition.drama.words.phrasebook import phrasebook
from volition.drama.words.speech import relax
from volition.drama.world.model import ClockEvent
from volition.drama.world.wording import phrases_of

if TYPE_CHECKING:
    from volition.drama.stage.events import Event
    from volition.drama.stage.record import Run
    from volition.drama.world.model import Scenario


def _pools(world: WorldState, happened: Event, chance: float = 0.9) -> list[str]:
    return [part.pool for part in sentences_of(world, happened, lambda _: chance)]


@pytest.mark.req("DE-20")
@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_whole_evening_is_told(name: str, seed: int) -> None:
    """A transcript has a title, the whole cast, a paragraph for every event that is read, and no placeholder left."""
    played, told = evening(name, seed), told_of(name, seed)
    assert told.startswith(f"# {played.scenario.name}\n")
    assert all(f"**{person.name}**" in told for person in played.scenario.people.values())
    assert not re.search(r"[{}]|  ", told)
    assert told.count("\n\n") >= sum(len(block.events) for block in arrange(played))
    assert told.count('"') % 2 == 0
    assert told.endswith("\n")


def test_the_same_bytes_every_time() -> None:
    """The same run gives the same transcript, in any process and with any hash seed."""
    code = (
        "import sys; from volition.drama.audience.narrator import transcript;"
        "from volition.drama.stage.run import run; from volition.drama.world.scenario import scenario;"
        "sys.stdout.buffer.write(transcript(run(scenario('dinner-party'), 1)).encode())"
    )
    (told,) = under_hash_seeds(code, "4321")
    assert told.decode().split("\n\n") == told_of().split("\n\n")


def test_another_seed_is_told_otherwise() -> None:
    """The seed of the run chooses the words."""
    assert transcript(replace(evening(), seed=2)) != told_of()


@given(st.data())
def test_anything_can_be_told(data: st.DataObject) -> None:
    """Any event in any world is told in one paragraph that names its source."""
    world = data.draw(worlds())
    happened = data.draw(events_in(world))
    if happened is not None:
        if happened.type == PHYSICAL:
            manners = ["drink", "fetch", "serve", "pour", "slam", "leave", "relief", "some_need", None]
            happened = structs.replace(happened, manner=data.draw(st.sampled_from(manners)))
        told = TemplateNarrator(3).tell(world, happened)
        assert len(told) == 1
        assert short_names(world.scenario)[happened.source] in told[0]
        assert not re.search("[{}]", told[0])


def test_the_pool_fits_the_event() -> None:
    """Each variant of an event uses its own pool."""
    world = begin(party())
    agents = world.agents
    chat = event(CHAT, "victor", "marcus")
    assert _pools(world, chat) == ["chat.cold"]
    assert _pools(world, event(CHAT, "thorne", "lydia")) == ["chat.plain"]
    assert _pools(world, event(CHAT, "thorne", "lydia", "balcony")) == ["chat.aside"]
    assert _pools(world, event(CHAT, "elena", "marcus"), 0.5) == ["chat.warm"]
    assert _pools(world, event(CHAT, "elena", "marcus", details={"stance": True}), 0.3) == ["chat.facade"]
    assert _pools(world, structs.replace(chat, details={"question": EMBEZZLE})) == ["chat.question"]
    assert _pools(world, structs.replace(chat, details={"sides": True})) == ["chat.sides"]
    assert _pools(world, structs.replace(chat, details={"reconciled": True})) == ["chat.reconciled"]
    assert _pools(world, event(CHAT, "thorne", "elena marcus")) == ["chat.group"]
    assert _pools(world, event(OBSERVE, "victor", focus="marcus", details={"found": [AFFAIR]})) == ["observe.found"]
    assert _pools(world, event(OBSERVE, "victor", details={"heard": "e1"}, secret=AFFAIR)) == ["observe.heard"]
    assert _pools(world, event(OBSERVE, "victor", focus="marcus")) == ["observe.idle"]
    assert _pools(world, event(OBSERVE, "victor")) == ["observe.room"]
    assert _pools(world, event(INTERNAL, "victor")) == ["thought.plain"]
    assert _pools(world, event(LIE, "marcus", "victor", secret=EMBEZZLE, details={"believed": True})) == [
        "lie.believed"
    ]
    assert _pools(world, event(LIE, "marcus", "victor", secret=EMBEZZLE, details={"believed": False})) == [
        "lie.doubted"
    ]
    about = {"about": EMBEZZLE, "stated": True}
    assert _pools(world, event(CONFLICT, "victor", "marcus", details=about)) == ["conflict.matter"]
    assert _pools(world, event(CONFLICT, "victor", "marcus", details=about | {"stated": False})) == ["conflict.hint"]
    hint = about | {"stated": False, "caught": ["thorne"]}
    assert _pools(world, event(CONFLICT, "victor", "marcus", details=hint)) == ["conflict.hint", "after.guesses"]
    assert _pools(world, event(CONFLICT, "victor", "marcus", details={"wrong": "lie"})) == ["conflict.lie"]
    assert _pools(world, event(CONFLICT, "thorne", "diana")) == ["conflict.plain"]
    agents["elena"].emotions["shame"], agents["thorne"].grievance["elena"] = 0.3, 0.5
    assert _pools(world, event(CHAT, "elena", "thorne")) == ["chat.sorry"]
    agents["victor"].alcohol = 0.9
    assert _pools(world, chat, 0.1) == ["chat.tipsy"]


def test_moves_and_departures() -> None:
    """Going out, coming back, fetching, carrying and leaving each have their own pool."""
    world = begin(party())
    me = world.agents["thorne"]
    out, back = (
        event(SOCIAL_MOVE, "thorne", destination="kitchen"),
        event(SOCIAL_MOVE, "thorne", destination="dining_table"),
    )
    back = structs.replace(back, room="kitchen")
    assert _pools(world, out) == ["move.out"]
    assert _pools(world, back) == ["move.back"]
    assert _pools(world, structs.replace(out, room="balcony")) == ["move.on"]
    me.task = "fetch"
    assert _pools(world, out) == ["move.fetching"]
    me.task = "serve"
    assert _pools(world, back) == ["move.carrying"]
    leave = event(PHYSICAL, "thorne", manner="leave")
    assert _pools(world, leave) == ["physical.leave"]
    me.broken = True
    assert _pools(world, leave) == ["physical.leave_broken"]
    me.thrown_out = True
    assert _pools(world, leave) == ["physical.leave_thrown_out"]
    assert _pools(world, out) == ["move.banished"]
    assert _pools(world, event(PHYSICAL, "thorne", manner="slam")) == ["physical.slam"]


def test_truths_and_what_they_do() -> None:
    """A truth is told as the speaker's own or another's, and the reactions of those hurt, exposed, deceived or not surprised follow."""
    world = begin(shipped("dinner-party"))
    learned = (belief("thorne", AFFAIR, Belief.UNKNOWN, Belief.BELIEVES_TRUE),)
    told = event(REVEAL, "diana", "thorne", secret=AFFAIR, deltas=learned)
    assert _pools(world, told) == ["reveal.other", "after.hurt", "after.exposed"]
    found = structs.replace(told, details={"lies_found": [["thorne", "elena", AFFAIR]]})
    assert _pools(world, found)[-1] == "after.lie_found"
    assert _pools(world, event(CONFIDE, "elena", "marcus", secret=AFFAIR)) == ["confide.own", "after.knew"]
    caught = event(CONFIDE, "elena", "thorne", secret=AFFAIR, deltas=learned, details={"caught": ["victor"]})
    assert _pools(world, caught) == ["confide.own", "after.hurt", "after.caught"]
    forced = event(CONFLICT, "victor", "elena", deltas=learned, details={"forced": AFFAIR, "thrown_out": True})
    assert _pools(world, forced) == ["conflict.forced", "after.hurt", "after.exposed", "conflict.thrown_out"]
    burst = event(CATASTROPHE, "elena", "thorne", deltas=learned, details={"breakdown": "flight", "told": AFFAIR})
    assert _pools(world, burst) == ["catastrophe.flight", "after.told_own", "after.hurt", "after.exposed"]


def test_secrets_are_spoken_as_the_scenario_words_them() -> None:
    """Telling a secret uses its description or one of its lines; asking, lying and accusing never use either."""
    world = begin(shipped("dinner-party"))
    words = world.scenario.secrets[AFFAIR].description
    book = phrases_of(world.scenario)
    lines = [phrase.parts[0] for phrase in book.pool(f"secrets.{AFFAIR}.told")]
    told = [words, *lines, *map(relax, lines)]
    for seed in range(20):
        text = TemplateNarrator(seed).tell(world, event(REVEAL, "diana", "thorne", secret=AFFAIR))[0]
        assert any(line.rstrip(".") in text for line in told)
    for happened in (
        event(CHAT, "lydia", "elena", details={"question": AFFAIR}),
        event(LIE, "elena", "lydia", secret=AFFAIR, details={"believed": True}),
        event(CONFLICT, "lydia", "elena"),
    ):
        assert words not in TemplateNarrator(1).tell(world, happened)[0]


class _Silent:
    """A narrator that says nothing."""

    def opening(self, scenario: object) -> list[str]:
        return []

    def heading(self, world: object, event: object) -> list[str]:
        return []

    def tell(self, world: object, event: object) -> list[str]:
        return []

    def closing(self, run: object) -> list[str]:
        return []


class _Raises(_Silent):
    def tell(self, world: object, event: object) -> list[str]:
        raise RuntimeError("no words")


class _Mumbles(_Silent):
    def tell(self, world: object, event: object) -> list[str]:
        return 7  # type: ignore[return-value]


@pytest.mark.parametrize(("narrator", "why"), [(_Raises(), "RuntimeError: no words"), (_Mumbles(), "answered 7")])
def test_a_custom_narrator_that_fails_is_named(narrator: Narrator, why: str) -> None:
    """What a custom narrator raises, or answers instead of paragraphs, is its own fault, with the event."""
    assert transcript(evening(), _Silent()) == "\n"
    with pytest.raises(NarratorFailed, match=why) as raised:
        transcript(evening(), narrator)
    assert "event e0001" in str(raised.value)
    assert "_Silent" not in str(raised.value)


def test_courses_are_counted() -> None:
    """Courses are named in order, and further ones get a general name."""
    world, narrator = begin(party()), TemplateNarrator(1)
    told = [narrator.tell(world, event(PHYSICAL, "thorne", manner="serve", id=f"e{number}"))[0] for number in range(6)]
    book = phrasebook()
    names = [*(phrase.parts[0] for phrase in book.pool("course.names")), *[book.text("course.later")] * 2]
    assert all(name in text.lower() for name, text in zip(names, told, strict=True))


def test_no_heading_comes_twice_in_a_row() -> None:
    """A scene that begins in the same minute and room as the last one has no second heading; a minute later it has one."""
    world, narrator = begin(party()), TemplateNarrator(1)
    now = event(PHYSICAL, "thorne", manner="serve")
    assert narrator.heading(world, now)
    assert narrator.heading(world, now) == []
    assert narrator.heading(world, structs.replace(now, minutes=now.minutes + 1.0))


@pytest.mark.parametrize("kind", ENDINGS)
def test_every_ending_is_told(kind: str) -> None:
    """Every kind of ending has its paragraph."""
    played = evening()
    assert played.ending is not None
    told = TemplateNarrator(1).closing(replace(played, ending=structs.replace(played.ending, kind=kind)))
    assert told[1] in {phrase.parts[0] for phrase in phrases_of(played.scenario).pool(f"ending.{kind}")}


def test_a_run_without_ending() -> None:
    """A record that stops before the ending is told as far as it goes."""
    played = replace(evening(), ticks=evening().ticks[:9], ending=None)
    assert phrasebook().text("ending.heading") not in transcript(played)


def test_what_came_out_is_listed() -> None:
    """The closing lists every secret that somebody learned, or says that there was none, and those that stayed hidden."""
    told = "\n".join(TemplateNarrator(1).closing(evening()))
    known = {
        delta.key
        for happened in evening().events
        for delta in happened.deltas
        if delta.kind == "belief" and delta.after == Belief.BELIEVES_TRUE
    }
    secrets = evening().scenario.secrets
    out, _, rest = told.partition("## What stayed hidden")
    hidden, _, _ = rest.partition("## Who knows what now")
    assert {id for id in secrets if f"- {secrets[id].description}" in out} == known
    assert {id for id in secrets if f"- {secrets[id].description}" in hidden} == secrets.keys() - known
    quiet = replace(evening(), ticks=())
    assert phrasebook().text("ending.nothing_came_out") in TemplateNarrator(1).closing(quiet)


@pytest.mark.req("DE-33")
@pytest.mark.parametrize(("name", "seed"), [(name, seed) for name in SCENARIOS for seed in (1, 2)])
def test_the_closing_says_how_things_stand(name: str, seed: int) -> None:
    """Everybody is named with what they know now; so are those who forgave, broke with, made it up or left because of somebody."""
    run = evening(name, seed)
    told, names = "\n".join(TemplateNarrator(1).closing(run)), short_names(run.scenario)
    knowing = told.partition("## Who knows what now\n")[2].splitlines()
    assert [line.split()[1] for line in knowing] == list(names.values())
    learned = {(lesson.who, lesson.secret): lesson.after for lesson in lessons(run.events)}
    for who, line in zip(names, knowing, strict=True):
        after = {belief for (person, _), belief in learned.items() if person == who}
        assert ("knows now about" in line) == ("believes_true" in after)
        assert ("no wiser" in line) == (not after)
    for one in run.events:
        if one.manner in ("forgive", "break_with"):
            pair = names[one.source], names[one.targets[0]]
            settled = [f"{pair[0]} has {what} {pair[1]}." for what in ("forgiven", "broken with")]
            settled += [f"{' and '.join(both)} have made it up." for both in (pair, pair[::-1])]
            assert any(words in told for words in settled)
        if one.details.get("thrown_out") and one.targets[0] in run.left:
            assert f"{names[one.targets[0]]} was shown the door by" in told


def test_an_ending_by_the_clock_has_the_words_of_its_event() -> None:
    """Where an event of the clock ends the evening, its own lines are told, and then the end as of any evening."""
    base = evening()
    assert base.ending is not None
    end = structs.replace(base.ending, kind="tide")
    for lines in ((), ("The tide is here.",)):
        over = ClockEvent("over", 10.0, 20.0, ends="tide", lines=lines)
        tables = replace(base.scenario, phrases={}, evening=replace(base.scenario.evening, events=(over,)))
        rang = event(CLOCK, "elena", details={"clock": "over"})
        tick = structs.replace(base.ticks[0], events=(rang,))
        told = transcript(replace(base, scenario=tables, ticks=(tick,), ending=end))
        general = [phrase.parts[0] for phrase in phrasebook().pool("ending.ended")]
        assert ("The tide is here." in told) == bool(lines)
        assert any(phrase in told for phrase in general)


class _Clerk:
    """A narrator that only takes the minutes."""

    def opening(self, scenario: Scenario) -> list[str]:
        return ["opening"]

    def heading(self, world: WorldState, event: Event) -> list[str]:
        return [f"scene {event.id}"]

    def tell(self, world: WorldState, event: Event) -> list[str]:
        return [event.id]

    def closing(self, run: Run) -> list[str]:
        return ["closing"]


@pytest.mark.req("DE-20")
def test_another_narrator() -> None:
    """Any narrator can tell a run: it is called in the order in which things happen, and read in blocks."""
    lines = transcript(evening(), _Clerk()).split("\n\n")
    assert lines[0] == "opening"
    assert lines[-1] == "closing\n"
    read = [one.id for block in arrange(evening()) for one in block.events]
    assert [line for line in lines[1:-1] if not line.startswith("scene")] == read
    assert all(
        lines[at + 1] == line.removeprefix("scene ") for at, line in enumerate(lines) if line.startswith("scene")
    )
    clerk = _Recorder()
    transcript(evening(), clerk)
    assert clerk.told == [one.id for one in evening().events]


class _Recorder(_Clerk):
    """Remembers the order in which it was called."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def tell(self, world: WorldState, event: Event) -> list[str]:
        self.told.append(event.id)
        return []


def test_names() -> None:
    """People are called by the word of their name that is their id, else by the first word if it is unique, else by the full name."""
    assert short_names(shipped("dinner-party"))["thorne"] == "Thorne"
    assert short_names(shipped("dinner-party"))["elena"] == "Elena"
    tables = party()
    people = tables.people
    compiled_laws = {
        "x1": replace(people["elena"], id="x1", name="Ann Lee"),
        "x2": replace(people["marcus"], id="x2", name="Ann Ray"),
        "x3": replace(people["lydia"], id="x3", name="Dr. Kay"),
        "x4": replace(people["diana"], id="x4", name="Bo Kay"),
    }
    named = short_names(replace(tables, people=compiled_laws))
    assert named == {"x1": "Ann Lee", "x2": "Ann Ray", "x3": "Dr. Kay", "x4": "Bo"}


def test_the_clock() -> None:
    """Minutes are written as hours and minutes."""
    assert [clock(minutes) for minutes in (0.0, 9.9, 60.0, 150.5)] == ["0:00", "0:09", "1:00", "2:30"]


def test_a_secret_that_is_known_is_told_instead_of_a_question() -> None:
    """An event that finds a secret known, and asks about another that was heard stated, has words: those for the first."""
    world = begin(shipped("dinner-party"))
    asked = event(CHAT, "lydia", "elena", details={"question": "secret_affair_01", "known": "secret_embezzle_01"})
    past = Chronicle()
    past.heard.add(("lydia", "secret_affair_01"))
    assert [told.pool for told in sentences_of(world, asked, lambda purpose: 0.5, past)] == ["chat.known"]
    asked = event(CHAT, "lydia", "elena", details={"question": "secret_affair_01"})
    assert [told.pool for told in sentences_of(world, asked, lambda purpose: 0.5, past)] == ["chat.heard"]
