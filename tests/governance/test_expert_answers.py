"""What an expert wants of ten sets of plans: each set is one of `examples/28_ten_plan_sets.py`, and its answer a law."""

from __future__ import annotations

from pathlib import Path
from runpy import run_path
from typing import TYPE_CHECKING, Any

import pytest

from volition.governance import answer_questions, coordinate, evaluate

if TYPE_CHECKING:
    from tests.sentences import Told
    from volition.governance import EvaluationOutcome, IntentDocument
    from volition.governance.documents.loading import Loaded

EXAMPLE = Path(__file__).parents[2] / "examples" / "28_ten_plan_sets.py"
NOW = "2026-01-26T09:00:00Z"
SETS: dict[str, Any] = {make.__name__: make for make in run_path(str(EXAMPLE))["SETS"]}


def judged(name: str, *chosen: str) -> EvaluationOutcome:
    """A set evaluated, with these options chosen, by their labels, in one round after the other."""
    loaded: Loaded = SETS[name]()
    outcome, answers = evaluate(loaded), []
    for label in chosen:
        (question,), pack = outcome.questions, outcome.question_pack
        assert pack is not None
        option = next(one.option_id for one in question.options if short(one.label) == label)
        answers.append(answer_questions(pack, {question.question_id: option}, moment=NOW))
        outcome = evaluate(loaded, answers=answers)
    return outcome


def short(text: str) -> str:
    return text.replace("intent_", "")


def conflicts(outcome: EvaluationOutcome) -> set[tuple[str, str | None, tuple[str, ...]]]:
    """Severity, contested thing and members of each conflict."""
    return {(c.severity, c.resource_ref, tuple(map(short, c.intent_ids))) for c in outcome.conflicts}


def options(outcome: EvaluationOutcome) -> list[str]:
    """The options of the one question."""
    (question,) = outcome.questions
    return [short(option.label) for option in question.options]


def waits(outcome: EvaluationOutcome) -> set[tuple[str, str]]:
    """Which command comes directly before which in the merged plan."""
    merged: IntentDocument | None = outcome.merged_intent
    assert merged is not None
    graph = coordinate(merged)
    names = {node.node_id: node.command_id for node in graph.nodes}
    return {(names[edge.before], names[edge.after]) for edge in graph.edges}


@pytest.mark.req("GV-25")
def test_same_names_in_different_packages_are_different_files() -> None:
    """A pattern over all packages meets the one package.json that another plan changes below its root, and nothing else;
    a person chooses one of the two, or an order."""
    outcome = judged("monorepo")
    assert conflicts(outcome) == {("high", "packages/*/package.json", ("raise_the_linter", "round_the_totals"))}
    assert "packages/cart/package.json" in (outcome.conflicts[0].description or "")
    assert options(outcome) == [
        "Keep raise_the_linter",
        "Keep round_the_totals",
        "One after the other: raise_the_linter then round_the_totals",
        "One after the other: round_the_totals then raise_the_linter",
        "Drop all of them",
    ]
    after = judged("monorepo", "One after the other: round_the_totals then raise_the_linter")
    assert waits(after) == {("round_totals", "raise_linter")}


@pytest.mark.req("GV-25", "GV-27")
def test_three_applies_in_one_folder_are_one_question() -> None:
    """Applies in one Terraform folder are never parallel; another folder is free, whatever its files are called."""
    outcome = judged("terraform")
    three = ("grow_the_database", "move_the_names", "widen_the_network")
    assert conflicts(outcome) == {("high", "infra/shop", three)}
    in_turn = f"One after the other: {' then '.join(three)}"
    assert options(outcome) == [*(f"Keep {name}" for name in three), in_turn, "Drop all of them"]
    assert waits(judged("terraform", in_turn)) >= {
        ("apply_database", "apply_names"),
        ("apply_names", "apply_network"),
    }


@pytest.mark.req("GV-26", "GV-27", "GV-28")
def test_a_freeze_stops_a_deploy_and_no_text_about_deploys() -> None:
    """A freeze or a deploy is for a person, and no order is offered; what a runbook says about deploying, rolling back and
    deleting is text, and its two places only share a file."""
    outcome = judged("freeze")
    assert conflicts(outcome) == {
        ("high", "deploy", ("deploy_the_checkout", "freeze_for_the_release")),
        ("low", "file:docs/runbook.md", ("say_how_to_deploy", "say_how_to_go_back")),
    }
    assert options(outcome) == ["Keep deploy_the_checkout", "Keep freeze_for_the_release", "Drop all of them"]
    frozen = judged("freeze", "Keep freeze_for_the_release").merged_intent
    assert frozen is not None
    assert [command.command_id for command in frozen.planned_commands] == ["say_deploy", "say_rollback"]


