"""Looks: what they report for bonds and flaws is what these add in the mind, act by act."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tests.drama.company.kernel.decided import invented
from volition.drama.company.kernel import Kernel
from volition.drama.company.kernel.layout import DESK
from volition.drama.company.kernel.look import bond_part, flaw_part
from volition.drama.company.kernel.loop import weigh
from volition.drama.mind.mind import Mind
from volition.drama.world.model import DEPARTED

SCENARIOS = 40


@pytest.mark.req("DE-21")
@pytest.mark.parametrize("departing", [False, True], ids=["letter", "departing"])
def test_the_parts_of_every_act(departing: bool) -> None:
    """For every act that is offered, the parts of bonds and flaws are the mind's to the last bit; most are not 0."""
    added = Counter[str]()
    for seed in range(3000, 3000 + SCENARIOS):
        states = invented(seed, departing=departing)[:4]
        mind, kernel = Mind(states[0].scenario), Kernel(states[0].scenario)
        places = {term: mind.composite.voters.index(term) for term in ("bonds", "flaws")}
        (house,), weights, desk = kernel.model.house, kernel.model.named, np.zeros(1, dtype=DESK)[0]
        for state in states:
            for me, record in zip(state.agents.values(), kernel.pack([state]), strict=True):
                if me.location == DEPARTED:
                    continue
                tally, who = mind.decide(state, me.id).tally, kernel.model.people[record["person"]]
                made = weigh(record, who, house, weights, desk)
                assert [kernel.slots[int(slot)].id for slot in desk["slots"][:made]] == list(tally.survivors)
                for slot, id, products in zip(desk["slots"][:made], tally.survivors, tally.products, strict=True):
                    parts = {
                        "bonds": bond_part(record, weights, desk, slot),
                        "flaws": flaw_part(who, weights, desk, slot),
                    }
                    assert parts == {term: products[place] for term, place in places.items()}, id
                    word = id if id.startswith("physical:slam") or id == "chat:all" else id.split(":")[0]
                    added.update(f"{term} {word}" for term, part in parts.items() if part)
    wanted = {
        f"flaws {word}" for word in ("chat", "observe", "move", "reveal", "conflict", "confide", "lie", "physical")
    }
    wanted |= {f"bonds {word}" for word in ("chat", "chat:all", "reveal", "conflict", "confide", "lie")}
    assert wanted | ({"flaws physical:slam"} if departing else set()) <= set(added)
