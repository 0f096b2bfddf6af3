"""Minds from outside in an evening: under every veto, within a deadline and a budget, recorded, and replayed without them."""

from __future__ import annotations

import copy
from collections import Counter
from dataclasses import replace
from threading import Barrier
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import structs

from tests.drama.minds.own_minds import argue, echo, fail, moody, nothing, obey, take_second
from volition.core.clock import ManualClock
from volition.core.errors import BrokenRecord, InvalidInput
from volition.drama import Evening, Scenario, play, scenario
from volition.drama.ensemble import ensemble
from volition.drama.mind.custom import gather
from volition.drama.minds import Consulted, OutsideMinds
from volition.drama.minds.situation import INDEBTED
from volition.drama.playing.evening import verify_run
from volition.drama.rules.catalog import Belief
from volition.drama.stage.archive import tick_to_data
from volition.drama.stage.replay import steps
from volition.minds import FALLBACKS, Budget, MindChoice, MindSituation, MindVote
from volition.minds.contract import question_hash

if TYPE_CHECKING:
    from pathlib import Path

    from volition.drama.stage.events import TickRecord

pytestmark = pytest.mark.req("DE-35")
TICKS, LONG = 14, 60


@pytest.fixture(scope="module")
def party() -> Scenario:
    return scenario("dinner-party")


@pytest.fixture(scope="module")
def plain(party: Scenario) -> Evening:
    """An evening of the engine alone."""
    return play(party, 24, ticks=TICKS)


@pytest.fixture(scope="module")
def evening(party: Scenario) -> Evening:
    """The same with a mind of each kind: one that votes, one that chooses, one that fails, and one that argues with vetoes."""
    return play(party, 24, ticks=TICKS, outside=minds())


