"""The arena as an executor: truthful results, a state that fits its schema, and the same run for the same seed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.execution.transports.stream_bridge import StreamBridge
from tests.execution.wire.samples import of
from volition.core.canonical import canonical
from volition.core.clock import ManualClock
from volition.core.errors import InvalidInput
from volition.execution import Evade, Hold, Jump, Move, PrimaryAttack, Release, Stop
from volition.execution.executor.host import Host
from volition.execution.wire.frames import GameEvent, StateFrame
from volition.execution.wire.intents import CANONICAL, AnyIntent
from volition.execution.wire.request import Outcome
from volition.execution.wire.session.events import Breach
from volition.execution.worlds.arena import Arena, shipped_map
from volition.execution.worlds.arena.executor import ARENA_SCHEMA, STATE_SHAPE, ArenaExecutor, find_map
from volition.execution.worlds.arena.ground import parse_map

if TYPE_CHECKING:
    from pathlib import Path

EAST, BACK = Move((1.0, 0.0, 0.0)), Move((-1.0, 0.0, 0.0))
INTENTS: list[AnyIntent] = [PrimaryAttack(), Evade(), EAST, BACK, Hold(), Release(), Stop(), Jump()]


def driving(arena: Arena | None = None, seed: int = 0) -> tuple[StreamBridge, Arena]:
    arena = arena or Arena(shipped_map("courtyard"), seed=seed)
    clock = ManualClock()
    bridge = StreamBridge(Host(ArenaExecutor(arena)).connect(clock), clock=clock)
    bridge.ready()
    return bridge, arena


def test_the_schema_is_the_one_that_others_name() -> None:
    """The hash is that of the shape: other implementations of the arena use it as a constant."""
    assert ARENA_SCHEMA.hash == "934154c91e4ed9a8ab6716413b7621327611e9bec5c99ef617bd24c8c53894e7"


def shape(value: Any) -> Any:
    """The shape of a value, in the words of the schema."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [shape(inner) for inner in value]
    return {bool: "truth", int: "integer", str: "text"}[type(value)]


def test_every_state_has_the_shape_of_the_schema() -> None:
    """A full state has exactly the keys and types that the schema lists; the others lack the map alone."""
    bridge, _ = driving()
    bridge.send(EAST)
    bridge.until(lambda event: isinstance(event, StateFrame) and bool(event.data["open"]))
    for event in of(StateFrame, bridge.events):
        data = dict(event.data)
        wanted = {key: value for key, value in STATE_SHAPE.items() if key != "rules"}
        assert ("map" in data) == event.full
        found = shape(data) | {"map": wanted["map"], "open": wanted["open"]}
        assert found == wanted
        assert all(shape(each) == wanted["open"][0] for each in data["open"])
        assert set(map(shape, data.get("map", {}).get("rows", []))) <= {"text"}


@pytest.mark.req("EX-14", "EX-19")
def test_each_of_the_seven_is_attempted_and_answered_truthfully() -> None:
    """Each intent gets one result without a breach, and what it says agrees with the state that comes with it."""
    bridge, _ = driving()
    moved = bridge.execute(EAST)
    assert (moved.result.status, moved.result.metadata.execution_time_ms) == ("SUCCESS", 250.0)
    held = bridge.execute(Hold())
    assert held.next_state is not None
    assert held.next_state.data["actor"]["holding"]
    assert bridge.execute(Hold()).result.status == "SUCCESS"
    assert bridge.execute(Release()).result.status == "SUCCESS"
    assert bridge.execute(Release()).result.failure_reason == "INVALID_STATE"
    assert bridge.execute(PrimaryAttack()).result.failure_reason == "INVALID_STATE"
    evaded = bridge.execute(Evade())
    assert evaded.next_state is not None
    assert evaded.next_state.data["actor"]["x"] != moved.next_state.data["actor"]["x"]  # type: ignore[union-attr]
    again = bridge.execute(Evade()).result
    assert (again.failure_reason, again.safety_flags.on_cooldown) == ("COOLDOWN", True)
    assert bridge.execute(Jump()).result.status == "SUCCESS"
    flying = bridge.execute(Stop()).result
    assert (flying.status, flying.safety_flags.invalid_environment) == ("PARTIAL", True)
    assert of(Breach, bridge.events) == []
    assert {event.requested.intent for event in of(Outcome, bridge.events)} == set(CANONICAL)


@pytest.mark.req("EX-04")
def test_a_new_move_ends_the_one_before() -> None:
    """When an intent ends another one, each has its result."""
    bridge, _ = driving()
    first = bridge.send(Move((5.0, 0.0, 0.0)))
    bridge.until(lambda event: isinstance(event, StateFrame) and event.tick > 1)
    second = bridge.execute(BACK)
    assert bridge.result(first).result.status == "PARTIAL"
    assert second.result.status == "SUCCESS"


