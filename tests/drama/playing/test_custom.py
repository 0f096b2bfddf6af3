"""Code of a user in an evening: custom minds, terms and constraints, and the record that stands in for them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import structs

from tests.drama.playing.own_code import brood, peaceful, sociable, squeamish
from volition.arbitration import IntentionFailed, heuristic
from volition.core.errors import BrokenRecord, InvalidInput
from volition.drama import Evening, MindFailed, OfferedActs, Scenario, play, scenario
from volition.drama.ensemble import Ensemble, EnsemblePlan, ensemble, sweep
from volition.drama.playing.evening import verify_run
from volition.drama.rules.catalog import CONFLICT, Belief
from volition.drama.stage.library import Library
from volition.drama.world.settings import Setting, apply_settings

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told

TICKS = 12
OWN: dict[str, Any] = {"minds": {"victor": brood}, "terms": [sociable, squeamish], "constraints": [peaceful]}


@pytest.fixture(scope="module")
def party() -> Scenario:
    return scenario("dinner-party")


@pytest.fixture(scope="module")
def evening(party: Scenario) -> Evening:
    """Twelve ticks with all kinds of custom code."""
    return play(party, 1, ticks=TICKS, **OWN)


@pytest.fixture(scope="module")
def folder(evening: Evening, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its record."""
    path = tmp_path_factory.mktemp("runs") / "own"
    evening.save(path)
    return path


@pytest.fixture(scope="module")
def loaded(folder: Path) -> Evening:
    """The same evening, loaded where none of the code is available."""
    return Evening.load(folder)


@pytest.mark.req("DE-28")
def test_a_custom_mind_chooses(evening: Evening, party: Scenario) -> None:
    """A mind's choices are taken, where it answers None the person decides, and the others decide as without it, until
    what it did reaches them."""
    for record in evening.run.ticks:
        assert (record.played == ("victor",)) == (record.tick % 2 == 1)
        if record.played:
            assert record.choices["victor"].id == "internal"
    plain, minded = play(party, 1, ticks=2), play(party, 1, ticks=2, minds={"victor": brood})
    assert minded.run.ticks[0].choices == plain.run.ticks[0].choices
    others = {who: choice for who, choice in plain.run.ticks[1].choices.items() if who != "victor"}
    assert {who: one for who, one in minded.run.ticks[1].choices.items() if who != "victor"} == others


@pytest.mark.req("DE-28")
def test_custom_terms_and_constraints_take_part(loaded: Evening, told: Told) -> None:
    """A custom term is one column beside the others, by its name, in why, why not and what if; a constraint forbids."""
    assert not any(event.type == CONFLICT for event in loaded.events)
    decision = loaded.decision(6, "elena")
    assert next(one.range for one in decision.composite.heuristics if one.id == "sociable") == (-2.0, 2.0)
    place = decision.composite.voters.index("sociable")
    chat, thought = (decision.tally.survivors.index(id) for id in ("chat:marcus", "internal"))
    assert decision.tally.scores[chat][place] == 0.3
    assert decision.tally.scores[thought][place] is None
    rival = "internal" if decision.id != "internal" else "chat:marcus"
    assert "sociable" in [one.by for one in decision.why(rival).contributions]
    assert decision.what_if(weights={"sociable": 0.0}).decision.tally.products[chat][place] == 0.0
    angry = loaded.decision(6, "victor")
    row = next(id for id in angry.tally.ids if id.startswith("conflict:"))
    told(angry.why_not(row).text)
    vetoed = {id: decision.tally.vetoed_by(id) for id in decision.tally.vetoed if id.startswith("confide")}
    assert vetoed
    assert {"squeamish": "raised ValueError: not before dinner"} in vetoed.values()


@pytest.mark.req("DE-28", "DE-17")
def test_the_record_stands_in_for_the_code(evening: Evening, loaded: Evening, folder: Path) -> None:
    """A run with custom code is loaded, verified and asked without it: same ticks, choices, columns and vetoes."""
    assert loaded.run == evening.run
    assert verify_run(folder).run == evening.run
    for tick, who in ((3, "victor"), (6, "elena"), (11, "lydia")):
        assert loaded.decision(tick, who).to_data() == evening.decision(tick, who).to_data()
    assert not next(entry for entry in Library(folder.parent).entries()).fault


@pytest.mark.req("DE-28")
def test_a_played_choice_says_who_made_it(loaded: Evening, told: Told) -> None:
    """Why not another act is answered by the constraint `played`; without it, it is what the person would have done."""
    decision = loaded.decision(7, "victor")
    assert decision.reason.rule == "only_survivor"
    told(decision.why_not("observe:marcus").text)
    assert decision.what_if(without="played", shadow=True).after in decision.tally.ids


@pytest.mark.req("DE-28")
def test_forks_hold_without_the_code(evening: Evening, loaded: Evening) -> None:
    """A branch keeps what was recorded as long as it is possible; where the code is available it is asked; either branch
    verifies, and a branch of the branch too."""
    act = evening.run.ticks[5].choices["marcus"].id
    branch = loaded.fork(at=5, veto=act, agent="marcus", ticks=9)
    assert branch.run.ticks[5].choices["victor"] == loaded.run.ticks[5].choices["victor"]
    assert [record.played for record in branch.run.ticks] == [record.played for record in loaded.run.ticks[:9]]
    assert branch.verify() == 9
    assert branch.fork(at=6, set="elena.stress=0.9", ticks=8).verify() == 8
    live = evening.fork(at=5, veto=act, agent="marcus", ticks=9)
    assert live.verify() == 9
    forced = loaded.fork(at=7, force="chat:all", agent="victor", ticks=8)
    assert (forced.run.ticks[7].choices["victor"].id, forced.run.ticks[7].played) == ("chat:all", ())


