"""Journals are looked at moment by moment, like drives: nothing twice, nothing lost, nothing without a bound."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from tests.execution.quarry import Quarry, dig, driving
from tests.studio.served import Served, serving
from volition.core.ledger import Ledger
from volition.execution.connecting.connect import connect
from volition.execution.journal.decisions import read_decisions
from volition.execution.journal.entries import read_transitions
from volition.execution.journal.journal import Journal
from volition.execution.journal.writer import KIND, LAYOUT
from volition.execution.worlds.pilot import Pilot, drive
from volition.studio.journals import read_moments

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def recorded(path: Path, steps: int) -> None:
    with connect("embedded", seed=steps, journal=path, meta={"seed": steps}) as bridge:
        drive(bridge, steps, lambda _: None, pilot=Pilot())


def test_every_attempt_is_in_one_moment_with_its_states(tmp_path: Path) -> None:
    """The attempts of all runs are there once and in order, each with the state after it; runs say what they are."""
    for steps in (12, 5):
        recorded(tmp_path / "j", steps)
    runs = read_moments(tmp_path / "j")
    assert [(run.run, run.meta, run.executor, run.closed) for run in runs] == [
        (1, {"seed": 12}, "arena", True),
        (2, {"seed": 5}, "arena", True),
    ]
    found = [moment for run in runs for moment in run.moments if moment.attempt is not None]
    written = list(read_transitions(tmp_path / "j"))
    assert [(moment.attempt, moment.state) for moment in found] == [
        (step.attempt, step.next_state or step.state) for step in written
    ]
    for run in runs:
        assert [moment.number for moment in run.moments] == list(range(1, len(run.moments) + 1))
        assert run.map["name"] == "courtyard"
        assert run.attempts == sum(moment.attempt is not None for moment in run.moments)


def test_what_is_too_much_is_counted(tmp_path: Path) -> None:
    """No more moments are held than are allowed; the others are counted, and what is held is the beginning."""
    recorded(tmp_path / "j", 12)
    (whole,) = read_moments(tmp_path / "j")
    (part,) = read_moments(tmp_path / "j", most=7)
    assert part.moments == whole.moments[:7]
    assert (part.attempts, part.closed) == (whole.attempts, True)
    assert part.left_out >= len(whole.moments) - 7


META = {"map": "courtyard", "seed": 5, "goal": "opponent", "pace": "fast"}


@pytest.fixture(scope="module")
def journals(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A studio with one journal of two runs: forty steps, and ten more."""
    folder = tmp_path_factory.mktemp("journals")
    for steps, seed in ((40, 5), (10, 6)):
        with connect("embedded", seed=seed, journal=folder / "kept" / "arena", meta={**META, "seed": seed}) as bridge:
            drive(bridge, steps, lambda _: None, pilot=Pilot())
    with serving(folder) as one:
        yield one


def only_journal(served: Served) -> tuple[str, dict[str, Any]]:
    (record,) = served.get("/records?kind=journal")["records"]
    return record["id"], record


def test_a_saved_journal_is_listed_with_its_seed(journals: Served) -> None:
    """The list names the map, seed, goal and executor of a journal."""
    _, record = only_journal(journals)
    brief = record["journal"]
    assert (brief["map"], brief["seed"], brief["goal"], brief["executor"]) == ("courtyard", 5, "opponent", "arena")
    assert (brief["runs"], record["live"], record["intact"]) == (2, False, True)


def test_a_saved_journal_is_scrubbed_through(journals: Served) -> None:
    """Every attempt of every run is there once, in order, with the state after it and its picture."""
    id, _ = only_journal(journals)
    shape = journals.get(f"/journals/{id}")
    assert [(one["seed"], one["closed"], one["map"]["name"]) for one in shape["runs"]] == [
        (5, True, "courtyard"),
        (6, True, "courtyard"),
    ]
    told: list[dict[str, Any]] = []
    for run in shape["runs"]:
        page = journals.get(f"/journals/{id}/moments?run={run['run']}&most=1000")
        assert [one["number"] for one in page["moments"]] == list(range(1, run["moments"] + 1))
        told += page["moments"]
        times = [(one["episode"], one["tick"]) for one in page["moments"] if one["attempt"] is None]
        assert times == sorted(set(times)), "the world moves on by itself once for a tick"
    written = list(read_transitions(journals.studio.store.find(id).path))
    attempts = [one for one in told if one["attempt"] is not None]
    assert [one["attempt"]["ticket"] for one in attempts] == [step.attempt.ticket for step in written]
    for one, step in zip(attempts, written, strict=True):
        after = step.next_state or step.state
        assert one["attempt"]["outcome"]["status"] == step.attempt.result.status
        assert one["tick"] == (None if after is None else after.tick)
    for one in told[2:]:
        assert one["picture"].startswith("#" * 16)
        assert "map" not in one["state"]


def test_moments_come_page_by_page(journals: Served) -> None:
    """Page by page from the last number on, the moments add up to the whole; beyond the end there are none."""
    id, _ = only_journal(journals)
    whole = journals.get(f"/journals/{id}/moments")["moments"]
    paged: list[Any] = []
    while page := journals.get(f"/journals/{id}/moments?after={len(paged)}&most=7")["moments"]:
        paged += page
    assert paged == whole
    assert journals.get(f"/journals/{id}/moments?after={2**53 - 1}")["moments"] == []
    assert journals.refusal("GET", f"/journals/{id}/moments?run=3")[0] == 404
    assert journals.refusal("GET", f"/journals/{id}/moments?most=1001")[0] == 400


