"""The arena as text, drawn from a full state: for a terminal, a log or a failing test."""

from __future__ import annotations

from typing import Any

from volition.execution.worlds.arena.rules import HEALTH, STAMINA, TILE

_ACTOR = {"east": ">", "south": "v", "west": "<", "north": "^"}
_OPPONENT = {"patrol": "&", "chase": "&", "windup": "!", "recover": "&", "down": "%"}
_BAR = 10


def render(state: dict[str, Any]) -> str:
    """A full state as text: the map with both bodies on it, and a line about each.

    The actor is an arrow in its facing, or `x` when it is dead; the opponent is `&`, `!` while it winds up and `%` when it
    is down. Where both are on one tile, the actor is shown.

    >>> from volition.execution.worlds.arena import Arena
    >>> from volition.execution.worlds.arena.ground import parse_map
    >>> print(render(Arena(parse_map("name: closet\\n#####\\n#@.&#\\n#####")).state()))
    #####
    #>.&#
    #####
    tick 0  episode 1
    actor     health [##########] 100  stamina [##########] 100
    opponent  health [##########] 100  patrol
    """
    actor, opponent = state["actor"], state["opponent"]
    rows = [list(row) for row in state["map"]["rows"]]
    rows[opponent["y"] // TILE][opponent["x"] // TILE] = _OPPONENT[opponent["mode"]]
    rows[actor["y"] // TILE][actor["x"] // TILE] = _ACTOR[actor["facing"]] if actor["alive"] else "x"
    lines = ["".join(row) for row in rows]
    lines.append(f"tick {state['tick']}  episode {state['episode']}")
    lines.append(
        f"actor     health {_bar(actor['health'], HEALTH)}  stamina {_bar(actor['stamina'], STAMINA)}{_describe(state)}"
    )
    lines.append(f"opponent  health {_bar(opponent['health'], HEALTH)}  {opponent['mode']}")
    return "\n".join(lines)


def _bar(value: int, full: int) -> str:
    """A bar that is empty only at 0 and full only at `full`."""
    marks = _BAR if value == full else min(_BAR - 1, -(-value * _BAR // full))
    return f"[{'#' * marks:.<{_BAR}}] {value:>3}"


def _describe(state: dict[str, Any]) -> str:
    actor = state["actor"]
    doing = [f"{each['intent']} {each['id']}" for each in state["open"]]
    if actor["holding"]:
        doing.append("holding")
    if actor["air"]:
        doing.append("in the air")
    doing += [f"{clock} in {left}" for clock, left in actor["cooldowns"].items() if left]
    if not actor["alive"]:
        doing.append(f"dead, back in {state['down']}")
    return "  " + ", ".join(doing) if doing else ""
