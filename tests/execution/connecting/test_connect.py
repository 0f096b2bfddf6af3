"""From an address to a bridge: valid arguments, launched programs, journals, and the embedded arena."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from tests.execution.client.bridges import EAST, FLAVOURS, PATIENT, Flavour, driving, eventually
from tests.execution.quarry import Quarry
from volition.core.clock import SystemClock
from volition.core.errors import InvalidInput, MissingPart
from volition.core.ledger import verify
from volition.execution import HandshakeFailed, Jump
from volition.execution.transports.child import Launched
from volition.execution.wire.session.handshake import NothingListening
from volition.execution.worlds.arena import shipped_map
from volition.execution.worlds.arena.rules import TICK_MS

if TYPE_CHECKING:
    from volition.execution.wire.request import Outcome

ARENA = [sys.executable, "-m", "tests.execution.processes.executor"]
flavours = pytest.mark.parametrize("flavour", FLAVOURS)


def evening(flavour: Flavour, **options: Any) -> list[Outcome]:
    """The outcomes of a fixed series of intents in the embedded arena."""
    with driving(flavour, "embedded", **options) as bridge:
        outcomes = [bridge.execute(EAST, deadline=60.0), bridge.execute("EVADE"), bridge.execute("PRIMARY_ATTACK")]
        outcomes += bridge.execute_many([Jump(), "HOLD", "DANCE", "RELEASE"] * 5)
        bridge.next_state()
        return [*outcomes, bridge.execute("STOP", deadline=60.0)]


def test_the_embedded_arena_is_the_same_every_time() -> None:
    """Same seed and intents, same outcomes to the last byte, waiting or awaiting, however busy the computer is."""
    first = evening("blocking", seed=3)
    assert evening("blocking", seed=3) == first
    assert evening("asyncio", seed=3) == first
    assert {outcome.label for outcome in first} >= {"positive", "intercepted", "out_of_sync", "unknown"}


@flavours
def test_the_embedded_arena_costs_no_time(flavour: Flavour, monkeypatch: pytest.MonkeyPatch) -> None:
    """On its own clock the arena's time advances without sleeping."""
    monkeypatch.setattr(time, "sleep", lambda seconds: pytest.fail(f"it sleeps for {seconds} s"))
    monkeypatch.setattr(SystemClock, "sleep", lambda self, seconds: pytest.fail(f"it sleeps for {seconds} s"))
    with driving(flavour, "embedded") as bridge:
        for _ in range(20):
            assert bridge.next_state(3.0) is not None
        walk = bridge.execute("MOVE", {"vector": [0, 5, 0]}, deadline=60.0)
        assert walk.elapsed >= 1.0


@flavours
def test_the_embedded_arena_can_keep_real_time(flavour: Flavour) -> None:
    """In real time the world never runs ahead of the clock by more than a tick, however late a busy machine looks at it."""
    began = time.monotonic()
    with driving(flavour, "embedded", pace="real") as bridge:
        for _ in range(2):
            assert bridge.execute(EAST, deadline=60.0).status == "SUCCESS"
        ticks = bridge.refresh().tick
        assert ticks > 2
        assert time.monotonic() - began > (ticks - 1) * TICK_MS / 1000


@pytest.mark.parametrize("map", ["foundry", shipped_map("foundry")])
def test_a_map_may_be_named_or_given(map: object) -> None:
    """The embedded arena plays on the map that it is given."""
    with driving("blocking", "embedded", map=map) as bridge:
        assert bridge.refresh().data["map"]["name"] == "foundry"


