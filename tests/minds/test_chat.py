"""A language model as a mind: every way in which its server can fail is a named fallback, and the key is never told."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import time
from email.utils import formatdate
from threading import Barrier
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.minds.questions import PATIENT_S, ask_one, rain
from tests.minds.server import (
    Behaviour,
    Handler,
    answers,
    answers_in_turn,
    choosing,
    complains_with_the_key,
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
    write_certificate,
)
from volition.core.errors import InvalidInput, MissingPart
from volition.minds import ChatMind, MindRecord, Spending, Unanswered, ask_all, client
from volition.minds.client import KEY_ENV, RETRIES
from volition.minds.completion import read_choice, read_completion

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.sentences import Told

pytestmark = pytest.mark.req("DE-35")

KEY = "sk-not-for-anybody-0123456789"
LATE_S = 0.4
ALL = RETRIES + 1
NAMES = st.sampled_from(["choices", "message", "content", "refusal", "usage", "total_tokens", "choice", "reason"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
)
"""Data that looks a little like a completion."""

FAILING: dict[str, tuple[Behaviour, str, str, int]] = {
    "status 500": (answers(b"{}", 500), "unreachable", "status 500, 3 times", ALL),
    "status 503 as a page": (answers(b"<html>", 503), "unreachable", "status 503", ALL),
    "too many": (answers(b"", 429, Retry_After="0"), "unreachable", "status 429, 3 times", ALL),
    "too many for an hour": (answers(b"", 429, Retry_After="3600"), "unreachable", "in 3600 s would be too late", 1),
    "too many until a date": (
        answers(b"", 429, Retry_After=formatdate(time.time() + 3600, usegmt=True)),
        "unreachable",
        "would be too late",
        1,
    ),
    "too many until nonsense": (answers(b"", 429, Retry_After="soon"), "unreachable", "status 429, 3 times", ALL),
    "no entry": (answers(b"", 401), "unreachable", "status 401", 1),
    "not found": (answers(b"", 404), "unreachable", "status 404", 1),
    "a page": (answers(b"<html>hello</html>"), "invalid", "no chat completion", 1),
    "nothing at all": (answers(b""), "invalid", "no chat completion", 1),
    "a list": (answers(b"[]"), "invalid", "no chat completion", 1),
    "no choices": (answers(b'{"choices": []}'), "invalid", "no chat completion", 1),
    "a message that is text": (answers(b'{"choices": [{"message": "x"}]}'), "invalid", "no chat completion", 1),
    "deep": (answers(b'{"choices":' + b"[" * 20_000), "invalid", "no chat completion", 1),
    "deep inside": (answers(completion('{"choice":' + "[" * 20_000)), "invalid", "names no choice", 1),
    "many beginnings": (answers(completion("{" * 40_000)), "invalid", "names no choice", 1),
    "a number": (answers(completion(3)), "invalid", "no text", 1),
    "null": (answers(completion(None)), "invalid", "no text", 1),
    "prose": (answers(completion("I would stay, I think.")), "invalid", "names no choice", 1),
    "half an answer": (answers(completion('{"choice": "st')), "invalid", "names no choice", 1),
    "a choice that is a number": (answers(completion('{"choice": 1}')), "invalid", "names no choice", 1),
    "a misspelling": (answers(choosing("stya")), "invalid", "did you mean 'stay'?", 1),
    "what is vetoed": (answers(choosing("swim")), "vetoed", "vetoed by safety", 1),
    "a refusal": (answers(completion(None, refusal="I cannot")), "silent", "the model refuses: I cannot", 1),
    "a megabyte": (answers(completion("x" * 2**20)), "invalid", "larger than 65536 bytes", 1),
    "no end": (never_ends, "invalid", "larger than 65536 bytes", 1),
    "packed": (packs, "invalid", "encoded as 'gzip'", 1),
    "dropped in the middle": (drops_mid_answer, "unreachable", "3 times", ALL),
    "dropped at once": (drops_at_once, "unreachable", "3 times", ALL),
    "another protocol": (speaks_no_http, "unreachable", "3 times", ALL),
}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key, and retries that do not wait."""
    monkeypatch.setenv(KEY_ENV, KEY)
    monkeypatch.setattr(client, "BACKOFF_S", 0.001)


