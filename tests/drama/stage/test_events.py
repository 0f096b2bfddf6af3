"""What events ask of people, over whole evenings."""

from __future__ import annotations

import pytest

from tests.drama.rules.numbers import near
from tests.drama.stage.evenings import EVENINGS, watched
from tests.drama.stage.oracle import strained
from volition.drama.stage.replay import walk


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(("name", "seed"), EVENINGS)
def test_every_event_asks_what_the_specification_says(name: str, seed: int) -> None:
    """Stress, commitment, budget and drinks that an event asks of everybody are those of its tables, and no others."""
    for world, event in walk(watched(name, seed).run):
        total: dict[tuple[str, str], float] = {}
        for strain in event.strains:
            key = strain.agent, strain.number
            total[key] = total.get(key, 0.0) + strain.amount
        assert {key: amount for key, amount in total.items() if abs(amount) > 1e-12} == near(strained(world, event)), (
            event.id
        )


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(("name", "seed"), EVENINGS)
def test_no_event_charges_twice(name: str, seed: int) -> None:
    """Pacing is changed by the end of a tick alone, and every one of its changes stands there once."""
    run = watched(name, seed).run
    for record in run.ticks:
        assert not any(delta.kind == "pacing" for event in record.events for delta in event.deltas)
        paid = [delta.agent for delta in record.after if delta.kind == "pacing"]
        assert len(paid) == len(set(paid))
