"""The evening step by step for a guest: the introduction, offers in groups, what was heard, and what others took from it."""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from tests.drama.audience.evenings import belief, bond, event
from volition.core.errors import InvalidInput
from volition.drama import Evening, play, scenario
from volition.drama.audience.introduction import HOW_TO_PLAY
from volition.drama.audience.reactions import reactions_of
from volition.drama.rules.catalog import REVEAL, Belief
from volition.drama.stage.events import Delta, Strain, TickRecord
from volition.drama.stage.replay import steps
from volition.drama.stage.run import run as play_run
from volition.drama.world.settings import Setting, apply_settings

if TYPE_CHECKING:
    from tests.sentences import Told
    from volition.drama.playing.guest import GuestStep

SCENARIOS = ("dinner-party", "night-tide", "winter-station")


def played(seed: int, ticks: int, name: str = "dinner-party", guest: str = "victor") -> list[GuestStep[Evening]]:
    """The steps of an evening in which a guest does anything, by a seed."""
    chance, party = Random(seed), apply_settings(scenario(name), [Setting("evening.ticks", None, ticks)])
    found = [Evening.begin(party, seed, guest).step()]
    while (menu := found[-1].menu) is not None:
        found.append(found[-1].evening.step(chance.choice(menu.ids)))
    return found


@pytest.mark.req("DE-28")
def test_a_guest_is_introduced(told: Told) -> None:
    """The page says who is here, what they are to the guest, and what the guest wants and knows; in words without numbers,
    and without the description of the scenario, which tells the secrets."""
    page = Evening.begin(scenario("dinner-party"), 3, "victor").introduction()
    assert page is not None
    assert {member.id for member in page.cast} == scenario("dinner-party").people.keys() - {"victor"}
    assert len(page.how) == len(HOW_TO_PLAY) == 5
    told("\n".join(page.lines()))


@pytest.mark.req("DE-28")
@pytest.mark.parametrize("name", SCENARIOS)
def test_the_introduction_names_only_what_the_guest_knows(name: str) -> None:
    """For everybody in every shipped scenario: no number, no id, and no secret that they do not know."""
    found = scenario(name)
    for guest in found.people:
        evening = Evening.begin(found, 2, guest)
        page, offer = evening.introduction(), evening.offer()
        assert page is not None
        assert offer is not None
        text = "\n".join(page.lines())
        assert not re.search(r"\d", text)
        for secret in found.secrets.values():
            knows = offer.me.beliefs.get(secret.id) == Belief.BELIEVES_TRUE
            assert secret.id not in text
            assert knows or secret.description.rstrip(".") not in text


@pytest.mark.req("DE-28")
def test_steps_are_those_of_the_run() -> None:
    """A step goes as far as `choose` does; the same choices give the same steps; and the evening verifies."""
    found = played(5, 8)
    again = played(5, 8)
    assert [step.lines() for step in found] == [step.lines() for step in again]
    assert [step.heard for step in found] == [step.heard for step in again]
    last = found[-1].evening
    assert last.run == again[-1].evening.run
    assert last.verify() == last.last
    assert found[-1].scene == ""
    ticks = [tick.tick for step in found for tick in step.ticks]
    assert ticks == list(range(found[0].evening.last, last.last))


@pytest.mark.req("DE-28")
def test_offers_are_grouped() -> None:
    """Everything that is offered is in the menu once, in words; at most eight groups come first, the best of them with the
    act that the guest would choose by themselves."""
    for step in played(3, 10):
        offer = step.evening.offer()
        if offer is None or step.menu is None:
            continue
        assert sorted(step.menu.ids) == sorted(offer.choices)
        assert len(step.menu.best) == min(8, len(step.menu.groups))
        assert offer.own in [choice.id for choice in step.menu.best[0].choices]
        words = [choice.words for group in step.menu.groups for choice in group.choices]
        assert len(set(words)) == len(words)
        assert not any(id in text for text in words for id in (*step.evening.scenario.secrets, "_"))
    assert not step.menu


@pytest.mark.req("DE-28")
def test_a_step_needs_a_guest_and_an_offered_act(told: Told) -> None:
    """What `choose` refuses a step refuses."""
    begun = Evening.begin(scenario("dinner-party"), 3, "victor")
    with told.raises(InvalidInput):
        begun.step("chat:nobody")
    with told.raises(InvalidInput):
        play(scenario("dinner-party"), 3, ticks=1).step()


@pytest.mark.req("DE-28")
def test_what_others_took_from_an_act(told: Told) -> None:
    """Whoever was there and learned, suspects, trusts more or less, was hurt or troubled shows it; nobody who was not
    there, and nothing about what is between others."""
    world = Evening.begin(scenario("dinner-party"), 3, "lydia").state(0)
    affair, money = "secret_affair_01", "secret_embezzle_01"
    unknown, suspects, knows = Belief.UNKNOWN, Belief.SUSPECTS, Belief.BELIEVES_TRUE
    act = event(
        REVEAL, "lydia", "thorne", witnesses=("marcus",), secret=money,
        deltas=(
            belief("thorne", money, unknown, knows), belief("marcus", affair, unknown, suspects),
            belief("victor", money, unknown, knows), bond("thorne", "lydia", 0.2, 0.5), bond("marcus", "lydia", 0.2, 0.15),
            bond("thorne", "marcus", 0.2, -0.5), Delta("stung", "marcus", "lydia", None, 2.0, "made by hand"),
            Delta("emotion", "thorne", "anger", 0.0, 0.4, "made by hand"),
        ),
        strains=(Strain("thorne", "stress", 0.2, "made by hand"),),
    )  # fmt: skip
    record = TickRecord(2, 2.0, 1.0, {}, (act, structs.replace(act, source="elena", id="e0002")), ())
    found = reactions_of(world, record, "lydia")
    assert [(one.who, one.kind) for one in found] == [
        ("thorne", "knows"), ("marcus", "suspects"), ("thorne", "trust"), ("marcus", "trust"), ("marcus", "hurt"),
        ("thorne", "feeling"), ("thorne", "troubled"),
    ]  # fmt: skip
    told("\n".join(one.words for one in found))


@pytest.mark.req("DE-28")
@pytest.mark.parametrize("name", SCENARIOS)
def test_reactions_name_no_secret_that_the_guest_does_not_know(name: str) -> None:
    """Over whole evenings, for everybody: what others took from an act is about people who were there, and names what the
    guest knows and nothing else."""
    run, count = play_run(scenario(name), 4), 0
    for world, record in steps(run):
        for guest in run.scenario.people:
            there = {who for one in record.events if one.source == guest for who in (*one.targets, *one.witnesses)}
            for reaction in reactions_of(world, record, guest):
                count += 1
                assert reaction.who in there
                for secret in run.scenario.secrets.values():
                    knows = world.agents[guest].beliefs[secret.id] == Belief.BELIEVES_TRUE
                    assert knows or secret.description.rstrip(".") not in reaction.words
    assert count > 20
