"""The narrator that asks an endpoint: only for words, only what the speaker knows, within bounds, and never lost."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import structs

from tests.drama.audience.evenings import evening, event, spoken_lines
from tests.drama.party import AFFAIR
from tests.minds.server import Behaviour, answers, completion, drips_its_head, drops_mid_answer, lags, send, serving
from volition.core.errors import InvalidInput
from volition.drama.audience.chronicle import stated_in
from volition.drama.audience.composer import Utterance
from volition.drama.audience.endpoint import (
    GAVE_AWAY,
    GIVE_UP,
    EndpointFailed,
    EndpointNarrator,
    WordEndpoint,
    clean_line,
    given_away,
    knowledge,
    moment_of,
)
from volition.drama.audience.narrator import transcript
from volition.drama.evening.world import begin
from volition.drama.rules.catalog import CHAT, Belief
from volition.drama.stage.replay import walk
from volition.drama.world.scenario import scenario

if TYPE_CHECKING:
    from pathlib import Path

    from tests.minds.server import Handler
    from volition.drama.stage.record import Run

LINE = "I would rather say nothing"


def speaks(handler: Handler, body: dict[str, Any]) -> None:
    """Answer with a line in quotation marks."""
    send(handler, completion(f'"{LINE}"'))


BAD: dict[str, Behaviour] = {
    "lags": lags,
    "drips": drips_its_head,
    "a megabyte": answers(completion("x" * 2**20)),
    "closes early": drops_mid_answer,
    "status 500": answers(b"{}", 500),
    "no JSON": answers(b"<html>"),
    "a list": answers(b"[]"),
    "no choices": answers(b'{"choices": []}'),
    "a number": answers(completion(3)),
    "nothing": answers(completion("  ")),
    "a page": answers(completion("word " * 300)),
    "control letters": answers(completion("a\x07b")),
    "deep": answers(b'{"choices":' + b"[" * 20_000),
}


@cache
def short() -> Run:
    """The first ticks of an evening."""
    return replace(evening(), ticks=evening().ticks[:25], ending=None)


def narrator(url: str, cache: Path | None = None, timeout_s: float = 5.0) -> EndpointNarrator:
    return EndpointNarrator(short().seed, WordEndpoint(url, "small", "key", timeout_s), cache=cache)


def test_only_words_change() -> None:
    """The endpoint's lines are said; everything else, acts, order and narration, is the templates'."""
    with serving(speaks) as server:
        asked = narrator(server.url)
        told = transcript(short(), asked)
    plain = transcript(short())
    assert told != plain
    assert told.count(LINE) >= 20
    assert asked.counts["templates"] == 0
    assert len(told.split("\n\n")) == len(plain.split("\n\n"))
    assert [line for line in told.split("\n") if line.startswith("#")] == [
        line for line in plain.split("\n") if line.startswith("#")
    ]
    assert {*server.paths} == {"/v1/chat/completions"}
    assert all(one["model"] == "small" and one["temperature"] == 0 for one in server.asked)
    assert server.headers_seen[0]["Authorization"] == "Bearer key"


def test_nobody_is_given_what_they_do_not_know() -> None:
    """No question contains a secret that its speaker does not know, or another person's role."""
    scene, run = scenario("dinner-party"), short()
    with serving(speaks) as server:
        transcript(run, narrator(server.url))
    moments = [json.loads(one["messages"][1]["content"]) for one in server.asked]
    assert len(moments) > 20
    ids = {person.name.split()[-1 if id == "thorne" else 0]: id for id, person in scene.people.items()}
    for moment in moments:
        who = ids[moment["speaker"]["name"]]
        text = json.dumps(moment)
        known = {line.removeprefix("knows: ") for line in moment["knows"] if line.startswith("knows: ")}
        for secret in scene.secrets.values():
            assert secret.description not in text or secret.description in known
        assert [id for id, person in scene.people.items() if id != who and person.role in text] == []


def test_knowledge_is_what_somebody_believes() -> None:
    """Who knows is told the truth; who suspects, only the kind of it; who was lied to, the lie; others, nothing."""
    for world, _ in walk(short()):
        for me in world.agents.values():
            told = knowledge(world, me.id, world.scenario.secrets)
            for secret in world.scenario.secrets.values():
                is_known = me.beliefs[secret.id] == Belief.BELIEVES_TRUE
                assert (f"knows: {secret.description}" in told) == is_known
            assert not any("knows: " in line for line in knowledge(world, me.id))
            assert len(told) == sum(belief != Belief.UNKNOWN for belief in me.beliefs.values())


@pytest.mark.req("DE-27")
def test_the_endpoint_hears_no_secret_before_the_audience() -> None:
    """A question names a secret only if it has been spoken in the evening by then, or is spoken in this very event."""
    run = evening()
    with serving(speaks) as server:
        transcript(run, narrator(server.url))
    spoken: dict[str, float] = {}
    for one in run.events:
        for secret in stated_in(one):
            spoken.setdefault(secret, one.minutes)
    assert spoken
    named = 0
    for asked in server.asked:
        moment = json.loads(asked["messages"][1]["content"])
        for known in run.scenario.secrets.values():
            if any(known.description in line for line in moment["knows"]):
                named += 1
                assert moment["minute"] >= round(spoken[known.id])
    assert named