def test_what_happens_by_itself_is_told() -> None:
    """A guard that ends for want of stamina is an event with the id of its HOLD."""
    bridge, _ = driving()
    held = bridge.execute(Hold())
    event = bridge.until(lambda event: isinstance(event, GameEvent), limit=30.0)
    assert isinstance(event, GameEvent)
    assert (event.name, event.id) == ("hold_ended", held.id)
    assert event.data == {"reason": "RESOURCE_EXHAUSTED"}


@pytest.mark.req("EX-16")
def test_a_lost_bridge_leaves_the_actor_standing() -> None:
    """When the bridge goes in the middle of a MOVE with the guard up, the actor neither walks nor holds."""
    bridge, arena = driving()
    bridge.execute(Hold())
    bridge.send(Move((5.0, 0.0, 0.0)))
    bridge.until(lambda event: isinstance(event, StateFrame) and event.data["actor"]["velocity"] != [0, 0, 0])
    bridge.stream.close()
    before = arena.state()["actor"]
    arena.step()
    after = arena.state()["actor"]
    assert (after["x"], after["y"], after["holding"]) == (before["x"], before["y"], False)
    assert arena.state()["open"] == []


@pytest.mark.req("EX-07")
def test_an_intent_of_a_former_episode_is_out_of_sync() -> None:
    """What was decided before the actor died does not move the one that lives now."""
    bridge, arena = driving(Arena(parse_map("name: pit\n#####\n#@~&#\n#####")))
    seen = bridge.session.state
    assert seen is not None
    arena.reset(0)
    id = bridge.send(EAST, based_on=seen.seq)
    assert bridge.result(id).label == "out_of_sync"


def play(seed: int, choices: list[int]) -> bytes:
    bridge, _ = driving(seed=seed)
    for choice in choices:
        bridge.execute(INTENTS[choice])
    assert of(Breach, bridge.events) == []
    finished = [(event.id, event.result.to_data(), event.elapsed) for event in of(Outcome, bridge.events)]
    states = [[event.seq, event.data] for event in of(StateFrame, bridge.events)]
    return canonical([[list(each) for each in finished], states])


@given(st.integers(0, 2**53 - 1), st.lists(st.integers(0, len(INTENTS) - 1), max_size=12))
def test_the_same_seed_and_intents_give_the_same_run(seed: int, choices: list[int]) -> None:
    """Embedded, every result, every state and every time is a function of map, seed and intents; none breaks the
    contract."""
    assert play(seed, choices) == play(seed, choices)


def test_a_map_is_found_by_name_or_path(tmp_path: Path) -> None:
    """A name is one of the maps that come along; anything that looks like a path is read."""
    assert find_map("foundry").name == "foundry"
    (tmp_path / "mine.txt").write_text("name: mine\n#####\n#@.&#\n#####")
    assert find_map(str(tmp_path / "mine.txt")).name == "mine"
    for wrong, hint in [("fondry", "foundry"), ("no/such.txt", "cannot be read")]:
        with pytest.raises(InvalidInput, match=hint):
            find_map(wrong)


@pytest.mark.req("EX-14")
@pytest.mark.parametrize(("hz", "ttl_ms", "ticks"), [(20.0, 300, 6), (20.0, 349, 6), (20.0, 20, 1), (100.0, 200, 20)])
def test_a_move_ends_at_its_time(hz: float, ttl_ms: int, ticks: int) -> None:
    """A MOVE is PARTIAL after the ticks that fit into its time, at any pace, and one at least; it took what these take."""
    clock = ManualClock()
    bridge = StreamBridge(Host(ArenaExecutor(Arena(shipped_map("courtyard")), hz=hz)).connect(clock), clock=clock)
    bridge.ready()
    sent = clock.monotonic()
    finished = bridge.result(bridge.send(Move((0.0, 6.0, 0.0)), ttl=ttl_ms / 1000))
    assert (finished.result.status, finished.result.failure_reason) == ("PARTIAL", "NONE")
    assert finished.result.metadata.execution_time_ms == ticks * 1000 / hz
    assert clock.monotonic() - sent <= max(ttl_ms / 1000, 1 / hz) + 1e-9


@pytest.mark.req("EX-14")
def test_the_other_intents_take_the_ticks_that_they_take() -> None:
    """An EVADE continues for its three ticks although its time is over after the first."""
    bridge, _ = driving()
    finished = bridge.result(bridge.send(Evade(), ttl=0.02))
    assert (finished.result.status, finished.result.metadata.execution_time_ms) == ("SUCCESS", 150.0)
