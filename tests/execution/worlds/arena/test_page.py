"""The page about the arena: its schema, its events and its rules about time are those of the code."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tests.execution.worlds.arena.golden import GOLDEN, _call
from volition.core.canonical import digest
from volition.execution.worlds.arena import Arena
from volition.execution.worlds.arena.executor import ARENA_SCHEMA
from volition.execution.worlds.arena.ground import parse_map

PAGE = (Path(__file__).parents[4] / "docs" / "arena.md").read_text(encoding="utf-8")


def test_the_schema_on_the_page_has_the_hash() -> None:
    """The hash of the description on the page is the hash of the welcome."""
    (shape,) = re.findall(r"^```state\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert digest(json.loads(shape)) == ARENA_SCHEMA.hash


def test_events_have_the_keys_of_the_page() -> None:
    """In all golden traces an event is its name, its tick, and what the page says in brackets."""
    examples = [json.loads(line) for line in re.findall(r'^(\{"event": .*\})$', PAGE, re.MULTILINE)]
    keys = {example["event"]: list(example) for example in examples}
    seen: set[str] = set()
    for trace in json.loads(GOLDEN.read_text(encoding="utf-8"))["traces"]:
        arena = Arena(parse_map(trace["map"]), trace["seed"])
        for tick in trace["ticks"]:
            for report in [*(_call(arena, call) for call in tick["calls"]), arena.step()]:
                for event in report.events:
                    assert list(event) == keys.get(event["event"], ["event", "tick"])
                    seen.add(event["event"])
    assert set(keys) <= seen
    assert all(f"`{name}`" in PAGE for name in seen)


def test_a_dash_protects_through_its_last_step() -> None:
    """The actor is dashing until its EVADE has its result, also while the opponent acts in that tick."""
    for wait in range(1, 12):
        arena = Arena(parse_map("name: run\n########\n#....@&#\n########"), seed=0)
        for _ in range(wait):
            arena.step()
        arena.attempt("EVADE", None, 1)
        dashing: list[Any] = []
        while not (report := arena.step()).results:
            dashing.append(arena.state()["actor"]["dashing"])
        assert all(dashing)
        assert not arena.state()["actor"]["dashing"]
        assert report.results[0].result.outcomes.damage_received == 0.0


def test_the_tick_in_which_an_episode_begins_does_nothing_else() -> None:
    """While the actor is dead the opponent acts; in the tick of the new episode nobody does."""
    arena = Arena(parse_map("name: pit\n######\n#@~&.#\n######"), seed=0)
    while arena.state()["actor"]["alive"]:
        if not arena.state()["open"]:
            arena.attempt("MOVE", {"vector": [0.2, 0, 0]}, arena.seq)
        arena.step()
    places = set()
    while arena.state()["down"] > 1:
        arena.step()
        places.add((arena.state()["opponent"]["x"], arena.state()["opponent"]["timer"]))
    assert len(places) > 1
    arena.step()
    fresh = Arena(parse_map("name: pit\n######\n#@~&.#\n######"), seed=0).state()
    now = arena.state()
    assert (now["opponent"], now["actor"], now["episode"]) == (fresh["opponent"], fresh["actor"], 2)
