"""`volition govern evaluate` and `answer`, as a person uses them one after the other."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.govern.desk import WRITTEN, content_of, govern, govern_json, lay_out, situation
from tests.processes import under_hash_seeds
from tests.sentences import lines_about
from volition.cli.main import main
from volition.core.document import dump_json
from volition.governance.documents.reading import seal_document
from volition.governance.drafts.sets import new_intent, new_set

if TYPE_CHECKING:
    from tests.sentences import Told

ROOT = Path(__file__).parents[3]
NOW = "2026-01-25T10:00:00Z"


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which all of it happens."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.req("GV-17")
@pytest.mark.parametrize(
    ("name", "code", "strategy", "conflicts", "written"),
    [
        ("read_only", 0, "merge_union", [], WRITTEN[:2]),
        ("clear_priority", 0, "override_by_priority", [("resource_conflict", "high")] * 2, WRITTEN[:2]),
        ("same_target", 3, "reject", [("effect_conflict", "high"), ("resource_conflict", "high")], WRITTEN[:3:2]),
        ("dependency", 0, "merge_union", [("order_conflict", "medium")], WRITTEN[:2]),
    ],
)
def test_the_common_situations(
    desk: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    code: int,
    strategy: str,
    conflicts: list[tuple[str, str]],
    written: tuple[str, ...],
) -> None:
    """Each situation ends as the guide says, with its exit code and its documents, all of them valid."""
    intent_set, intents = situation(name)
    lay_out(desk, [intent_set, *intents])
    ended, result = govern_json(capsys, "evaluate", "set.json", "--out", "out")
    assert ended == code
    assert result["evaluation"]["merge_plan"]["strategy"] == strategy
    assert [(c["type"], c["severity"]) for c in result["evaluation"]["conflicts"]] == conflicts
    rounds = ["rounds.toml"] if code == 3 else []
    assert sorted(content_of(desk / "out")) == sorted([*written, *rounds, "result.json"])
    assert json.loads((desk / "out" / "result.json").read_bytes()) == result
    for file in (desk / "out" / name for name in content_of(desk / "out") if name.endswith(".json")):
        kind = {"result": "evaluation_result", "merged_intent": "intent"}.get(file.stem, file.stem)
        assert govern(capsys, "validate", "--kind", kind, file)[0] == 0


@pytest.mark.req("GV-17")
def test_what_the_situations_come_to(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Analyses are combined; the higher priority supersedes; a schema comes before the client that needs it."""
    made = {}
    for name in ("read_only", "clear_priority", "dependency"):
        intent_set, intents = situation(name)
        lay_out(desk / name, [intent_set, *intents])
        assert govern(capsys, "evaluate", f"{name}/set.json", "--out", f"{name}/out")[0] == 0
        made[name] = json.loads((desk / name / "out" / "merged_intent.json").read_bytes())
    commands = {name: [command["command_id"] for command in one["planned_commands"]] for name, one in made.items()}
    assert commands["read_only"] == ["measure_latency", "list_dependencies"]
    assert commands["clear_priority"] == ["refactor_api_v2"]
    assert commands["dependency"] == ["write_schema", "write_client"]
    assert made["read_only"]["lineage"]["supersedes"] == []
    assert len(made["read_only"]["lineage"]["derived_from"]) == 2
    assert made["clear_priority"]["lineage"]["derived_from"] == ["intent_refactor_the_api_version_2"]
    assert made["clear_priority"]["lineage"]["supersedes"] == ["intent_refactor_the_api_version_1"]


