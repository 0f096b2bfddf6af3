"""The golden trace: fixed calls of the arena, and the result of each tick, for every implementation to reproduce.

`python -m tests.execution.worlds.arena.golden` writes golden.json again; do so only when RULES_VERSION changes. The calls were
chosen once by chance and by the look of the arena, and are kept in the file: who replays it chooses nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from volition.core.canonical import digest
from volition.core.chance import stream
from volition.execution.conformance.protocol import VECTORS
from volition.execution.worlds.arena import Arena, shipped_map
from volition.execution.worlds.arena.ground import parse_map
from volition.execution.worlds.arena.rules import RULES_VERSION, facing_of

if TYPE_CHECKING:
    from volition.execution.worlds.arena.attempts import ArenaReport

GOLDEN = VECTORS / "golden.json"
ROOMS = (
    "name: crossing\n#######\n#.#.#.#\n#..@..#\n#.#.#.#\n#..&..#\n#.#.#.#\n#######",
    "name: embers\n#######\n#@@~.-#\n#.~..~#\n#-..~&#\n#~.&&&#\n#######",
    "name: lane\n########\n#@--.~.#\n#.~~-.&#\n########",
)
WAY: dict[int, tuple[Any, ...]] = {
    1: ("MOVE", (3, 3)),
    25: ("MOVE", (0, 1)),
    32: ("JUMP",),
    34: ("MOVE", (-1, 0)),
    42: ("EVADE",),
    50: ("JUMP",),
    64: ("EVADE",),
    70: ("MOVE", (0, 1)),
    76: ("JUMP",),
    77: ("STOP",),
    85: ("JUMP",),
    90: ("MOVE", (0, 1.5)),
    105: ("MOVE", (8, 0)),
    116: ("JUMP",),
    119: ("STOP",),
    135: ("MOVE", (1.3, 0.25)),
    150: ("MOVE", (-0.7, 0.1)),
    160: ("MOVE", (20, 0)),
    161: ("MOVE", (7, -7)),
    240: ("MOVE", (1, 1)),
}
HURRY: dict[int, tuple[Any, ...]] = {
    1: ("MOVE", (2, 0), 6),
    10: ("MOVE", (1, 0), 5),
    20: ("MOVE", (0, 1), 4),
    25: ("JUMP", None, None),
    26: ("MOVE", (-2, 0), 3),
    40: ("MOVE", (-1, 0), 1),
    45: ("MOVE", (8, 0), 2**53 - 1),
}
BARE = ("PRIMARY_ATTACK", "PRIMARY_ATTACK", "EVADE", "JUMP", "HOLD", "RELEASE", "STOP")


Call = dict[str, Any]
Choose = Callable[[Arena, int, list[int]], list[Call]]


def replay(map: str, seed: int, ticks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Play the calls of every tick on a text map; each tick with its outcome."""
    arena = Arena(parse_map(map), seed)
    return [_play(arena, tick["calls"]) for tick in ticks]


def _play(arena: Arena, calls: list[dict[str, Any]]) -> dict[str, Any]:
    reports = [*(_call(arena, call) for call in calls), arena.step()]
    results: list[Call] = [
        {"id": f.id, "intent": f.intent, "result": f.result.to_data()} for report in reports for f in report.results
    ]
    events = [event for report in reports for event in report.events]
    state = arena.state(full=False)
    actor, opponent = state["actor"], state["opponent"]
    return {
        "calls": calls,
        "ended": [[r["id"], r["result"]["status"], r["result"]["failure_reason"]] for r in results],
        "events": [event["event"] for event in events],
        "actor": [actor[key] for key in ("x", "y", "z", "health", "stamina")],
        "opponent": [opponent[key] for key in ("x", "y", "health")],
        "sha256": digest({"state": state, "results": results, "events": events}),
    }


def _call(arena: Arena, call: dict[str, Any]) -> ArenaReport:
    match call:
        case {"cancel": id}:
            return arena.cancel(id)
        case {"reset": seed}:
            return arena.reset(seed)
        case _:
            return arena.attempt(call["intent"], call["params"], call["id"], call["based_on"], call.get("ticks"))


def _compose(map: str, seed: int, length: int, choose: Choose) -> dict[str, Any]:
    """Choose the calls of a trace, and play them."""
    arena = Arena(parse_map(map), seed)
    ticks = []
    for number in range(1, length + 1):
        draws = [stream(seed, number, 1, slot) >> 33 for slot in range(4)]
        ticks.append(_play(arena, choose(arena, number, draws)))
    return {"map": map, "seed": seed, "ticks": ticks}


