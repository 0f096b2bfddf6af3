"""Each intent, as the table of the protocol has it: what is attempted, and every way in which it can fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.execution.worlds.arena.plays import Moment, play
from volition.core.errors import InvalidInput
from volition.execution.worlds.arena import Arena

if TYPE_CHECKING:
    from tests.sentences import Told
    from volition.execution.wire.results import Result

WIDE = ("@.........", "..........", ".........&")
"""A room in which the opponent does not see the actor at first."""
FACED = ("@&",)
"""The actor faces the opponent, one tile away."""


def ending(moment: Moment) -> tuple[str, str]:
    result = moment.results[-1].result
    return result.status, result.failure_reason


def summary(result: Result) -> tuple[str, str, bool]:
    return result.status, result.failure_reason, result.outcomes.action_wasted


@pytest.mark.req("EX-14")
class TestAttack:
    def test_a_hit(self) -> None:
        """A swing at an opponent that is faced and in reach succeeds at once and deals its damage."""
        result = play(*FACED).attempt("PRIMARY_ATTACK").results[0].result
        assert summary(result) == ("SUCCESS", "NONE", False)
        assert result.outcomes.damage_dealt == 25.0

    @pytest.mark.parametrize("rows", [("&@",), ("@", "&"), ("&.", ".@")])
    def test_a_miss_is_a_wasted_success(self, rows: tuple[str, ...]) -> None:
        """A swing that meets nobody in its direction is made, paid for and wasted; the actor does not turn for it."""
        moment = play(*rows).attempt("PRIMARY_ATTACK")
        assert summary(moment.results[0].result) == ("SUCCESS", "NONE", True)
        assert moment.after["actor"]["facing"] == "east"
        assert moment.after["actor"]["stamina"] == 80

    def test_a_wall_takes_the_swing(self) -> None:
        """A swing does not go through a wall."""
        fight = play("@.#&")
        fight.attempt("MOVE", 1.4, 0, 0)
        fight.until_result()
        place = fight.moments[-1].after
        assert place["opponent"]["x"] - place["actor"]["x"] <= 1500
        assert summary(fight.attempt("PRIMARY_ATTACK").results[0].result) == ("SUCCESS", "NONE", True)

    def test_out_of_range(self) -> None:
        """A target out of range is INVALID_STATE and costs nothing."""
        moment = play(*WIDE).attempt("PRIMARY_ATTACK")
        assert ending(moment) == ("FAILURE", "INVALID_STATE")
        assert moment.after["actor"] == moment.before["actor"]

    def test_cooldown(self) -> None:
        """A second swing fails with COOLDOWN for ten ticks, and not longer."""
        fight = play(*FACED)
        fight.attempt("PRIMARY_ATTACK")
        for _ in range(10):
            moment = fight.attempt("PRIMARY_ATTACK")
            assert ending(moment) == ("FAILURE", "COOLDOWN")
            assert moment.results[0].result.safety_flags.on_cooldown
            fight.do("step")
        assert ending(fight.attempt("PRIMARY_ATTACK")) == ("SUCCESS", "NONE")

    def test_a_defeat(self) -> None:
        """Four hits defeat the opponent; it cannot be hit then, and returns after 60 ticks."""
        fight = play(*FACED)
        events: list[dict[str, Any]] = []
        for _ in range(4):
            events += fight.attempt("PRIMARY_ATTACK").events
            fight.steps(10)
        assert [event["event"] for event in events] == ["opponent_defeated"]
        assert ending(fight.attempt("PRIMARY_ATTACK")) == ("FAILURE", "INVALID_STATE")
        names = [event["event"] for moment in fight.steps(50) for event in moment.events]
        assert names == ["opponent_returned"]
        assert fight.moments[-1].after["opponent"]["health"] == 100

    def test_not_while_holding(self) -> None:
        """The guard must be released before a swing, an evasion or a jump."""
        fight = play(*FACED)
        fight.attempt("HOLD")
        for name in ("PRIMARY_ATTACK", "EVADE", "JUMP"):
            moment = fight.attempt(name)
            assert ending(moment) == ("FAILURE", "INVALID_STATE")
            assert not moment.results[0].result.safety_flags.invalid_environment


@pytest.mark.req("EX-14")
class TestEvade:
    def test_away_from_the_threat(self) -> None:
        """The dash leads 1.2 tiles away from the opponent, in three ticks."""
        dash = play("....", ".@&.", "....")
        dash.attempt("EVADE")
        result = dash.until_result()
        assert (summary(result), result.metadata.execution_time_ms) == (("SUCCESS", "NONE", False), 150.0)
        assert dash.moments[-1].after["actor"]["x"] == 2500 - 1200

    def test_blocked(self) -> None:
        """A wall in the way is BLOCKED: FAILURE and wasted where nothing moved, PARTIAL where something did."""
        dash = play("@&")
        dash.attempt("EVADE")
        dash.do("step")
        assert summary(dash.until_result()) == ("PARTIAL", "BLOCKED", False)
        dash.steps(25)
        dash.attempt("EVADE")
        result = dash.until_result()
        assert summary(result) == ("FAILURE", "BLOCKED", True)
        assert result.safety_flags.is_blocked

    def test_exhaustion(self) -> None:
        """Without stamina it fails with RESOURCE_EXHAUSTED."""
        tired = play(*WIDE)
        for _ in range(4):
            tired.attempt("EVADE")
            tired.steps(3)
            tired.arena._actor.cooldowns["evade"] = 0
        assert ending(tired.attempt("EVADE")) == ("FAILURE", "RESOURCE_EXHAUSTED")

    def test_a_dash_cannot_be_steered(self) -> None:
        """While it lasts, nothing but STOP (and RELEASE of nothing) is taken; it supersedes a MOVE."""
        dash = play(*WIDE)
        dash.attempt("MOVE", 1, 0, 0)
        assert [(f.id, f.result.status) for f in dash.attempt("EVADE").results] == [(1, "PARTIAL")]
        for name in ("PRIMARY_ATTACK", "EVADE", "HOLD", "JUMP", "RELEASE"):
            assert ending(dash.attempt(name)) == ("FAILURE", "INVALID_STATE")
        assert ending(dash.attempt("MOVE", 1, 0, 0)) == ("FAILURE", "INVALID_STATE")
        stop = dash.attempt("STOP")
        assert [f.result.status for f in stop.results] == ["PARTIAL", "SUCCESS"]
        assert stop.results[0].result.outcomes.action_wasted


@pytest.mark.req("EX-14")
class TestMove:
    def test_arrival(self) -> None:
        """MOVE succeeds at its place: 0.2 tiles a tick, and 0.1 with the guard up."""
        walk = play(*WIDE)
        walk.attempt("MOVE", 1, 0, 0)
        assert walk.until_result().metadata.execution_time_ms == 250.0
        walk.attempt("HOLD")
        walk.attempt("MOVE", 0, 1, 0)
        assert walk.until_result().metadata.execution_time_ms == 500.0
        actor = walk.moments[-1].after["actor"]
        assert (actor["x"], actor["y"], actor["facing"], actor["velocity"]) == (2500, 2500, "south", [0, 0, 0])

    def test_obstruction(self) -> None:
        """A wall is PARTIAL/BLOCKED on the way, and FAILURE/BLOCKED where nothing moved."""
        walk = play("@#.&")
        walk.attempt("MOVE", 2, 0, 0)
        assert summary(walk.until_result()) == ("PARTIAL", "BLOCKED", False)
        walk.attempt("MOVE", 2, 0, 0)
        assert summary(walk.until_result()) == ("FAILURE", "BLOCKED", False)

    @pytest.mark.parametrize("vector", [(-9, 0, 0), (0, 0, 1), (1e300, 0, 0), (10, 0, 0)])
    def test_invalid_coordinates(self, vector: tuple[float, ...]) -> None:
        """A place off the map, above it, or beyond all maps is INVALID_STATE in an invalid environment."""
        moment = play("@.&").attempt("MOVE", *vector)
        assert ending(moment) == ("FAILURE", "INVALID_STATE")
        assert moment.results[0].result.safety_flags.invalid_environment

    def test_nowhere_to_go(self) -> None:
        """A vector shorter than half a milli-tile does not move."""
        assert ending(play(*WIDE).attempt("MOVE", 0.0004, -0.0004, 0)) == ("FAILURE", "INVALID_STATE")

    def test_supersession(self) -> None:
        """A new MOVE ends the open one as PARTIAL without a reason, and goes its own way."""
        walk = play(*WIDE)
        walk.attempt("MOVE", 5, 0, 0)
        walk.do("step")
        assert [(f.id, *summary(f.result)) for f in walk.attempt("MOVE", 0, 1, 0).results] == [
            (1, "PARTIAL", "NONE", False)
        ]
        assert walk.until_result().status == "SUCCESS"

    def test_horizon(self) -> None:
        """A MOVE that is open for its horizon ends as PARTIAL, and the actor stops."""
        walk = play(*WIDE, horizon_ms=200)
        walk.attempt("MOVE", 5, 0, 0)
        result = walk.until_result()
        assert (summary(result), result.metadata.execution_time_ms) == (("PARTIAL", "NONE", False), 200.0)
        assert walk.do("step").after["actor"]["x"] == walk.moments[-2].after["actor"]["x"]

    @pytest.mark.parametrize(("ticks", "ends"), [(1, 1), (3, 3), (4, 4), (2**53 - 1, 4)])
    def test_its_time(self, ticks: int, ends: int) -> None:
        """A MOVE that is given less time than the horizon ends as PARTIAL with that time; more does not lengthen it."""
        arena = Arena(play(*WIDE).arena.map, horizon_ms=200)
        assert arena.attempt("MOVE", {"vector": [5, 0, 0]}, 1, ticks=ticks).results == ()
        reports = [arena.step() for _ in range(ends)]
        assert [len(report.results) for report in reports] == [0] * (ends - 1) + [1]
        result = reports[-1].results[0].result
        assert (summary(result), result.metadata.execution_time_ms) == (("PARTIAL", "NONE", False), ends * 50.0)

    def test_enough_time(self, told: Told) -> None:
        """A MOVE that arrives in the last tick it has is a SUCCESS; no time at all is refused."""
        arena = play(*WIDE).arena
        arena.attempt("MOVE", {"vector": [0.4, 0, 0]}, 1, ticks=2)
        assert [len(arena.step().results), arena.step().results[0].result.status] == [0, "SUCCESS"]
        with told.raises(InvalidInput):
            arena.attempt("MOVE", {"vector": [0.4, 0, 0]}, 2, ticks=0)

    def test_a_hazard_stops_nobody(self) -> None:
        """The arena does not protect the actor: a MOVE into a hazard is carried out, and hurts."""
        walk = play("@~.#&")
        walk.attempt("MOVE", 1, 0, 0)
        result = walk.until_result()
        assert (result.status, result.outcomes.damage_received) == ("SUCCESS", 6.0)


@pytest.mark.req("EX-14")
class TestHoldAndRelease:
    def test_hold_and_release(self) -> None:
        """HOLD succeeds at its trigger and lasts until RELEASE."""
        guard = play(*WIDE)
        assert ending(guard.attempt("HOLD")) == ("SUCCESS", "NONE")
        assert guard.steps(20)[-1].after["actor"]["holding"]
        assert ending(guard.attempt("HOLD")) == ("SUCCESS", "NONE")
        assert ending(guard.attempt("RELEASE")) == ("SUCCESS", "NONE")
        assert not guard.moments[-1].after["actor"]["holding"]

    def test_release_of_nothing(self) -> None:
        """RELEASE of what is not active is INVALID_STATE."""
        assert ending(play(*WIDE).attempt("RELEASE")) == ("FAILURE", "INVALID_STATE")

    def test_interruption_is_an_event(self) -> None:
        """A guard that runs out of stamina ends by an event that names the HOLD; a new one is RESOURCE_EXHAUSTED."""
        guard = play("@#.&")
        guard.attempt("HOLD")
        events = [event for moment in guard.steps(100) for event in moment.events]
        assert events == [{"event": "hold_ended", "tick": 100, "id": 1, "reason": "RESOURCE_EXHAUSTED"}]
        assert ending(guard.attempt("HOLD")) == ("FAILURE", "RESOURCE_EXHAUSTED")

    @pytest.mark.parametrize(("held", "lost"), [(True, 5), (False, 20)])
    def test_a_guard_reduces_damage(self, held: bool, lost: int) -> None:
        """A strike costs 20, and 5 with the guard up."""
        guard = play(*FACED)
        if held:
            guard.attempt("HOLD")
        assert guard.steps(7)[-1].after["actor"]["health"] == 100 - lost


@pytest.mark.req("EX-14")
class TestJump:
    def test_up_and_down(self) -> None:
        """JUMP succeeds once the actor is off the ground, and lands in its eighth tick."""
        jump = play(*WIDE)
        jump.attempt("JUMP")
        moments = jump.steps(9)
        assert [m.after["actor"]["z"] for m in moments] == [350, 600, 750, 800, 750, 600, 350, 0, 0]
        assert [m.after["actor"]["velocity"][2] for m in moments] == [350, 250, 150, 50, -50, -150, -250, -350, 0]
        assert summary(moments[0].results[0].result) == ("SUCCESS", "NONE", False)

    @pytest.mark.parametrize("name", ["JUMP", "EVADE", "HOLD"])
    def test_in_mid_air(self, name: str) -> None:
        """What needs the ground is INVALID_STATE in mid-air, from the moment the actor pushes off."""
        jump = play(*WIDE)
        jump.attempt("JUMP")
        for _ in range(8):
            moment = jump.attempt(name)
            assert ending(moment) == ("FAILURE", "INVALID_STATE")
            assert moment.results[0].result.safety_flags.invalid_environment
            jump.do("step")
        assert moment.after["actor"]["air"] == 7

    def test_no_room(self) -> None:
        """Under a beam the actor stays on the ground: FAILURE/BLOCKED."""
        jump = play("@--#&")
        jump.attempt("MOVE", 1, 0, 0)
        jump.until_result()
        jump.attempt("JUMP")
        assert summary(jump.until_result()) == ("FAILURE", "BLOCKED", True)

    def test_a_beam_stops_a_flight(self) -> None:
        """In the air a beam is an obstruction."""
        jump = play("@--#&")
        jump.attempt("JUMP")
        jump.attempt("MOVE", 1, 0, 0)
        jump.do("step")
        assert summary(jump.until_result()) == ("PARTIAL", "BLOCKED", False)

    def test_over_a_hazard(self) -> None:
        """An actor in the air over a hazard is not hurt, and MOVE continues in the air."""
        jump = play("@~.#&")
        jump.attempt("MOVE", 1.8, 0, 0)
        jump.do("step")
        jump.attempt("JUMP")
        jump.do("step")
        assert jump.until_result().outcomes.damage_received == 0.0
        assert jump.moments[-1].after["actor"]["x"] == 3300


@pytest.mark.req("EX-14")
class TestStop:
    def test_everything_ends(self) -> None:
        """STOP ends all that is open, each with its result, and the guard."""
        walk = play(*WIDE)
        walk.attempt("HOLD")
        walk.attempt("MOVE", 5, 0, 0)
        walk.do("step")
        stop = walk.attempt("STOP")
        assert [(f.id, f.result.status) for f in stop.results] == [(2, "PARTIAL"), (3, "SUCCESS")]
        assert stop.after["actor"]["velocity"] == [0, 0, 0]

    def test_a_flight_goes_on(self) -> None:
        """In mid-air the body flies on in its direction, and STOP says so: PARTIAL, until it lands and lies still."""
        walk = play(*WIDE)
        walk.attempt("MOVE", 8, 0, 0)
        walk.attempt("JUMP")
        walk.do("step")
        assert ending(walk.attempt("STOP")) == ("PARTIAL", "INVALID_STATE")
        start, speed = walk.moments[2].after["actor"]["x"], walk.moments[2].after["actor"]["velocity"][0]
        assert speed == 200
        places = [moment.after["actor"]["x"] for moment in walk.steps(10)]
        assert places == [start + speed * min(tick, 6) for tick in range(1, 11)]

    def test_a_dead_actor_is_stopped(self) -> None:
        """STOP is always tried: it succeeds on a dead actor, where all else is INVALID_STATE."""
        burnt = play("@~#&")
        burnt.attempt("MOVE", 1, 0, 0)
        while burnt.do("step").after["actor"]["alive"]:
            pass
        assert ending(burnt.attempt("STOP")) == ("SUCCESS", "NONE")
        assert burnt.moments[-1].results[-1].result.outcomes.is_alive is False
        assert ending(burnt.attempt("RELEASE")) == ("FAILURE", "INVALID_STATE")


def test_death_and_a_new_episode() -> None:
    """A death ends what is open as PARTIAL/INVALID_STATE; 20 ticks later a new episode begins with a fresh state."""
    burnt = play("@~#&", horizon_ms=60_000)
    burnt.attempt("MOVE", 1, 0, 0)
    burnt.steps(50)
    burnt.attempt("HOLD")
    burnt.attempt("MOVE", 0, 1, 0)
    while burnt.do("step").after["actor"]["alive"]:
        if not burnt.moments[-1].after["open"]:
            burnt.attempt("MOVE", 0.1, 0, 0)
    death = burnt.moments[-1]
    assert [event["event"] for event in death.events] == ["hold_ended", "actor_died"]
    assert all(f.result.outcomes.is_alive is False for f in death.results)
    moments = burnt.steps(20)
    assert [m.after["episode"] for m in moments] == [1] * 19 + [2]
    assert moments[-1].events == ({"event": "episode_began", "tick": moments[-1].after["tick"], "episode": 2},)
    first = play("@~#&").arena.state()
    assert moments[-1].after["actor"] == first["actor"]


def test_an_open_move_ends_with_death() -> None:
    """The MOVE in which the actor dies is PARTIAL/INVALID_STATE, and its actor is not alive."""
    burnt = play("@" + "~" * 40 + "#&")
    burnt.attempt("MOVE", 40, 0, 0)
    while burnt.do("step").after["actor"]["alive"]:
        if burnt.moments[-1].results:
            burnt.attempt("MOVE", 20, 0, 0)
    result = burnt.moments[-1].results[0].result
    assert summary(result) == ("PARTIAL", "INVALID_STATE", False)
    assert not result.outcomes.is_alive


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("DANCE", None),
        ("move", {"vector": [1, 0, 0]}),
        ("MOVE", None),
        ("MOVE", {}),
        ("MOVE", {"vector": [1, 0]}),
        ("MOVE", {"vector": "100"}),
        ("MOVE", {"vector": [1, 0, float("nan")]}),
        ("MOVE", {"vector": [1, 0, True]}),
        ("MOVE", {"vector": [1, 0, 0], "frame": "absolute"}),
        ("JUMP", {"if": "health > 10"}),
        ("JUMP", ["high"]),
    ],
)
def test_what_is_no_intent(name: str, params: Any) -> None:
    """A name or parameters outside the list fail with UNKNOWN, and change nothing but the sequence number."""
    moment = play(*WIDE).do("attempt", name, params, None)
    assert ending(moment) == ("FAILURE", "UNKNOWN")
    assert moment.after == {**moment.before, "seq": moment.before["seq"] + 1}


def test_cancel() -> None:
    """A cancelled intent ends as PARTIAL; what is not open cannot be cancelled."""
    walk = play(*WIDE)
    walk.attempt("MOVE", 5, 0, 0)
    assert [summary(f.result) for f in walk.do("cancel", 1).results] == [("PARTIAL", "NONE", False)]
    assert walk.do("cancel", 1).results == ()


@pytest.mark.parametrize("id", [1, -1, True, 2**53, 1.0, "a"])
def test_a_bad_id_is_refused(id: Any) -> None:
    """An id that is open or no whole number is an error of the caller, and changes nothing."""
    walk = play(*WIDE)
    walk.attempt("MOVE", 5, 0, 0)
    before = walk.arena.state()
    with pytest.raises(InvalidInput):
        walk.arena.attempt("STOP", None, id)
    assert walk.arena.state() == before