@pytest.mark.parametrize(
    ("address", "options", "what"),
    [
        ("5001", {}, "not an address"),
        ("tcp://192.0.2.1:5001", {}, "not this computer"),
        ("tcp://127.0.0.1:1", {"map": "foundry"}, "a map for"),
        ("tcp://127.0.0.1:1", {"launch": "true"}, "both an address"),
        ("embedded", {"pace": "fast"}, "a pace of"),
        ("tcp://127.0.0.1:1", {"executor": Quarry()}, "and tcp://127.0.0.1:1"),
        ("embedded", {"executor": Quarry(), "map": "foundry"}, "and a map"),
        ("embedded", {"executor": Quarry(), "launch": "true"}, "and a program"),
    ],
)
@flavours
def test_what_does_not_go_together_is_refused(
    flavour: Flavour, address: str, options: dict[str, Any], what: str
) -> None:
    """Arguments are checked before anything is opened."""
    with pytest.raises(InvalidInput, match=what), driving(flavour, address, **options):
        pass


@flavours
def test_any_executor_is_driven_in_this_process(flavour: Flavour) -> None:
    """An executor that is given is driven in the arena's place, behind the token, without a socket and in virtual time."""
    quarry = Quarry()
    with driving(flavour, "embedded", executor=quarry, token="sesame") as bridge:
        assert bridge.welcome is not None
        assert bridge.welcome.executor.name == "quarry"
        assert bridge.execute("DIG", {"at": [1, 0, 0]}, deadline=2.0).status == "SUCCESS"
        assert quarry.dug == [(1, 0, 0)]


@pytest.mark.req("EX-14")
@flavours
def test_the_arena_in_a_jvm_is_one_word_away(flavour: Flavour) -> None:
    """`java` builds and launches the same arena in Java, on the map and behind the token that were given."""
    try:
        driven = driving(flavour, "java", map="foundry", token="sesame")
        with driven as bridge:
            assert bridge.execute(EAST, deadline=60.0).answered
            assert bridge.refresh(60.0).data["map"]["name"] == "foundry"
    except MissingPart as missing:
        if isinstance(missing, HandshakeFailed):
            raise
        pytest.skip(f"no JDK: {missing}")


@flavours
def test_a_launched_executor_is_found_and_ended(flavour: Flavour) -> None:
    """A program that prints its address is driven there, and ends with the bridge."""
    with driving(flavour, "embedded", launch=ARENA) as bridge:
        assert bridge.execute(Jump(), deadline=60.0).status == "SUCCESS"
        assert bridge.welcome is not None
        assert bridge.welcome.executor.name == "arena"


def test_a_launched_executor_that_died_is_started_again() -> None:
    """Asking for its address restarts it if it is not running; after `end` it is gone."""
    launched = Launched(ARENA)
    first, former = launched.address(60.0), launched.pid
    assert former is not None
    os.kill(former, 9)
    eventually(lambda: not _runs(former))
    assert launched.address(60.0) != first
    latter = launched.pid
    launched.end()
    assert latter not in {None, former}
    assert latter is not None
    assert not _runs(latter)


@pytest.mark.parametrize(
    ("command", "what"),
    [
        ("no-such-program-anywhere", "cannot be started"),
        (f"{sys.executable} -c pass", "without a word"),
        (f"{sys.executable} -c 'print(42)'", "says '42'"),
        (f"{sys.executable} -c 'import time; time.sleep(900)'", "has said nothing"),
    ],
)
@flavours
def test_a_program_that_does_not_listen_is_an_error(flavour: Flavour, command: str, what: str) -> None:
    """A launched program that cannot run, ends, talks nonsense or is silent is NothingListening, and is ended."""
    silent = "nothing" in what
    with (
        pytest.raises(NothingListening, match=what),
        driving(flavour, "embedded", launch=command, timing=replace(PATIENT, handshake=0.5) if silent else PATIENT),
    ):
        pass


@pytest.mark.req("EX-09")
@flavours
def test_a_journal_may_be_named_by_its_folder(flavour: Flavour, tmp_path: Path) -> None:
    """The bridge opens it, records into it, and closes it at the end."""
    with driving(flavour, "embedded", journal=tmp_path / "journal") as bridge:
        bridge.execute(EAST, deadline=60.0)
    checked = verify(tmp_path / "journal")
    assert checked.intact
    assert checked.count > 3


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
