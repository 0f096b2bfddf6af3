"""An evening that can be asked: decisions, branches, comparison and verification."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from volition.core.errors import BrokenRecord, InvalidInput, NotPossible
from volition.drama import Evening, Scenario, load_scenario, play, scenario
from volition.drama.mind.mind import Mind
from volition.drama.stage.record import RULES_VERSION
from volition.drama.stage.state import state_digest

if TYPE_CHECKING:
    from tests.sentences import Told

TICKS = 40


@pytest.fixture(scope="module")
def party() -> Scenario:
    return scenario("dinner-party")


@pytest.fixture(scope="module")
def evening(party: Scenario) -> Evening:
    """Forty ticks of an evening."""
    return play(party, 1, ticks=TICKS)


@pytest.mark.req("DE-10")
def test_every_choice_can_be_asked(evening: Evening) -> None:
    """Every recorded choice is decided again, from the log alone, with the same act and the same score."""
    for record in evening.run.ticks[::4]:
        for agent, choice in record.choices.items():
            decision = evening.decision(record.tick, agent)
            assert (decision.id, decision.reason.final_scores[choice.id]) == (choice.id, choice.score)


@pytest.mark.req("DE-10", "AR-14")
def test_a_choice_is_explained_by_shares(evening: Evening) -> None:
    """Every term is printed as shipped, x1; doubling one doubles what it adds, and nothing else; a few rivals are close,
    never the whole field, and each by what totals really are."""
    fields, named = 0, 0
    for record in evening.run.ticks[::4]:
        decision = evening.decision(record.tick, next(iter(record.choices)))
        trace, voters = decision.trace, decision.composite.voters
        header = str(decision).splitlines()[2].split()
        assert header[header.index("total") + 1 :] == [word for voter in voters for word in (voter, "x1")]
        twice = decision.what_if(weights={"bonds": 2}).decision.trace.contributions
        bonds = voters.index("bonds")
        for once, again in zip(trace.contributions, twice, strict=True):
            assert again == tuple(2 * part if place == bonds else part for place, part in enumerate(once))
        close = decision.reason.final_scores
        assert max(close.values()) - min(close.values()) <= 0.05 * (max(trace.totals) - min(trace.totals))
        fields, named = fields + len(trace.survivors) - 1, named + len(close) - 1
    assert 0 < named < fields / 5


@pytest.mark.req("DE-01")
def test_asking_changes_nothing(evening: Evening) -> None:
    """Asking and forking do not change the evening."""
    before = state_digest(evening.state(evening.last)), evening.run
    evening.decision(10, "victor")
    evening.fork(at=10, set="victor.stress=0.9", ticks=12)
    assert (state_digest(evening.state(evening.last)), evening.run) == before


@pytest.mark.req("DE-10")
def test_ticks_are_asked_about_in_any_order(evening: Evening) -> None:
    """A decision is the same whichever ticks were asked about before, also around one at which something is set by hand."""
    branch = evening.fork(at=10, set="victor.stress=0.9", ticks=14)
    for tick in (12, 10, 10, 13, 5, 11):
        alone = Evening(branch.run).decision(tick, "elena")
        assert branch.decision(tick, "elena").trace == alone.trace


def test_a_choice_that_differs_is_not_explained(evening: Evening, told: Told) -> None:
    """If deciding again gives another act than the record, that is an error."""
    record = evening.run.ticks[5]
    choice = record.choices["victor"]._replace(
        id="internal" if record.choices["victor"].id != "internal" else "chat:all"
    )
    forged = structs.replace(record, choices={**record.choices, "victor": choice})
    run = replace(evening.run, ticks=(*evening.run.ticks[:5], forged, *evening.run.ticks[6:]))
    with told.raises(BrokenRecord):
        Evening(run).decision(5, "victor")
    with pytest.raises(BrokenRecord, match="played again"):
        Evening(run).verify()


@pytest.mark.req("DE-17")
def test_other_rules_are_not_guessed(evening: Evening, told: Told) -> None:
    """A run made by other rules answers from its log, and refuses what would need its rules."""
    old = Evening(replace(evening.run, rules=RULES_VERSION + 1))
    assert state_digest(old.state(20)) == state_digest(evening.state(20))
    for question in (lambda: old.decision(5, "victor"), lambda: old.fork(at=5, veto="internal"), old.verify):
        with told.raises(InvalidInput):
            question()


def test_a_branch_shares_everything_before_it(evening: Evening) -> None:
    """A branch has the same ticks up to the fork, and its own from there on."""
    chosen = evening.run.ticks[15].choices["victor"].id
    branch = evening.fork(at=15, veto=chosen, agent="victor", ticks=TICKS)
    assert branch.run.ticks[:15] == evening.run.ticks[:15]
    assert branch.run.ticks[15].choices["victor"].id != chosen
    assert evening.compare(branch).parted == 15
    assert branch.verify() == len(branch.run.ticks)
    others = [who for who in evening.run.ticks[15].choices if who != "victor"]
    assert all(branch.run.ticks[15].choices[who] == evening.run.ticks[15].choices[who] for who in others)


def row_of(evening: Evening, tick: int) -> str:
    """A row that Victor could begin at a tick, whether pacing bars it or not."""
    return next(id for id in evening.decision(tick, "victor").tally.ids if id.startswith("conflict:"))


def test_a_forced_act_is_the_choice(evening: Evening) -> None:
    """What is forced is chosen, and the others are vetoed by the interference."""
    row = row_of(evening, 5)
    branch = evening.fork(at=5, force=row, agent="victor", ticks=TICKS)
    decision = branch.decision(5, "victor")
    assert decision.id == row
    assert decision.reason.vetoed_by == ("interference",)
    assert any(event.type.name == "CONFLICT" and event.source == "victor" for event in branch.run.ticks[5].events)


def test_what_a_gate_forbids_cannot_be_forced(evening: Evening, told: Told) -> None:
    """Forcing an act against recovery says which gate forbids it, and plays nothing."""
    tired = evening.fork(at=10, set="victor.recovery_timer=9", ticks=14)
    with told.raises(InvalidInput):
        tired.fork(at=12, force=row_of(tired, 12), agent="victor")


def test_what_is_set_counts_for_what_is_forced(evening: Evening) -> None:
    """An act that a gate forbids can be forced once the same branch has set the gate open."""
    tired = evening.fork(at=10, set="victor.recovery_timer=9", ticks=14)
    row = row_of(tired, 12)
    rested = tired.fork(at=12, set="victor.recovery_timer=0", force=row, agent="victor", ticks=14)
    assert rested.run.ticks[12].choices["victor"].id == row
    assert rested.verify() == 14


def test_there_is_no_branch_after_the_end(evening: Evening, told: Told) -> None:
    """After its end an evening cannot be forked."""
    with told.raises(InvalidInput):
        evening.fork(at=evening.last, set="victor.stress=0.9")


def test_a_record_that_goes_on_too_long_is_not_verified(party: Scenario) -> None:
    """Ticks after the ending, and an ending that was another, are noticed when the evening is played again."""
    whole = play(replace(party, evening=replace(party.evening, ticks=20)), 8)
    assert whole.verify() == len(whole.run.ticks)
    longer = replace(whole.run, ticks=(*whole.run.ticks, whole.run.ticks[-1]))
    with pytest.raises(BrokenRecord, match=f"tick {whole.run.ticks[-1].tick}"):
        Evening(longer).verify()
    assert whole.ending is not None
    kinder = replace(whole.run, ending=structs.replace(whole.ending, kind="reconciliation"))
    with pytest.raises(BrokenRecord, match="the ending"):
        Evening(kinder).verify()


def test_other_weights_force_what_they_choose(evening: Evening, told: Told) -> None:
    """A branch by other weights, or without intentions, is the one by the act that they choose; where they choose no
    other act, or it is not said whose they are, it is refused."""
    decision = evening.decision(25, "victor")
    flip = decision.sensitivity().nearest
    assert flip is not None
    for change, after in (
        ({"weights": {flip.intention: flip.weight}}, flip.to),
        ({"without": "utility"}, decision.what_if(without="utility").after),
    ):
        branch = evening.fork(at=25, agent="victor", ticks=27, **change)
        assert branch.run == evening.fork(at=25, agent="victor", force=after, ticks=27).run
        assert branch.run.ticks[25].choices["victor"].id == after != decision.id
        with told.raises(InvalidInput):
            evening.fork(at=25, **change)
        with told.raises(InvalidInput):
            evening.fork(at=25, agent="victor", force="internal", **change)
    same = {flip.intention: decision.composite[flip.intention].weight}  # type: ignore[union-attr]
    with told.raises(InvalidInput):
        evening.fork(at=25, agent="victor", weights=same)


@pytest.mark.parametrize(
    ("setting", "read"),
    [
        ("elena.stress=0.75", lambda world: world.agents["elena"].pacing.stress == 0.75),
        ("elena.anger=0.5", lambda world: world.agents["elena"].emotions["anger"] == 0.5),
        ("elena.alcohol=0.45", lambda world: world.agents["elena"].alcohol == 0.45),
        ("elena.location=balcony", lambda world: world.agents["elena"].location == "balcony"),
        ("elena.trust.marcus=-0.5", lambda world: world.agents["elena"].bonds["marcus"].trust == -0.5),
        ("elena.grievance.marcus=0.5", lambda world: world.agents["elena"].grievance["marcus"] == 0.5),
        (
            "elena.belief.secret_embezzle_01=suspects",
            lambda world: world.agents["elena"].beliefs["secret_embezzle_01"] == 1,
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_parts_of_the_state_can_be_set(evening: Evening, setting: str, read: object) -> None:
    """A part that is set by hand is a change in the record, and the branch replays with it."""
    branch = evening.fork(at=20, set=setting, ticks=21)
    record = branch.run.ticks[20]
    assert [delta.reason for delta in record.before] == ["set by hand"]
    world = evening.state(20)
    from volition.drama.stage.state import write

    write(world, record.before[0])
    assert read(world)  # type: ignore[operator]
    assert branch.verify() == 21


def test_a_branch_of_a_branch(evening: Evening) -> None:
    """Interferences add up, and both are in force when the branch is played again."""
    once = evening.fork(at=10, set="victor.suspicion=0.9", ticks=30)
    twice = once.fork(at=20, set="marcus.fear=0.9", ticks=30)
    assert [one.at for one in twice.run.interference] == [10, 20]
    assert twice.verify() == 30


def test_an_evening_compared_with_itself_is_the_same(evening: Evening, told: Told) -> None:
    """Comparing finds differences only where there are some."""
    same = evening.compare(evening)
    assert (same.parted, same.choices, dict(same.trust)) == (None, (), {})
    told(same)
    shorter = Evening(replace(evening.run, ticks=evening.run.ticks[:30], ending=None))
    assert evening.compare(shorter).parted == 30


def test_who_has_left_did_not_choose(party: Scenario) -> None:
    """Asking for the choice of somebody who has left says so."""
    whole = play(party, 8)
    left = next(event for event in whole.events if event.manner == "leave")
    with pytest.raises(NotPossible, match="had left"):
        whole.decision(whole.last - 1, left.source)


@pytest.mark.req("DE-18")
def test_the_second_scenario_is_played_by_the_same_code() -> None:
    """Another scenario, with other people, rooms and secrets, can be played, explained, forked and told."""
    other = play(load_scenario("winter-station"), 3, ticks=30)
    agent = next(iter(other.run.ticks[20].choices))
    decision = other.decision(20, agent)
    assert decision.id == other.run.ticks[20].choices[agent].id
    branch = other.fork(at=20, veto=str(decision.id), agent=agent, ticks=30)
    assert branch.verify() == 30
    assert other.transcript() != branch.transcript()
    assert isinstance(branch.mind, Mind)


@pytest.mark.req("DE-28")
def test_what_is_told_by_hand_has_its_consequences(evening: Evening, told: Told) -> None:
    """A belief that is set as told by somebody has all that a confidence has: grievance against those who kept it, grounds,
    and both know that the other knows; a belief that is merely set has none of it. Either branch verifies."""
    secret, setting = "secret_affair_01", "thorne.belief.secret_affair_01=believes_true"
    bare = evening.fork(at=20, set=setting, ticks=22)
    confided = evening.fork(at=20, set=setting, told_by="diana", ticks=22)
    assert [delta.kind for delta in bare.run.ticks[20].before] == ["belief"]
    before, after = evening.state(20).agents["thorne"], confided.state(21).agents["thorne"]
    assert ("diana", secret) in after.knows
    assert ("thorne", secret) in confided.state(21).agents["diana"].knows
    assert after.grievance["marcus"] > before.grievance.get("marcus", 0.0)
    assert after.bonds["elena"].trust < before.bonds["elena"].trust
    assert after.pacing.stress > bare.state(21).agents["thorne"].pacing.stress
    assert (bare.verify(), confided.verify()) == (22, 22)
    (line,) = (line for line in confided.transcript().splitlines() if "in private" in line)
    told(confided.run.interference[0], line)


@pytest.mark.req("DE-28")
def test_what_cannot_be_told_is_refused(evening: Evening, told: Told) -> None:
    """Only a belief can be told, only if it is news, and only by somebody else who is in the room and knows it."""
    affair = "thorne.belief.secret_affair_01"
    for wrong, by, said in (
        ("thorne.stress=0.5", "diana", "it is not said what diana told"),
        (f"{affair}=unknown", "diana", "nobody can tell"),
        (f"{affair}=suspects", "thorne", "it is not said what thorne told"),
        (f"{affair}=suspects", "dana", "did you mean 'diana'"),
        (f"{affair}=believes_true", "lydia", "lydia does not know secret_affair_01 then"),
        ("elena.belief.secret_affair_01=believes_true", "diana", "elena knows, suspects or denies"),
        ("elena.belief.secret_affair_01=believes_false", "diana", "cannot be talked out of it"),
        (["diana.location=balcony", f"{affair}=believes_true"], "diana", "diana is in 'balcony', and thorne in"),
    ):
        with pytest.raises(InvalidInput, match=said):
            evening.fork(at=20, set=wrong, told_by=by)
    with told.raises(InvalidInput):
        evening.fork(at=20, veto="internal", told_by="diana")
    learned = ["lydia.belief.secret_affair_01=believes_true", f"{affair}=believes_true"]
    assert evening.fork(at=20, set=learned, told_by="lydia", ticks=21).state(21).agents["thorne"].knows