def test_a_person_reads_tables(desk: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """Without --json there are a table of conflicts, one of risks, the questions, and what to type next."""
    intent_set, intents = situation("same_target")
    lay_out(desk, [intent_set, *intents])
    code, out, _ = govern(capsys, "evaluate", "set.json", "--out", "out")
    assert code == 3
    lines = out.splitlines()
    told(lines[0])
    assert lines[2].split() == ["severity", "conflict", "on", "plans"]
    assert lines[3].split()[:3] == ["high", "effect", "service:checkout"]
    told(*lines_about(out, "  high  ", "option_0002:"))
    next_line = next(line for line in lines if line.startswith("answer with: volition govern "))
    assert govern(capsys, *next_line.removeprefix("answer with: volition govern ").split())[0] == 0


EVALUATE = """
from volition.cli.main import main

for number in range(4):
    main(["govern", "evaluate", f"{{number}}/set.json", "--out", f"{{number}}-{seed}"])
"""


@pytest.mark.req("GV-12")
def test_the_same_input_gives_the_same_bytes(desk: Path) -> None:
    """Documents are the same to the byte, whatever the run, the hash seed, the clock and the order of the list."""
    outs = []
    for number, (name, turned) in enumerate(
        [(name, turned) for name in ("same_target", "dependency") for turned in (False, True)]
    ):
        intent_set, intents = situation(name)
        ids = intent_set["intent_ids"]
        lay_out(desk / str(number), [{**intent_set, "intent_ids": ids[::-1] if turned else ids}, *intents])
    for seed in ("0", "77"):
        under_hash_seeds(EVALUATE.format(seed=seed), seed)
        for number in range(4):
            content = content_of(desk / f"{number}-{seed}")
            outs.append({file: data for file, data in content.items() if file.endswith(".json")})
    for first, others in ((outs[0], (outs[1], outs[4], outs[5])), (outs[2], (outs[3], outs[6], outs[7]))):
        assert len(first) == 3
        assert all(other == first for other in others)


def test_now_dates_the_documents(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A result has the date of its set unless --now says otherwise, and an invalid time is refused."""
    intent_set, intents = situation("read_only")
    lay_out(desk, [intent_set, *intents])
    assert govern_json(capsys, "evaluate", "set.json")[1]["created_at"] == intent_set["created_at"]
    later = "2027-02-28T23:59:59+01:00"
    code, result = govern_json(capsys, "evaluate", "set.json", "--now", later, "--out", "out")
    assert (code, result["created_at"]) == (0, later)
    before = content_of(desk)
    for wrong in ("yesterday", "2027-02-29T10:00:00Z", "2027-02-28", ""):
        code, _, err = govern(capsys, "evaluate", "set.json", "--now", wrong, "--out", "out")
        assert (code, "where:    --now" in err) == (2, True)
    assert content_of(desk) == before


def test_documents_of_an_earlier_outcome_go(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An output folder contains only the documents of the last evaluation; other files stay."""
    for name in ("read_only", "same_target"):
        intent_set, intents = situation(name)
        lay_out(desk / name, [intent_set, *intents])
    (desk / "out").mkdir()
    (desk / "out" / "notes.txt").write_text("mine", encoding="utf-8")
    govern(capsys, "evaluate", "read_only/set.json", "--out", "out")
    assert (desk / "out" / "merged_intent.json").exists()
    govern(capsys, "evaluate", "same_target/set.json", "--out", "out")
    assert sorted(content_of(desk / "out")) == [
        "merge_plan.json",
        "notes.txt",
        "question_pack.json",
        "result.json",
        "rounds.toml",
    ]
    govern(capsys, "evaluate", "read_only/set.json", "--out", "out")
    assert sorted(content_of(desk / "out")) == ["merge_plan.json", "merged_intent.json", "notes.txt", "result.json"]


def test_an_output_folder_that_cannot_be_is_named(desk: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """If the folder cannot be created, the command says so and ends with 2."""
    intent_set, intents = situation("read_only")
    lay_out(desk, [intent_set, *intents])
    for out in ("set.json", "set.json/inside"):
        code, _, err = govern(capsys, "evaluate", "set.json", "--out", out)
        assert code == 2
        told(err)


@pytest.mark.req("GV-10", "GV-18")
def test_an_answer_settles_its_question(desk: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """Questions are written as a pack, the answer is given back, and the evaluation then merges what was chosen."""
    intent_set, intents = situation("same_target")
    lay_out(desk, [intent_set, *intents])
    assert govern(capsys, "evaluate", "set.json", "--out", "out")[0] == 3
    pack = json.loads((desk / "out" / "question_pack.json").read_bytes())
    (question,) = pack["questions"]
    assert [option["option_id"] for option in question["options"]] == [f"option_000{n}" for n in range(1, 5)]
    chosen = ("answer", "out/question_pack.json", "--choose", "question_0001=option_0002")
    code, answers = govern_json(capsys, *chosen, "--now", NOW)
    assert (code, answers["question_pack_checksum"]) == (0, pack["checksum"])
    assert json.loads((desk / "out" / "answer_pack.json").read_bytes()) == answers
    assert govern(capsys, "validate", "--kind", "answer_pack", "out/answer_pack.json")[0] == 0
    given = ("evaluate", "set.json", "--answers", "out/answer_pack.json", "--out", "out")
    code, result = govern_json(capsys, *given)
    assert (code, result.get("requires_questions", [])) == (0, [])
    assert sorted(content_of(desk / "out")) == ["answer_pack.json", *WRITTEN[:2], "result.json"]
    merged = json.loads((desk / "out" / "merged_intent.json").read_bytes())
    assert merged["lineage"]["derived_from"] == ["intent_deploy_checkout_2_0"]
    assert merged["lineage"]["supersedes"] == ["intent_deploy_checkout_1_9"]
    told(*(step["evidence"] for step in result["evaluation"]["merge_plan"]["operations"]))
    first = content_of(desk / "out")
    assert govern(capsys, *given)[0] == 0
    assert content_of(desk / "out") == first


@pytest.mark.req("GV-10", "GV-18")
def test_an_answer_settles_nothing_else(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With two open questions and one answer, the other is asked again; each round of answers is a file."""
    intents = [
        new_intent(
            f"Deploy {service} {version}",
            project="shop",
            created_at=NOW,
            modules=[f"service:{service}"],
            commands=[f"deploy_{service}_{version}: deploy: deploy the service {service}"],
        )
        for service in ("cart", "stock")
        for version in (1, 2)
    ]
    lay_out(desk, [new_set("two questions", [one["id"] for one in intents], project="shop", created_at=NOW), *intents])
    code, result = govern_json(capsys, "evaluate", "set.json", "--out", "out")
    assert (code, len(result["requires_questions"])) == (3, 2)
    assert govern(capsys, "answer", "out/question_pack.json", "--choose", "question_0001=option_0001")[0] == 0
    rounds = ("--answers", "out/answer_pack.json")
    code, result = govern_json(capsys, "evaluate", "set.json", *rounds, "--out", "out")
    (left,) = result["requires_questions"]
    assert (code, "intent_deploy_stock_1" in left["condition"]) == (3, True)
    assert "intent_deploy_cart" not in left["condition"]
    code, out, _ = govern(capsys, "answer", "out/question_pack.json", "--choose", "question_0001=option_0002")
    assert (code, "answer_pack_2.json" in out) == (0, True)
    code, result = govern_json(capsys, "evaluate", "set.json", *rounds, "--answers", "out/answer_pack_2.json")
    assert code == 0
    kept = {step["source_intent_id"] for step in result["evaluation"]["merge_plan"]["operations"] if step["operation"] == "union_commands"}  # fmt: skip
    assert kept == {"intent_deploy_cart_1", "intent_deploy_stock_2"}


@pytest.mark.req("GV-10", "GV-18")
def test_stale_and_foreign_answers_are_refused(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Answers to other questions, or to these before something changed, are refused and leave nothing behind."""
    intent_set, intents = situation("same_target")
    lay_out(desk, [intent_set, *intents])
    govern(capsys, "evaluate", "set.json", "--out", "out")
    govern(capsys, "answer", "out/question_pack.json", "--choose", "question_0001=option_0001")
    before = content_of(desk)
    changed = seal_document({**intents[0], "title": "Deploy something else"})
    (desk / f"{changed['id']}.json").write_text(dump_json(changed), encoding="utf-8")
    for name in ("read_only", "same_target"):  # one asks nothing, the other asks about other plans
        lay_out(desk / name, [situation(name)[0], *situation(name)[1]])
    for file, more, named in (
        ("set.json", (), "something has changed since the questions were asked"),
        ("read_only/set.json", (), "nothing is asked"),
        ("same_target/set.json", ("--policy", "policy.toml"), "something has changed since the questions were asked"),
    ):
        (desk / "policy.toml").write_text("[limits]\nmax_files = 7\n", encoding="utf-8")
        given = ("evaluate", file, *more, "--answers", "out/answer_pack.json", "--out", "again")
        code, _, err = govern(capsys, *given)
        assert (code, named in err) == (2, True), err
    assert not (desk / "again").exists()
    assert {name: before[name] for name in before if name.startswith("out/")} == {
        f"out/{name}": content for name, content in content_of(desk / "out").items()
    }


@pytest.mark.parametrize(
    ("choices", "named"),
    [
        (("question_0001",), "QUESTION=OPTION"),
        (("=option_0001",), "QUESTION=OPTION"),
        (("question_0009=option_0001",), "did you mean 'question_0001'"),
        (("question_0001=option_0009",), "did you mean"),
        (("question_0001=option_0001", "question_0001=option_0002"), "is given twice"),
    ],
)
def test_answers_that_cannot_be_given(
    desk: Path, capsys: pytest.CaptureFixture[str], choices: tuple[str, ...], named: str, told: Told
) -> None:
    """An unknown question or option, or two answers to one question, are refused by name, and nothing is written."""
    intent_set, intents = situation("same_target")
    lay_out(desk, [intent_set, *intents])
    govern(capsys, "evaluate", "set.json", "--out", "out")
    before = content_of(desk)
    chosen = [word for choice in choices for word in ("--choose", choice)]
    code, _, err = govern(capsys, "answer", "out/question_pack.json", *chosen)
    assert (code, named in err) == (2, True), err
    code, _, err = govern(capsys, "answer", "out/question_pack.json", "--choose", "question_0001=option_0001", "--out", "out/result.json")  # fmt: skip
    assert code == 2
    told(err)
    assert content_of(desk) == before


def test_who_chooses_to_merge_nothing_gets_a_valid_rejection(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Budgets beyond the limits ask; the answer to merge nothing ends with 3, with a result that is valid."""
    intent_set, intents = situation("read_only")
    lay_out(desk, [intent_set, *intents])
    (desk / "policy.toml").write_text("[limits]\nmax_tokens = 60000\n", encoding="utf-8")
    given = ("evaluate", "set.json", "--policy", "policy.toml", "--out", "out")
    code, result = govern_json(capsys, *given)
    (question,) = result["requires_questions"]
    options = {option["label"]: option["option_id"] for option in question["options"]}
    assert (code, "Merge nothing" in options) == (3, True)
    govern(capsys, "answer", "out/question_pack.json", "--choose", f"question_0001={options['Merge nothing']}")
    code, result = govern_json(capsys, *given, "--answers", "out/answer_pack.json")
    assert (code, result.get("requires_questions", [])) == (3, [])
    assert govern(capsys, "validate", "--kind", "evaluation_result", "out/result.json")[0] == 0


def test_a_set_beyond_the_limit_is_answered_without_a_merge(
    desk: Path, capsys: pytest.CaptureFixture[str], told: Told
) -> None:
    """With --no-limit a larger set has a valid result with its conflicts, and no merge plan, intent or questions."""
    intents = [
        new_intent(f"Number {n:02d}", project="shop", created_at=NOW, files=[f"src/{n // 2}.py"], commands=["change_it: write: change the file"])
        for n in range(24)
    ]  # fmt: skip
    ids = [one["id"] for one in intents]
    small = new_set("many plans", ids[:2], project="shop", created_at=NOW)
    lay_out(desk, [seal_document({**small, "intent_ids": ids}), *intents])
    code, _, err = govern(capsys, "evaluate", "set.json", "--out", "out")
    assert (code, (desk / "out").exists()) == (2, False)
    told(err)
    code, result = govern_json(capsys, "evaluate", "set.json", "--no-limit", "--out", "out")
    contested = [c for c in result["evaluation"]["conflicts"] if c["type"] == "resource_conflict"]
    assert (code, len(contested)) == (3, 12)
    assert list(content_of(desk / "out")) == ["result.json"]
    assert govern(capsys, "validate", "--kind", "evaluation_result", "out/result.json")[0] == 0
    told(*lines_about(govern(capsys, "evaluate", "set.json", "--no-limit")[1], "--json"))


def test_a_policy_governs(desk: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """A policy changes the result, which contains its hash; without one, the built-in hash."""
    intent_set, intents = situation("clear_priority")
    lay_out(desk, [intent_set, *intents])
    _, plain = govern_json(capsys, "evaluate", "set.json")
    (desk / "policy.toml").write_text("[severities]\nresource_write_write = 'medium'\n", encoding="utf-8")
    code, other = govern_json(capsys, "evaluate", "set.json", "--policy", "policy.toml")
    assert (code, other["evaluation"]["merge_plan"]["strategy"]) == (0, "merge_union")
    assert plain["metadata"]["policy_hash"] != other["metadata"]["policy_hash"]
    code, _, err = govern(capsys, "evaluate", "set.json", "--policy", "a_policy.toml")
    assert code == 2
    told(err)


@pytest.mark.req("GV-18")
def test_the_documented_walk_leads_there(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command lines of the documentation work one after the other, from drafts to the execution graph."""
    text = (ROOT / "docs" / "governance.md").read_text(encoding="utf-8").replace("\\\n", "")
    lines = [
        shlex.split(line, comments=True)[2:] for line in re.findall(r"^\$ (volition govern .*)$", text, re.MULTILINE)
    ]
    walk = [*[("new", 0)] * 3, ("evaluate", 3), ("answer", 0), ("evaluate", 0), ("graph", 0)]
    assert [(line[0], govern(capsys, *line)[0]) for line in lines[: len(walk)]] == walk
    merged = json.loads((desk / "evaluated" / "merged_intent.json").read_bytes())
    assert merged["lineage"]["derived_from"] == ["intent_deploy_version_2"]


def test_help_is_there_for_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    """Every command has a help text with an example that begins as a person would type it."""
    for name in ("evaluate", "validate", "answer", "explain", "diff", "graph", "gates", "radar", "seal"):
        assert main(["govern", name, "--help"]) == 0
        assert f"volition govern {name} " in capsys.readouterr().out