@pytest.mark.req("DE-28")
def test_a_forged_choice_of_a_mind_is_noticed(evening: Evening) -> None:
    """The record says who was played and what terms said; where that does not lead to the choice, it is broken."""
    record = evening.run.ticks[7]
    for forged in (structs.replace(record, played=()), structs.replace(record, said={})):
        ticks = (*evening.run.ticks[:7], forged, *evening.run.ticks[8:])
        with pytest.raises(BrokenRecord, match="tick 7"):
            Evening(replace(evening.run, ticks=ticks)).verify()


@pytest.mark.req("DE-28")
def test_an_evening_goes_on_as_if_it_had_never_stopped(
    evening: Evening, loaded: Evening, party: Scenario, told: Told
) -> None:
    """A broken-off evening is continued to the same bytes; without its code, or with other code, it is not."""
    whole = play(party, 1, ticks=TICKS + 4, **OWN)
    assert evening.play_on(ticks=TICKS + 4).run == whole.run
    assert loaded.with_custom(evening.mind.custom).play_on(ticks=TICKS + 4).run == whole.run
    plain = play(party, 1, ticks=3)
    assert plain.play_on(ticks=8).run == play(party, 1, ticks=8).run
    with told.raises(InvalidInput):
        loaded.play_on()
    with told.raises(InvalidInput):
        loaded.with_custom([sociable])


@pytest.mark.parametrize(
    ("answer", "said"),
    [("chat:nobody", "answered 'chat:nobody'"), (7, "answered 7"), (["internal"], "answered"), (ValueError, "raised")],
)
@pytest.mark.req("DE-28")
def test_minds_that_fail_are_named(party: Scenario, answer: Any, said: str) -> None:
    """A mind that raises, or chooses what it is not offered, is an error with its name and tick; the ticks before it can
    be continued with a mind that works."""

    def broken(offer: OfferedActs) -> Any:
        if offer.tick < 2:
            return None
        if isinstance(answer, type):
            raise answer("no idea")
        return answer

    kept: list[Any] = []
    with pytest.raises(MindFailed, match=said) as raised:
        play(party, 1, ticks=4, minds={"victor": broken}, on_tick=lambda _, record: kept.append(record))
    assert raised.value.problems[0].where == "tick 2"
    assert len(kept) == 2


@pytest.mark.req("DE-28")
def test_custom_code_that_cannot_be_used_is_refused(party: Scenario) -> None:
    """Unknown people, ids that are taken, things that are no functions, and terms that answer nonsense are errors."""
    for wrong, said in (
        ({"minds": {"viktor": brood}}, "did you mean 'victor'"),
        ({"minds": {"victor": 3}}, "expected: a function of an offer"),
        ({"terms": [heuristic(id="played")(lambda act: 0.0)]}, "the id 'played' is taken"),
        ({"terms": [heuristic(id="noise")(lambda act: 0.0)]}, "is used twice"),
    ):
        with pytest.raises(InvalidInput) as raised:
            play(party, 1, ticks=1, **wrong)
        assert said in str(raised.value)
    with pytest.raises(IntentionFailed, match="answered 'much'"):
        play(party, 1, ticks=1, terms=[heuristic(id="vague")(lambda act: "much")])


@pytest.mark.req("DE-28", "DE-16")
def test_an_offer_tells_no_more_than_the_person_knows(party: Scenario) -> None:
    """No secret that somebody has never heard of is in their offer, nor who lied to them; and an offer holds copies, so
    that changing it changes nothing."""
    offers: list[OfferedActs] = []

    def meddle(offer: OfferedActs) -> None:
        offers.append(offer)
        offer.me.pacing.stress = 1.0
        offer.me.emotions["anger"] = 1.0
        offer.me.knows.clear()
        for bond in offer.me.bonds.values():
            bond.trust = -1.0

    seen = play(party, 1, ticks=6, minds={"victor": meddle})
    assert seen.run.ticks == play(party, 1, ticks=6).run.ticks
    for offer in offers:
        beliefs = seen.state(offer.tick).agents["victor"].beliefs
        unheard = [secret for secret, belief in beliefs.items() if belief == Belief.UNKNOWN]
        assert unheard
        text = repr(offer)
        assert not any(secret in text for secret in unheard)
        assert not offer.me.planted
        assert offer.act(offer.own).utility_score == max(act.utility_score or 0.0 for act in offer.acts)


@pytest.mark.req("DE-28")
def test_ensembles_take_minds_and_terms(party: Scenario, tmp_path: Path, told: Told) -> None:
    """Custom code takes part in ensembles, in this process and in others; a row of it is the evening that `play` plays,
    and is only opened with the same code."""
    short = apply_settings(party, [Setting("evening.ticks", None, 3)])
    plan = EnsemblePlan.of(short, [1, 2], **OWN)
    assert plan.hash != EnsemblePlan.of(short, [1, 2], terms=[sociable, squeamish], constraints=[peaceful]).hash
    done = sweep(plan, tmp_path / "own", workers=1, format="jsonl")
    assert done.evening(1).run == play(short, 2, **OWN).run
    with pytest.raises(InvalidInput, match="custom terms"):
        Ensemble(tmp_path / "own").evening(1)
    assert [one.state for one in ensemble(short, [1, 2], workers=1, **OWN)] == [one.measures.state for one in done]
    with told.raises(InvalidInput):
        EnsemblePlan.of(short, [1], minds={"viktor": brood})
