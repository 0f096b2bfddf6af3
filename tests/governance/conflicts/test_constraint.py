"""Constraint conflicts: locks, modes, budgets and capacities."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import pytest

from tests.governance.plans import command, contested, judged, plan, reader
from volition.governance.documents.intent import Agent, Budgets
from volition.governance.documents.policy import Policy

if TYPE_CHECKING:
    from volition.governance.documents.intent import IntentDocument

A, B = "aaaaaa", "bbbbbb"


def spending(name: str, **most: float) -> IntentDocument:
    limits = {"max_files": 0, "max_commits": 0, "max_tokens": 0, "max_cost_usd": 0, **most}
    return plan(name, [f"{name}.py"], budgets=Budgets(**limits))  # type: ignore[arg-type]


@pytest.mark.req("GV-06")
def test_a_lock_against_somebody_who_locks_nothing() -> None:
    """A lock on a folder clashes with a writer in it who locks nothing, in either order."""
    holder = plan(A, commands=[reader()], locked=["/src/api"])
    visitor = plan(B, ["src/api/routes.py"], lock="none")
    for some in permutations([holder, visitor]):
        assert contested(*some) == {("medium", "src/api", (A, B))}


@pytest.mark.req("GV-06", "GV-23")
@pytest.mark.parametrize("lock", [{"lock": "none"}, {"lock": "task"}, {"locked": ["src/web"]}])
def test_a_lock_holds_against_every_writer(lock: dict[str, list[str]]) -> None:
    """Whoever writes what another locks clashes with it, though it locks something itself; by a file or by a module."""
    holder = plan(A, commands=[reader()], locked=["src/api"])
    visitor = plan(B, ["src/api/b.py"], **lock)  # type: ignore[arg-type]
    for some in permutations([holder, visitor]):
        assert contested(*some) == {("medium", "src/api", (A, B))}
    assert contested(holder, plan(B, modules=["api.b"], **lock)) == {("medium", "src/api", (A, B))}  # type: ignore[arg-type]


@pytest.mark.req("GV-06")
def test_locks_overlap_by_path() -> None:
    """Two locks clash where one path lies in the other, never by a common beginning of their texts."""
    lock = plan(A, commands=[reader()], locked=["src/api"])
    assert contested(lock, plan(B, commands=[reader()], locked=["src/api/x.py"])) == {("medium", "src/api", (A, B))}
    assert contested(lock, plan(B, commands=[reader()], locked=["src/api2/x.py"])) == set()


@pytest.mark.req("GV-06")
def test_reading_what_is_locked_is_no_conflict() -> None:
    """A lock keeps writers out and lets readers in."""
    assert (
        contested(plan(A, commands=[reader()], locked=["src"]), plan(B, ["src/a.py"], commands=[reader()], lock="none"))
        == set()
    )


@pytest.mark.req("GV-06")
def test_modes_clash_in_either_order() -> None:
    """An intent that never asks clashes with one that wants to be asked, whichever is listed first."""
    silent, asking = plan(A, ["a.py"], mode="full_auto"), plan(B, ["b.py"])
    for some in permutations([silent, asking]):
        assert contested(*some) == {("low", "interaction.mode", (A, B))}
        assert judged(*some).strategy == "merge_union"


@pytest.mark.req("GV-06")
@pytest.mark.parametrize("name", ["max_files", "max_commits", "max_tokens", "max_cost_usd"])
def test_budgets_are_summed_over_the_whole_set(name: str) -> None:
    """Each budget is summed over all intents against the policy's limit; at the limit it fits."""
    some = [spending(f"number_{n:02d}", **{name: 10}) for n in range(3)]
    everybody = tuple(intent.id.removeprefix("intent_") for intent in some)
    assert contested(*some, policy=Policy(**{name: 29})) == {("high", f"budgets.{name}", everybody)}  # type: ignore[arg-type]
    assert contested(*some, policy=Policy(**{name: 30})) == set()  # type: ignore[arg-type]


@pytest.mark.req("GV-06")
def test_a_conflict_of_the_whole_set_connects_nobody() -> None:
    """Too high a sum makes no component, and is asked about though nothing else is."""
    outcome = judged(spending(A, max_tokens=600), spending(B, max_tokens=600), policy=Policy(max_tokens=1000))
    assert outcome.clusters == ()
    assert (outcome.strategy, len(outcome.questions)) == ("reject", 1)


@pytest.mark.req("GV-06")
def test_capacities_are_counted_without_duplicates() -> None:
    """Together the intents may not hold more than one intent can; the same thing twice is one thing."""
    agents = [Agent(agent_id=f"agent_{n}", role="worker", responsibilities=("work",)) for n in range(14)]
    one = plan(A, ["a"], selected_agents=tuple(agents[:7]))
    assert contested(one, plan(B, ["b"], selected_agents=tuple(agents[6:13]))) == set()
    assert contested(one, plan(B, ["b"], selected_agents=tuple(agents[7:]))) == {("high", "selected_agents", (A, B))}


def test_a_task_lock_locks_no_path() -> None:
    """Only a lock on files has paths that others can violate."""
    assert contested(plan(A, ["a.py"], lock="task"), plan(B, ["b.py"], commands=[command()], lock="none")) == set()
