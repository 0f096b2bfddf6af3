"""Laws of the arena over random maps and random calls."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given

from tests.execution.worlds.arena.plays import Call, Moment, Play, State, calls, plays, seeds
from volition.core.canonical import digest
from volition.execution.wire.results import Metadata, interpret_result, label_of
from volition.execution.worlds.arena import Arena
from volition.execution.worlds.arena.attempts import displacement

COOLDOWNS = {"attack": 10, "evade": 20, "jump": 10}


def tile(state: State, x: int, y: int) -> str:
    return str(state["map"]["rows"][y // 1000][x // 1000])


def same_episode(before: State, after: State) -> bool:
    return bool(before["episode"] == after["episode"])


@given(plays())
def test_no_body_is_ever_inside_what_is_closed_to_it(play: Play) -> None:
    """The actor is never in a wall nor flying through a beam; the opponent is never in a wall or a hazard."""
    for moment in play.moments:
        actor, opponent = moment.after["actor"], moment.after["opponent"]
        assert tile(moment.after, actor["x"], actor["y"]) not in ("#-" if actor["air"] else "#")
        assert tile(moment.after, opponent["x"], opponent["y"]) in ".-"


@given(plays())
def test_no_body_goes_through_a_wall(play: Play) -> None:
    """Every place on the straight way of one tick is open."""
    for moment in play.moments:
        for body in ("actor", "opponent"):
            start, end = moment.before[body], moment.after[body]
            if not same_episode(moment.before, moment.after) or start["alive"] != end["alive"]:
                continue
            for part in range(101):
                x, y = (start[axis] + (end[axis] - start[axis]) * part // 100 for axis in "xy")
                assert tile(moment.after, x, y) != "#"


@given(plays())
def test_only_ticks_and_new_episodes_move_bodies(play: Play) -> None:
    """An attempt or a cancel moves nobody, and no call but a MOVE turns the actor."""
    for moment in play.moments:
        before, after = moment.before["actor"], moment.after["actor"]
        if moment.call[0] in {"attempt", "cancel"}:
            assert all(before[axis] == after[axis] for axis in "xyz")
        if moment.call[:2] != ("attempt", "MOVE") and same_episode(moment.before, moment.after):
            assert before["facing"] == after["facing"]


@pytest.mark.req("EX-04")
@given(plays())
def test_every_intent_ends_exactly_once(play: Play) -> None:
    """At every moment, the accepted intents are those that ended once, those that a reset dropped, and those open."""
    ended: Counter[int] = Counter()
    accepted = 0
    for moment in play.moments:
        accepted += moment.call[0] == "attempt"
        if moment.call[0] == "reset":
            assert (moment.results, moment.after["open"]) == ((), [])
            ended.update(each["id"] for each in moment.before["open"])
        ended.update(finished.id for finished in moment.results)
        still_open = Counter(each["id"] for each in moment.after["open"])
        assert ended + still_open == Counter(range(1, accepted + 1))


@given(plays())
def test_what_is_open_ends(play: Play) -> None:
    """Without a further call, every open intent ends within its horizon."""
    play.steps(45)
    assert play.moments[-1].after["open"] == []


@given(plays())
def test_same_calls_same_states(play: Play) -> None:
    """The same map, seed and calls give the same states, results and events."""
    again = Play(Arena(play.arena.map, play.seed, play.arena.horizon * 50))
    for moment in play.moments:
        assert again.do(*moment.call) == moment


@pytest.mark.req("EX-11")
@given(plays(), seeds, calls)
def test_a_reset_begins_as_a_new_arena_would(play: Play, seed: int, then: list[Call]) -> None:
    """Whatever went before, an arena that is reset to a seed is a new one with that seed, and the same calls give the
    same states, results and events from then on; only `seq`, `tick` and `episode` continue.
    """
    fresh = Play(Arena(play.arena.map, seed, play.arena.horizon * 50))
    start = play.do("reset", seed).after
    play.ids = 0
    assert since(start, start) == fresh.arena.state()
    for call in then:
        now, expected = play.do(*call), fresh.do(*call)
        assert since(start, now.before) == expected.before
        assert since(start, now.after) == expected.after
        assert outcome_since(start, now) == outcome_since({"tick": 0, "episode": 1}, expected)


def since(start: State, state: State) -> State:
    """A state as it would be if the arena had been made at `start`."""
    numbers = {"seq": 0, "tick": 0, "episode": 1}
    opened = [each | {"since": each["since"] - start["tick"]} for each in state["open"]]
    return state | {"open": opened} | {key: state[key] - start[key] + first for key, first in numbers.items()}


def outcome_since(start: State, moment: Moment) -> list[Any]:
    """The results and events of a moment as data, with ticks and episodes counted from `start`."""
    counted = {"tick": start["tick"], "engine_timestamp": start["tick"], "episode": start["episode"] - 1}

    def shift(data: State) -> State:
        return {key: value - counted[key] if key in counted else value for key, value in data.items()}

    results = [(each.id, each.intent, each.result.to_data()) for each in moment.results]
    ended = [(id, intent, result | {"metadata": shift(result["metadata"])}) for id, intent, result in results]
    return [ended, [shift(event) for event in moment.events]]


@given(plays())
def test_a_state_is_whole_numbers_text_and_truth(play: Play) -> None:
    """No state holds a float, and all of it is canonical data."""

    def check(data: Any) -> None:
        assert type(data) in {dict, list, int, str, bool}
        for part in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
            check(part)

    for moment in play.moments:
        check(moment.after)
        assert digest(moment.after)


@pytest.mark.req("EX-19")
@given(plays())
def test_every_result_is_valid_and_consistent(play: Play) -> None:
    """Every result has the whole schema, contradicts itself nowhere, and its flags are up for their reason only."""
    for moment in play.moments:
        for finished in moment.results:
            assert interpret_result(finished.result.to_data()) == (finished.result, label_of(finished.result), ())
            reason, flags = finished.result.failure_reason, finished.result.safety_flags
            assert flags.is_blocked == (reason == "BLOCKED")
            assert flags.on_cooldown == (reason == "COOLDOWN")
            assert not flags.invalid_environment or reason == "INVALID_STATE"


@pytest.mark.req("EX-19")
@given(plays())
def test_a_result_counts_what_happened_since_its_intent_began(play: Play) -> None:
    """Damage, time and life in a result are the differences of the states at its beginning and its end."""
    began: dict[int, State] = {}
    for moment in play.moments:
        if moment.call[0] == "attempt":
            began[len(began) + 1] = moment.before
        end = moment.after
        for finished in moment.results:
            start, outcomes = began[finished.id], finished.result.outcomes
            for counter in ("damage_dealt", "damage_received"):
                assert getattr(outcomes, counter) == end["actor"][counter] - start["actor"][counter]
            assert outcomes.is_alive == end["actor"]["alive"]
            took = (end["tick"] - start["tick"]) * 50.0
            assert finished.result.metadata == Metadata(engine_timestamp=end["tick"], execution_time_ms=took)


@given(plays())
def test_damage_adds_up(play: Play) -> None:
    """Health is 100 less what was received; what was dealt is what opponents lost; stamina stays in its bounds."""
    dealt = 0
    for moment in play.moments:
        before, after = moment.before, moment.after
        assert after["actor"]["health"] == 100 - after["actor"]["damage_received"] >= 0
        assert 0 <= after["actor"]["stamina"] <= 100
        if not same_episode(before, after):
            dealt = 0
        elif after["opponent"]["health"] < before["opponent"]["health"]:
            assert moment.call[:2] == ("attempt", "PRIMARY_ATTACK")
            dealt += before["opponent"]["health"] - after["opponent"]["health"]
        assert after["actor"]["damage_dealt"] == dealt


@given(plays())
def test_health_is_lost_to_strikes_and_hazards_alone(play: Play) -> None:
    """Every tick costs 2 on the ground of a hazard, and 20 or 5 if a windup ends then; nothing else costs health."""
    for moment in play.moments:
        before, after = moment.before["actor"], moment.after["actor"]
        if not before["alive"] or not same_episode(moment.before, moment.after):
            continue
        lost = before["health"] - after["health"]
        if moment.call[0] != "step":
            assert lost == 0
            continue
        # A dead actor lies on the ground, wherever it flew before: it cannot have died of a hazard in the air.
        burnt = 2 if tile(moment.after, after["x"], after["y"]) == "~" and not after["air"] else 0
        strike = moment.before["opponent"]["mode"] == "windup" and moment.after["opponent"]["mode"] == "recover"
        # Stamina that runs out in this tick ends a HOLD before the strike.
        hit = (5 if after["holding"] else 20) if strike else 0
        if after["alive"]:
            assert lost in {burnt, burnt + hit}
        else:
            assert lost == before["health"] <= 22


@given(plays())
def test_cooldowns_hold(play: Play) -> None:
    """A clock is set by a paid action alone, which needs it at 0, and falls by one a tick."""
    for moment in play.moments:
        if not same_episode(moment.before, moment.after):
            continue
        for clock, length in COOLDOWNS.items():
            before, after = (state["actor"]["cooldowns"][clock] for state in (moment.before, moment.after))
            if moment.call[0] == "step":
                assert after == max(0, before - 1)
            elif after != before:
                assert (before, after) == (0, length)
                assert moment.after["actor"]["stamina"] < moment.before["actor"]["stamina"]


@pytest.mark.req("EX-14")
@given(plays())
def test_success_of_a_movement_means_that_it_happened(play: Play) -> None:
    """MOVE succeeds at its place, EVADE three full steps from its start, JUMP off the ground."""
    began: dict[int, tuple[State, Any]] = {}
    for moment in play.moments:
        if moment.call[0] == "attempt":
            began[len(began) + 1] = (moment.before["actor"], moment.call[2])
        for finished in moment.results:
            start, params = began[finished.id]
            now = moment.after["actor"]
            moved = (now["x"] - start["x"], now["y"] - start["y"])
            if finished.result.status == "FAILURE" and finished.result.failure_reason == "BLOCKED":
                assert finished.intent == "JUMP" or moved == (0, 0)
            if finished.result.status != "SUCCESS":
                continue
            if finished.intent == "MOVE":
                assert moved == displacement(params["vector"])
            elif finished.intent == "EVADE":
                assert sorted(map(abs, moved)) == [0, 1200]
            elif finished.intent == "JUMP":
                assert now["z"] > 0 or not now["alive"]


@given(plays())
def test_stop_stops(play: Play) -> None:
    """After STOP nothing is open or held; on the ground the actor stays where it is, in the air STOP is PARTIAL."""
    flying = play.attempt("HOLD").after["actor"]["air"]
    stop = play.attempt("STOP")
    assert stop.after["open"] == []
    assert not stop.after["actor"]["holding"]
    assert stop.results[-1].result.status == ("PARTIAL" if flying else "SUCCESS")
    tick = play.do("step")
    if not flying and same_episode(tick.before, tick.after):
        assert all(tick.before["actor"][axis] == tick.after["actor"][axis] for axis in "xyz")


@pytest.mark.req("EX-11")
@given(plays())
def test_sequence_and_episode_only_rise(play: Play) -> None:
    """Every call has a new sequence number, only steps count ticks, and an episode ends by reset or by a death."""
    for moment in play.moments:
        before, after = moment.before, moment.after
        assert after["seq"] == before["seq"] + 1
        assert after["tick"] == before["tick"] + (moment.call[0] == "step")
        if not same_episode(before, after):
            assert after["episode"] == before["episode"] + 1
            assert moment.call[0] == "reset" or not before["actor"]["alive"]


@pytest.mark.req("EX-11")
@given(plays())
def test_a_former_episode_is_no_base(play: Play) -> None:
    """An intent that is based on a state of a former episode, or on none that was, is INVALID_STATE and changes nothing."""
    old = play.arena.seq
    play.do("reset", 0)
    for base in (old, play.arena.seq + 9):
        report = play.arena.attempt("JUMP", None, 999, base)
        assert report.results[0].result.failure_reason == "INVALID_STATE"
        assert play.arena.state()["open"] == []
    assert play.arena.attempt("JUMP", None, 999, play.arena.seq).results == ()
