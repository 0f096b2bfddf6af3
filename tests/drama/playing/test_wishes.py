"""Wishes of somebody who plays a guest: to ask, to choose a topic, to lie at will, and to walk out together."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from volition.core.errors import InvalidInput
from volition.drama import Evening, Scenario, play, scenario
from volition.drama.audience.contradictions import contradictions
from volition.drama.audience.narrator import transcript
from volition.drama.playing.evening import verify_run
from volition.drama.rules.catalog import LEAVE, LIE, Belief
from volition.drama.stage.interference import Interference, parse_setting
from volition.drama.world.model import DEPARTED
from volition.drama.world.scenario import literal
from volition.drama.world.settings import Setting, apply_settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.sentences import Told
    from volition.drama.mind.custom import OfferedActs
    from volition.drama.world.model import Action

AFFAIR = "secret_affair_01"


@cache
def short(ticks: int = 6) -> Scenario:
    return apply_settings(scenario("dinner-party"), [Setting("evening.ticks", None, ticks)])


def begin(*settings: str, guest: str = "lydia", ticks: int = 6, seed: int = 8, **code: Any) -> Evening:
    """An evening of a guest with everybody at the table, in which some of the state is set by hand before the first tick."""
    begun = Evening.begin(short(ticks), seed, guest, **code)
    seated = [f"{who}.location=dining_table" for who in begun.scenario.people]
    by_hand = tuple(parse_setting(begun.scenario, 0, text, None) for text in (*seated, *settings))
    return Evening(replace(begun.run, interference=by_hand), begun.mind)


def offered(evening: Evening) -> OfferedActs:
    offer = evening.offer()
    assert offer is not None
    return offer


def done(evenings: Iterator[Evening], wish: str) -> Evening:
    """The first evening, after its first tick, in which nobody is in the way of a wish of Lydia's."""
    tried = (evening.choose(wish) for evening in evenings if evening.last == 0)  # in some evenings she comes late
    return next(after for after in tried if after.run.ticks[0].choices["lydia"].became == "done")


@pytest.mark.req("DE-28")
def test_a_guest_asks_about_what_they_suspect() -> None:
    """Who suspects something may ask anybody present about it. Asked of somebody whose secret it is, the word is a
    question, as one that arises by chance; asked of anybody else, it troubles nobody. So offers do not say whose it is."""
    evening = begin(f"lydia.belief.{AFFAIR}=suspects")
    offer = offered(evening)
    asked = {wish.whom for wish in offer.wishes if wish.kind == "ask" and wish.secret == AFFAIR}
    assert asked == {other for other in offer.perceived.visible_agents if f"chat:{other}" in offer.ids}
    for whom in sorted(asked):
        wish = f"ask:{AFFAIR}:{whom}"
        after = done((begin(f"lydia.belief.{AFFAIR}=suspects", seed=seed) for seed in range(50)), wish)
        record, holds = after.run.ticks[0], whom in after.scenario.secrets[AFFAIR].holders
        assert (record.choices["lydia"].id, record.wishes) == (f"chat:{whom}", {"lydia": wish})
        (event,) = (event for event in record.events if event.source == "lydia")
        assert event.details.get("question" if holds else "wondered") == AFFAIR
        assert any(delta.kind == "questions" for delta in event.deltas) == holds
        assert any(strain.agent == whom and strain.number == "stress" for strain in event.strains) == holds
        assert after.verify() == after.last
        assert not list(contradictions(after.run))


@pytest.mark.req("DE-28")
def test_a_question_is_about_what_the_guest_wishes() -> None:
    """Whatever a draw would have said, and also where a weightier secret is suspected: a wish to ask is a question about
    just that."""
    money, granted = "secret_embezzle_01", 0
    for seed in range(12):
        evening = begin(f"lydia.belief.{AFFAIR}=suspects", f"lydia.belief.{money}=suspects", seed=seed)
        for secret in (AFFAIR, money) if evening.last == 0 else ():
            record = evening.choose(f"ask:{secret}:marcus").run.ticks[0]
            questions = [one.details.get("question") for one in record.events if one.source == "lydia"]
            assert questions in ([secret], [])
            granted += len(questions)
    assert granted >= 3


@pytest.mark.req("DE-28")
def test_nobody_asks_about_what_they_do_not_suspect(told: Told) -> None:
    """Neither a secret that is known nor one that was never heard of can be asked about."""
    offer = offered(begin(f"lydia.belief.{AFFAIR}=unknown"))
    beliefs = offer.me.beliefs
    assert all(
        beliefs.get(wish.secret) == Belief.SUSPECTS for wish in offer.wishes if wish.kind == "ask" and wish.secret
    )
    with told.raises(InvalidInput):
        begin(f"lydia.belief.{AFFAIR}=believes_true").choose(f"ask:{AFFAIR}:elena")


@pytest.mark.req("DE-28")
def test_a_talk_is_about_whom_the_guest_wishes() -> None:
    """A topic is in the event and in the transcript, and changes nothing else that happens."""
    after = done((begin(seed=seed) for seed in range(50)), "talk:victor:elena")
    record = after.run.ticks[0]
    (talk,) = (event for event in record.events if event.source == "lydia")
    assert talk.details["topic"] == "victor"
    plain = begin(seed=after.seed).choose("chat:elena").run.ticks[0]
    assert [event.deltas for event in plain.events] == [event.deltas for event in record.events]
    assert plain.choices == record.choices
    assert not list(contradictions(after.run))
    assert transcript(after.run)