@pytest.mark.parametrize("way", FAILING)
def test_a_failing_server_is_a_named_fallback(way: str) -> None:
    """Every failure has its reason and one line about it; only what may pass is tried again."""
    behaviour, fallback, fault, requests = FAILING[way]
    with serving(behaviour) as server:
        asked = ask_one(ChatMind(server.url, "small"))
    assert (asked.fallback, asked.choice) == (fallback, "")
    assert fault in asked.fault
    assert "\n" not in asked.fault
    assert len(server.asked) == requests
    assert KEY not in json.dumps(asked.to_data())


@pytest.mark.parametrize("behaviour", [lags, drips_its_head, drips_its_body])
@pytest.mark.parametrize("whose", ["the caller's", "the mind's"])
def test_a_slow_server_is_late(behaviour: Behaviour, whose: str) -> None:
    """A server that says nothing, or byte after byte, is late at the deadline of the caller or of the mind."""
    begun = time.monotonic()
    with serving(behaviour) as server:
        if whose == "the mind's":
            asked = ask_one(ChatMind(server.url, "small", timeout_s=LATE_S))
        else:
            asked = ask_one(ChatMind(server.url, "small"), LATE_S)
    assert (asked.fallback, asked.fault) == ("late", f"no answer within {LATE_S} s")
    assert LATE_S <= time.monotonic() - begun < PATIENT_S


def test_nobody_listens() -> None:
    """A refused connection is unreachable."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    asked = ask_one(ChatMind(f"http://127.0.0.1:{port}/v1", "small"))
    assert asked.fallback == "unreachable"
    assert "ConnectError" in asked.fault


def test_a_redirect_is_not_followed(told: Told) -> None:
    """Another address gets neither the question nor the key."""
    with serving(answers(choosing("stay"))) as other, serving(redirects_to(other.url)) as server:
        asked = ask_one(ChatMind(server.url, "small"))
    assert asked.fallback == "unreachable"
    told(asked.fault)
    assert (len(server.asked), len(other.asked)) == (1, 0)


def test_what_is_asked() -> None:
    """The question has the situation in words, the options by number, and a strict schema of their ids; nothing vetoed."""
    with serving(answers(choosing("stay"))) as server:
        asked = ask_one(ChatMind(server.url + "/", "small"))
    body = server.asked[0]
    assert server.paths == ["/v1/chat/completions"]
    assert (body["model"], body["temperature"], body["stream"]) == ("small", 0.0, False)
    text = body["messages"][1]["content"]
    assert text == "It rains.\n\nWhat ada can do now, by id:\n1. stay under the roof (id: stay)\n2. walk home (id: go)"
    assert "swim" not in json.dumps(body)
    wanted = body["response_format"]["json_schema"]
    assert wanted["strict"] is True
    assert wanted["schema"]["properties"]["choice"]["enum"] == ["stay", "go"]
    assert server.headers_seen[0]["Authorization"] == f"Bearer {KEY}"
    assert (asked.kind, asked.choice, asked.reason, asked.tokens) == ("vote", "stay", "it is dry", 21)
    assert asked.words == '{"choice": "stay", "reason": "it is dry"}'


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"choice": "stay", "reason": "it is dry"}\n```',
        'I think {about it}: {"reason": "it is dry", "choice": " stay ", "sure": 0.9} and that is all.',
    ],
)
def test_a_server_may_ignore_the_schema(text: str) -> None:
    """JSON among other words is found, and a choice instead of a vote is returned where that is wanted."""
    with serving(answers(completion(text))) as server:
        asked = ask_one(ChatMind(server.url, "small", votes=False, schema=False))
    assert (asked.kind, asked.choice, asked.reason, asked.words) == ("choice", "stay", "it is dry", text)
    assert "response_format" not in server.asked[0]


def test_few_places_of_a_text_are_tried(told: Told) -> None:
    """An answer is looked for at sixteen places at most, so that no text takes long to read."""
    found = '{"choice": "stay"}'
    assert read_choice("{" * 15 + found) == ("stay", "")
    with told.raises(Unanswered):
        read_choice("{" * 16 + found)


@pytest.mark.parametrize("tokens", [-1, 1.5, "many", 10**30, None, True])
def test_a_server_may_lie_about_tokens(tokens: Any) -> None:
    """What cannot be a count is no count."""
    with serving(answers(completion('{"choice": "stay"}', tokens))) as server:
        asked = ask_one(ChatMind(server.url, "small"))
    assert (asked.choice, asked.tokens) == ("stay", 0)


@pytest.mark.parametrize("first", [answers(b"", 429, Retry_After="0"), answers(b"", 500), drops_mid_answer])
def test_a_passing_fault_passes(first: Behaviour) -> None:
    """After a fault that passes the answer counts."""
    with serving(answers_in_turn(first, answers(choosing("stay")))) as server:
        asked = ask_one(ChatMind(server.url, "small"))
    assert (asked.choice, len(server.asked)) == ("stay", 2)


def test_a_pause_that_is_too_long_for_the_caller_is_not_waited_for() -> None:
    """A retry must fit into the caller's deadline: else the caller goes on at once, long before it."""
    with serving(answers(b"", 429, Retry_After="20")) as server:
        asked = ask_one(ChatMind(server.url, "small", timeout_s=600), 15.0)
    assert (asked.fallback, len(server.asked)) == ("unreachable", 1)
    assert asked.seconds < 10