@pytest.mark.req("GV-27")
def test_a_chain_of_migrations_has_one_order() -> None:
    """Migrations of one folder in a declared order are merged in that order without a question, and the deploy is last."""
    outcome = judged("migrations")
    assert (outcome.strategy, outcome.questions) == ("merge_union", ())
    assert conflicts(outcome) == {("medium", "db/migrations", ("add_the_column", "fill_the_column"))}
    (conflict,) = outcome.conflicts
    assert short(conflict.description or "") == (
        "add_the_column and fill_the_column both change db/migrations, which is one exclusive state; "
        "fill_the_column comes after add_the_column as declared."
    )
    assert waits(outcome) == {("add_column", "fill_column"), ("fill_column", "deploy_orders")}


@pytest.mark.req("GV-25", "GV-27")
def test_clients_come_after_their_schema() -> None:
    """What is generated from a schema waits for it, whether the plan or only its text names it; clients do not wait for
    each other."""
    outcome = judged("clients")
    assert outcome.strategy == "merge_union"
    assert {c.severity for c in outcome.conflicts} == {"medium"}
    assert waits(outcome) == {("page_orders", "generate_python"), ("page_orders", "generate_web")}


@pytest.mark.req("GV-26")
def test_different_parts_of_a_file_change_at_the_same_time() -> None:
    """A refactoring and a feature in different parts of one file are merged, with a remark and without an order."""
    outcome = judged("parts")
    assert outcome.strategy == "merge_union"
    assert conflicts(outcome) == {("low", "file:src/cart.py", ("limit_the_amounts", "split_the_total"))}
    assert waits(outcome) == set()


@pytest.mark.req("GV-26", "GV-27")
def test_a_rename_and_a_new_caller_are_for_a_person(told: Told) -> None:
    """No order mends a caller of what is renamed, so none is offered; whoever only measures comes before the rename."""
    outcome = judged("rename")
    assert conflicts(outcome) == {
        ("high", "src/cart.py#Cart.total", ("print_receipts", "rename_the_total")),
        ("medium", "src/cart.py", ("measure_the_cart", "rename_the_total")),
    }
    assert options(outcome) == ["Keep print_receipts", "Keep rename_the_total", "Drop all of them"]
    told(*(conflict.description for conflict in outcome.conflicts))
    assert waits(judged("rename", "Keep rename_the_total")) == {("measure_cart", "rename_total")}


@pytest.mark.req("GV-27")
def test_no_deploy_without_its_migration() -> None:
    """Where a migration gives way, the deploy that depends on it is named first and asked about; each answer holds."""
    outcome = judged("lost_migration")
    assert (outcome.strategy, outcome.merged_intent) == ("reject", None)
    (missing,) = outcome.result.missing
    assert (missing.intent_id, missing.needed_by) == ("intent_split_the_names", ("intent_greet_by_first_name",))
    kept = {
        "Keep split_the_names": {"split_names", "deploy_mailer"},
        "Drop greet_by_first_name too": {"index_mail"},
        "Go on without split_the_names": {"index_mail", "deploy_mailer"},
    }
    assert options(outcome) == [*kept]
    for label, commands in kept.items():
        merged = judged("lost_migration", label).merged_intent
        assert merged is not None
        assert {command.command_id for command in merged.planned_commands} == commands


@pytest.mark.req("GV-25", "GV-27")
def test_a_formatter_waits_for_a_locked_folder() -> None:
    """A formatter of all Python comes after the plan that holds a lock on a folder; neither a file of another kind there nor
    a formatter of other files is in its way."""
    outcome = judged("lock")
    assert outcome.strategy == "merge_union"
    assert conflicts(outcome) == {("medium", "**/*.py", ("change_the_rates", "format_the_code"))}
    assert waits(outcome) == {("change_rates", "format_code")}
    assert outcome.merged_intent is not None
    (edge,) = coordinate(outcome.merged_intent).edges
    assert short(edge.reason) == "change_the_rates locks src/billing"


@pytest.mark.req("GV-27")
def test_whoever_looks_comes_before_a_deletion() -> None:
    """An analysis, and a guide that names it as evidence, come before a package is deleted; nobody is asked."""
    outcome = judged("deletion")
    assert outcome.strategy == "merge_union"
    assert {c.severity for c in outcome.conflicts} == {"medium"}
    assert waits(outcome) == {("count_callers", "delete_legacy"), ("write_guide", "delete_legacy")}
