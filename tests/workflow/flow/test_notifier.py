"""Notifications: questions, permits that are wanted, held flows and ends, each once, and never in the way of the work."""

from __future__ import annotations

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from tests.workflow.bodies import Body
from tests.workflow.flow.test_worker import Seconds
from tests.workflow.plans import PROJECT, document
from tests.workflow.scenes import BINDINGS, STEPS, HandClock, drive, flows_of
from volition.core.errors import InvalidInput
from volition.workflow import Flows, Store, Team, parse_store_address
from volition.workflow.flow.notifier import NotDeliveredError, NotifiedAddress, NotifiedCommand, Notifier
from volition.workflow.flow.worker import BackOff
from volition.workflow.verification.backup import read_backup, restore_backup, write_backup

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.sentences import Told

pytestmark = pytest.mark.req("WF-10")


class Listener:
    """A target in this process, which fails as often as it is told to."""

    name = "listener"

    def __init__(self) -> None:
        self.heard: list[dict[str, Any]] = []
        self.fails = 0

    @property
    def kinds(self) -> list[str]:
        return [each["kind"] for each in self.heard]

    def deliver(self, content: bytes) -> None:
        if self.fails:
            self.fails -= 1
            raise NotDeliveredError("nobody listens")
        self.heard.append(json.loads(content))


@pytest.fixture
def flows(tmp_path: Path) -> Iterator[Flows]:
    with Store(parse_store_address(tmp_path / "team.db"), clock=HandClock()) as store:
        Team(store, PROJECT).register(document("before", "z.py"), "ann", lease=10**6)
        yield flows_of(store)


def asked(flows: Flows) -> str:
    """A flow with a question."""
    flows.team.register(document("aaaaaa", "a.py", commands=STEPS), "ann", lease=10**6)
    flows.team.register(document("bbbbbb", "a.py", commands=STEPS), "bob", lease=10**6, wait=True)
    return flows.start(BINDINGS, "pat", plans=["intent_aaaaaa", "intent_bbbbbb"]).flow_id


def test_everything_that_a_person_waits_for_is_told_once(flows: Flows) -> None:
    """A question, a permit that is wanted, a held flow and its end are told in this order, with the flow and the number of the
    event; what happened before the first look is not, and a process that is started again repeats nothing."""
    listener = Listener()
    Notifier(flows.team, listener)
    name = asked(flows)
    assert Notifier(flows.team, listener).deliver() == ""
    pack = flows.status(name).pack
    assert pack is not None
    flows.answer(name, {"question_0001": pack.questions[0].options[-1].option_id}, "pat")
    flows.approve(name, "pat")
    body = Body(fails={"JUMP": 1})
    drive(flows, name, body)
    for _ in range(2):
        assert Notifier(flows.team, listener).deliver() == ""
    flows.resume(name, "pat")
    assert drive(flows, name, body).state == "done"
    assert Notifier(flows.team, listener).deliver() == ""
    assert listener.kinds == ["question", "permit wanted", "held", "done"]
    numbers = [each["event"] for each in listener.heard]
    assert numbers == sorted(set(numbers))
    assert {each["flow"] for each in listener.heard} == {name}
    assert listener.heard[2]["why"].startswith("a person has to decide")


def test_what_was_not_taken_is_tried_again_after_a_pause(flows: Flows) -> None:
    """A target that fails hears everything later, in order and once each; until its pause is over it is left alone."""
    listener, seconds = Listener(), Seconds()
    notifier = Notifier(flows.team, listener, back_off=BackOff(1.0, 4.0), clock=seconds, chance=lambda: 0.0)
    name = asked(flows)
    flows.abandon(name, "pat")
    listener.fails = 4
    failed = []
    while seconds.now < 30:
        if notifier.deliver():
            failed.append(seconds.now)
        seconds.now += 0.5
    assert failed == [0.0, 1.0, 3.0, 7.0]
    assert listener.kinds == ["question", "abandoned"]


def test_a_crash_after_a_delivery_repeats_it_under_its_number(flows: Flows) -> None:
    """A process that dies between a delivery and the note of it delivers that one again: the number tells."""
    listener = Listener()
    notifier = Notifier(flows.team, listener)
    asked(flows)

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    notifier._write = die  # type: ignore[method-assign, assignment]
    with pytest.raises(KeyboardInterrupt):
        notifier.deliver()
    Notifier(flows.team, listener).deliver()
    one, again = listener.heard
    assert one == again


def test_of_several_processes_one_delivers(flows: Flows) -> None:
    """While one process delivers, others leave it to that one."""
    first, second = Listener(), Listener()
    slow, quick = Notifier(flows.team, first), Notifier(flows.team, second)
    asked(flows)
    with slow._hold_lock():
        assert quick.deliver() == ""
        assert second.heard == []
    quick.deliver()
    slow.deliver()
    assert (len(first.heard), len(second.heard)) == (0, 1)


def test_after_a_restored_backup_nothing_is_swallowed(flows: Flows, tmp_path: Path) -> None:
    """The numbers of a restored registry are reached again; what happens under them is told."""
    listener = Listener()
    write_backup(flows.team.store, tmp_path / "backup", [PROJECT])
    Notifier(flows.team, listener)
    asked(flows)
    Notifier(flows.team, listener).deliver()
    restore_backup(flows.team.store, read_backup(tmp_path / "backup"), "ann", replace=True)
    asked(flows_of(flows.team.store))
    Notifier(flows.team, listener).deliver()
    assert listener.kinds == ["question", "question"]


def test_a_command_gets_the_json_and_no_shell_is_involved(tmp_path: Path, told: Told) -> None:
    """The program reads JSON from its standard input, characters that a shell would act on reach it as they are, and its failure is
    a failure."""
    file = tmp_path / "got"
    program = "import sys; open(sys.argv[1], 'wb').write(sys.stdin.buffer.read() + sys.argv[2].encode())"
    NotifiedCommand(f'{sys.executable} -c "{program}" {file} "$(id);true"').deliver(b"{}")
    assert file.read_bytes() == b"{}$(id);true"
    with told.raises(NotDeliveredError):
        NotifiedCommand(f'{sys.executable} -c "raise SystemExit(3)"').deliver(b"{}")
    with told.raises(NotDeliveredError):
        NotifiedCommand(str(tmp_path / "missing")).deliver(b"{}")


def test_an_address_gets_a_post() -> None:
    """The JSON arrives as the body of a POST; any answer but success, and silence, are failures."""
    got = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append((self.headers["Content-Type"], self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204 if self.path == "/right" else 500)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        place = f"http://127.0.0.1:{server.server_port}"
        NotifiedAddress(f"{place}/right").deliver(b'{"event": 7}')
        with pytest.raises(NotDeliveredError, match="500"):
            NotifiedAddress(f"{place}/wrong").deliver(b"{}")
    finally:
        server.shutdown()
        server.server_close()
    assert got[0] == ("application/json", b'{"event": 7}')
    with pytest.raises(NotDeliveredError, match="refused"):
        NotifiedAddress("http://127.0.0.1:1/").deliver(b"{}")


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://127.0.0.1/", "127.0.0.1", "http://"])
def test_what_is_no_address_is_refused(url: str, told: Told) -> None:
    """Only HTTP goes anywhere."""
    with told.raises(InvalidInput):
        NotifiedAddress(url)


@pytest.mark.parametrize("line", ["", "  ", "'open"])
def test_what_is_no_command_is_refused(line: str, told: Told) -> None:
    """A line without a program is refused before anything happens."""
    with told.raises(InvalidInput):
        NotifiedCommand(line)
