"""The version of the rules identifies what they do: when an evening changes, it is incremented.

A run is explained only by the rules that made it. So a change that affects an evening of the shipped scenarios has to
increment RULES_VERSION and update the digests here.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from tests.drama.stage.evenings import watched
from volition.core.canonical import digest
from volition.drama import play
from volition.drama.playing.evening import verify_run
from volition.drama.stage.archive import tick_to_data
from volition.drama.stage.record import RULES_VERSION
from volition.drama.world.scenario import load_scenario

if TYPE_CHECKING:
    from pathlib import Path

VERSION = 5
GOLDEN = {
    ("dinner-party", 1): "08a327958e13dd401f140345c69a5e5d93dce247bec20912edce76d8d69ca6e1",
    ("dinner-party", 2): "3955698e00d5e166e2128ab9cede52eb8ff76a777c7b092b8b959fa9ebae103b",
    ("winter-station", 1): "9be6e6eaefc6ee95bdb61e574620bf1ae0a172ab54ba61e30fadecca9bb3c285",
}


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(("name", "seed"), GOLDEN)
def test_an_evening_belongs_to_a_version(name: str, seed: int) -> None:
    """The same scenario, seed and rules version give the evening that they always gave, in both readings."""
    runs = watched(name, seed).run, watched(f"literal {name}", seed).run
    ticks = [[tick_to_data(record) for record in run.ticks[:60]] for run in runs]
    assert (RULES_VERSION, digest([runs[0].scenario.hash, ticks])) == (VERSION, GOLDEN[name, seed])


RECORDED = "e6934b9fad30b5d5a0405cfa3fb06fcb64a0af33236a84a5fcd93b6eb273fcd9"
"""The digest of the file that records twelve ticks of the dinner party with seed 1."""


@pytest.mark.req("DE-17")
def test_a_stored_run_can_still_be_asked(tmp_path: Path) -> None:
    """The record of an evening has, to the byte, what it always had, so what was stored by the same version of the rules
    is loaded, verified and explained."""
    play(load_scenario("dinner-party"), 1, ticks=12).save(tmp_path / "run")
    (file,) = (tmp_path / "run").glob("*.jsonl")
    assert (RULES_VERSION, sha256(file.read_bytes()).hexdigest()) == (VERSION, RECORDED)
    evening = verify_run(tmp_path / "run")
    for agent, choice in evening.run.ticks[-1].choices.items():
        assert evening.decision(evening.last - 1, agent).id == choice.id
