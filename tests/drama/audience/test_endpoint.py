"""The narrator that asks an endpoint: only for words, only what the speaker knows, within bounds, and never lost."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from dataclasses import replace
from functools import cache
from threading import Barrier, Lock
from typing import TYPE_CHECKING, Any
from zlib import crc32

import pytest
from msgspec import structs

from tests.drama.audience.evenings import evening, event, spoken_lines
from tests.drama.evening.casts import shipped
from tests.drama.party import AFFAIR
from tests.minds.questions import PATIENT_S
from tests.minds.server import (
    Behaviour,
    answers,
    answers_in_turn,
    completion,
    drips_its_body,
    drips_its_head,
    drops_at_once,
    drops_mid_answer,
    lags,
    never_ends,
    packs,
    redirects_to,
    repeats_the_key,
    send,
    serving,
    speaks_no_http,
)
from volition.core.errors import InvalidInput, MissingPart
from volition.drama.audience.chronicle import stated_in
from volition.drama.audience.composer import Utterance
from volition.drama.audience.dialogue import GAVE_AWAY, clean_line, given_away, knowledge, moment_of
from volition.drama.audience.endpoint import AT_ONCE, GIVE_UP, KEY_ENV, MOST, EndpointNarrator, WordEndpoint
from volition.drama.audience.narrator import TemplateNarrator, transcript
from volition.drama.evening.world import begin
from volition.drama.rules.catalog import CHAT, Belief
from volition.drama.stage.replay import walk
from volition.minds import Unanswered, client

if TYPE_CHECKING:
    from pathlib import Path

    from tests.minds.server import Handler
    from tests.sentences import Told
    from volition.drama.stage.record import Run

LINE = "I would rather say nothing"
KEY = "sk-not-for-anybody-0123456789"
FEW = 4
"""Ticks with a few more lines than an endpoint may fail before it is given up."""
MORE = 10
"""Ticks with more lines than are asked for at the same time, and answers to some of them."""


def speaks(handler: Handler, body: dict[str, Any]) -> None:
    """Answer with a line in quotation marks."""
    send(handler, completion(f'"{LINE}"'))


BAD: dict[str, Behaviour] = {
    "lags": lags,
    "drips its head": drips_its_head,
    "drips its body": drips_its_body,
    "never ends": never_ends,
    "packs": packs,
    "closes at once": drops_at_once,
    "another protocol": speaks_no_http,
    "too many": answers(b"", 429, Retry_After="0"),
    "too many for an hour": answers(b"", 429, Retry_After="3600"),
    "no entry": answers(b"<html>no entry</html>", 401),
    "elsewhere": redirects_to("http://127.0.0.1:1/v1"),
    "a refusal": answers(completion(None, refusal="I cannot")),
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
def short(ticks: int = 12) -> Run:
    """The first ticks of an evening."""
    return replace(evening(), ticks=evening().ticks[:ticks], ending=None)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key, and retries that do not wait."""
    monkeypatch.setenv(KEY_ENV, KEY)
    monkeypatch.setattr(client, "BACKOFF_S", 0.001)


@cache
def told_by_templates(ticks: int = 12) -> str:
    """The first ticks of an evening without an endpoint."""
    return transcript(short(ticks))


@cache
def lines_spoken(ticks: int = 12) -> int:
    """How many lines are spoken in the first ticks of an evening."""
    counting = _Counting(short().seed)
    transcript(short(ticks), counting)
    return counting.count


class _Counting(TemplateNarrator):
    count = 0

    def speak(self, utterance: Utterance) -> str:
        self.count += 1
        return super().speak(utterance)


def narrator(
    url: str, cache: Path | None = None, timeout_s: float = PATIENT_S, at_once: int = AT_ONCE
) -> EndpointNarrator:
    endpoint = WordEndpoint(url, "small", timeout_s=timeout_s, at_once=at_once)
    return EndpointNarrator(short().seed, endpoint, cache=cache)