@pytest.mark.req("DE-27")
def test_an_answer_that_gives_a_secret_away_is_not_used() -> None:
    """A secret that nobody has spoken does not get into the transcript by an answer: the template's line is used."""
    for words in ("Elena and Marcus are lovers.", "Did you know that Marcus and Elena were lovers all along?"):
        with serving(answers(completion(words))) as server:
            asked = narrator(server.url)
            told = transcript(short(), asked)
        assert words not in told
        assert told == transcript(short())
        assert asked.fault == f"{GAVE_AWAY}: {AFFAIR}"
        assert asked.counts["gave away"] == asked.counts["templates"] > 0


def test_a_secret_that_was_spoken_may_be_said() -> None:
    """What has been said aloud is given away no more, nor is what the draft says itself."""
    world = begin(scenario("dinner-party"))
    chat = event(CHAT, "victor", "marcus")
    words = "Elena and Marcus are lovers."
    plain = Utterance(world, chat, "talk.plain", "victor", "marcus", None, "Well?")
    assert given_away(plain, words) == AFFAIR
    assert given_away(structs.replace(plain, spoken=frozenset({AFFAIR})), words) is None
    assert given_away(structs.replace(plain, draft=words), words) is None
    assert given_away(plain, "I would rather say nothing.") is None


def test_the_moment_names_its_parts() -> None:
    """A question has the speaker's voice, the listener's relation, the place, the act and the draft."""
    world = begin(scenario("dinner-party"))
    chat = event(CHAT, "victor", "marcus", details={"question": AFFAIR})
    asked = Utterance(world, chat, f"secrets.{AFFAIR}.asked", "victor", "marcus", AFFAIR, "Well?", "Not now.")
    moment = moment_of(asked)
    assert moment["speaker"]["voice"] == ["dry", "blunt"]
    assert moment["listener"] == {"name": "Marcus", "pronouns": "he", "relation": ["rival"]}
    assert (moment["draft"], moment["was_just_told"], moment["place"]) == ("Well?", "Not now.", "the dining table")
    assert "asks" in moment["does"]


@pytest.mark.parametrize("how", BAD)
def test_whatever_it_does_the_templates_speak(how: str) -> None:
    """An endpoint that lags, lies, floods or breaks costs a few tries and not a word: the transcript is the templates'."""
    with serving(BAD[how]) as server:
        asked = narrator(server.url, timeout_s=0.15)
        assert transcript(short(), asked) == transcript(short())
    assert asked.counts["asked"] == GIVE_UP
    assert asked.counts["templates"] > 20
    assert asked.fault


def test_nothing_listens() -> None:
    """Where nothing listens, the templates speak."""
    with serving(speaks) as server:
        url = server.url
    asked = narrator(url)
    assert transcript(short(), asked) == transcript(short())
    assert asked.counts["asked"] == GIVE_UP


def test_it_may_recover() -> None:
    """Failures count in a row: an endpoint that fails now and then is asked again."""
    turns = iter(range(10**6))

    def sometimes(handler: Any, body: dict[str, Any]) -> None:
        (BAD["status 500"] if next(turns) % 2 else speaks)(handler, body)

    with serving(sometimes) as server:
        asked = narrator(server.url)
        told = transcript(short(), asked)
    assert min(told.count(LINE), asked.counts["templates"]) > 8


def test_answers_are_cached_by_content(tmp_path: Path) -> None:
    """A transcript can be repeated from the cache, without the endpoint; a damaged entry is only missing."""
    with serving(speaks) as server:
        first = transcript(short(), narrator(server.url, tmp_path))
        url, count = server.url, len(server.asked)
    again = narrator(url, tmp_path)
    assert transcript(short(), again) == first
    assert again.counts["asked"] == 0
    entries = sorted(tmp_path.iterdir())
    assert len(entries) == count
    for entry in entries:
        entry.write_bytes(b"\xff\x00")
    damaged = narrator(url, tmp_path)
    assert transcript(short(), damaged) == transcript(short())


def test_another_question_is_another_entry(tmp_path: Path) -> None:
    """The cache depends on the model and on the question."""
    with serving(speaks) as server:
        transcript(short(), narrator(server.url, tmp_path))
        count = len(server.asked)
        other = EndpointNarrator(short().seed, WordEndpoint(server.url, "large"), cache=tmp_path)
        transcript(short(), other)
        assert len(server.asked) == 2 * count


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (' "So" ', "So."),
        ("“Never!”", "Never!"),
        ('He said "no"', "He said 'no'."),
        ("a\n b", "a b."),
        ("# *Well?*", "Well?"),
    ],
)
def test_a_line_is_cleaned(text: str, line: str) -> None:
    """Quotation marks, line breaks and marks of Markdown do not get into a transcript."""
    assert clean_line(text) == line
    assert spoken_lines(f'"{line}"').total() == 1


@pytest.mark.parametrize("text", ["", '""', "x" * 401, "a\x07"])
def test_what_is_no_line_is_refused(text: str) -> None:
    """Nothing, too much and control characters are no line."""
    with pytest.raises(EndpointFailed):
        clean_line(text)


@pytest.mark.parametrize("url", ["", "localhost", "ftp://localhost/v1", "http:///v1"])
def test_an_address_is_checked(url: str) -> None:
    """An address that is none is refused before anything is asked."""
    with pytest.raises(InvalidInput, match="address"):
        WordEndpoint(url, "small")
