"""Episodes: a reset over the wire begins the world again with a seed, and ends what was open in the one before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.execution.quarry import Quarry, dig, driving
from tests.execution.transports.stream_bridge import Toy
from tests.execution.wire.samples import WELCOME, lines, of, serving
from volition.core.clock import ManualClock
from volition.core.errors import InvalidInput
from volition.execution import Bridge, Fleet, Journal, RequestMark, RequestMemory, connect, verify_journal
from volition.execution.client.replay import recorded_intents, replay
from volition.execution.executor.host import Host
from volition.execution.journal.entries import read_journal
from volition.execution.journal.records import EpisodeReset
from volition.execution.wire import frames as f
from volition.execution.wire.codec import encode
from volition.execution.wire.session.handshake import NothingListening, Offer

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told
    from volition.execution.transports.stream import Stream

pytestmark = pytest.mark.req("EX-25")


def test_a_reset_begins_the_world_again() -> None:
    """Its answer is a full state of another episode, as the seed makes it; what was done before is gone."""
    game = Quarry()
    with driving(game) as body:
        body.execute(dig(1))
        before = body.state
        state = body.reset(7)
        assert before is not None
        assert (state.data, state.full, state.episode) == ({"dug": [], "seed": 7}, True, before.episode + 1)
        assert state.seq > before.seq
        assert body.execute(dig(1)).status == "SUCCESS"


def test_what_is_open_ends_before_the_answer() -> None:
    """An intent under way is PARTIAL with the detail RESET; its outcome is known, and the game has dropped it."""
    game = Quarry()
    with driving(game) as body:
        ticket = body.submit("LISTEN", deadline=60.0)
        body.reset(1)
        outcome = body.wait(ticket)
        assert (outcome.status, outcome.reason, outcome.detail) == ("PARTIAL", "NONE", "RESET")
        assert game.under_way == []


def test_the_order_on_the_wire() -> None:
    """What came before the reset in one write is refused or ended, a STOP is carried out, what came after is attempted."""
    host = Host(Quarry())
    guest = host.open(0.0)
    dig_here: dict[str, Any] = {"intent": "DIG", "ttl_ms": 9000, "parameters": {"at": [1, 0, 0]}}
    asked = encode(f.StateRequest(id=1, full=True))
    guest.receive(encode(Offer().hello()) + asked + encode(f.IntentFrame(id=2, **dig_here)), 0.0)
    (seen,) = of(f.StateFrame, lines(guest.take()))
    guest.receive(
        encode(f.IntentFrame(id=3, **dig_here))
        + encode(f.Reset(id=4, seed=5))
        + encode(f.IntentFrame(id=5, **dig_here))
        + encode(f.IntentFrame(id=6, **dig_here, based_on=seen.seq)),
        0.0,
    )
    host.step(0.05)
    said = lines(guest.take())
    told = [(each.id, each.detail) for each in said if isinstance(each, f.ResultFrame)]
    assert told == [(3, "RESET"), (2, "RESET"), (6, "FORMER_EPISODE"), (5, None)]
    order = [each.id for each in said if isinstance(each, f.ResultFrame | f.StateFrame) and each.id]
    assert order.index(4) == 2
    (answer,) = [each for each in said if isinstance(each, f.StateFrame) and each.id == 4]
    assert (answer.full, answer.data["seed"]) == (True, 5)


@pytest.mark.parametrize("features", [(), ("reset",), ("observe", "reset")])
def test_without_the_feature_it_is_out_of_order(features: tuple[str, ...]) -> None:
    """A bridge that did not ask for it, an observer, and an executor that has it not: the world is not touched."""
    game: Quarry | Toy = Toy() if features == ("reset",) else Quarry()
    host = Host(game)
    guest = host.open(0.0)
    guest.receive(encode(Offer(features=features).hello()) + encode(f.Reset(id=1, seed=5)), 0.0)
    (error,) = of(f.ErrorFrame, lines(guest.take()))
    assert (error.code, error.id, game.episode) == ("out_of_order", 1, 1)


def test_a_bridge_says_why_it_cannot(told: Told) -> None:
    """An executor without resets, a bridge without the feature, a bad seed, no connection: InvalidInput, nothing sent."""
    with driving(Toy()) as body, told.raises(InvalidInput):
        body.reset(1)
    with driving(Quarry(), offer=Offer(features=())) as body, told.raises(InvalidInput):
        body.reset(1)
    with driving(Quarry()) as body:
        for seed in (-1, 2**53, 1.0, True, "7"):
            with told.raises(InvalidInput):
                body.reset(seed)  # type: ignore[arg-type]
        assert body.reset(2**53 - 1).data["seed"] == 2**53 - 1


def test_failures_of_the_former_world_do_not_count() -> None:
    """The retry rule begins anew with an episode."""
    with driving(Quarry()) as body:
        assert [body.execute(dig(3)).label for _ in range(5)][-1] == "refused_retry"
        body.reset(0)
        assert body.execute(dig(3)).label == "environmental_constraint"


def test_a_request_that_a_reset_ended_is_remembered(tmp_path: Path) -> None:
    """A marked intent under way has its result, which stays: asked again, it is not attempted."""
    game, mark = Quarry(), RequestMark(request="r", digest="d", token=1, resource="quarry")
    with RequestMemory(tmp_path / "requests") as memory, driving(game, requests=memory) as body:
        first, second = (body.submit("LISTEN", deadline=60.0, mark=mark) for _ in range(2))
        body.reset(1)
        assert [body.wait(each).detail for each in (first, second)] == ["RESET", "RESET"]
        again = body.execute("LISTEN", deadline=60.0, mark=mark)
        assert (again.status, again.detail, game.under_way) == ("PARTIAL", "RESET", [])


def test_a_queued_stop_is_carried_out() -> None:
    """A reset never makes a STOP fail."""
    executor = serving(welcome=WELCOME)
    executor.features |= {"reset"}
    executor.receive(encode(f.IntentFrame(id=1, intent="STOP", ttl_ms=1)) + encode(f.Reset(id=2, seed=1)), 0)
    attempt = executor.take_attempt(0)
    assert attempt is not None
    assert attempt.id == 1


@pytest.mark.parametrize("pace", ["recorded", "fast"])
def test_resets_are_recorded_and_replayed(tmp_path: Path, pace: str) -> None:
    """A journal with episodes is lawful, and its replay begins them again with their seeds."""
    with Journal(tmp_path / "j") as journal, driving(Quarry(), journal=journal) as body:
        for seed in (1, 2):
            body.execute(dig(1))
            body.next_state()
            body.reset(seed)
            for x in (1, 2, 3):
                body.execute(dig(x))
    assert verify_journal(tmp_path / "j").intact
    seeds = [entry.record.seed for entry in read_journal(tmp_path / "j") if isinstance(entry.record, EpisodeReset)]
    assert seeds == [1, 2]
    run, intents = recorded_intents(tmp_path / "j")
    assert [intent.reset.seed for intent in intents if intent.reset] == [1, 2]
    with driving(Quarry()) as body:
        assert replay(intents, body, run=run, pace=pace).same  # type: ignore[arg-type]


@given(st.integers(0, 2**53 - 1), st.lists(st.integers(-3, 3), min_size=1, max_size=6))
def test_the_arena_begins_each_episode_from_the_seed_alone(seed: int, way: list[int]) -> None:
    """After a reset with a seed the same intents have the same results and lead to the same states, whatever was before."""

    def episode(body: object) -> list[object]:
        first = body.reset(seed)  # type: ignore[attr-defined]
        seen: list[object] = [_world(first.data)]
        for east in way:
            outcome = body.execute("MOVE", {"vector": [east, 0, 0]}, deadline=2.0)  # type: ignore[attr-defined]
            seen += [outcome.result.status, outcome.result.outcomes, _world(outcome.next_state.data)]
        return seen

    with connect("embedded", seed=3) as body:
        assert body.welcome is not None
        assert body.welcome.deterministic
        first = episode(body)
        body.execute("PRIMARY_ATTACK")
        assert episode(body) == first
    with connect("embedded", seed=9) as body:
        assert episode(body) == first


def _world(data: dict[str, object]) -> dict[str, object]:
    """A state without what counts on: its number, its tick and its episode."""
    return {name: value for name, value in data.items() if name not in {"seq", "tick", "episode", "open"}}


def test_a_fleet_begins_again_body_by_body(told: Told) -> None:
    """Each named body has its own seed; the others go on."""
    with Fleet.connect({"ann": "embedded", "bob": "embedded"}) as fleet:
        states = fleet.reset({"ann": 7})
        assert states["ann"] is not None
        assert (list(states), states["ann"].full) == (["ann"], True)
        with told.raises(InvalidInput):
            fleet.reset({"eve": 1})


def test_a_lost_connection_is_dialled_again_first(told: Told) -> None:
    """A reset waits for the connection, as a refresh does; where there is none, it says so, and blames no seed."""
    game, clock = Quarry(), ManualClock()
    hosts = [Host(game), Host(game)]

    def dial(timeout: float) -> Stream:
        if not hosts:
            raise NothingListening.of("nobody is there", where="dial", expected="a host", remedy="wait")
        return hosts.pop(0).connect(clock)

    with Bridge(dial, clock=clock, keep=False) as body:
        body._door.connection_lost(clock.monotonic())
        assert body.reset(3).data["seed"] == 3
        body._door.connection_lost(clock.monotonic())
        with told.raises(NothingListening):
            body.reset(4)