def test_an_answer_that_is_no_use_is_paid_for() -> None:
    """Tokens of invalid answers count."""
    spending = Spending()
    with serving(answers(completion("well, well", 40))) as server:
        asked = ask_one(ChatMind(server.url, "small"), spending=spending)
    assert (asked.fallback, asked.words, spending.tokens) == ("invalid", "well, well", 40)


def test_questions_of_a_tick_are_on_their_way_together() -> None:
    """A server that answers only when six questions have come answers all six of one mind."""
    together = Barrier(6)

    def behaviour(handler: Handler, body: dict[str, Any]) -> None:
        together.wait()
        send(handler, choosing("stay"))

    with serving(behaviour) as server:
        minds = dict.fromkeys("abcdef", ChatMind(server.url, "small"))
        asked = ask_all(minds, {who: rain(who) for who in minds}, deadline_s=PATIENT_S)
    assert [one.choice for one in asked.values()] == ["stay"] * 6


def test_a_connection_is_used_again() -> None:
    """Three questions in a row need one connection."""
    with serving(answers(choosing("stay"))) as server:
        mind = ChatMind(server.url, "small")
        assert [ask_one(mind).choice for _ in range(3)] == ["stay"] * 3
    assert server.connections == 1


def test_it_can_be_asked_in_any_event_loop() -> None:
    """A mind has a client for each event loop, and forgets those of loops that have ended."""
    with serving(answers(choosing("stay"))) as server:
        mind = ChatMind(server.url, "small")

        async def ask() -> str:
            answer = await mind.propose(rain())
            for connections in mind._client._clients.values():
                await connections.aclose()
            return answer.id

        assert [asyncio.run(ask()) for _ in range(3)] == ["stay"] * 3
    assert len(mind._client._clients) == 1


def test_a_short_key_changes_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """An option that has the key in its name is chosen all the same; only what is told about the answer hides it."""
    monkeypatch.setenv(KEY_ENV, "ta")
    with serving(answers(choosing("stay", "I stay"))) as server:
        asked = ask_one(ChatMind(server.url, "small"))
    assert (asked.choice, asked.reason) == ("stay", "I s[key]y")


@pytest.mark.parametrize("behaviour", [repeats_the_key, complains_with_the_key])
def test_the_key_is_never_told(behaviour: Behaviour) -> None:
    """The key is in no record, text or error, also where the server repeats it."""
    with serving(behaviour) as server:
        mind = ChatMind(server.url, "small")
        asked = ask_one(mind)
        try:
            said = repr(asyncio.run(_ask_once(mind)))
        except Unanswered as error:
            said = "".join(map(repr, (error, error.fault, error.words, error.__cause__, vars(error))))
    assert server.headers_seen[0]["Authorization"] == f"Bearer {KEY}"
    texts = [repr(mind), str(mind), repr(vars(mind)), repr(asked), said, MindRecord([asked]).to_bytes().decode()]
    assert [text for text in texts if KEY in text] == []
    assert "[key]" in asked.words


