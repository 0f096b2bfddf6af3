"""The golden trace holds, and shows what the arena can do."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from tests.execution.worlds.arena.golden import GOLDEN, _call, replay
from volition.execution.worlds.arena import Arena
from volition.execution.worlds.arena.ground import parse_map
from volition.execution.worlds.arena.rules import RULES_VERSION

GIVEN: dict[str, Any] = json.loads(GOLDEN.read_text(encoding="utf-8"))


def test_it_is_of_these_rules() -> None:
    """The trace was made by this version of the rules."""
    assert GIVEN["rules"] == RULES_VERSION


@pytest.mark.parametrize("trace", GIVEN["traces"], ids=lambda trace: trace["map"].split()[1])
def test_every_tick_is_reproduced(trace: dict[str, Any]) -> None:
    """After every tick, the state, the results and the events have the hash in the file."""
    played = replay(trace["map"], trace["seed"], trace["ticks"])
    for number, (now, then) in enumerate(zip(played, trace["ticks"], strict=True), 1):
        assert now == then, f"tick {number}"


def test_it_shows_what_the_arena_can_do() -> None:
    """Every way in which an intent can end, and every event, is in the trace, so that no rule escapes it."""
    ends: Counter[tuple[str, str, str]] = Counter()
    events: Counter[str] = Counter()
    for trace in GIVEN["traces"]:
        intents = {call["id"]: call["intent"] for tick in trace["ticks"] for call in tick["calls"] if "intent" in call}
        ends.update((intents[id], *rest) for tick in trace["ticks"] for id, *rest in tick["ended"])
        events.update(event for tick in trace["ticks"] for event in tick["events"])
    paid = {("FAILURE", "COOLDOWN"), ("FAILURE", "RESOURCE_EXHAUSTED"), ("FAILURE", "INVALID_STATE")}
    moving = {("SUCCESS", "NONE"), ("FAILURE", "BLOCKED"), ("PARTIAL", "BLOCKED")}
    expected = {
        "PRIMARY_ATTACK": {("SUCCESS", "NONE"), *paid},
        "EVADE": {*moving, *paid},
        "MOVE": {*moving, ("PARTIAL", "NONE"), ("PARTIAL", "INVALID_STATE"), ("FAILURE", "INVALID_STATE")},
        "HOLD": {("SUCCESS", "NONE"), ("FAILURE", "INVALID_STATE")},
        "RELEASE": {("SUCCESS", "NONE"), ("FAILURE", "INVALID_STATE")},
        "STOP": {("SUCCESS", "NONE"), ("PARTIAL", "INVALID_STATE")},
        "JUMP": {("SUCCESS", "NONE"), ("FAILURE", "BLOCKED"), *paid},
        "DANCE": {("FAILURE", "UNKNOWN")},
    }
    assert {(intent, *end) for intent, endings in expected.items() for end in endings} <= set(ends)
    assert set(events) == {
        "actor_died", "episode_began", "hold_ended", "opponent_defeated", "opponent_returned",
    }  # fmt: skip


def test_it_shows_what_a_seed_decides() -> None:
    """A reset meets an open intent and a guard, and later episodes and returns begin elsewhere: no draw escapes it."""
    met: set[str] = set()
    places: dict[str, set[tuple[int, int]]] = {"actor": set(), "opponent": set()}
    for trace in GIVEN["traces"]:
        arena = Arena(parse_map(trace["map"]), trace["seed"])
        for tick in trace["ticks"]:
            for call in tick["calls"]:
                state = arena.state()
                if "reset" in call:
                    met |= {each["intent"] for each in state["open"]} | (
                        {"guard"} if state["actor"]["holding"] else set()
                    )
                _call(arena, call)
            events, state = {event["event"] for event in arena.step().events}, arena.state()
            for body in ("actor", "opponent") if "episode_began" in events else ("opponent",):
                if trace["map"].startswith("name: courtyard") and events & {"episode_began", "opponent_returned"}:
                    places[body].add((state[body]["x"], state[body]["y"]))
    assert {"MOVE", "guard"} <= met
    assert places["actor"]
    assert len(places["opponent"]) >= 3
