from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drama.audience.evenings import belief, event, events_in
from tests.drama.party import AFFAIR, IDS, LYDIA_KNOWS, TABLE, party
from tests.drama.worlds import moved_to, worlds
from volition.drama.audience.viewing import (
    agent_irony,
    collapse,
    collapse_score,
    present_in,
    relevance,
    scene_irony,
)
from volition.drama.evening.components import irony_of
from volition.drama.evening.world import begin
from volition.drama.rules.catalog import REVEAL, Belief


def test_irony_of_the_opening() -> None:
    """At the start of the canonical evening every person's irony is what the formula gives when computed by hand."""
    world = begin(party())
    by_hand = {"thorne": 2.5, "elena": 1.625, "marcus": 1.125, "lydia": 1.25, "diana": 1.5, "victor": 1.625}
    assert {id: agent_irony(world, id) for id in IDS} == by_hand
    assert scene_irony(world, IDS) == pytest.approx(sum(by_hand.values()) / 6)


def test_relevance_by_rank() -> None:
    """A secret is most relevant to its subject, then to those close to a present subject, then to holders, then to others in the subject's room."""
    world = begin(party())
    secrets = world.scenario.secrets
    assert relevance(world, secrets[AFFAIR], "elena") == 1.0
    assert relevance(world, secrets[AFFAIR], "thorne") == 0.9  # close to Elena, who is there
    assert relevance(world, secrets[AFFAIR], "victor") == 0.5
    world.agents["elena"].location = "balcony"
    assert relevance(world, secrets[AFFAIR], "thorne") == 0.2
    assert relevance(world, secrets[AFFAIR], "marcus") == 0.7
    assert relevance(world, secrets[AFFAIR], "victor") == 0.2


@pytest.mark.parametrize(
    ("held", "concerns", "own", "expected"),
    [
        (Belief.BELIEVES_FALSE, 0.2, False, 0.4),
        (Belief.BELIEVES_FALSE, 1.0, True, 2.0),
        (Belief.UNKNOWN, 1.0, True, 1.5),
        (Belief.UNKNOWN, 0.5, False, 0.5),
        (Belief.UNKNOWN, 0.2, False, 0.0),
        (Belief.SUSPECTS, 0.5, False, 0.125),
        (Belief.BELIEVES_TRUE, 1.0, True, 0.0),
    ],
)
def test_points(held: Belief, concerns: float, own: bool, expected: float) -> None:
    """Each belief has the points of the table."""
    assert irony_of(held, concerns, own) == pytest.approx(expected, abs=1e-13)


def test_collapse_of_what_was_denied() -> None:
    """When everybody who believed lies learns the truth, irony collapses; the score counts depth, people informed and denial."""
    world = begin(party())
    for id in ("thorne", "victor", "lydia"):
        world.agents[id].beliefs[AFFAIR] = Belief.BELIEVES_FALSE
    learned = tuple(
        belief(id, AFFAIR, Belief.BELIEVES_FALSE, Belief.BELIEVES_TRUE) for id in ("thorne", "victor", "lydia")
    )
    found = collapse(world, event(REVEAL, "diana", "thorne", deltas=learned, secret=AFFAIR))
    assert found is not None
    assert found.drop == pytest.approx((1.8 + 1.0 + 1.0) / 6)
    assert found.informed == ("thorne", "victor", "lydia")
    assert found.score == pytest.approx(0.5 * found.drop / 2 + 0.3 * 3 / 4)
    assert collapse(world, event(REVEAL, "diana", "thorne", deltas=learned[:1], secret=AFFAIR)) is None


def test_denial_adds_to_a_collapse() -> None:
    """The share of the informed who have a flaw of denial counts for a fifth of the score."""
    world = begin(party())
    world.agents["lydia"].location = world.agents["marcus"].location = "balcony"
    world.agents["marcus"].beliefs[LYDIA_KNOWS] = Belief.BELIEVES_FALSE
    learned = (belief("marcus", LYDIA_KNOWS, Belief.BELIEVES_FALSE, Belief.BELIEVES_TRUE),)
    found = collapse(world, event(REVEAL, "lydia", "marcus", "balcony", deltas=learned, secret=LYDIA_KNOWS))
    assert found is not None
    assert found.score == pytest.approx(collapse_score(found.drop, 1, 1.0))
    people = world.scenario.people
    calm = replace(people["marcus"], flaws=people["marcus"].flaws[:1])
    world = moved_to(world, replace(world.scenario, people={**people, "marcus": calm}))
    without = collapse(world, event(REVEAL, "lydia", "marcus", "balcony", deltas=learned, secret=LYDIA_KNOWS))
    assert without is not None
    assert found.score - without.score == pytest.approx(0.2)


@given(st.data())
def test_collapse_is_what_the_changed_world_shows(data: st.DataObject) -> None:
    """The fall of irony is the difference to a world in which the beliefs are actually changed."""
    world = data.draw(worlds())
    happened = data.draw(events_in(world))
    if happened is None:
        return
    later = deepcopy(world)
    for delta in happened.deltas:
        if delta.kind == "belief":
            later.agents[delta.agent].beliefs[delta.key] = Belief(delta.after)
    present = present_in(world, happened.room)
    drop = scene_irony(world, present) - scene_irony(later, present)
    found = collapse(world, happened, least=0.1)
    assert (found is not None) == (drop >= 0.1 and any(delta.kind == "belief" for delta in happened.deltas))
    if found is not None:
        assert found.drop == pytest.approx(drop)
        assert 0.0 <= found.score <= 1.0


def test_nobody_has_no_irony() -> None:
    """An empty room has no irony."""
    world = begin(party())
    assert scene_irony(world, present_in(world, "balcony")) == 0.0
    assert set(present_in(world, TABLE)) == set(IDS)
