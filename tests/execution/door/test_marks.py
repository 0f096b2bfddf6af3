"""A mark promises that something happens at most once; where nobody can keep that promise, nothing is sent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tests.execution.client.bridges import FLAVOURS, PATIENT, Flavour, driving
from tests.execution.door.doorway import Doorway
from tests.execution.transports.stream_bridge import Toy
from tests.execution.wire.samples import WELCOME, answer, state
from volition.core.errors import InvalidInput
from volition.execution import ExecutorServer, Jump, RequestMark, RequestMemory, Stop
from volition.execution.wire.codec import encode
from volition.execution.wire.frames import IntentFrame
from volition.execution.wire.session.handshake import Offer
from volition.execution.wire.session.session import Session

if TYPE_CHECKING:
    from tests.sentences import Told

PAGE = Path(__file__).parents[3] / "docs/driving.md"
MARK = RequestMark(request="r1", digest="d1", token=1, resource="arm")
REMEMBERS = msgspec.structs.replace(WELCOME, features=(*WELCOME.features, "requests"))
pytestmark = pytest.mark.req("EX-23")


def refused(way: Doorway, intent: Any = "JUMP") -> str:
    """Why a marked request is refused, after which nothing has been sent or told."""
    record = [*way.record]
    with pytest.raises(InvalidInput) as caught:
        way.ask(intent, mark=MARK)
    way.flush()
    assert (way.record, way.door.waiting) == (record, ())
    problem = caught.value.problems[0]
    assert (problem.where, bool(problem.expected), bool(problem.remedy)) == ("mark", True, True)
    return problem.what


def test_an_executor_without_a_memory_gets_no_mark(told: Told) -> None:
    """A mark is refused, with what to do, if the executor does not remember requests; without one, the intent is sent."""
    way = Doorway().ready()
    told(refused(way))
    way.ask("JUMP")
    assert way.sent[-1] == "JUMP"


def test_the_feature_is_asked_for_by_default() -> None:
    """A bridge asks for the feature unless told otherwise, and a mark is sent where both sides have it."""
    way = Doorway()
    assert "requests" in Offer().hello().features
    way.ready(REMEMBERS).ask("JUMP", mark=MARK)
    (frame,) = way.out
    assert isinstance(frame, IntentFrame)
    assert (frame.request, frame.digest, frame.token, frame.resource) == ("r1", "d1", 1, "arm")


@pytest.mark.parametrize("connected", [False, True])
def test_a_connection_that_did_not_ask_for_the_feature(connected: bool, told: Told) -> None:
    """If the feature was left out of the greeting, the executor would ignore a mark: it is refused, connected or not."""
    way = Doorway(offer=Offer(features=("events",)))
    if connected:
        way.ready(REMEMBERS)
    told(refused(way))


@pytest.mark.parametrize("intent", ["STOP", Stop()])
def test_stop_takes_no_mark(intent: Any) -> None:
    """STOP is always carried out, so that a promise to do it once cannot be kept: the mark is refused, whoever is there."""
    for way in (Doorway(), Doorway().ready(), Doorway().ready(REMEMBERS)):
        assert "STOP" in refused(way, intent)


def test_a_held_mark_is_not_sent_to_an_executor_without_a_memory(told: Told) -> None:
    """Without a connection a marked request is held; if the executor that comes remembers nothing, it ends unsent and says
    why, and an unmarked one that was held with it is sent."""
    way = Doorway()
    marked, plain = way.ask("JUMP", mark=MARK, ttl=60.0), way.ask("EVADE", ttl=60.0)
    way.ready()
    outcome = way.the(marked)
    assert (outcome.label, outcome.sent, outcome.answered) == ("unknown", None, False)
    told(outcome.detail)
    assert way.sent == ["STOP", "EVADE"]
    assert way.door.waiting == (plain,)


def test_a_held_mark_is_sent_to_one_with_a_memory() -> None:
    """A marked request that was held leaves with its mark."""
    way = Doorway()
    way.ask("JUMP", mark=MARK, ttl=60.0)
    way.ready(REMEMBERS)
    assert [frame.request for frame in way.out if isinstance(frame, IntentFrame)] == ["r1"]


def test_a_session_refuses_too() -> None:
    """Who uses a session without a door is told the same."""
    session = Session(now=0.0)
    session.receive(encode(WELCOME) + encode(state(0, id=1)) + answer(2), 0.0)
    session.take()
    for intent in (Stop(), Jump()):
        with pytest.raises(InvalidInput, match="mark"):
            session.send(intent, now=0.0, ttl=1.0, mark=MARK)
    assert session.take() == b""


def test_the_page_about_marks_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The example of the page runs, and prints what the page says."""
    section = PAGE.read_text("utf-8").partition("\n## Marks\n")[2]
    code = section.partition("```python\n")[2].partition("```")[0]
    monkeypatch.chdir(tmp_path)
    exec(compile(code, str(PAGE), "exec"), {})
    assert f"# {capsys.readouterr().out.strip()}\n" in code


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_both_bridges(flavour: Flavour, tmp_path: Path, told: Told) -> None:
    """Waiting or awaiting: with nothing said about features, a marked intent acts once, submitted or executed; one without
    a memory at the other end is refused and does not act."""
    game = Toy()
    with (
        RequestMemory(tmp_path / "requests") as memory,
        ExecutorServer.listen(f"unix:{tmp_path}/once.sock", game, requests=memory).running() as address,
        driving(flavour, str(address), timing=PATIENT) as bridge,
    ):
        tickets = [bridge.submit("MOVE", {"vector": [1, 0, 0]}, deadline=60.0, mark=MARK) for _ in range(2)]
        first, repeated = (bridge.wait(ticket) for ticket in tickets)
        again = bridge.execute("MOVE", {"vector": [1, 0, 0]}, deadline=60.0, mark=MARK)
        assert first.result == repeated.result == again.result
        assert first.status == "SUCCESS"
        assert game.calls.count("MOVE") == 1
    forgetful = Toy()
    with (
        ExecutorServer.listen(f"unix:{tmp_path}/forgets.sock", forgetful).running() as address,
        driving(flavour, str(address), timing=PATIENT) as bridge,
    ):
        for send in (bridge.execute, bridge.submit):
            with told.raises(InvalidInput):
                send("JUMP", mark=MARK)
        assert bridge.execute("EVADE", deadline=60.0).status == "SUCCESS"
    assert "JUMP" not in forgetful.calls