@pytest.fixture(scope="module")
def folder(evening: Evening, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "outside"
    evening.save(path)
    return path


@pytest.fixture(scope="module")
def loaded(folder: Path) -> Evening:
    """The evening where none of its minds is available."""
    return Evening.load(folder)


def minds() -> OutsideMinds:
    people = {
        "victor": Consulted(moody, weight=1.0, kinds=None),
        "elena": Consulted(take_second, "choose", margin=0.2, kinds=["lie"]),
        "marcus": Consulted(fail),
        "diana": Consulted(argue, "choose", kinds=None),
    }
    return OutsideMinds(people, deadline_s=30.0, clock=ManualClock())


def happened(ticks: tuple[TickRecord, ...]) -> list[TickRecord]:
    """What happened, without what minds were asked and what stands for their voices."""
    return [structs.replace(tick, asked={}, said={}, played=()) for tick in ticks]


@pytest.mark.parametrize("mind", [nothing, fail, argue])
def test_a_mind_without_an_answer_changes_nothing(party: Scenario, plain: Evening, mind: Any) -> None:
    """Where a mind says nothing, raises, or names what is vetoed or was never offered, the evening is the engine's own, to
    the last number; and every question has its reason."""
    asked = OutsideMinds({who: Consulted(mind, "choose", kinds=None) for who in party.people}, deadline_s=30.0)
    with_minds = play(party, 24, ticks=TICKS, outside=asked)
    assert happened(with_minds.run.ticks) == list(plain.run.ticks)
    reasons = {one.fallback for tick in with_minds.run.ticks for one in tick.asked.values()}
    assert reasons
    assert reasons <= {*FALLBACKS}


def test_no_mind_gets_past_a_veto(party: Scenario) -> None:
    """No act is offered that a constraint forbids; who names a forbidden one is told apart from who invents one, and the
    person decides. Nothing forbidden is ever done, and the evening is the engine's own."""
    shown: list[MindSituation] = []

    def watch(situation: MindSituation) -> MindChoice:
        shown.append(situation)
        return argue(situation)

    asked = OutsideMinds({"marcus": Consulted(watch, "choose", kinds=None)}, deadline_s=30.0)
    played = play(party, 24, ticks=LONG, outside=asked)
    recorded = {tick.tick: tick for tick in played.run.ticks}
    for situation in shown:
        tick = situation.data["tick"]
        tally = played.decision(tick, "marcus").tally
        assert {*situation.ids} <= {*tally.survivors}
        assert {*situation.vetoed} == {*tally.vetoed}
        answer = recorded[tick].asked["marcus"]
        assert answer.fallback == ("vetoed" if situation.vetoed else "invalid")
        assert recorded[tick].choices["marcus"].id in tally.survivors
        assert all(tally.vetoed_by(act)[by] for act, by in situation.vetoed.items())
    assert any(situation.vetoed for situation in shown)
    assert happened(played.run.ticks) == list(play(party, 24, ticks=LONG).run.ticks)


def test_a_vote_is_one_reason_among_others(evening: Evening) -> None:
    """What a voter names gains its weight and nothing else changes; without that voice the engine's own choice is there
    again, and the explanation has its words."""
    votes, turned = 0, 0
    for tick in evening.run.ticks:
        if "victor" not in tick.asked:
            continue
        answer, decision = tick.asked["victor"], evening.decision(tick.tick, "victor")
        tally = decision.tally
        voice = tally.composite.voters.index("outside")
        for act, products in zip(tally.survivors, tally.products, strict=True):
            assert products[voice] == float(act == answer.choice)
        assert f"voted for {answer.choice}: {answer.reason}" in decision.why().text
        own = decision.what_if(without="outside", shadow=True)
        votes, turned = votes + 1, turned + own.changed
        assert tick.choices["victor"].id == decision.id
    assert votes > 5
    assert 0 < turned < votes


def test_a_chooser_decides_among_the_best_few(evening: Evening) -> None:
    """What a chooser names is done, and `why_not` says who chose and why; the engine's own choice is still known."""
    chosen = [tick for tick in evening.run.ticks if "elena" in tick.asked]
    assert chosen
    for tick in chosen:
        answer, decision = tick.asked["elena"], evening.decision(tick.tick, "elena")
        assert (answer.kind, answer.fallback) == ("choice", "")
        assert tick.choices["elena"].id == decision.id == answer.choice
        assert "elena" in tick.played
        own = decision.what_if(without="played", shadow=True).after
        assert own is not None
        assert own != answer.choice
        assert f"chose {answer.choice}: {answer.reason}" in decision.why_not(own).text


def test_a_mind_is_told_what_the_person_knows_and_no_more(party: Scenario) -> None:
    """A question says in words where somebody is, with whom, what they heard, know, want, feel and are owed; it names no
    secret that they do not know, and what was said before them is in it."""
    shown: list[MindSituation] = []

    def watch(situation: MindSituation) -> None:
        shown.append(situation)

    everybody = {who: Consulted(watch, kinds=None) for who in party.people}
    played = play(party, 3, ticks=20, outside=OutsideMinds(everybody, deadline_s=30.0))
    states = {world.tick: copy.deepcopy(world.agents) for world, _ in steps(played.run)}
    quoted = owed = debts = 0
    for situation in shown:
        me, words = states[situation.data["tick"]][situation.who], situation.words
        assert party.people[situation.who].name in words
        assert party.rooms[situation.data["room"]].name in words
        for secret in party.secrets.values():
            knows = me.beliefs[secret.id] == Belief.BELIEVES_TRUE
            heard = any(secret.description.rstrip(".") in event["sentence"] for event in situation.data["heard"])
            assert knows or heard or secret.description.rstrip(".") not in words
        said = [quote["text"] for event in situation.data["heard"] for quote in event["quotes"]]
        assert all(text in words for text in said)
        quoted, owed = quoted + len(said), owed + ("yet." in words)
        assert {*situation.data["owed"]} == {*me.stung}
        indebted = [whom for whom, bond in me.bonds.items() if bond.obligation >= INDEBTED]
        assert words.count("You owe ") == len(indebted)
        debts += len(indebted)
    assert quoted > 100
    assert debts > 0
    assert owed > 5


def test_minds_are_asked_where_something_is_at_stake(party: Scenario) -> None:
    """Without more said a mind is asked where a dramatic act is among the best; by a margin, where the lead is small; by
    kinds, where one of them is among the best; and never where there is nothing to choose."""
    asked: dict[str, list[MindSituation]] = {"usual": [], "close": [], "leaving": []}

    def noting(name: str) -> Any:
        return asked[name].append

    people = {
        "victor": Consulted(noting("usual")),
        "marcus": Consulted(noting("close"), margin=0.05, kinds=None),
        "lydia": Consulted(noting("leaving"), kinds=["social_move"], best=3),
    }
    play(party, 24, outside=OutsideMinds(people, deadline_s=30.0))
    kinds = {
        name: [[option.id.split(":")[0] for option in one.options] for one in ones] for name, ones in asked.items()
    }
    assert kinds["usual"]
    assert all({*found} & {"reveal", "conflict", "confide", "lie"} for found in kinds["usual"])
    assert asked["close"]
    for situation in asked["close"]:
        first, second, *_ = sorted((option.score or 0.0 for option in situation.options), reverse=True)
        assert first - second < 0.05
    assert kinds["leaving"]
    assert all("move" in found and len(found) <= 3 for found in kinds["leaving"])
    assert all(situation.own in situation.ids for ones in asked.values() for situation in ones)


def test_all_minds_of_a_tick_are_asked_at_once(party: Scenario) -> None:
    """Minds that wait for each other all answer: asked one after the other, none of them ever would."""
    everybody = {who: Consulted(nothing, kinds=None) for who in party.people}
    together = Barrier(len(play(party, 24, ticks=1, outside=OutsideMinds(everybody)).run.ticks[0].asked))

    def meet(situation: MindSituation) -> MindVote:
        together.wait(20)
        return MindVote(situation.own)

    meeting = OutsideMinds({who: Consulted(meet, kinds=None) for who in party.people}, deadline_s=30.0)
    first = play(party, 24, ticks=1, outside=meeting).run.ticks[0]
    assert [one.fallback for one in first.asked.values()] == [""] * together.parties
    assert together.parties > 2


def test_a_replay_needs_no_mind(evening: Evening, loaded: Evening, folder: Path) -> None:
    """Where none of the minds is available, an evening is loaded, verified, explained and continued from the same answers:
    every tick and every question is equal, and none is asked."""
    assert loaded.run == evening.run
    assert verify_run(folder).run.ticks == evening.run.ticks
    for tick in evening.run.ticks[::7]:
        for who in tick.asked:
            assert loaded.decision(tick.tick, who).to_data() == evening.decision(tick.tick, who).to_data()
    mattered = [[act.to_data() for act in one.significance(most=2)] for one in (loaded, evening)]
    assert mattered[0] == mattered[1]


def test_an_edited_answer_is_noticed(loaded: Evening) -> None:
    """A record in which an answer names another act is not what happens when the evening is played again."""
    ticks = list(loaded.run.ticks)
    place = next(place for place, tick in enumerate(ticks) if "elena" in tick.asked)
    other = loaded.decision(ticks[place].tick, "elena").what_if(without="played", shadow=True).after
    asked = {**ticks[place].asked, "elena": structs.replace(ticks[place].asked["elena"], choice=other)}
    ticks[place] = structs.replace(ticks[place], asked=asked)
    with pytest.raises(BrokenRecord, match=f"tick {ticks[place].tick}"):
        Evening(replace(loaded.run, ticks=tuple(ticks))).verify()


def test_the_same_answers_give_the_same_bytes(party: Scenario, evening: Evening) -> None:
    """Asked again, minds that answer the same make the same record, to the last byte; questions are known by their hash."""
    again = play(party, 24, ticks=TICKS, outside=minds())
    assert [tick_to_data(tick) for tick in again.run.ticks] == [tick_to_data(tick) for tick in evening.run.ticks]
    shown: list[MindSituation] = []

    def watch(situation: MindSituation) -> None:
        shown.append(situation)

    once = play(party, 24, ticks=TICKS, outside=OutsideMinds({"victor": Consulted(watch, kinds=None)}))
    recorded = [tick.asked["victor"].question for tick in once.run.ticks if tick.asked]
    assert recorded == [question_hash(situation) for situation in shown]


def test_an_interrupted_evening_goes_on_as_if_it_had_not_been(party: Scenario, evening: Evening) -> None:
    """Broken off, saved, loaded with its minds and continued, an evening is the one that was never broken off; without its
    minds it is refused."""
    begun = play(party, 24, ticks=12, outside=minds())
    assert Evening(begun.run, begun.mind).play_on(ticks=TICKS).run == evening.run
    with pytest.raises(InvalidInput, match="victor"):
        Evening(begun.run).play_on()
    with pytest.raises(InvalidInput, match="marcus"):
        Evening(begun.run).with_custom(gather(outside=OutsideMinds({"marcus": moody})))


def test_a_fork_asks_again_or_not_as_the_user_says(evening: Evening, loaded: Evening) -> None:
    """A fork is the record up to its tick. From there on it asks again if the minds are there, lets the record answer, or
    lets the engine decide; all of them replay, and none of them needs a mind but the first."""
    at = next(tick.tick for tick in evening.run.ticks if "elena" in tick.asked)
    victim = loaded.run.ticks[at - loaded.first].choices["victor"].id
    asked = evening.fork(at, veto=victim, agent="victor", ticks=TICKS)
    recorded = loaded.fork(at, veto=victim, agent="victor", ticks=TICKS)
    engine = loaded.fork(at, veto=victim, agent="victor", outside="engine", ticks=TICKS)
    for fork in (asked, recorded, engine):
        assert fork.run.ticks[: at - fork.first] == loaded.run.ticks[: at - fork.first]
        assert Evening(fork.run).verify() == len(fork.run.ticks)
    later = [tick.asked for tick in engine.run.ticks if tick.tick >= at]
    assert not any(later)
    same = {(tick.tick, who): one for tick in loaded.run.ticks for who, one in tick.asked.items()}
    again = {(tick.tick, who): one for tick in recorded.run.ticks for who, one in tick.asked.items()}
    assert again.items() <= same.items()
    assert any(tick >= at for tick, _ in again)
    assert any(tick.asked for tick in asked.run.ticks if tick.tick >= at)
    with pytest.raises(InvalidInput, match="elena"):
        loaded.fork(at, veto=victim, agent="victor", outside="ask")


def test_a_recorded_choice_that_is_closed_by_a_branch_does_not_hold(loaded: Evening) -> None:
    """Where the record answers, a choice that is no longer open in the branch is not taken: the person's own mind decides, and
    nobody stands still for it."""
    at = 1
    told = {tick.tick: tick.asked["elena"].choice for tick in loaded.run.ticks if "elena" in tick.asked}
    assert any(choice == "chat:diana" for tick, choice in told.items() if tick > at)
    branch = loaded.fork(at, force="move:dining_table", agent="elena", ticks=TICKS)  # where Diana is not
    later = [tick for tick in branch.run.ticks if tick.tick > at]
    assert all("elena" in tick.choices for tick in later)
    kept = {tick.tick for tick in later if "elena" in tick.asked}
    assert kept < {tick for tick in told if tick > at}
    assert all(tick.choices["elena"].id == told[tick.tick] for tick in later if tick.tick in kept)
    assert any(tick.tick in told and tick.choices["elena"].id != told[tick.tick] for tick in later)


@pytest.mark.parametrize("calls", [0, 1, 7])
def test_a_budget_is_kept_also_over_an_interruption(party: Scenario, calls: int) -> None:
    """No more questions are sent than the budget of the evening has room for, whoever asks and however often the evening
    is interrupted; the rest is answered by that reason, and the evening ends as ever."""
    sent = []

    def count(situation: MindSituation) -> MindVote:
        sent.append(situation.who)
        return echo(situation)

    people = {who: Consulted(count, kinds=None) for who in ("victor", "marcus")}
    outside = OutsideMinds(people, deadline_s=30.0, budget=Budget(calls=calls))
    evening = play(party, 24, ticks=3, outside=outside)
    evening = evening.play_on(ticks=8)
    answers = [one for tick in evening.run.ticks for one in tick.asked.values()]
    assert len(sent) == calls
    assert [one.fallback for one in answers if one.fallback] == ["over_budget"] * (len(answers) - calls)
    assert len(evening.run.ticks) == 8


def test_a_guest_plays_among_minds(party: Scenario) -> None:
    """A person plays one guest while minds from outside play others; the guest's own mind is not asked while they play."""
    outside = OutsideMinds({"victor": Consulted(obey, "choose", kinds=None)}, deadline_s=30.0)
    evening = Evening.begin(party, 24, "elena", outside=outside)
    for _ in range(3):
        offer = evening.offer()
        assert offer is not None
        evening = evening.choose(offer.own)
    assert {who for tick in evening.run.ticks for who in tick.played} == {"elena", "victor"}
    assert Evening(evening.run).verify() == len(evening.run.ticks)


def test_ensembles_ask_minds_too(party: Scenario) -> None:
    """What an ensemble measures of evenings with minds is what playing them one by one gives."""
    short = replace(party, evening=replace(party.evening, ticks=8))
    people = OutsideMinds({"victor": Consulted(moody, weight=1.0, kinds=None)}, deadline_s=30.0)
    measured = ensemble(short, [24, 25], outside=people, workers=1)
    plain = ensemble(short, [24, 25], workers=1)
    evenings = [play(short, seed, outside=people) for seed in (24, 25)]
    assert [one.ending for one in measured] == [one.ending.kind for one in evenings if one.ending is not None]
    happened = [Counter(event.type.name for event in one.run.events) for one in evenings]
    assert [{kind: times for kind, times in one.events.items() if times} for one in measured] == happened
    assert measured != plain


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"way": "veto"}, "way"),
        ({"weight": 0}, "weight"),
        ({"best": 1}, "best"),
        ({"margin": -1.0}, "margin"),
        ({"kinds": ["conflicts"]}, "conflict"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any], word: str) -> None:
    """A way, weight, number, margin or kind that there is not is refused by its name."""
    with pytest.raises(InvalidInput, match=word):
        Consulted(moody, **settings)


def test_people_who_are_not_there_have_no_mind(party: Scenario) -> None:
    """A mind for somebody who is not there, or a second one for somebody, is refused."""
    with pytest.raises(InvalidInput, match="victor"):
        play(party, 1, outside=OutsideMinds({"viktor": moody}))
    with pytest.raises(InvalidInput, match="two minds"):
        play(party, 1, outside=OutsideMinds({"victor": moody}), minds={"victor": lambda offer: None})
    with pytest.raises(InvalidInput, match="propose"):
        OutsideMinds({"victor": 5})  # type: ignore[dict-item]
