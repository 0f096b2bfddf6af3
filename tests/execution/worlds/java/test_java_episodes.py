"""Games in Java that begin again and have intents of their own, in real processes, driven by the Python bridge."""

from __future__ import annotations

import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.execution.worlds.java.jvm import arena, game
from volition.execution import connect
from volition.execution.worlds import java

if TYPE_CHECKING:
    from collections.abc import Iterator


def world(data: dict[str, Any]) -> dict[str, Any]:
    """A state without what counts on."""
    return {name: value for name, value in data.items() if name not in {"seq", "tick", "episode"}}


@pytest.mark.req("EX-25")
def test_a_reset_gives_the_episode_of_the_embedded_arena() -> None:
    """After the same seed both arenas are in the same state, whatever was done before and however often it was reset; what
    was open has ended with the former world."""
    with arena(map="foundry", hz=0.5) as address, connect(address) as body, connect("embedded", map="foundry") as other:
        ticket = body.submit("MOVE", {"vector": [1, 0, 0]}, deadline=60.0)
        episodes, worlds = [], []
        for seed in (7, 2**53 - 1, 0, 7):
            state = body.reset(seed)
            assert state.full
            assert world(state.data) == world(other.reset(seed).data)
            episodes.append(state.episode)
            worlds.append(world(state.data))
        assert sorted(set(episodes)) == episodes
        assert worlds[0] == worlds[3] != worlds[2]
        assert body.wait(ticket).detail == "RESET"


@contextmanager
def example(name: str) -> Iterator[str]:
    """A game of the README while the block runs, by its address."""
    (source,) = [path for file, path in java.project_files().items() if file.endswith(f"/example/{name}.java")]
    child = subprocess.Popen([*game(source), "0"], stdout=subprocess.PIPE)
    assert child.stdout is not None
    try:
        yield child.stdout.readline().decode().strip()
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


@pytest.mark.req("EX-24", "EX-25")
def test_a_game_in_java_has_intents_of_its_own() -> None:
    """The bridge reads what a Java game declares, sends what fits, keeps back what does not, and begins it again."""
    with example("Quarry") as address, connect(address) as body:
        Dig = body.declared["DIG"].make_class()  # noqa: N806  a class
        assert body.execute(Dig((1, 0, 0)), deadline=30.0).status == "SUCCESS"
        assert body.execute("DIG", {"at": [0, 0, 0]}, deadline=30.0).reason == "BLOCKED"
        assert body.execute(Dig((0, 0, 0), tool="pick"), deadline=30.0).status == "SUCCESS"
        assert body.execute("DIG", {"at": [0, 0]}).label == "intercepted"
        assert body.welcome is not None
        assert body.welcome.deterministic
        assert body.reset(2).data == {"seed": 2, "dug": []}
        assert body.execute(Dig((1, 0, 0)), deadline=30.0).reason == "BLOCKED"