def number_of(body: dict[str, Any]) -> int:
    """A number for each question, the same in every run."""
    return crc32(json.dumps(body, sort_keys=True).encode())


def speaks_by_number(handler: Handler, body: dict[str, Any]) -> None:
    """Answer each question with its own line."""
    send(handler, completion(f"This is {number_of(body)}"))


def test_only_words_change() -> None:
    """The endpoint's lines are said; everything else, acts, order and narration, is the templates'."""
    with serving(speaks) as server:
        asked = narrator(server.url)
        told = transcript(short(), asked)
    plain = told_by_templates()
    assert told != plain
    assert told.count(LINE) >= 12
    assert asked.counts["templates"] == 0
    assert len(told.split("\n\n")) == len(plain.split("\n\n"))
    assert [line for line in told.split("\n") if line.startswith("#")] == [
        line for line in plain.split("\n") if line.startswith("#")
    ]
    assert {*server.paths} == {"/v1/chat/completions"}
    assert all(one["model"] == "small" and one["temperature"] == 0 for one in server.asked)
    assert server.headers_seen[0]["Authorization"] == f"Bearer {KEY}"


def test_nobody_is_given_what_they_do_not_know() -> None:
    """No question contains a secret that its speaker does not know, or another person's role."""
    scene, run = shipped("dinner-party"), short()
    with serving(speaks) as server:
        transcript(run, narrator(server.url))
    moments = [json.loads(one["messages"][1]["content"]) for one in server.asked]
    assert len(moments) > 12
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
    run = short(40)
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
            told = transcript(short(FEW), asked)
        assert words not in told
        assert told == told_by_templates(FEW)
        assert asked.fault == f"{GAVE_AWAY}: {AFFAIR}"
        assert asked.counts["gave away"] == asked.counts["templates"] > 0


def test_a_secret_that_was_spoken_may_be_said() -> None:
    """What has been said aloud is given away no more, nor is what the draft says itself."""
    world = begin(shipped("dinner-party"))
    chat = event(CHAT, "victor", "marcus")
    words = "Elena and Marcus are lovers."
    plain = Utterance(world, chat, "talk.plain", "victor", "marcus", None, "Well?")
    assert given_away(plain, words) == AFFAIR
    assert given_away(structs.replace(plain, spoken=frozenset({AFFAIR})), words) is None
    assert given_away(structs.replace(plain, draft=words), words) is None
    assert given_away(plain, "I would rather say nothing.") is None


def test_the_moment_names_its_parts() -> None:
    """A question has the speaker's voice, the listener's relation, the place, the act and the draft."""
    world = begin(shipped("dinner-party"))
    chat = event(CHAT, "victor", "marcus", details={"question": AFFAIR})
    asked = Utterance(world, chat, f"secrets.{AFFAIR}.asked", "victor", "marcus", AFFAIR, "Well?", "Not now.")
    moment = moment_of(asked)
    assert moment["speaker"]["voice"] == ["dry", "blunt"]
    assert moment["listener"] == {"name": "Marcus", "pronouns": "he", "relation": ["rival"]}
    assert (moment["draft"], moment["was_just_told"], moment["place"]) == ("Well?", "Not now.", "the dining table")
    assert "asks" in moment["does"]


@pytest.mark.parametrize("how", BAD)
def test_whatever_it_does_the_templates_speak(how: str) -> None:
    """An endpoint that lags, lies, floods or breaks costs a few tries and not a word: the transcript is the templates', and
    says how many lines."""
    with serving(BAD[how]) as server:
        asked = narrator(server.url, timeout_s=0.3)
        assert transcript(short(FEW), asked) == told_by_templates(FEW)
    assert asked.counts == {"asked": GIVE_UP, "templates": lines_spoken(FEW)}
    assert lines_spoken(FEW) > GIVE_UP
    assert asked.fault
    assert "\n" not in asked.fault


