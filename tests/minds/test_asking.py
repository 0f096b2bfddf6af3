"""Asking: minds answer at the same time, and whatever they do, the caller goes on with one record for each."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from threading import Barrier, BoundedSemaphore, Event, Thread, current_thread
from typing import TYPE_CHECKING, Any

import pytest

from tests.minds.questions import BUSY_S, HASTY_S, PATIENT_S, ask_one, rain
from volition.core.canonical import digest
from volition.core.clock import ManualClock
from volition.core.errors import InvalidInput
from volition.minds import (
    FALLBACKS,
    Budget,
    MindChoice,
    MindRecord,
    MindSituation,
    MindVote,
    Spending,
    Unanswered,
    ask_all,
    seconds_left,
    workers,
)
from volition.minds.budget import GIVE_UP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.sentences import Told

pytestmark = pytest.mark.req("DE-35")

STAY = MindVote("stay", "it is dry", 7)


class Unprintable:
    """Raises when it is to be shown."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __repr__(self) -> str:
        raise self.error


class Nameless(Exception):
    """An error that cannot say what it is."""

    def __str__(self) -> str:
        raise SystemExit


def recurse(situation: MindSituation) -> Any:
    return recurse(situation)


def raising(error: BaseException) -> Callable[[MindSituation], Any]:
    def mind(situation: MindSituation) -> Any:
        raise error

    return mind


def returning(answer: Any) -> Callable[[MindSituation], Any]:
    return lambda situation: answer


HOSTILE: dict[str, tuple[Callable[[MindSituation], Any], str, str]] = {
    "raises": (raising(ValueError("no\nidea")), "raised", "it raised ValueError: no idea"),
    "exits": (raising(SystemExit(3)), "raised", "it raised SystemExit: 3"),
    "interrupts": (raising(KeyboardInterrupt()), "raised", "it raised KeyboardInterrupt"),
    "cancels": (raising(asyncio.CancelledError()), "raised", "it raised CancelledError"),
    "has no words": (raising(Nameless()), "raised", "it raised Nameless"),
    "recurses": (recurse, "raised", "it raised RecursionError"),
    "returns nothing": (returning(None), "silent", "it leaves it to the engine"),
    "returns an id": (returning("stay"), "invalid", "it answered 'stay', no vote and no choice"),
    "returns a class": (returning(MindVote), "invalid", "no vote and no choice"),
    "returns a megabyte": (returning("x" * 2**20), "invalid", "no vote and no choice"),
    "returns what cannot be shown": (returning(Unprintable(ValueError())), "invalid", "a value of type Unprintable"),
    "returns what exits when shown": (returning(Unprintable(SystemExit())), "raised", "it raised SystemExit"),
    "names a number": (returning(MindVote(5)), "invalid", "values of other types"),  # type: ignore[arg-type]
    "counts backwards": (returning(MindVote("stay", tokens=-1)), "invalid", "values of other types"),
    "counts in truths": (returning(MindVote("stay", tokens=True)), "invalid", "values of other types"),
    "misspells": (returning(MindChoice("stya")), "invalid", "'stya' is no option: did you mean 'stay'?"),
    "names a megabyte": (returning(MindVote("x" * 2**20)), "invalid", "an id of 1048576 letters"),
    "names what is vetoed": (returning(MindVote("swim")), "vetoed", "'swim' is vetoed by safety"),
    "says why not": (raising(Unanswered("unreachable", "nobody is at home")), "unreachable", "nobody is at home"),
    "invents a reason": (raising(Unanswered("bored", "why?")), "raised", "it raised Unanswered: why?"),  # type: ignore[arg-type]
}


@pytest.fixture
def release() -> Iterator[Event]:
    """What stuck minds wait for: the end of the test."""
    event = Event()
    yield event
    event.set()


@pytest.mark.parametrize("in_loop", [False, True], ids=["function", "coroutine"])
@pytest.mark.parametrize("way", HOSTILE)
def test_a_hostile_mind_is_one_fallback(way: str, in_loop: bool) -> None:
    """Whatever a mind does is a named reason with one line about it; the mind beside it answers as if it were alone."""
    mind, fallback, fault = HOSTILE[way]

    async def propose(situation: MindSituation) -> Any:
        await asyncio.sleep(0)
        return mind(situation)

    async def good(situation: MindSituation) -> MindVote:
        return STAY

    minds = {"ada": propose if in_loop else mind, "ben": good, "cy": returning(STAY)}
    asked = ask_all(minds, {who: rain(who) for who in minds}, deadline_s=PATIENT_S)
    assert list(asked) == ["ada", "ben", "cy"]
    assert (asked["ada"].fallback, asked["ada"].choice, asked["ada"].kind) == (fallback, "", "")
    assert fault in asked["ada"].fault
    assert "\n" not in asked["ada"].fault
    assert len(asked["ada"].fault) <= 300
    assert [(asked[who].choice, asked[who].fallback) for who in ("ben", "cy")] == [("stay", "")] * 2
    assert {one.fallback for one in asked.values()} <= {"", *FALLBACKS}