def _restless(arena: Arena, number: int, draws: list[int]) -> list[Call]:
    """Anything at any time, reasonable or not."""
    open = arena.state()["open"]
    if draws[0] % 3 == 0:
        return []
    if number in {90, 200}:
        return [{"reset": number + draws[1]}]
    if open and draws[1] % 23 == 0:
        return [{"cancel": open[0]["id"]}]
    based_on = max(0, arena.seq - draws[2] % 60) if draws[1] % 5 == 0 else None
    if draws[1] % 41 == 0:
        return [_attempt(number, "DANCE")]
    if draws[1] % 3:
        return [_attempt(number, BARE[draws[3] % len(BARE)], based_on=based_on)]
    vector = _toward(arena) if draws[2] % 3 else (draws[2] % 8001 / 1000 - 4, draws[3] % 8001 / 1000 - 4)
    return [_attempt(number, "MOVE", vector, based_on, int(draws[0] % 16 == 1))]


def _fighter(arena: Arena, number: int, draws: list[int]) -> list[Call]:
    """Go to the opponent, face it, hit it; meet a windup with a guard, a dash, a jump or not at all."""
    state = arena.state()
    actor, opponent = state["actor"], state["opponent"]
    dx, dy = _toward(arena)
    if actor["holding"]:
        return [_attempt(number, "RELEASE")] if opponent["mode"] == "recover" else []
    if opponent["mode"] == "windup" and opponent["timer"] == 2:
        answer = (*BARE[2:5], None)[draws[0] % 4]
        return [_attempt(number, answer)] if answer else []
    if dx * dx + dy * dy > 2:
        return [] if state["open"] else [_attempt(number, "MOVE", (dx, dy))]
    if actor["facing"] != facing_of(round(dx * 1000), round(dy * 1000)):
        return [_attempt(number, "MOVE", (dx / 64, dy / 64))]
    return [_attempt(number, "PRIMARY_ATTACK")] if draws[1] % 4 == 0 else []


def _walker(arena: Arena, number: int, draws: list[int]) -> list[Call]:
    """A fixed way through the low passage, with what is not possible there."""
    step = WAY.get(number)
    return [_attempt(number, *step)] if step else []


def _corner(arena: Arena, number: int, draws: list[int]) -> list[Call]:
    """Around a pillar, by a step that would cut its corner."""
    vector = {1: (0, 0.95), 10: (1, -1)}.get(number)
    return [_attempt(number, "MOVE", vector)] if vector else []


def _dodger(arena: Arena, number: int, draws: list[int]) -> list[Call]:
    """Back to the wall, and a dash against it when the strike comes."""
    opponent = arena.state()["opponent"]
    if number == 1:
        return [_attempt(number, "MOVE", (-0.4, 0))]
    return [_attempt(number, "EVADE")] if (opponent["mode"], opponent["timer"]) == ("windup", 1) else []


def _hurried(arena: Arena, number: int, draws: list[int]) -> list[Call]:
    """MOVEs with less time than they need, on the ground, in the air and with just enough of it."""
    step = HURRY.get(number)
    return (
        [_attempt(number, *step[:2]) | {"ticks": step[2]} if step[2] else _attempt(number, *step[:2])] if step else []
    )


def _toward(arena: Arena) -> tuple[float, float]:
    state = arena.state()
    return tuple((state["opponent"][axis] - state["actor"][axis]) / 1000 for axis in "xy")


def _attempt(
    id: int, intent: str, vector: tuple[float, float] | None = None, based_on: int | None = None, up: int = 0
) -> Call:
    params = {"vector": [*vector, up]} if vector else None
    return {"id": id, "intent": intent, "params": params, "based_on": based_on}


def main() -> None:
    yard, foundry = shipped_map("courtyard"), shipped_map("foundry")
    fixed = replace(foundry, actor_starts=((2, 2),), opponent_starts=((21, 9),))
    traces = [
        _compose(yard.to_text(), 7, 200, _restless),
        _compose(foundry.to_text(), 2**53 - 1, 200, _restless),
        _compose(yard.to_text(), 0, 400, _fighter),
        _compose(fixed.to_text(), 3, 250, _walker),
        *(_compose(room, seed, 250, _restless) for seed, room in enumerate(ROOMS)),
        _compose(ROOMS[0], 1, 20, _corner),
        _compose("name: cell\n####\n#@&#\n####", 1, 60, _dodger),
        _compose(yard.to_text(), 11, 100, _hurried),
    ]
    lines = [f'{{"rules": {RULES_VERSION}, "traces": [']
    for trace in traces:
        lines.append(f'{{"map": {json.dumps(trace["map"])}, "seed": {trace["seed"]}, "ticks": [')
        lines += [json.dumps(tick) + ("" if tick is trace["ticks"][-1] else ",") for tick in trace["ticks"]]
        lines.append("]}" if trace is traces[-1] else "]},")
    lines.append("]}")
    GOLDEN.with_suffix(".new").write_text("\n".join(lines) + "\n", encoding="utf-8")
    GOLDEN.with_suffix(".new").replace(GOLDEN)


if __name__ == "__main__":
    main()