def test_nothing_listens() -> None:
    """Where nothing listens, the templates speak."""
    with serving(speaks) as server:
        url = server.url
    asked = narrator(url)
    assert transcript(short(FEW), asked) == told_by_templates(FEW)
    assert asked.counts["asked"] == GIVE_UP


def test_it_may_recover() -> None:
    """Failures count in a row: an endpoint that fails now and then is asked again, and templates say what it did not."""
    turns = iter(range(10**6))

    def sometimes(handler: Any, body: dict[str, Any]) -> None:
        (BAD["no entry"] if next(turns) % 2 else speaks)(handler, body)

    with serving(sometimes) as server:
        asked = narrator(server.url, at_once=1)
        told = transcript(short(), asked)
    assert min(told.count(LINE), asked.counts["templates"]) > 5
    assert told.count(LINE) + asked.counts["templates"] == lines_spoken()
    assert len(server.asked) == len({*map(number_of, server.asked)})


def test_it_may_die() -> None:
    """Lines that came before an endpoint died are said; then it is given up, after those that were on their way."""
    dying = answers_in_turn(*[speaks] * 10, BAD["no entry"])
    with serving(dying) as server:
        asked = narrator(server.url)
        told = transcript(short(), asked)
    assert told.count(LINE) >= 10
    assert 10 + GIVE_UP <= asked.counts["asked"] <= 10 + GIVE_UP + AT_ONCE - 1
    assert asked.counts["templates"] + told.count(LINE) == lines_spoken()


def test_a_few_lines_are_asked_for_at_the_same_time() -> None:
    """Three questions are on their way before the first answer, then as many as allowed, and never more."""
    together, lock, now, most = Barrier(GIVE_UP), Lock(), Counter[str](), Counter[str]()

    def behaviour(handler: Handler, body: dict[str, Any]) -> None:
        with lock:
            now["asked"] += 1
            now["open"] += 1
            most["open"] = max(most["open"], now["open"])
            is_first = now["asked"] <= GIVE_UP
        if is_first:
            together.wait(PATIENT_S)
        with lock:
            now["open"] -= 1
        speaks(handler, body)

    with serving(behaviour) as server:
        asked = narrator(server.url)
        transcript(short(), asked)
    assert asked.counts["templates"] == 0
    assert GIVE_UP <= most["open"] <= AT_ONCE


@pytest.mark.parametrize("at_once", [2, 5])
def test_the_order_of_answers_is_never_told(at_once: int) -> None:
    """Answers that come in another order give the same text, and the same questions, as one after another."""
    waits = iter([0.0, 0.02, 0.005] * 10**4)

    def shuffled(handler: Handler, body: dict[str, Any]) -> None:
        handler.server.stopped.wait(next(waits))
        speaks_by_number(handler, body)

    told = []
    for behaviour, limit in ((speaks_by_number, 1), (shuffled, at_once)):
        with serving(behaviour) as server:
            told.append(
                (transcript(short(MORE), narrator(server.url, at_once=limit)), sorted(map(number_of, server.asked)))
            )
    assert told[0] == told[1]
    assert "This is " in told[0][0]


def test_a_question_is_asked_once() -> None:
    """The same question is asked once in a transcript, also if it failed; what answers a line is told that line."""
    with serving(speaks_by_number) as server:
        told = transcript(short(), narrator(server.url))
    numbers = [number_of(body) for body in server.asked]
    assert len(numbers) == len({*numbers}) > 12
    heard = [json.loads(body["messages"][1]["content"]).get("was_just_told") for body in server.asked]
    replied = [line for line in heard if line is not None]
    assert replied
    assert [line for line in replied if line.removesuffix(".") not in told] == []
    assert {line.removeprefix("This is ").removesuffix(".") for line in replied} <= {str(number) for number in numbers}