def test_an_answer_is_recorded() -> None:
    """The record has the question's hash, the answer, its kind, reason, words and cost, and no fault."""
    answer = MindChoice("stay", " it is\ndry ", 7, "Stay. " * 1000)
    asked = ask_one(returning(answer))
    assert (asked.kind, asked.choice, asked.reason, asked.tokens) == ("choice", "stay", "it is dry", 7)
    assert asked.question == digest(rain().to_data())
    assert len(asked.words) == 2000
    assert (asked.fallback, asked.fault) == ("", "")


def test_nobody_to_ask_is_no_question() -> None:
    """Without situations nothing is sent and nobody waits."""
    spending = Spending(Budget(calls=0))
    assert ask_all({"ada": returning(STAY)}, {}, deadline_s=PATIENT_S, spending=spending) == {}
    assert (spending.calls, spending.seconds) == (0, 0.0)


def test_half_characters_do_not_break_the_record() -> None:
    """Words with a lone surrogate, which JSON cannot hold, are recorded with a replacement."""
    asked = ask_one(returning(MindVote("stay", "a\ud800b", words="\udfff")))
    assert (asked.reason, asked.words) == ("a\ufffdb", "\ufffd")
    MindRecord([asked]).to_bytes()


def test_minds_answer_at_the_same_time() -> None:
    """Six functions that wait for each other all answer: asked one after another, none ever would."""
    together = Barrier(6)

    def mind(situation: MindSituation) -> MindVote:
        together.wait()
        return STAY

    asked = ask_all({str(n): mind for n in range(6)}, {str(n): rain(str(n)) for n in range(6)}, deadline_s=PATIENT_S)
    assert [one.choice for one in asked.values()] == ["stay"] * 6


def test_functions_and_coroutines_answer_at_the_same_time() -> None:
    """Three coroutines and three functions that wait for each other all answer."""
    together, inside = Barrier(4), asyncio.Barrier(3)

    def function(situation: MindSituation) -> MindVote:
        together.wait()
        return STAY

    async def coroutine(situation: MindSituation) -> MindVote:
        await inside.wait()
        if situation.who == "0":
            await asyncio.to_thread(together.wait)
        return STAY

    minds: dict[str, Any] = {str(n): coroutine if n < 3 else function for n in range(6)}
    asked = ask_all(minds, {who: rain(who) for who in minds}, deadline_s=PATIENT_S)
    assert [one.choice for one in asked.values()] == ["stay"] * 6


def test_a_function_may_return_what_is_awaited() -> None:
    """A function that returns a coroutine, and an object with a coroutine as its call, are minds too."""

    async def slow(situation: MindSituation) -> MindVote:
        await asyncio.sleep(0)
        return STAY

    class Called:
        async def __call__(self, situation: MindSituation) -> MindVote:
            return STAY

    def wrapped(situation: MindSituation) -> Any:
        return slow(situation)

    assert ask_one(wrapped).choice == "stay"
    assert ask_one(partial(slow)).choice == "stay"
    assert ask_one(Called()).choice == "stay"


def test_a_mind_never_changes_the_situation() -> None:
    """What a mind does to its situation reaches neither the caller nor the mind beside it."""
    seen: list[Any] = []
    given = {"hall": {"guests": [1, 2]}}

    def vandal(situation: MindSituation) -> MindVote:
        situation.data["hall"]["guests"].clear()
        situation.vetoed.clear()
        seen.append(situation.data)
        return MindVote("swim")

    situations = {who: rain(who, data=given) for who in ("ada", "ben")}
    asked = ask_all(dict.fromkeys(situations, vandal), situations, deadline_s=PATIENT_S)
    assert given == {"hall": {"guests": [1, 2]}}
    assert seen[0] is not seen[1]
    assert [one.fallback for one in asked.values()] == ["vetoed", "vetoed"]


def test_a_mind_that_prints_answers(capsys: pytest.CaptureFixture[str]) -> None:
    """Printing is allowed."""

    def mind(situation: MindSituation) -> MindVote:
        print(situation.words)  # noqa: T201
        return STAY

    assert ask_one(mind).choice == "stay"
    assert capsys.readouterr().out == "It rains.\n"