def test_a_journal_of_another_executor_is_shown_without_pictures(tmp_path: Path) -> None:
    """A journal with any states opens: states of other executors have no picture; another kind of ledger is refused."""
    states: list[Any] = [{"map": 3}, {"map": {"name": "x", "rows": []}}, [1], {"actor": None}]
    states += [{"map": {"name": "x", "rows": ["#"]}, "actor": {"x": "a", "y": {}}, "opponent": {"x": 9**30, "y": 1}}]
    with Ledger(tmp_path / "odd", kind=KIND, meta={"layout": LAYOUT}) as ledger:
        ledger.append({"run": {"run": 1, "meta": {"seed": "x", "map": 7}}})
        for tick, data in enumerate(states):
            state = {"key": [1, tick], "tick": tick, "episode": 1, "full": True, "data": data}
            ledger.append_encoded([json.dumps({"state": state}, separators=(",", ":")).encode()])
    with Ledger(tmp_path / "none", kind="other") as ledger:
        ledger.append({"a": 1})
    with serving(tmp_path) as served:
        ids = {one["name"]: one["id"] for one in served.get("/records")["records"]}
        (run,) = served.get(f"/journals/{ids['odd']}")["runs"]
        assert (run["seed"], run["executor"], run["closed"], run["moments"]) == (None, None, False, len(states))
        assert {one["picture"] for one in served.get(f"/journals/{ids['odd']}/moments")["moments"]} == {None}
        assert served.refusal("GET", f"/journals/{ids['none']}")[0] == 400


@pytest.mark.req("EX-24")
def test_intents_of_a_games_own_are_shown(tmp_path: Path) -> None:
    """A journal of another game shows each intent under its name, with its parameters."""
    with Journal(tmp_path / "quarry") as journal, driving(Quarry(), journal=journal) as body:
        body.execute(dig(1, tool="pick"))
    with serving(tmp_path) as served:
        id, _ = only_journal(served)
        shown = served.get(f"/journals/{id}/moments?run=1&most=1000")["moments"]
        outcomes = [one["attempt"]["outcome"] for one in shown if one["attempt"] is not None]
        assert [(one["intent"], one["parameters"]) for one in outcomes][-1] == (
            "DIG",
            {"at": [1, 0, 0], "tool": "pick"},
        )


def test_every_step_of_a_saved_journal_can_be_asked(journals: Served) -> None:
    """Each decision is in one moment, with the attempt that carries it out; it is explained, and asked what if."""
    id, _ = only_journal(journals)
    path = journals.studio.store.find(id).path
    for run in journals.get(f"/journals/{id}")["runs"]:
        made = list(read_decisions(path, run["run"]))
        moments = journals.get(f"/journals/{id}/moments?run={run['run']}&most=1000")["moments"]
        assert [step["step"] for one in moments for step in one["steps"]] == [each.step for each in made]
        assert run["steps"] == len(made) > 9
    last = made[-1]
    told = journals.get(f"/journals/{id}/decisions/{last.step}?run=2")
    assert (told["tick"], told["decision"]["candidate"]) == (last.tick, last.decided.decision.chosen)
    then = journals.post(f"/journals/{id}/decisions/{last.step}/what-if?run=2", {"without": ["reach"]})
    assert then["after"] == last.decision().what_if(without="reach", shadow=True).after
    assert journals.refusal("GET", f"/journals/{id}/decisions/999?run=2")[0] == 404
    assert journals.refusal("GET", f"/journals/{id}/decisions/1?run=3")[0] == 404


def test_an_attempt_is_beside_its_decision(journals: Served) -> None:
    """A moment with an attempt of the policy names the step whose choice it was."""
    id, _ = only_journal(journals)
    for one in journals.get(f"/journals/{id}/moments?most=1000")["moments"]:
        if one["attempt"] is not None and one["attempt"]["purpose"] == "policy":
            kind = one["attempt"]["outcome"]["intent"].lower().removeprefix("primary_")
            (step,) = (each for each in one["steps"] if each["step"] == one["attempt"]["step"])
            assert step["chosen"].partition(":")[0] == kind


def test_marks_are_where_it_happened(journals: Served) -> None:
    """A hit is marked in the tick in which health falls, a blocked move where it is, in the order of the moments.

    Two states of one tick are one moment, so what falls in a tick may be seen in the next moment only.
    """
    id, _ = only_journal(journals)
    shape = journals.get(f"/journals/{id}")
    run = shape["runs"][0]
    moments = journals.get(f"/journals/{id}/moments?most=1000")["moments"]
    numbers = [mark["number"] for mark in run["marks"]]
    assert numbers == sorted(numbers)
    assert {mark["kind"] for mark in run["marks"]} <= shape["legend"].keys()
    healths = [one["state"]["opponent"]["health"] for one in moments]
    fallen = [number for number, (was, now) in enumerate(pairwise(healths), 2) if now < was]
    hits = sorted({mark["number"] for mark in run["marks"] if mark["kind"] == "hit"})
    assert len(hits) == len(fallen) > 1
    assert all(seen - hit in (0, 1) for hit, seen in zip(hits, fallen, strict=True))
    blocked = [one["number"] for one in moments if one["attempt"] and one["attempt"]["outcome"]["reason"] == "BLOCKED"]
    assert [mark["number"] for mark in run["marks"] if mark["kind"] == "blocked"] == blocked
