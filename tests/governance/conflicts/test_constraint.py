"""Constraint conflicts: locks, modes, budgets and capacities."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

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
    holder = plan(A, ["src/api/models.py"], locked=["/src/api"])
    visitor = plan(B, ["src/api/routes.py"], lock="none")
    for some in permutations([holder, visitor]):
        assert contested(*some) == {("medium", "src/api", (A, B))}


@pytest.mark.req("GV-06")
def test_a_lock_that_no_work_will_end_is_a_freeze() -> None:
    """A lock of everything, or of a plan that does nothing, is grave for whoever writes there; a reader, and another lock,
    are no worse off than with any other lock."""
    frozen = plan(A, commands=[], locked=["src/api"])
    everything = plan(A, ["src/api/a.py"], locked=["."])
    for holder, about in ((frozen, "src/api"), (everything, ".")):
        visitor = plan(B, ["src/api/b.py"])
        for some in permutations([holder, visitor]):
            assert contested(*some, kind="constraint") == {("high", about, (A, B))}
        assert contested(holder, plan(B, ["src/api/b.py"], commands=[reader()]), kind="constraint") == set()
        locking = plan(B, ["lib/b.py"], commands=[reader()], locked=["src/api/b.py"])
        assert contested(holder, locking, kind="constraint") == {("medium", about, (A, B))}


@pytest.mark.req("GV-06")
def test_a_plan_that_may_touch_anything_freezes_nothing() -> None:
    """Who writes without naming a target may work in what it locks, so its lock will end."""
    assert contested(plan(A, locked=["src"]), plan(B, ["src/a.py"]), kind="constraint") == {("medium", "src", (A, B))}


@pytest.mark.req("GV-06")
def test_who_violates_a_lock_comes_after_its_holder() -> None:
    """In the order of the work the holder of a lock comes first, whatever the ids, unless a need says otherwise; of two who
    only lock the same, the first by id does."""
    early = plan(A, ["src/api/a.py"], commands=[command("early")])
    holder = plan(B, ["src/api/b.py"], commands=[command("late")], locked=["src/api"])
    assert commands_of(early, holder) == ["late", "early"]
    needed = plan(B, ["src/api/b.py"], commands=[command("late")], locked=["src/api"], depends_on=[early.id])
    assert commands_of(early, needed) == ["early", "late"]
    both = plan(A, ["src/api/a.py"], commands=[command("early")], locked=["src/api/a.py"])
    assert commands_of(both, holder) == ["late", "early"]
    readers = [
        plan(name, ["src/a.py"], commands=[command(f"look_{name}", "read")], locked=["src/a.py"]) for name in (A, B)
    ]
    assert commands_of(*readers) == [f"look_{A}", f"look_{B}"]


@pytest.mark.req("GV-06")
def test_a_lock_inside_of_what_its_holder_writes_is_held_by_it() -> None:
    """Who writes a folder and locks a file in it holds that lock against whoever writes the folder."""
    united = {"policy": Policy(severities={"resource_write_write": "low"})}
    holder = plan(B, ["src"], commands=[command("late")], locked=["src/a.py"])
    assert commands_of(plan(A, ["src"], commands=[command("early")]), holder, **united) == ["late", "early"]


def commands_of(*intents: IntentDocument, **how: Any) -> list[str]:
    """The commands of some plans in the order in which they are merged."""
    merged = judged(*intents, **how).merged_intent
    assert merged is not None
    return [one.command_id for one in merged.planned_commands]


@pytest.mark.req("GV-06", "GV-23")
@pytest.mark.parametrize("lock", [{"lock": "none"}, {"lock": "task"}, {"locked": ["src/web"]}])
def test_a_lock_holds_against_every_writer(lock: dict[str, list[str]]) -> None:
    """Whoever writes what another locks clashes with it, though it locks something itself; by a file or by a module."""
    holder = plan(A, ["src/api"], commands=[reader()], locked=["src/api"])
    visitor = plan(B, ["src/api/b.py"], **lock)  # type: ignore[arg-type]
    for some in permutations([holder, visitor]):
        assert contested(*some, kind="constraint") == {("medium", "src/api", (A, B))}
    module = plan(B, modules=["api.b"], **lock)  # type: ignore[arg-type]
    assert contested(holder, module, kind="constraint") == {("medium", "src/api", (A, B))}


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


@pytest.mark.req("GV-06")
@pytest.mark.parametrize("field", ["reads", "removes"])
def test_what_scopes_declare_has_to_fit_into_one_scope(field: str) -> None:
    """What plans read and remove is counted like their files, so that a merged intent is valid."""

    def declaring(name: str, numbers: range) -> IntentDocument:
        intent = plan(name, [f"{name}.py"])
        names = tuple(f"{field}/{n}.py" for n in numbers)
        return replace(intent, scope=replace(intent.scope, targets=replace(intent.scope.targets, **{field: names})))

    one = declaring(A, range(200))
    about = f"scope.targets.{field}"
    assert ("high", about, (A, B)) in contested(one, declaring(B, range(200, 201)), kind="constraint")
    assert contested(one, declaring(B, range(1)), kind="constraint") == set()


@pytest.mark.req("GV-06")
def test_modules_of_different_roots_are_different() -> None:
    """The same dotted name in the roots of two plans counts twice."""
    names = [f"m{n}" for n in range(51)]
    two = [plan(name, modules=names, root=f"services/{name}") for name in (A, B)]
    assert contested(*two) == {("high", "scope.targets.modules", (A, B))}


def test_a_task_lock_locks_no_path() -> None:
    """Only a lock on files has paths that others can violate."""
    assert contested(plan(A, ["a.py"], lock="task"), plan(B, ["b.py"], commands=[command()], lock="none")) == set()
