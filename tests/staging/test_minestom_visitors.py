"""Those who reach the game's port of the Minestom stage, friends and foes: they see, they ask, and they change nothing.

The clients here speak the game's protocol themselves, so that no Node is needed.
"""

from __future__ import annotations

import socket
import time
from itertools import cycle
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import pytest

from tests.execution.worlds.game_clients import GameClient, framed, handshake, login, varint
from tests.processes import PATIENCE
from tests.staging.minestom_stages import NotingBridge, ServedStage, serving_stage
from tests.staging.stages import DirectStage
from volition.core.clock import ManualClock
from volition.drama import Evening, play, scenario
from volition.execution import Bridge, connect
from volition.execution.wire.frames import GameEvent
from volition.staging import Show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FIRST_WALK = 9
"""The tick of the evening in which somebody first walks into another room."""
LONGEST_LOG = 50_000
"""Bytes: a few kinds of failure with their traces, each once."""
MOST_VISITORS = 40


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedStage]:
    with serving_stage(tmp_path_factory.mktemp("stage")) as served:
        yield served


@pytest.fixture(scope="module")
def evening() -> Evening:
    return play(scenario("dinner-party"), 8, ticks=FIRST_WALK + 2)


def occurred(bridge: Bridge, name: str) -> GameEvent:
    """The next event of this name."""
    ends = time.monotonic() + PATIENCE
    while True:
        bridge.refresh()
        for event in bridge.events():
            if isinstance(event, GameEvent) and event.name == name:
                return event
        assert time.monotonic() < ends
        time.sleep(0.02)


def build(bridge: Bridge) -> None:
    """Two rooms with a door between them, and Ann in one of them, who has said something."""
    hall = {"id": "hall", "name": "The hall", "x": 0, "y": 0, "width": 10, "height": 8}
    rooms, doors = [hall, hall | {"id": "den", "name": "The den", "x": 10}], [{"start": [10, 3], "end": [10, 5]}]
    for intent, parameters, agent in (
        ("SET", {"title": "Two rooms", "rooms": rooms, "doors": doors}, None),
        ("ENTER", {"who": "ann", "name": "Ann", "at": [4, 4]}, None),
        ("ENTER", {"who": "bob", "name": "Bob", "at": [14, 4]}, None),
        ("SAY", {"text": "Good evening.", "aloud": True}, "ann"),
        ("SAY", {"text": "Not for you.", "aloud": False}, "ann"),
    ):
        assert bridge.execute(intent, parameters, agent=agent, deadline=5.0).status == "SUCCESS"


def body_of(client: GameClient, x: float, y: float) -> int:
    """The body that a client sees at a place of the stage."""
    place = (x + 0.5, 40.0, y + 0.5)
    client.wait_for(lambda: place in client.bodies.values())
    return next(body for body, at in client.bodies.items() if at == place)


def test_whoever_joins_late_sees_everybody_and_reads_what_happened(stage: ServedStage) -> None:
    """Guests are seen where they stand; the chat says who is in which room and what was said aloud, and not what was whispered;
    a new set is a new beginning."""
    with connect(stage.address) as bridge:
        build(bridge)
        with GameClient(stage.game_port, "late").join() as client:
            client.read("Ann: Good evening.")
            assert "The hall: Ann" in client.read("The hall")
            assert "The den: Bob" in client.read("The den")
            assert body_of(client, 4, 4) != body_of(client, 14, 4)
            assert not [line for line in client.chat if "Not for you" in line]
        for n in range(12):
            bridge.execute("SAY", {"text": f"line {n}.", "aloud": True}, agent="bob", deadline=5.0)
        with GameClient(stage.game_port, "later").join() as client:
            client.read("line 11.")
            assert [n for n in range(12) if any(f"line {n}." in line for line in client.chat)] == [*range(4, 12)]
        bridge.execute("SET", {"title": "Nothing", "rooms": [], "doors": []}, deadline=5.0)
        with GameClient(stage.game_port, "latest").join() as client:
            client.read("Click on a guest")
            bridge.execute("ANSWER", {"to": "*", "text": "For all of you."}, deadline=5.0)
            client.read("For all of you.")
            assert not [line for line in client.chat if "line" in line or "The hall" in line]


def test_a_left_click_asks_too_and_hurts_nobody(stage: ServedStage) -> None:
    """Who strikes a guest is told why like anybody else; the guest stands where they stood, and walks on; who clicks as fast
    as they can is heard once in a while."""
    with connect(stage.address) as bridge, GameClient(stage.game_port, "fighter").join() as client:
        build(bridge)
        ann = body_of(client, 4, 4)
        before = bridge.refresh().data
        client.hit(ann)
        assert occurred(bridge, "asked").data == {"by": "fighter", "about": "ann"}
        for _ in range(200):
            client.hit(ann)
            client.click(ann)
        assert occurred(bridge, "asked").data == {"by": "fighter", "about": "ann"}
        assert bridge.refresh().data == before
        assert bridge.execute("WALK", {"way": [[6, 4]]}, agent="ann", deadline=9.0).status == "SUCCESS"
        assert len([event for event in bridge.events() if isinstance(event, GameEvent)]) < 20