@pytest.mark.parametrize("in_loop", [False, True], ids=["function", "coroutine"])
def test_nobody_waits_for_a_mind_that_never_returns(in_loop: bool, release: Event) -> None:
    """The caller goes on at the deadline, with the answers of the others."""

    async def stuck(situation: MindSituation) -> None:
        await asyncio.Event().wait()

    minds: dict[str, Any] = {"ada": stuck if in_loop else lambda situation: release.wait(), "ben": returning(STAY)}
    begun = time.monotonic()
    asked = ask_all(minds, {who: rain(who) for who in minds}, deadline_s=BUSY_S)
    assert BUSY_S <= time.monotonic() - begun < 20
    assert (asked["ada"].fallback, asked["ada"].fault) == ("late", f"no answer within {BUSY_S:g} s")
    assert asked["ben"].choice == "stay"


def test_lateness_is_judged_by_the_clock() -> None:
    """An answer after the deadline on the given clock is late, though it came while the caller waited."""
    clock = ManualClock()

    def mind(situation: MindSituation) -> MindVote:
        clock.advance(3)
        return STAY

    assert ask_one(mind, 3.0, clock=clock).choice == "stay"
    late = ask_one(mind, 2.0, clock=clock)
    assert (late.fallback, late.choice, late.seconds) == ("late", "", 3.0)


def test_a_mind_knows_how_long_it_may_take() -> None:
    """What is left is the deadline less what the clock has counted; outside a question nobody waits."""
    clock, seen = ManualClock(), list[float | None]()

    def mind(situation: MindSituation) -> None:
        clock.advance(0.5)
        seen.append(seconds_left())

    async def coroutine(situation: MindSituation) -> None:
        mind(situation)

    ask_one(mind, 2.0, clock=clock)
    ask_one(coroutine, 2.0, clock=clock)
    assert [*seen, seconds_left()] == [1.5, 1.5, None]


def test_a_late_answer_is_dropped() -> None:
    """An answer that comes after the deadline answers no later question."""
    release, spending = Event(), Spending()
    answers = iter(["go", "stay"])

    def mind(situation: MindSituation) -> MindVote:
        id = next(answers)
        if id == "go":
            release.wait()
        return MindVote(id)

    assert ask_one(mind, HASTY_S, spending).fallback == "late"
    release.set()
    while spending.refusal("ada") is not None:  # until it has returned
        time.sleep(0.001)
    assert ask_one(mind, spending=spending).choice == "stay"


@pytest.mark.parametrize("in_loop", [False, True], ids=["function", "coroutine"])
def test_a_busy_mind_is_not_asked(in_loop: bool, release: Event) -> None:
    """A mind that has not returned is never at work on two questions, and has one thread at most."""
    entered: list[int] = []

    def mind(situation: MindSituation) -> MindVote:
        entered.append(1)
        release.wait()
        return STAY

    async def coroutine(situation: MindSituation) -> MindVote:
        entered.append(1)
        while not release.is_set():
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:  # it does not let itself be stopped
                continue
        return STAY

    spending = Spending()
    asked = [ask_one(coroutine if in_loop else mind, HASTY_S, spending) for _ in range(2)]
    assert [one.fallback for one in asked] == ["late", "late"]
    assert asked[1].fault == "still busy with an earlier question"
    assert len(entered) == spending.calls == 1


def test_a_mind_is_given_up_after_misses_in_a_row() -> None:
    """After three misses in a row a mind is not called again in the run; an answer in between starts the count again."""
    called: list[str] = []

    def mind(situation: MindSituation) -> MindVote:
        called.append("x")
        if len(called) == 3:
            return STAY
        raise Unanswered("late", "asleep")

    spending = Spending()
    asked = [ask_one(mind, spending=spending) for _ in range(8)]
    assert [one.fallback for one in asked] == ["late", "late", "", "late", "late", "late", "unreachable", "unreachable"]
    assert len(called) == spending.calls == 6
    assert asked[-1].fault == f"given up after {GIVE_UP} misses in a row"
    assert ask_one(mind, spending=Spending()).fallback == "late"


def test_a_coroutine_that_blocks_the_loop_costs_one_tick(release: Event) -> None:
    """The coroutines beside it are late once; at the next question they have another loop, and the old one ends."""

    blocked: list[Thread] = []

    async def blocks(situation: MindSituation) -> None:
        blocked.append(current_thread())
        release.wait()

    async def good(situation: MindSituation) -> MindVote:
        return STAY

    minds, spending = {"ada": blocks, "ben": good}, Spending()
    first = ask_all(minds, {who: rain(who) for who in minds}, deadline_s=HASTY_S, spending=spending)
    assert [one.fallback for one in first.values()] == ["late", "late"]
    again = ask_all(minds, {"ben": rain("ben")}, deadline_s=PATIENT_S, spending=spending)
    assert again["ben"].choice == "stay"
    release.set()
    blocked[0].join(PATIENT_S)
    assert not blocked[0].is_alive()
    assert ask_one(good).choice == "stay"


