"""Which acts mattered: exact, by playing the evening without each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.drama.playing.own_code import sociable
from volition.drama import Evening, Scenario, play, scenario
from volition.drama.evening import players
from volition.drama.playing.significance import WEIGHTS, acts_of, bond_change
from volition.drama.rules.catalog import CATASTROPHE
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from volition.drama.playing.significance import ActSignificance

TICKS, SEED = 40, 1


@pytest.fixture(scope="module")
def party() -> Scenario:
    return scenario("dinner-party")


@pytest.fixture(scope="module")
def evening(party: Scenario) -> Evening:
    """Forty ticks, in which there is some drama."""
    return play(party, SEED, ticks=TICKS)


@pytest.fixture(scope="module")
def found(evening: Evening) -> tuple[ActSignificance, ...]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(players, "fits", lambda _: False)
        return evening.significance()


@pytest.mark.req("DE-28")
def test_significance_is_what_a_fork_shows(evening: Evening, found: tuple[ActSignificance, ...]) -> None:
    """Every figure is that of the evening in which the act is forbidden, as `fork` plays it and a plain count sees it."""
    assert len(found) > 4
    for one in found[:: max(1, len(found) // 3)]:
        branch = evening.fork(at=one.event.tick, veto=one.act, agent=one.event.source, ticks=TICKS)
        assert branch.run.ticks[one.event.tick].choices[one.event.source].id == one.instead
        came, without = evening.state(evening.last), branch.state(branch.last)
        others = [
            (who, secret)
            for who, me in came.agents.items()
            for secret in me.beliefs
            if me.beliefs[secret] != without.agents[who].beliefs[secret]
        ]
        assert [(who, secret) for who, secret, *_ in one.beliefs] == others
        gone = [
            who
            for who in came.agents
            if (came.agents[who].location == DEPARTED) != (without.agents[who].location == DEPARTED)
        ]
        assert list(one.left) == gone
        assert branch.ending is not None
        assert one.ending == branch.ending.kind
        assert one.differences["bonds"] == min(1.0, bond_change(came, without) / 0.25)
        assert one.score == sum(WEIGHTS[name] * one.differences[name] for name in WEIGHTS)


def test_they_are_ranked_and_bounded(
    evening: Evening, found: tuple[ActSignificance, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The most significant comes first; a bound keeps the dramatic acts; what nobody chose is not examined."""
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    every = list(acts_of(evening.run, everything=True))
    assert {one.event.id for one in found} < {event.id for event in every}
    assert not any(event.type == CATASTROPHE for event in every)
    assert len({(event.tick, event.source) for event in every}) == len(every)
    few: list[tuple[int, int]] = []
    monkeypatch.setattr(players, "fits", lambda _: False)
    kept = evening.significance(most=2, progress=lambda done, of: few.append((done, of)))
    assert few == [(1, 2), (2, 2)]
    assert all(one.event.is_dramatic for one in kept)


def test_both_paths_find_the_same(
    evening: Evening, found: tuple[ActSignificance, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Branches that are played compiled come out as those that are interpreted, to the last bit."""
    if not players.fits(evening.scenario):
        pytest.skip("needs Numba")
    from volition.drama.evening import compiled

    monkeypatch.setattr(compiled, "is_kept", lambda _: True)
    assert evening.significance() == found


@pytest.mark.req("DE-28")
def test_custom_terms_take_part_without_their_code(party: Scenario) -> None:
    """In an evening with custom terms the record answers for them, so that significance needs no code."""
    own = play(party, SEED, ticks=12, terms=[sociable])
    assert Evening(own.run).significance(most=1, everything=True)[0].instead is not None


def test_whose_story_it_is_follows_from_what_mattered(evening: Evening, found: tuple[ActSignificance, ...]) -> None:
    """The share of what mattered is a quality of an arc: where all that mattered is one person's, theirs gains most."""
    person = found[0].event.source
    ranked = evening.arcs(mattered=found)
    assert all(0.0 <= arc.qualities["significance"] <= 1.0 for arc in ranked)
    flat = {arc.protagonist: arc.score for arc in evening.arcs(mattered=[])}
    alone = {
        arc.protagonist: arc for arc in evening.arcs(mattered=[one for one in found if one.event.source == person])
    }
    assert alone[person].qualities["significance"] == max(arc.qualities["significance"] for arc in alone.values()) > 0.5
    assert alone[person].score > flat[person]
    assert found[0].event.id in [beat.event for beat in alone[person].beats]