@pytest.mark.req("DE-28")
def test_a_guest_lies_at_will() -> None:
    """Where the laws offer a lie and only pacing bars it, a guest may lie; nobody else does, and it can be explained."""

    def curious(offer: OfferedActs) -> str | None:
        return wish if (wish := f"ask:{AFFAIR}:marcus") in offer.choices else None

    settings = (f"lydia.belief.{AFFAIR}=suspects", "marcus.recovery_timer=59")
    begun = (begin(*settings, guest="marcus", minds={"lydia": curious}, seed=seed) for seed in range(50))
    evening = next(evening for evening in begun if evening.last == 0)
    while not (lies := [wish.id for wish in offered(evening).wishes if wish.kind == "lie"]):
        evening = evening.choose("internal")
    assert lies == [f"lie:{AFFAIR}:lydia"]
    assert not any(act.is_dramatic for act in offered(evening).acts)
    after = evening.choose(lies[0])
    record = after.run.ticks[-1]
    assert (record.wishes["marcus"], record.choices["marcus"].id) == (lies[0], lies[0])
    assert after.decision(record.tick, "marcus").id == lies[0]
    assert Evening(after.run).verify() == after.last
    honest = begin(*settings, guest="marcus", minds={"lydia": curious}, constraints=[no_lies], seed=evening.seed)
    for _ in range(evening.last):
        honest = honest.choose("internal")
    assert honest.run.ticks[-1].choices["lydia"] == evening.run.ticks[-1].choices["lydia"]
    assert not any(wish.kind == "lie" for wish in offered(honest).wishes)


def no_lies(act: Action) -> bool:
    """A constraint of the user's that bars lies."""
    return act.action_type == LIE


def walking(ticks: int = 6) -> Evening:
    """Diana likes Lydia enough to follow her, and Marcus does not."""
    return begin("diana.affection.lydia=0.9", "diana.trust.lydia=0.9", "marcus.affection.lydia=-0.1", ticks=ticks)


@pytest.mark.req("DE-28", "DE-33")
def test_two_walk_out_together() -> None:
    """Who is fond of the guest comes along: both leave in one event of one tick, and who comes along does nothing else."""
    evening = walking()
    assert [wish.whom for wish in offered(evening).wishes if wish.kind == "leave"] == ["diana"]
    disliked = begin("diana.affection.lydia=-0.1", "marcus.affection.lydia=-0.1")
    assert not any(wish.kind == "leave" for wish in offered(disliked).wishes)
    after = evening.choose("leave:diana")
    record = after.run.ticks[0]
    (left,) = (event for event in record.events if event.manner == LEAVE)
    assert left.participants == ("lydia", "diana")
    assert {after.state(1).agents[who].location for who in left.participants} == {DEPARTED}
    assert after.run.left[:2] == ("diana", "lydia")
    assert not any(event.source == "diana" for event in record.events)
    assert (record.choices["lydia"].id, record.choices["diana"].because) == ("physical:leave", "engaged")
    assert after.verify() == after.last
    assert after.decision(0, "lydia").id == "physical:leave"
    assert not list(contradictions(after.run))


@pytest.mark.req("DE-28")
def test_a_wish_that_is_forbidden_is_not_offered() -> None:
    """In a branch in which the act is forbidden the guest does something else, by themselves."""
    begun = walking()
    assert any(wish.kind == "leave" for wish in offered(begun).wishes)
    veto = Interference(0, "veto", "lydia", "physical:leave")
    forbidden = Evening(replace(begun.run, interference=(*begun.run.interference, veto)))
    assert not any(wish.kind == "leave" for wish in offered(forbidden).wishes)
    most = max(begun.choose("leave:diana").significance(everything=True), key=lambda act: act.act == "physical:leave")
    assert (most.act, "lydia" in most.left) == ("physical:leave", True)


@pytest.mark.req("DE-28")
def test_wishes_are_recorded(tmp_path: Path) -> None:
    """A run with wishes is saved, loaded and verified; a branch of it keeps them where they are offered."""
    evening = begin(f"lydia.belief.{AFFAIR}=suspects")
    after = evening.choose(f"ask:{AFFAIR}:elena").choose("talk:victor:marcus").play_on()
    after.save(tmp_path / "run")
    assert verify_run(tmp_path / "run").run == after.run
    branch = after.fork(at=2, set="elena.stress=0.9")
    assert [record.wishes for record in branch.run.ticks[:2]] == [record.wishes for record in after.run.ticks[:2]]


@pytest.mark.req("DE-28")
def test_a_custom_mind_may_wish() -> None:
    """A mind that is a function is offered wishes too, and may answer with one."""

    def gossip(offer: OfferedActs) -> object:
        return next((wish for wish in offer.wishes if wish.kind == "talk"), None)

    evening = play(short(), 8, minds={"victor": gossip})  # type: ignore[dict-item]
    assert any(record.wishes for record in evening.run.ticks)
    assert Evening(evening.run).verify() == 6


@pytest.mark.req("DE-28")
def test_the_literal_reading_has_no_wishes() -> None:
    """Read literally an evening knows nothing but its acts."""
    offer = Evening.begin(literal(scenario("dinner-party")), 8, "victor").offer()
    assert offer is not None
    assert offer.wishes == ()
