"""What people think that others know: inferred, acted on, sometimes wrong, and open to questions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.drama.stage.evenings import DINNER, watched
from volition.drama import Evening, play
from volition.drama.evening.world import WorldState, begin
from volition.drama.mind.mind import Mind
from volition.drama.mind.perception import ThoughtOfOther, thoughts_of_others
from volition.drama.rules.catalog import Belief
from volition.drama.world.scenario import load_scenario

PARTY = load_scenario("dinner-party")
AFFAIR = "secret_affair_01"
pytestmark = pytest.mark.req("DE-26")


def party(*, infers: bool = True) -> WorldState:
    """The party as it begins, at an hour when people tell secrets."""
    departures = {**PARTY.rules["departures"], "theory_of_mind": infers}
    world = begin(replace(PARTY, rules={**PARTY.rules, "departures": departures}))
    world.minutes, world.tick = 90.0, 60
    return world


def told(world: WorldState, agent: str, whom: str) -> list[str]:
    """The secrets that somebody could tell another now."""
    ids = Mind(world.scenario).decide(world, agent).tally.ids
    return [id for id in ids if id.startswith(("reveal:", "confide:secret")) and id.endswith(f":{whom}")]


def test_holders_are_thought_to_know() -> None:
    """Whoever knows a secret, however they came to, tells it to none of its holders; without the rule they might."""
    for infers in (True, False):
        world = party(infers=infers)
        world.agents["thorne"].beliefs[AFFAIR] = Belief.BELIEVES_TRUE
        for holder in ("elena", "marcus"):
            assert any(AFFAIR in id for id in told(world, "thorne", holder)) is not infers
        assert any(AFFAIR in id for id in told(world, "thorne", "victor"))


def test_who_asks_is_thought_to_suspect() -> None:
    """A thought that somebody suspects makes a lie to them worth telling, and the secret at risk; a belief ends it."""
    world = party()
    marcus = world.agents["marcus"]
    lies = {id for id in Mind(world.scenario).decide(world, "marcus").tally.ids if id.startswith("lie:")}
    assert lies == set()
    marcus.suspects = {("thorne", AFFAIR)}
    lies = {id for id in Mind(world.scenario).decide(world, "marcus").tally.ids if id.startswith("lie:")}
    assert lies == {f"lie:{AFFAIR}:thorne"}
    assert ThoughtOfOther("thorne", AFFAIR, "suspects", "asked", False) in thoughts_of_others(world, "marcus")


def test_thoughts_can_be_wrong() -> None:
    """What one thinks of others does not follow what they believe; it says why, and an evening says whether it is right."""
    world = party()
    diana = world.agents["diana"]
    thought = {(one.whom, one.secret): one for one in thoughts_of_others(world, "diana")}
    assert thought["elena", AFFAIR] == ThoughtOfOther("elena", AFFAIR, "knows", "holds it", True)
    diana.knows.add(("victor", AFFAIR))
    (wrong,) = [one for one in thoughts_of_others(world, "diana") if not one.right]
    assert str(wrong) == f"victor knows {AFFAIR} (was there; wrong)"
    world.agents["thorne"].beliefs[AFFAIR] = Belief.BELIEVES_TRUE
    assert ("thorne", AFFAIR) not in {(one.whom, one.secret) for one in thoughts_of_others(world, "diana")}


def test_an_evening_can_be_asked() -> None:
    """At every tick, everybody has thoughts about others, and over an evening some are wrong or missing."""
    evening = Evening(watched(DINNER, 5).run)
    late = [thought for agent in PARTY.people for thought in evening.thoughts(evening.last, agent)]
    assert {thought.thinks for thought in late} == {"knows", "suspects"}
    state = evening.state(evening.last)
    known = {
        (agent, other, secret)
        for agent in PARTY.people
        for other in PARTY.people
        for secret, belief in state.agents[other].beliefs.items()
        if agent != other and belief == Belief.BELIEVES_TRUE
    }
    thought = {(agent, one.whom, one.secret) for agent in PARTY.people for one in evening.thoughts(evening.last, agent)}
    assert known - thought
    assert play(PARTY, 1, ticks=1).thoughts(0, "diana")