async def _ask_once(mind: ChatMind) -> Any:
    try:
        return await mind.propose(rain())
    finally:
        await mind._client.close()


def test_the_key_is_read_when_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another key is used at the next question, none is sent where there is none, and none that cannot be sent."""
    with serving(answers(choosing("stay"))) as server:
        mind = ChatMind(server.url, "small", key_env="ANOTHER_KEY")
        monkeypatch.delenv("ANOTHER_KEY", raising=False)
        ask_one(mind)
        monkeypatch.setenv("ANOTHER_KEY", " second\n")
        ask_one(mind)
        monkeypatch.setenv("ANOTHER_KEY", "two\nlines")
        asked = ask_one(mind)
    assert [headers.get("Authorization") for headers in server.headers_seen] == [None, "Bearer second"]
    assert (asked.fallback, asked.fault) == ("unreachable", "the key in ANOTHER_KEY has characters that cannot be sent")


def test_the_environment_redirects_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy of the environment gets no question."""
    with serving(answers(choosing("go"))) as proxy, serving(answers(choosing("stay"))) as server:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        assert ask_one(ChatMind(server.url, "small")).choice == "stay"
    assert proxy.asked == []


def test_an_unknown_certificate_gets_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server whose certificate is not trusted is unreachable and is sent nothing; one that the environment trusts answers."""
    certificate = write_certificate(tmp_path / "server.pem")
    with serving(answers(choosing("stay")), certificate) as server:
        refused = ask_one(ChatMind(server.url, "small"))
        assert (refused.fallback, server.asked) == ("unreachable", [])
        assert "CERTIFICATE_VERIFY_FAILED" in refused.fault
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert ask_one(ChatMind(server.url, "small")).choice == "stay"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:8080",
        "ftp://me:secret@a/v1",
        "http://",
        "http://[",
        "http://host:port",
        "http://host:99999999/v1",
        "http://host/\n",
        "http://me:secret@host/v1",
        "https://host/v1?key=secret",
        3,
        None,
    ],
)
def test_an_address_is_that_of_a_server(url: Any) -> None:
    """What is no address, or has a secret in it, is refused, and the secret is not repeated."""
    with pytest.raises(InvalidInput) as refused:
        ChatMind(url, "small")
    assert "secret" not in str(refused.value)


def attempt(read: Callable[[Any], tuple[Any, Any]], given: Any) -> tuple[Any, Any] | Unanswered:
    """What is read, or why there is nothing."""
    try:
        return read(given)
    except Unanswered as error:
        return error


@given(data=st.binary() | JSON.map(lambda data: json.dumps(data).encode()))
def test_any_bytes_are_a_completion_or_not(data: bytes) -> None:
    """Whatever a server sends is read as a text and a count, or is no answer; nothing else is raised."""
    found = attempt(read_completion, data)
    if isinstance(found, Unanswered):
        assert found.fallback in {"invalid", "silent"}
    else:
        assert [type(part) for part in found] == [str, int]


@given(text=st.text() | JSON.map(json.dumps) | st.text('{}[]":,choie '))
def test_any_text_names_a_choice_or_not(text: str) -> None:
    """Whatever a model says is read as an id and a reason, or is no answer; nothing else is raised."""
    found = attempt(read_choice, text)
    if isinstance(found, Unanswered):
        assert (found.fallback, found.words) == ("invalid", text)
    else:
        assert [type(part) for part in found] == [str, str]


def test_nothing_else_needs_httpx() -> None:
    """The package is imported, and asks other minds, where httpx is not installed."""
    code = "import sys; sys.modules['httpx'] = None; import volition.minds; print(len(volition.minds.__all__))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) > 10


def test_httpx_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without httpx the error names the extra; everything else of the package works without it."""
    monkeypatch.setitem(sys.modules, "httpx", None)
    monkeypatch.setattr("volition.core.extras.find_spec", lambda module: None)
    with pytest.raises(MissingPart, match="minds"):
        ChatMind("http://localhost/v1", "small")


def test_a_label_names_the_model() -> None:
    """Records name the model."""
    mind = ChatMind("http://localhost:1/v1/", "small")
    assert (mind.label, repr(mind)) == ("chat:small", "<ChatMind 'small' at http://localhost:1/v1>")