def test_a_loop_that_a_mind_ends_is_replaced() -> None:
    """A coroutine that stops the loop ends nobody else's later answers."""

    async def stops(situation: MindSituation) -> None:
        asyncio.get_running_loop().stop()
        await asyncio.sleep(60)

    async def good(situation: MindSituation) -> MindVote:
        return STAY

    ended: list[Thread] = []

    async def stops_and_answers(situation: MindSituation) -> MindVote:
        ended.append(current_thread())
        asyncio.get_running_loop().stop()
        return STAY

    assert ask_one(stops, HASTY_S).fallback == "late"
    assert ask_one(good).choice == "stay"
    assert ask_one(stops_and_answers).choice == "stay"
    ended[0].join(PATIENT_S)
    assert ask_one(good).choice == "stay"


def wait_for_slots(count: int) -> None:
    """Until all threads have ended: one that ends after the test would give its slot back to what was there before."""
    for _ in range(count):
        while not workers._slots.acquire(blocking=False):
            time.sleep(0.001)
    workers._slots.release(count)


def test_threads_are_bounded(release: Event, monkeypatch: pytest.MonkeyPatch, told: Told) -> None:
    """When as many minds as there may be have not returned, another is not asked, and is said to be unreachable."""
    monkeypatch.setattr(workers, "_slots", BoundedSemaphore(2))
    minds: dict[str, Any] = dict.fromkeys("abc", lambda situation: release.wait())
    asked = ask_all(minds, {who: rain(who) for who in minds}, deadline_s=HASTY_S)
    assert [asked[who].fallback for who in "abc"] == ["late", "late", "unreachable"]
    told(asked["c"].fault)
    release.set()
    wait_for_slots(2)
    assert ask_one(returning(STAY)).choice == "stay"
    wait_for_slots(2)


def test_the_same_answers_are_the_same_bytes() -> None:
    """Two runs with the same answers have the same record but for the seconds, in the order of the names."""
    minds = {"cy": returning(STAY), "ada": raising(ValueError("no")), "ben": returning(MindVote("stya"))}
    situations = {who: rain(who) for who in minds}

    def record() -> bytes:
        return MindRecord(ask_all(minds, situations, deadline_s=PATIENT_S).values()).to_bytes(seconds=False)

    assert record() == record()
    assert list(ask_all(minds, situations, deadline_s=PATIENT_S)) == ["ada", "ben", "cy"]


def test_the_budget_cuts_the_deadline() -> None:
    """Nobody is waited for longer than the seconds of the budget that are left."""
    clock = ManualClock()

    def mind(situation: MindSituation) -> MindVote:
        clock.advance(2)
        return STAY

    spending = Spending(Budget(seconds=3))
    asked = [ask_one(mind, 2.5, spending, clock) for _ in range(3)]
    assert [one.fallback for one in asked] == ["", "late", "over_budget"]
    assert asked[1].fault == "no answer within 1 s"
    assert asked[2].fault == "4 of 3 seconds are used"


@pytest.mark.parametrize(
    ("minds", "situations", "deadline_s", "said"),
    [
        ({}, {"ada": rain()}, 1.0, "there is no mind of 'ada'"),
        ({"ada": 3}, {"ada": rain()}, 1.0, "the mind of ada is 3"),
        ({"ada": returning(STAY)}, {"ada": rain("ben")}, 1.0, "the situation of 'ada' is that of 'ben'"),
        ({"ada": returning(STAY)}, {"ada": rain()}, 0, "the deadline is 0"),
        ({"ada": returning(STAY)}, {"ada": rain()}, float("nan"), "the deadline is nan"),
        ({"ada": returning(STAY)}, {"ada": rain(data={"a": {1}})}, 1.0, "set"),
        ({"ada": returning(STAY)}, {"ada": rain(data={"a": float("inf")})}, 1.0, "inf"),
    ],
)
def test_what_cannot_be_asked_is_refused(minds: Any, situations: Any, deadline_s: Any, said: str) -> None:
    """A mistake of the caller is an error before anybody is asked."""
    with pytest.raises(InvalidInput, match=said):
        ask_all(minds, situations, deadline_s=deadline_s)
