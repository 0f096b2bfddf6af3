"""An evening in which somebody plays a guest: offers, choices, and evenings that go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from tests.drama.playing.own_code import brood
from volition.core.errors import InvalidInput, NotPossible
from volition.drama import Evening, Scenario, play, scenario
from volition.drama.playing.evening import verify_run
from volition.drama.world.settings import Setting, apply_settings

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told
    from volition.drama.stage.events import TickRecord

SEED = 1
"""An evening to which everybody comes in time."""


@pytest.fixture(scope="module")
def short() -> Scenario:
    """The dinner party for eight ticks."""
    return apply_settings(scenario("dinner-party"), [Setting("evening.ticks", None, 8)])


@pytest.fixture(scope="module")
def played(short: Scenario) -> Evening:
    """A whole evening in which Victor does what he would have done."""
    evening = Evening.begin(short, SEED, "victor")
    while (offer := evening.offer()) is not None:
        evening = evening.choose(offer.own)
    return evening


@pytest.mark.req("DE-28")
def test_a_guest_who_does_as_they_would_changes_nothing(short: Scenario, played: Evening) -> None:
    """Step by step with the choices of the guest's own mind, the evening is the one that plays by itself; every choice
    of the guest is marked as played; and it verifies."""
    plain = play(short, SEED)
    assert tuple(structs.replace(record, played=()) for record in played.run.ticks) == plain.run.ticks
    assert (played.ending, played.guest) == (plain.ending, "victor")
    assert all(record.played == ("victor",) for record in played.run.ticks)
    assert played.verify() == 8


@pytest.mark.req("DE-28")
def test_choices_are_taken_and_can_be_tried(short: Scenario) -> None:
    """A choice happens in its tick; the evening before it stays as it was, so that another choice can be tried."""
    before = Evening.begin(short, SEED, "victor", minds={"marcus": brood})
    seen: list[TickRecord] = []
    away = before.choose("move:kitchen", on_tick=lambda _, record: seen.append(record))
    here = before.choose("chat:elena")
    assert (before.last, away.last, here.last) == (0, 1, 1)
    assert [record.choices["victor"].id for record in (*seen, *here.run.ticks)] == ["move:kitchen", "chat:elena"]
    assert away.state(1).agents["victor"].location == "kitchen"
    assert (offer := away.offer()) is not None
    assert offer.perceived.visible_agents == ()
    assert not any(id.startswith("conflict") for id in offer.ids)
    assert away.choose("internal").run.ticks[1].played == ("marcus", "victor")


@pytest.mark.req("DE-28")
def test_a_saved_game_goes_on(short: Scenario, tmp_path: Path) -> None:
    """An evening that was put down is loaded and continued with the guest, or without; either way it is as if it had
    never been put down."""
    begun = Evening.begin(short, SEED, "victor").choose("chat:elena").choose("internal")
    begun.save(tmp_path / "game")
    loaded = Evening.load(tmp_path / "game")
    assert loaded.run == begun.run
    assert (loaded.ending, loaded.guest, loaded.offer()) == (None, "victor", begun.offer())
    assert loaded.choose("chat:all").run == begun.choose("chat:all").run
    rest = loaded.play_on()
    assert rest.run == begun.play_on().run
    assert [record.played for record in rest.run.ticks] == [("victor",)] * 2 + [()] * 6
    rest.save(tmp_path / "whole")
    assert verify_run(tmp_path / "whole").run == rest.run


@pytest.mark.req("DE-28")
def test_a_branch_keeps_what_the_guest_did(played: Evening) -> None:
    """In a branch the guest goes on as recorded; forbidden something, they do the next best by themselves."""
    branch = played.fork(at=3, set="elena.stress=0.8")
    assert [record.played for record in branch.run.ticks] == [("victor",)] * 8
    veto = played.fork(at=3, veto=played.run.ticks[3].choices["victor"].id, agent="victor")
    assert veto.run.ticks[3].played == ()
    assert veto.run.ticks[3].choices["victor"] != played.run.ticks[3].choices["victor"]
    assert veto.verify() == 8


@pytest.mark.req("DE-28")
def test_what_a_guest_cannot_do_is_refused(short: Scenario, played: Evening, told: Told) -> None:
    """An act that is not offered, somebody who is not there, an evening without a guest and one that is over."""
    begun = Evening.begin(short, SEED, "victor")
    with told.raises(InvalidInput):
        begun.choose("chat:helena")
    with told.raises(InvalidInput):
        Evening.begin(short, SEED, "viktor")
    with told.raises(InvalidInput):
        play(short, SEED, ticks=1).offer()
    with told.raises(NotPossible):
        played.choose("internal")
    with told.raises(NotPossible):
        played.play_on()
    assert played.offer() is None