def test_it_is_asked_where_nobody_rehearses() -> None:
    """A narrator that tells events without a rehearsal asks for each line when it is said, with the same questions."""
    run = short(MORE)
    with serving(speaks_by_number) as server:
        told, alone = transcript(run, narrator(server.url)), narrator(server.url)
        with_rehearsal = sorted(map(number_of, server.asked))
        server.asked.clear()
        alone.rehearse = lambda run: None  # type: ignore[method-assign]
        assert transcript(run, alone) == told
        assert sorted(map(number_of, server.asked)) == with_rehearsal


def test_an_event_loop_may_be_running() -> None:
    """A program that has an event loop can tell a transcript in it."""

    async def tell(url: str) -> str:
        return transcript(short(FEW), narrator(url))

    with serving(speaks) as server:
        assert asyncio.run(tell(server.url)).count(LINE) == lines_spoken(FEW)


def test_the_key_is_never_told() -> None:
    """A line that repeats the key is not used, and no fault has it."""
    for behaviour in (repeats_the_key, complains):
        with serving(behaviour) as server:
            asked = narrator(server.url)
            assert transcript(short(FEW), asked) == told_by_templates(FEW)
        assert KEY not in f"{asked.fault}{vars(asked)}{vars(asked._endpoint)}"
        assert server.headers_seen[0]["Authorization"] == f"Bearer {KEY}"


def complains(handler: Handler, body: dict[str, Any]) -> None:
    """Refuse with the key as the model's reason."""
    send(handler, completion(None, refusal=f"{handler.headers['Authorization']} is no key"))


def test_there_is_a_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the most questions of a transcript, templates speak."""
    assert 10 * lines_spoken() < MOST
    monkeypatch.setattr("volition.drama.audience.endpoint.MOST", 7)
    with serving(speaks) as server:
        asked = narrator(server.url)
        told = transcript(short(MORE), asked)
    assert (asked.counts["asked"], len(server.asked)) == (7, 7)
    assert told.count(LINE) + asked.counts["templates"] == lines_spoken(MORE)


@pytest.mark.parametrize("at_once", [0, -1, 1.5, True, "4"])
def test_at_least_one_line_is_asked_for(at_once: Any, told: Told) -> None:
    """How many lines are asked for at the same time is a number above 0."""
    with told.raises(InvalidInput):
        WordEndpoint("http://localhost:1/v1", "small", at_once=at_once)


def test_answers_are_cached_by_content(tmp_path: Path) -> None:
    """A transcript can be repeated from the cache, without the endpoint; a damaged entry is only missing."""
    with serving(speaks) as server:
        first = transcript(short(FEW), narrator(server.url, tmp_path))
        url, count = server.url, len(server.asked)
    again = narrator(url, tmp_path)
    assert transcript(short(FEW), again) == first
    assert again.counts["asked"] == 0
    entries = sorted(tmp_path.iterdir())
    assert len(entries) == count
    for entry in entries:
        entry.write_bytes(b"\xff\x00")
    damaged = narrator(url, tmp_path)
    assert transcript(short(FEW), damaged) == told_by_templates(FEW)


def test_another_question_is_another_entry(tmp_path: Path) -> None:
    """The cache depends on the model and on the question."""
    with serving(speaks) as server:
        transcript(short(FEW), narrator(server.url, tmp_path))
        count = len(server.asked)
        other = EndpointNarrator(short().seed, WordEndpoint(server.url, "large"), cache=tmp_path)
        transcript(short(FEW), other)
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
    with pytest.raises(Unanswered):
        clean_line(text)


@pytest.mark.parametrize("url", ["", "localhost", "ftp://localhost/v1", "http:///v1"])
def test_an_address_is_checked(url: str) -> None:
    """An address that is none is refused before anything is asked."""
    with pytest.raises(InvalidInput, match="address"):
        WordEndpoint(url, "small")


def test_httpx_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without httpx the error names the extra."""
    monkeypatch.setattr("volition.core.extras.find_spec", lambda module: None)
    with pytest.raises(MissingPart, match="minds"):
        WordEndpoint("http://localhost/v1", "small")
