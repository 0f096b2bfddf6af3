"""The Java executor conforms, launched by its command and judged over a real socket."""

from __future__ import annotations

import re
import shlex
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from tests.execution.conformance.subject import (
    TOKEN,
)
from tests.execution.worlds.java.jvm import brief, light
from volition.core.errors import MissingPart
from volition.execution import Bridge, Outcome, RequestMark
from volition.execution.conformance import check
from volition.execution.conformance.laws import CHECKS
from volition.execution.conformance.reach import reach
from volition.execution.wire.session.handshake import Offer
from volition.execution.worlds.arena.probe import ArenaProbe
from volition.execution.worlds.java import arena_command

if TYPE_CHECKING:
    from pathlib import Path

    from volition.execution.conformance.verdict import Report
    from volition.execution.transports.stream import Stream

PATIENT = ("handshake.silent_caller", "heartbeat")
"""What waits for seconds, to see what an executor does of a silent bridge."""
BUSY = tuple(each.name for each in CHECKS if each.name not in PATIENT and not each.name.startswith("heartbeat."))


@pytest.mark.req("EX-18")
def test_the_java_executor_conforms() -> None:
    """The Java executor keeps every law, launched by its command and found by its first line."""
    try:
        command = light(arena_command(token=TOKEN, hz=100))
    except MissingPart as error:
        pytest.skip(str(error))

    def tried(only: tuple[str, ...]) -> Report:
        with reach(launch=shlex.join(command), token=TOKEN) as way:
            assert way.shared
            return check(
                way.dial, token=TOKEN, clock=way.clock, shared=way.shared, only=only, known_probes=(ArenaProbe(),)
            )

    with ThreadPoolExecutor() as pool:
        reports = [*pool.map(tried, (BUSY, PATIENT))]
    for report in reports:
        assert report.broken == (), str(report)
    assert sum(len(report.rows) for report in reports) == len(CHECKS)


def java_jump(requests: Path, *only: str) -> Outcome:
    """What a JVM with this memory answers to one request, before it keeps these laws."""
    try:
        command = brief(arena_command(token=TOKEN, hz=100, requests=requests))
    except MissingPart as error:
        pytest.skip(str(error))
    mark = RequestMark(request="r 1", digest="d", token=1, resource="arm")
    with reach(launch=shlex.join(command), token=TOKEN) as way:
        with Bridge(lambda _: way.dial(), offer=Offer(features=("requests",), token=TOKEN)) as bridge:
            answer = bridge.execute("JUMP", deadline=5.0, mark=mark)
        report = check(way.dial, token=TOKEN, clock=way.clock, only=only, restart=way.restart)
    assert report.broken == (), str(report)
    assert report.count("not applicable") == 0, str(report)
    return answer


@pytest.mark.req("EX-18", "EX-21")
def test_the_java_executor_does_a_request_once(tmp_path: Path) -> None:
    """With --requests a JVM keeps the laws of once only and of restarts, and one that is started again remembers what the
    first did."""
    answers = [java_jump(tmp_path / "requests", *only) for only in (("requests", "restart"), ("requests.remembered",))]
    assert answers[0].result == answers[1].result
    assert all(answer.answered for answer in answers)


@pytest.mark.req("EX-18")
def test_the_java_executor_answers_for_itself() -> None:
    """With --probe the kit judges a JVM by what its engine says, over the wire: truth holds, and breaks where the wire lies."""
    groups = ["truth", "dead_man", "handshake.probe_refused"]
    try:
        command = light(arena_command(token=TOKEN, hz=100, probe=True))
    except MissingPart as error:
        pytest.skip(str(error))
    with reach(launch=shlex.join(command), token=TOKEN) as way:
        report = check(way.dial, token=TOKEN, clock=way.clock, only=groups)
        assert report.broken == (), str(report)
        assert report.count("not applicable") <= 4, str(report)
        lied = check(lambda: Misplacing(way.dial()), token=TOKEN, clock=way.clock, only=["truth.move"])
    assert lied.broken == ("truth.move",)


class Misplacing:
    """A stream on which every sight of a probe has the actor in one place."""

    def __init__(self, inner: Stream) -> None:
        self.inner, self.rest = inner, b""

    def send(self, data: bytes) -> None:
        self.inner.send(data)

    def receive(self, timeout: float | None) -> bytes | None:
        data = self.inner.receive(timeout)
        whole, end, self.rest = (self.rest + (data or b"")).rpartition(b"\n")
        return re.sub(rb'"place":\[[^]]*\]', b'"place":[0,0,0]', whole + end) or (None if data else data)

    def close(self) -> None:
        self.inner.close()
