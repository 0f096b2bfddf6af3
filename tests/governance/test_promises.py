"""Promises that plans as people write them have broken before, each with the plans that showed it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from msgspec.structs import replace

from tests.cli.lines import run, run_json
from volition.core.errors import InvalidInput
from volition.governance import ConflictIndex, Plan, answer_questions, coordinate, evaluate, gather
from volition.governance.documents.checklist import checklist_findings
from volition.governance.documents.checksums import seal
from volition.governance.documents.intent_set import MergeHints, SetMetadata

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told
    from volition.governance import EvaluationOutcome
    from volition.governance.merge.coordinator import ExecutionGraph

NOW = "2026-01-25T10:00:00Z"


def write(title: str, *files: str, text: str = "change it", effect: str = "write", **about: Any) -> Plan:
    """A plan with one command that writes these files."""
    return Plan(title, files=files, commands=[f"do_it: {effect}: {text}"], **about)


def found(outcome: EvaluationOutcome) -> set[tuple[str, str | None]]:
    """The conflicts, each by its severity and what it is about."""
    return {(conflict.severity, conflict.resource_ref) for conflict in outcome.conflicts}


def graph_of(outcome: EvaluationOutcome) -> ExecutionGraph:
    """The execution graph of what is merged."""
    assert outcome.merged_intent is not None
    return coordinate(outcome.merged_intent)


def comes_before(outcome: EvaluationOutcome, first: Plan, second: Plan) -> bool:
    """Whether all of one plan comes before all of another, by an edge of the graph."""
    owner = {node.node_id: node.intent_id for node in graph_of(outcome).nodes}
    return any((owner[edge.before], owner[edge.after]) == (first.id, second.id) for edge in graph_of(outcome).edges)


@pytest.mark.req("GV-25")
def test_a_declared_service_is_claimed_whatever_the_evidence_names() -> None:
    """Two deploys of one service clash, in an evaluation and in a live index, though both name files as well."""
    two = [
        write(f"Deploy {n}", f"deploy/{n}.yaml", modules=["service:checkout"], effect="deploy", text="ship it")
        for n in ("one", "two")
    ]
    assert ("critical", "service:checkout") in found(evaluate(gather(two, env="prod")))
    index = ConflictIndex(env="prod")
    index.add(two[0].intent)
    assert "service:checkout" in {collision.resource for collision in index.add(two[1].intent)}


@pytest.mark.req("GV-25")
def test_no_file_is_beyond_a_count() -> None:
    """Of forty files the last ten are claimed as the first ones are."""
    many = write("Change many", *(f"src/f{n}.py" for n in range(40)))
    assert ("high", "src/f39.py") in found(evaluate([many, write("Change one", "src/f39.py")]))


@pytest.mark.req("GV-25")
def test_roots_are_applied() -> None:
    """`a.py` in the root `src` is `src/a.py`, and not the `a.py` of another root."""
    whole = write("From the root", "src/a.py")
    assert ("high", "src/a.py") in found(evaluate([whole, write("From the source", "a.py", root="src")]))
    apart = [write(f"Service {n}", "a.py", root=f"services/{n}", modules=["shop.cart"]) for n in "xy"]
    assert found(evaluate(apart)) == set()


@pytest.mark.req("GV-27")
@pytest.mark.parametrize("first", ["Aaa locks", "Zzz locks"])
def test_a_violated_lock_orders(first: str) -> None:
    """Whoever writes where another holds a lock comes after it, whatever the two are called."""
    holder, visitor = write(first, "src/api/a.py", lock=["src/api"]), write("Mmm writes", "src/api/b.py")
    outcome = evaluate([holder, visitor])
    assert found(outcome) == {("medium", "src/api")}
    assert comes_before(outcome, holder, visitor)


@pytest.mark.req("GV-27")
def test_a_freeze_blocks() -> None:
    """While everything is locked nothing else is executed: a person decides, or an explicit priority."""
    deploy = write("Deploy it", modules=["service:checkout"], effect="deploy")
    for priority in (None, 100):
        freeze = Plan("Release freeze", lock=["."], priority=priority, risk="high")
        outcome = evaluate(gather([freeze, deploy], env="prod"))
        assert (outcome.strategy, outcome.merged_intent) == ("reject", None)
        assert not any("One after the other" in option.label for option in outcome.questions[0].options)
    clear = write("Deploy it", modules=["service:checkout"], effect="deploy", priority=1)
    assert evaluate(gather([freeze, clear], env="prod")).result.losses[0].intent_id == clear.id
    assert (
        evaluate([freeze, Plan("Read it", files=["a.py"], commands=["read_it: read: read"])]).strategy == "merge_union"
    )


@pytest.mark.req("GV-27")
def test_a_plan_that_wins_over_a_freeze_ends_it_for_itself() -> None:
    """A plan with a higher priority than a freeze is let through; the freeze is kept, and others that it covers are asked
    about, or give way to it. What comes out of it is a valid document."""
    freeze = Plan("Release freeze", lock=["."], priority=5)
    urgent, other = write("Mend it", "a.py", priority=9), write("Change it", "b.py")
    outcome = evaluate([freeze, urgent])
    assert (outcome.strategy, outcome.result.losses) == ("merge_union", ())
    assert validated(outcome) == []
    assert outcome.merged_intent is not None
    assert outcome.merged_intent.lineage.derived_from == (urgent.id, freeze.id)
    (question,) = evaluate([freeze, urgent, other]).questions
    assert [option.label for option in question.options][:2] == [f"Keep {other.id}", f"Keep {freeze.id}"]
    minor = write("Change it", "b.py", priority=1)
    outcome = evaluate([freeze, urgent, minor])
    assert [(loss.intent_id, loss.lost_to) for loss in outcome.result.losses] == [(minor.id, freeze.id)]
    assert validated(outcome) == []
    # A freeze that is also a rival for one file gives way as a whole, as any other plan does.
    rival = write("Release freeze", "a.py", lock=["."], priority=5)
    assert [loss.intent_id for loss in evaluate([rival, urgent]).result.losses] == [rival.id]


def validated(outcome: EvaluationOutcome) -> list[str]:
    """What is wrong with the result, as a document."""
    data = msgspec.json.decode(msgspec.json.encode(outcome.result))
    return [finding.what for finding in checklist_findings("evaluation_result", data)]


@pytest.mark.req("GV-12")
def test_a_result_after_an_answer_is_valid() -> None:
    """Where a person lets two plans follow each other, the result is a valid document."""
    two = [write("First plan", "a.py"), write("Second plan", "a.py")]
    outcome = evaluate(two)
    (question,), pack = outcome.questions, outcome.question_pack
    assert pack is not None
    for option in question.options:
        again = evaluate(two, answers=answer_questions(pack, {question.question_id: option.option_id}, NOW))
        assert validated(again) == []


@pytest.mark.req("GV-27")
def test_a_plan_of_the_set_is_not_done() -> None:
    """A plan that is to be evaluated cannot be called done: that is refused, with what to do, and so on the command line."""
    two = [write("First plan", "a.py"), write("Second plan", "b.py")]
    with pytest.raises(InvalidInput, match=f"{two[0].id} is in the set, and cannot be done already"):
        gather(two, done=[two[0].id])
    loaded = gather(two)
    hints = SetMetadata(merge_hints=MergeHints(done=(two[0].id,)))
    with pytest.raises(InvalidInput, match=f"{two[0].id} is in the set and called done"):
        evaluate(replace(loaded.intent_set, metadata=hints), loaded.intents)


@pytest.mark.req("GV-27")
def test_no_plan_runs_without_its_prerequisite() -> None:
    """A deploy whose migration gives way is asked about first; it is dropped with it, or executed if a person says so."""
    loser, winner = write("Migrate A", "schema.sql", priority=1), write("Migrate B", "schema.sql", priority=9)
    deploy = write("Deploy users", modules=["service:users"], effect="deploy", depends_on=[loser.id])
    batch = gather([loser, winner, deploy])
    outcome = evaluate(batch)
    assert (outcome.strategy, [missing.intent_id for missing in outcome.result.missing]) == ("reject", [loser.id])
    (question,) = outcome.questions
    pack = outcome.question_pack
    assert pack is not None
    fates = {}
    for option in question.options:
        assert loser.id in option.label + (option.implications or "")
        again = evaluate(batch, answers=answer_questions(pack, {"question_0001": option.option_id}, NOW))
        assert again.merged_intent is not None
        fates[option.label] = again.merged_intent.lineage.derived_from
    assert fates == {
        f"Keep {loser.id}": (deploy.id, loser.id),
        f"Drop {deploy.id} too": (winner.id,),
        f"Go on without {loser.id}": (deploy.id, winner.id),
    }


@pytest.mark.req("GV-27")
def test_a_prerequisite_outside_of_the_set_is_asked_about(told: Told) -> None:
    """A plan that depends on one that nobody gave is asked about, unless the set says that it is done."""
    two = [write("First one", "a.py", depends_on=["intent_elsewhere"]), write("Second one", "b.py")]
    outcome = evaluate(two)
    assert [missing.fate for missing in outcome.result.missing] == ["absent"]
    told(outcome.questions[0].condition)
    assert evaluate(gather(two, done=["intent_elsewhere"])).strategy == "merge_union"


@pytest.mark.req("GV-27")
@pytest.mark.parametrize("name", ["Aaa reads", "Zzz reads"])
def test_a_reader_comes_before_who_deletes(name: str) -> None:
    """A reader of a file comes before whoever deletes it, whatever the two are called; evidence counts as reading."""
    deleter = write("Mmm deletes", "a.py", effect="delete", text="drop it")
    reader = Plan(name, files=["a.py"], commands=["read_it: read: look at it"])
    assert comes_before(evaluate([reader, deleter]), reader, deleter)
    citing = write(name, "b.py", evidence=["file://a.py"])
    outcome = evaluate([citing, deleter])
    assert ("medium", "a.py") in found(outcome)
    assert comes_before(outcome, citing, deleter)


@pytest.mark.req("GV-25")
@pytest.mark.parametrize(
    ("one", "other"),
    [("README.md", "packages/cart/README.md"), ("index.ts", "packages/cart/index.ts"), ("src/a.py", "src/a.pyc")],
)
def test_names_are_whole_paths(one: str, other: str) -> None:
    """A file does not need another because its name ends or begins like it; neither do two need each other in a circle."""
    for pair in ([one, other], [other, one]):
        plans = [write("First plan", pair[0]), write("Second plan", pair[1])]
        assert found(evaluate(plans)) == set()
        citing = [write("First plan", pair[0], evidence=[f"file://{pair[1]}"]), write("Second plan", "elsewhere.md")]
        assert found(evaluate(citing)) == set()


@pytest.mark.req("GV-25")
@pytest.mark.parametrize(
    ("pattern", "path", "meet"),
    [
        ("src/{a,b}.py", "src/b.py", True),
        ("src/?.py", "src/a.py", True),
        ("src/[ab].py", "src/a.py", True),
        ("*.md", "src/a.py", False),
        ("**/*.md", "src/a.py", False),
        ("packages/*/package.json", "packages/cart/src/index.ts", False),
        ("packages/*/package.json", "packages/cart/package.json", True),
        ("e\u0301.py", "\u00e9.py", True),
    ],
)
def test_patterns_mean_what_they_match(pattern: str, path: str, meet: bool) -> None:
    """A pattern clashes with what it matches, in an evaluation and in a live index, and with nothing else."""
    two = [write("By a pattern", pattern), write("By a path", path)]
    assert bool(found(evaluate(two))) == meet
    index = ConflictIndex()
    index.add(two[0].intent)
    assert bool(index.add(two[1].intent)) == meet


@pytest.mark.req("GV-25")
@pytest.mark.parametrize("path", ["../a.py", "a.py.", "a.py ", "a\u200b.py", "src/*/../a.py"])
def test_what_cannot_be_compared_is_refused(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command line and Python refuse the same names."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput, match=r"scope\.targets\.files"):
        write("Some plan", path)
    assert run(capsys, "govern", "new", "intent", "Some plan", "--project", "shop", "--file", path).code == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.req("GV-28")
@pytest.mark.parametrize(
    "text", ["remove unused imports", "add DELETE /users", "add a delete button", "explain the rollback"]
)
def test_a_declared_effect_binds(text: str, told: Told) -> None:
    """Verbs in a text make no effect: two writers are two writers, and two different files do not clash; the evidence of a
    conflict says what the text says."""
    apart = [
        write("First plan", "docs/a.md", text=text),
        write("Second plan", "docs/b.md", text="deploy and roll back"),
    ]
    assert found(evaluate(apart)) == set()
    (conflict,) = evaluate([write("First plan", "a.py", text=text), write("Second plan", "a.py")]).conflicts
    assert conflict.severity == "high"
    told(*conflict.evidence_refs)


@pytest.mark.req("GV-28")
def test_no_conflict_is_critical_by_words_alone() -> None:
    """A file that only a text names is claimed, at most at high severity."""
    deleter = write("Clean up", "b.py", effect="delete", text="drop b.py and a.py")
    assert ("high", "a.py") in found(evaluate([deleter, write("Change it", "a.py")]))
    assert ("critical", "b.py") in found(evaluate([deleter, write("Change it", "b.py")]))


@pytest.mark.req("GV-03")
@pytest.mark.parametrize(
    ("module", "path"),
    [
        ("packages/cart", "packages/cart/src/index.ts"),
        ("com.acme.cart", "src/main/java/com/acme/cart/Cart.java"),
        ("com.acme.cart.Cart", "src/main/java/com/acme/cart/Cart.java"),
        ("shop.cart", "src/shop/cart.ts"),
    ],
)
def test_modules_are_their_files_in_any_language(module: str, path: str) -> None:
    """A module by its path, and one of Java or TypeScript, clashes with its files."""
    two = [Plan("By module", modules=[module], commands=["do_it: write: change it"]), write("By file", path)]
    assert {severity for severity, _ in found(evaluate(two))} == {"high"}


@pytest.mark.req("GV-27")
@pytest.mark.parametrize("folder", ["infra/prod/{}.tf", "db/migrations/{}.sql"])
def test_one_folder_may_be_one_state(folder: str) -> None:
    """Three plans for files that together are one state are one question, with one after the other among its answers; in
    different folders they do not clash."""
    three = [write(f"Apply {n}", folder.format(n), effect="deploy") for n in ("network", "database", "cache")]
    outcome = evaluate(three)
    (question,) = outcome.questions
    pack = outcome.question_pack
    (option,) = [one for one in question.options if one.label.startswith("One after the other")]
    assert pack is not None
    again = evaluate(three, answers=answer_questions(pack, {"question_0001": option.option_id}, NOW))
    owners = [node.intent_id for node in graph_of(again).nodes]
    assert f"One after the other: {' then '.join(owners)}" == option.label
    assert {(edge.before, edge.after) for edge in graph_of(again).edges} >= {
        ("node_0001", "node_0002"),
        ("node_0002", "node_0003"),
    }
    apart = [write("Apply one", "infra/a/x.tf", effect="deploy"), write("Apply two", "infra/b/x.tf", effect="deploy")]
    assert found(evaluate(apart)) == set()


def test_a_large_set_is_kept_with_its_inputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An evaluation of more plans than can be merged has its inputs beside it, and can be verified."""
    monkeypatch.chdir(tmp_path)
    plans = [write(f"Plan {n:02d}", f"{n // 2}.py", project="shop") for n in range(24)]
    for plan in plans:
        (tmp_path / f"{plan.id}.json").write_text(json.dumps(plan.to_data()))
    batch = msgspec.to_builtins(gather(plans[:2], name="large one").intent_set)
    batch["intent_ids"] = [plan.id for plan in plans]
    (tmp_path / "intent_set_large_one.json").write_text(json.dumps(seal("intent_set", batch)))
    code, _ = run_json(capsys, "govern", "evaluate", "intent_set_large_one.json", "--no-limit", "--out", "out")
    assert code == 3
    assert len(list((tmp_path / "out" / "inputs").iterdir())) == 25
    assert run(capsys, "govern", "verify", "out").code == 0


def test_a_merged_plan_has_an_id_of_its_own() -> None:
    """A merged plan is called like none of its sources, and is derived from what it keeps."""
    two = [write("First plan", "a.py", priority=1), write("Second plan", "a.py", priority=2)]
    merged = evaluate(two).merged_intent
    assert merged is not None
    assert merged.id not in {plan.id for plan in two}
    assert merged.lineage.derived_from == (two[1].id,)


def test_errors_say_what_fits_in_words(told: Told) -> None:
    """No error shows a regular expression, and an id that is too short is called so."""
    for about in ({"created_at": "yesterday"}, {"id": "intent_docs"}, {"status": "open"}, {"agents": ["x"]}):
        with pytest.raises(InvalidInput) as refused:
            write("Some plan", "a.py", **about)
        assert "[a-z" not in str(refused.value).replace("of a-z", "")
        assert "\\" not in str(refused.value)
    with told.raises(InvalidInput):
        write("Some plan", "a.py", id="intent_docs")
    assert (write("A title", "a.py", id="intent_a_title").id, write("Docs!", "a.py").id) == (
        "intent_a_title",
        "intent_docs_plan",
    )
