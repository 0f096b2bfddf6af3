"""The arena as text."""

from __future__ import annotations

from hypothesis import given

from tests.execution.worlds.arena.plays import Play, play, plays
from volition.execution.worlds.arena.view import render


def test_what_a_reader_sees() -> None:
    """Bodies, bars and what the actor is busy with are drawn."""
    fight = play("@&.", "...")
    fight.attempt("PRIMARY_ATTACK")
    fight.do("step")
    fight.attempt("HOLD")
    fight.attempt("MOVE", 0, 1, 0)
    assert render(fight.arena.state()).splitlines() == [
        "#####",
        "#v!.#",
        "#...#",
        "#####",
        "tick 1  episode 1",
        "actor     health [##########] 100  stamina [#########.]  81  MOVE 3, holding, attack in 9",
        "opponent  health [########..]  75  windup",
    ]


@given(plays())
def test_every_state_can_be_drawn(play: Play) -> None:
    """Every state of a random play has a drawing with one row for each of the map, and the actor on its tile."""
    for moment in play.moments:
        lines = render(moment.after).splitlines()
        actor = moment.after["actor"]
        assert len(lines) == len(moment.after["map"]["rows"]) + 3
        assert lines[actor["y"] // 1000][actor["x"] // 1000] in ("><^v" if actor["alive"] else "x")


def test_a_bar_is_empty_or_full_only_where_it_is() -> None:
    """One point of health shows, and so does one that is missing."""
    state = play("@&").arena.state()
    for health, bar in ((0, ".........."), (1, "#........."), (99, "#########."), (100, "##########")):
        state["actor"]["health"] = health
        assert f"health [{bar}] {health:>3}" in render(state)
