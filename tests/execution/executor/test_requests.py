"""Requests are done once: over connections, over restarts, whatever is sent again; and old tokens are refused."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

from tests.execution.client.transports.talker import Toy
from tests.execution.wire.samples import lines
from volition.core.errors import BrokenRecord, InvalidInput
from volition.execution import Offer, RequestMark, RequestMemory, encode, make_result
from volition.execution.executor.host import Host
from volition.execution.executor.requests import INTERRUPTED, OTHER_DIGEST, STALE_TOKEN
from volition.execution.wire.frames import IntentFrame, ResultFrame, Welcome
from volition.execution.wire.marks import REQUESTS
from volition.execution.wire.session.handshake import FEATURES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from volition.execution.executor.host import Guest

OFFER = Offer(features=(*FEATURES, REQUESTS))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "requests"


@pytest.fixture
def memory(file: Path) -> Iterator[RequestMemory]:
    with RequestMemory(file) as opened:
        yield opened


def mark(request: str = "r1", digest: str = "d1", token: int = 5, resource: str = "arm") -> RequestMark:
    return RequestMark(request=request, digest=digest, token=token, resource=resource)


def greeted(host: Host, offer: Offer = OFFER) -> Guest:
    guest = host.open(0.0)
    guest.receive(encode(offer.hello()), 0.0)
    assert isinstance(lines(guest.take())[0], Welcome)
    return guest


def ask(guest: Guest, id: int, **fields: object) -> ResultFrame:
    """Send a JUMP with these fields, and let the world go on until it has a result."""
    marked = {"request": "r1", "digest": "d1", "token": 5, "resource": "arm"} | fields
    guest.receive(encode(IntentFrame(id=id, intent="JUMP", ttl_ms=1000, **marked)), 0.0)  # type: ignore[arg-type]
    found = [frame for frame in lines(guest.take()) if isinstance(frame, ResultFrame)]
    return found[0]


def test_a_request_is_done_once_over_connections(memory: RequestMemory) -> None:
    """The same request over another connection, with another id on the wire, gets the result that it had."""
    game = Toy()
    host = Host(game, requests=memory)
    first = ask(greeted(host), 1)
    host._guests[0].end(0.0)
    again = ask(greeted(host), 1)
    assert (first.result, first.detail) == (again.result, again.detail)
    assert game.calls.count("JUMP") == 1


def test_a_request_is_done_once_over_restarts(file: Path) -> None:
    """A new process with the same file answers with the result of the old one, and does nothing."""
    results, attempts = [], []
    for _ in range(3):
        game = Toy()
        with RequestMemory(file) as memory:
            results.append(ask(greeted(Host(game, requests=memory)), 1).result)
        attempts.append(game.calls.count("JUMP"))
    assert attempts == [1, 0, 0]
    assert results[0] == results[1] == results[2]


def test_the_same_request_for_something_else_is_refused(memory: RequestMemory) -> None:
    """A request id with another digest is a mistake: nothing is done."""
    game = Toy()
    guest = greeted(Host(game, requests=memory))
    ask(guest, 1)
    assert ask(guest, 2, digest="d2").detail == OTHER_DIGEST
    assert game.calls.count("JUMP") == 1


def test_an_outdated_token_is_refused(memory: RequestMemory) -> None:
    """Once a higher token was seen for a resource, a lower one does nothing; another resource is not concerned."""
    game = Toy()
    guest = greeted(Host(game, requests=memory))
    ask(guest, 1, token=7)
    assert ask(guest, 2, request="r2", token=6).detail == STALE_TOKEN
    assert ask(guest, 3, request="r3", token=7).detail is None
    assert ask(guest, 4, request="r4", token=1, resource="leg").detail is None
    assert game.calls.count("JUMP") == 3


def test_a_greeting_outdates_tokens_before_anything_is_asked(file: Path) -> None:
    """The fence of a greeting holds at once, and after a restart: a holder that was asleep is refused even though the
    new one has not acted yet."""
    game = Toy()
    with RequestMemory(file) as memory:
        host = Host(game, requests=memory)
        greeted(host, Offer(features=OFFER.features, fences={"arm": 9})).end(0.0)
        assert ask(greeted(host), 1, token=8).detail == STALE_TOKEN
    with RequestMemory(file) as memory:
        assert ask(greeted(Host(game, requests=memory)), 1, token=8).detail == STALE_TOKEN
    assert "JUMP" not in game.calls


def test_what_was_interrupted_is_not_attempted_again(file: Path) -> None:
    """A request that began and has no result may have happened: its fate is unknown, and it is not tried again."""
    with RequestMemory(file) as memory:
        assert memory.admit(mark()) is None
    game = Toy()
    with RequestMemory(file) as memory:
        answer = ask(greeted(Host(game, requests=memory)), 1)
    assert (answer.detail, answer.result["status"], answer.result["failure_reason"]) == (
        INTERRUPTED,
        "FAILURE",
        "UNKNOWN",
    )
    assert "JUMP" not in game.calls


def test_without_the_feature_nothing_is_remembered(memory: RequestMemory) -> None:
    """A bridge that does not know the feature, and an executor without it, go on as before."""
    game = Toy()
    host = Host(game, requests=memory)
    for id in (1, 2):
        ask(greeted(host, Offer()), id)
        host._guests[0].end(0.0)
    forgetful = Host(game)
    assert REQUESTS not in greeted(forgetful).session.features
    ask(greeted(Host(game)), 1)
    assert game.calls.count("JUMP") == 3


@pytest.mark.parametrize("cut", range(1, 30, 3))
def test_a_torn_line_is_cut(file: Path, cut: int) -> None:
    """A line that a crash has torn was never relied on: it is cut, and the file goes on before it."""
    with RequestMemory(file) as memory:
        memory.admit(mark())
        memory.finish(mark(), make_result(), None)
        whole = file.read_bytes()
        memory.admit(mark("r2"))
    file.write_bytes(whole + file.read_bytes()[len(whole) :][:cut])
    with RequestMemory(file) as memory:
        assert file.read_bytes() == whole
        assert memory.admit(mark()) == (make_result(), None)
        assert memory.admit(mark("r2")) is None


def test_a_line_that_cannot_be_written_leaves_nothing(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that fills up in the middle of a line leaves the file as it was, so what follows can still be read."""
    write = os.write

    def fill(handle: int, data: bytes) -> int:
        if len(data) > 9:
            return write(handle, data[:9])
        raise OSError(errno.ENOSPC, "No space left on device")

    with RequestMemory(file) as memory:
        before = file.read_bytes()
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", fill)
            with pytest.raises(OSError, match="No space left"):
                memory.admit(mark())
        assert file.read_bytes() == before
        assert memory.admit(mark()) is None
    with RequestMemory(file) as memory:
        assert memory.admit(mark()) == (make_result("FAILURE", "UNKNOWN"), INTERRUPTED)


def test_a_file_of_others_is_refused(file: Path) -> None:
    """What is no memory of requests is not taken for one, and not changed."""
    for content in (b"hello\n", b'{"volition":"requests","version":2}\n', b'{"volition":"requests","version":1}\n{}\n'):
        file.write_bytes(content)
        with pytest.raises(BrokenRecord):
            RequestMemory(file)
        assert file.read_bytes() == content


def test_one_process_at_a_time(file: Path, memory: RequestMemory) -> None:
    """A second executor with the same file is refused: it would not know what the first one does."""
    assert memory.admit(mark()) is None
    with pytest.raises(InvalidInput, match="cannot be remembered"):
        RequestMemory(file)


def test_a_mark_is_checked_before_it_is_sent() -> None:
    """Texts have 1 to 200 characters, and a token is not negative."""
    for values in ({"request": ""}, {"digest": "x" * 201}, {"token": -1}):
        with pytest.raises(InvalidInput):
            mark(**values)