def test_a_player_in_the_doorway_is_in_nobodys_way(stage: ServedStage) -> None:
    """A guest walks through a door in which somebody stands, and arrives."""
    with connect(stage.address) as bridge, GameClient(stage.game_port, "porter").join() as client:
        build(bridge)
        for _ in range(20):
            client.go(10.5, 40.0, 4.5)
        outcome = bridge.execute("WALK", {"way": [[10, 4], [12, 4]]}, agent="ann", deadline=20.0)
        assert (outcome.status, bridge.refresh().data["guests"]["ann"]) == ("SUCCESS", [12.0, 4.0])


def test_who_pauses_the_show_and_leaves_does_not_hold_it_up(stage: ServedStage) -> None:
    """The stage reports the end of a pause when whoever wanted it is gone, and nothing when somebody else goes."""
    with connect(stage.address) as bridge:
        build(bridge)
        with GameClient(stage.game_port, "sleeper").join() as sleeper:
            GameClient(stage.game_port, "passer").join().leave()
            sleeper.type("pause")
            assert occurred(bridge, "pause").data == {"by": "sleeper"}
        assert occurred(bridge, "resume").data == {"by": "sleeper"}


def test_the_house_is_full_at_some_point(stage: ServedStage) -> None:
    """Of more people than may look on, the last are told so and sent off; when the others have gone, there is room again."""
    with connect(stage.address) as bridge:
        crowd = [GameClient(stage.game_port, f"one_of_many_{n}") for n in range(MOST_VISITORS + 10)]
        ends = time.monotonic() + PATIENCE
        while not all(each.has_joined or each.is_gone for each in crowd):
            assert time.monotonic() < ends
            time.sleep(0.02)
        sent_off = [each for each in crowd if each.is_gone]
        assert len(sent_off) == 10
        assert all("It is full here" in each.chat[-1] for each in sent_off)
        for each in crowd:
            each.leave()
        while True:
            assert time.monotonic() < ends
            with GameClient(stage.game_port, "patient") as client:
                while not (client.has_joined or client.is_gone):
                    time.sleep(0.02)
                if client.has_joined:
                    break
        assert bridge.refresh().data is not None


def attack_with_bytes(port: int, over: Event) -> None:
    """Garbage, half a handshake, enormous lengths, a slow drip, and 200 connections that say nothing, until it is over."""
    idle = [socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) for _ in range(200)]
    said = [
        bytes(range(256)) * 300,
        handshake(port)[:5],
        handshake(port) + b"\xff\xff\xff\xff\x07" + b"A" * 64,  # a packet of 2 GB
        handshake(port) + varint(2_097_151) + b"\0" * 4096,
        handshake(port) + framed(b"\0" + varint(10**6) + b"x" * 100),  # a name of a million letters
        handshake(port) + login("x" * 17) + login("\u202e\0\n\\"),
        framed(b"\0" + varint(2**31 - 1) + varint(0)) * 50,
    ]
    for attack in cycle(said):
        if over.is_set():
            break
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as stranger:
            try:
                stranger.sendall(attack)
                idle[0].sendall(attack[:1])
            except OSError:
                pass  # it was shown the door
    for each in idle:
        each.close()


COMMANDS = [
    "",
    " ",
    "pause" + " x" * 100,
    "x" * 30_000,
    "instead\0",
    "\u202e\U0001f600" * 60,
    "/" * 200,
    "resume \n\n",
    "op me",
]


def misbehave(port: int, over: Event) -> None:
    """Join again and again under one name and others, type anything, click everything, strike, ask and leave at once, until
    it is over, and fifty times at least."""
    for number, command in enumerate(cycle(COMMANDS)):
        if over.is_set() and number >= 50:
            break
        client = GameClient(port, "rude" if number % 3 else f"rude_{number}")
        while client.state in {"login", "configuration"} and number % 5:
            time.sleep(0.01)
        client.type(command)
        for body in [*client.bodies, 0, 2**31 - 1]:
            for _ in range(10):
                client.click(body)
                client.hit(body)
        client.go(float("nan"), 1e308, -1e308)
        client.leave()


@pytest.mark.parametrize("attack", [attack_with_bytes, misbehave])
def test_hostile_clients_change_nothing_of_the_evening(
    stage: ServedStage, evening: Evening, attack: Callable[[int, Event], None]
) -> None:
    """Whatever comes to the game's port while an evening is shown: the same cues are sent, each of them succeeds but answers to
    those who have gone, everybody stands where the record has them, the record is what it was, and the log stays short."""
    direct, record = DirectStage(), evening.run
    Show(evening, direct, pace_s=0.0, clock=ManualClock()).run(FIRST_WALK)
    over = Event()
    hostile = Thread(target=attack, args=(stage.game_port, over))
    with connect(stage.address) as bridge:
        hostile.start()
        try:
            noting = NotingBridge(bridge)
            report = Show(evening, noting, pace_s=0.3).run(FIRST_WALK)
        finally:
            over.set()
            hostile.join()
        guests: Any = bridge.refresh().data["guests"]
    assert report.ticks == len(record.ticks) - FIRST_WALK
    assert evening.run is record
    assert [one for one in noting.sent if one[0] != "ANSWER"] == direct.sent
    assert {one for one in noting.ended if one[0] != "ANSWER"} == {(intent, "SUCCESS") for intent, _, _ in direct.sent}
    assert guests == direct.guests
    assert stage.log.stat().st_size < LONGEST_LOG, stage.log.read_text()[-2000:]
    with GameClient(stage.game_port, "afterwards").join() as client:
        client.read("Click on a guest")
