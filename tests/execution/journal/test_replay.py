"""A journal played again: the same world gives the same results, and another one is told by what differs."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result
from msgspec import structs

from tests.execution.bridge.bridges import PATIENT
from tests.execution.executor.jvm import arena
from tests.execution.journal.journals import CONNECTED, LOST
from volition.cli.journal import journal
from volition.core.errors import InvalidInput
from volition.execution import Bridge, connect
from volition.execution.journal import Journal, summary
from volition.execution.journal.replay import Recorded, recorded_intents
from volition.execution.journal.replay import replay as play
from volition.execution.pilot import Opponent, Pilot, drive

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SEED = 7


@contextmanager
def recording(folder: Path, address: str = "embedded") -> Iterator[Bridge]:
    with connect(address, seed=SEED, journal=folder, timing=replace(PATIENT, grace=60.0)) as bridge:
        yield bridge


def perform(bridge: Bridge) -> None:
    """Every way in which an intent can end: by itself, at its time, by a wall, by another one, by STOP, by a cancel."""
    bridge.execute("MOVE", {"vector": [1, 0, 0]}, deadline=2.0)
    bridge.execute("MOVE", {"vector": [4, 0, 0]}, deadline=0.3)
    superseded = bridge.submit("MOVE", {"vector": [0, 3, 0]}, deadline=2.0)
    under_way(bridge)
    bridge.execute("HOLD")
    bridge.execute("MOVE", {"vector": [0, -1, 0]}, deadline=1.0)
    bridge.wait(superseded)
    bridge.execute("RELEASE")
    bridge.execute("MOVE", {"vector": [0, -1.5, 0]}, deadline=1.5)
    stopped = bridge.submit("MOVE", {"vector": [-3, 0, 0]}, deadline=2.0)
    under_way(bridge)
    bridge.execute("STOP")
    bridge.wait(stopped)
    bridge.execute("JUMP")
    bridge.execute("PRIMARY_ATTACK")
    bridge.execute("DANCE")


def under_way(bridge: Bridge) -> None:
    """Wait until what was submitted has certainly begun: in the tick in which it arrives nothing has come of it yet."""
    assert bridge.state is not None
    begun = bridge.state.tick + 3
    while (state := bridge.next_state()) is None or state.tick < begun:
        pass


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("replay") / "journal"
    with recording(folder) as bridge:
        perform(bridge)
    return folder


def run(*words: object) -> Result:
    return CliRunner().invoke(journal, ["replay", *map(str, words)])


def test_the_same_world_gives_the_same_results(recorded: Path) -> None:
    """On the embedded arena with the same seed, each intent in its tick ends as it did, overlapping ones too."""
    number, intents = recorded_intents(recorded)
    assert number == 1
    assert [intent.intent for intent in intents].count("MOVE") == 6
    assert "DANCE" not in {intent.intent for intent in intents}, "what was not sent is not sent now"
    with connect("embedded", seed=SEED) as bridge:
        found = play(intents, bridge)
    assert found.differences == ()
    assert found.sent == len(intents)


def test_a_drive_of_the_pilot_is_reproduced(tmp_path: Path) -> None:
    """A whole drive, with fights, dodges and failures, ends as it did, at either pace."""
    with recording(tmp_path / "drive") as bridge:
        drive(bridge, 120, pilot=Pilot(goal=Opponent()))
    number, intents = recorded_intents(tmp_path / "drive")
    with connect("embedded", seed=SEED) as bridge:
        found = play(intents, bridge, run=number)
    assert (found.sent > 20, found.differences) == (True, ())


@pytest.mark.parametrize("pace", ["recorded", "fast"])
def test_a_planted_difference_is_found(recorded: Path, pace: Any) -> None:
    """One recorded result that the executor does not give is told by its ticket and the field, and it alone."""
    _, intents = recorded_intents(recorded)
    chosen = next(intent for intent in intents if intent.intent == "HOLD")
    with connect("embedded", seed=SEED) as bridge:
        found = play([_damaged(intent) if intent is chosen else intent for intent in intents], bridge, pace=pace)
    differences = [(each.ticket, each.fields) for each in found.differences]
    assert differences == [(chosen.ticket, {"outcomes.damage_dealt": (5.0, 0.0)})]
    assert "damage_dealt 5.0 -> 0.0" in str(found)


def _damaged(intent: Recorded) -> Recorded:
    outcomes = structs.replace(intent.result.outcomes, damage_dealt=5.0)
    return replace(intent, result=structs.replace(intent.result, outcomes=outcomes))


def _cell(folder: Path) -> Path:
    """A map too small for the recorded walks."""
    (folder / "cell.txt").write_text("name: cell\n#####\n#@.&#\n#####\n")
    return folder / "cell.txt"


def test_the_command_ends_with_0_and_3(recorded: Path, tmp_path: Path) -> None:
    """Same seed: 0. Another map: 3, and every difference in text and as JSON. Nothing to replay: 2."""
    same = run(recorded, "embedded", "--seed", SEED)
    assert (same.exit_code, "with the same result" in same.stdout) == (0, True), same.output
    told = json.loads(run(recorded, "embedded", "--seed", SEED, "--json").stdout)
    assert (told["same"], told["differences"], told["run"]) == (True, [], 1)
    other = run(recorded, "embedded", "--map", _cell(tmp_path), "--json")
    assert other.exit_code == 3
    assert json.loads(other.stdout)["differences"][0]["fields"]
    with Journal(tmp_path / "empty") as writer:
        writer.tell(CONNECTED)
        writer.tell(LOST)
    assert isinstance(run(tmp_path / "empty", "embedded").exception, InvalidInput)
    assert isinstance(run(recorded, "embedded", "--run", 9).exception, InvalidInput)


def test_the_other_arena_gives_the_same_results(recorded: Path, tmp_path: Path) -> None:
    """What the embedded arena recorded, the Java arena repeats, and the other way round; another map shows."""
    if os.environ.get("NO_JAVA") == "1":
        pytest.skip("NO_JAVA=1")
    with arena(seed=SEED) as address:
        assert run(recorded, address).output.count("\n") == 1
    folder = next(each for each in map(tmp_path.joinpath, map(str, count())) if _recorded_whole(each))
    assert run(folder, "embedded", "--seed", SEED).output.count("\n") == 1
    assert run(folder, "embedded", "--map", _cell(tmp_path)).exit_code == 3


def _recorded_whole(folder: Path) -> bool:
    """Record the Java arena; False where the machine was so busy that it gave the bridge up meanwhile."""
    with arena(seed=SEED) as address, recording(folder, address) as bridge:
        perform(bridge)
    return len(summary(folder).connections) == 1
