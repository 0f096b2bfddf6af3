"""The deciding process is killed in the middle of its work, again and again: its journal holds, and the actor stops."""

from __future__ import annotations

import sys
import time
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from tests.execution.client.bridges import Stamping, eventually, served
from tests.execution.processes.killing import KILLS, forking
from tests.execution.processes.programs import decide, walk
from tests.execution.wire.samples import lines, of
from tests.execution.worlds.java.jvm import brief
from volition.core.errors import MissingPart
from volition.execution.journal.entries import read_journal
from volition.execution.journal.records import Attempt
from volition.execution.journal.verification import verify_journal
from volition.execution.transports.child import Launched
from volition.execution.transports.endpoint import dial
from volition.execution.wire.codec import encode
from volition.execution.wire.frames import StateFrame, StateRequest, Welcome
from volition.execution.wire.session.handshake import Offer
from volition.execution.worlds.java import arena_command

if TYPE_CHECKING:
    from pathlib import Path

    from volition.execution.transports.address import Address


@pytest.mark.req("EX-09", "EX-16")
def test_a_bridge_that_is_killed_loses_nothing_that_was_written(tmp_path: Path) -> None:
    """Killed again and again in mid-flight, it leaves a journal that verifies and holds every attempt that counted as written;
    each time the executor stops its actor by itself."""
    random, context, game = Random(3), forking(), Stamping(hz=200)
    path, least = tmp_path / "journal", 0
    with served(game) as address:
        for kill in range(KILLS):
            written, asked = context.Value("L", 0), context.Value("L", 0)
            policy = context.Process(target=decide, args=(address, str(path), kill, written, asked))
            policy.start()
            eventually(lambda written=written: written.value > 0)  # type: ignore[misc]
            time.sleep(random.uniform(0.0, 0.1))
            policy.kill()
            policy.join()
            eventually(lambda kill=kill: game.calls.count("stopped") == kill + 1)  # type: ignore[misc]
            assert game.moving == {}
            before, least = least, written.value
            attempts = [entry.record for entry in read_journal(path) if isinstance(entry.record, Attempt)]
            assert len(attempts) >= before + least
            least = len(attempts)
    assert verify_journal(path).intact


def look(address: Address) -> Any:
    """The arena's state as the next bridge finds it, which greets and asks and does nothing else; None while another
    counts as there."""
    stream, heard = dial(address), b""
    try:
        stream.send(encode(Offer().hello()) + encode(StateRequest(id=1, full=True)))
        while not of(StateFrame, lines(heard[: heard.rfind(b"\n") + 1])):
            if not (piece := stream.receive(60.0)):
                return None
            heard += piece
    finally:
        stream.close()
    frames = lines(heard[: heard.rfind(b"\n") + 1])
    assert isinstance(frames[0], Welcome)
    return of(StateFrame, frames)[0].data


@pytest.mark.req("EX-16")
@pytest.mark.parametrize("language", ["python", "java"])
def test_an_actor_whose_bridge_is_killed_stops(language: str) -> None:
    """Killed again and again while the actor walks, the actor stands still and has nothing under way, before anybody
    else has sent anything."""
    try:
        python = [sys.executable, "-m", "tests.execution.processes.executor"]
        launched = Launched(brief(arena_command(leash=True)) if language == "java" else python)
    except MissingPart as missing:
        pytest.skip(f"no JDK: {missing}")
    context = forking()
    try:
        address = launched.address(60.0)
        for _ in range(KILLS):
            under_way = context.Value("L", 0)
            policy = context.Process(target=walk, args=(str(address), under_way))
            policy.start()
            eventually(lambda under_way=under_way: under_way.value)  # type: ignore[misc]
            policy.kill()
            policy.join()
            found: list[Any] = []
            eventually(lambda found=found: found.append(look(address)) or found[-1])  # type: ignore[misc]
            assert (found[-1]["open"], found[-1]["actor"]["velocity"]) == ([], [0, 0, 0])
    finally:
        launched.end()
