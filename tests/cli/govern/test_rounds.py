"""`volition govern` from one round to the next: losses are listed first, the next command is printed, losers are marked."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.govern.desk import content_of, govern, govern_json, lay_out
from tests.processes import PATIENCE
from tests.sentences import lines_about
from volition.governance.drafts.sets import new_intent, new_set

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told

pytestmark = pytest.mark.req("GV-24")
EARLY, LATE = "2026-01-25T10:00:00Z", "2026-01-25T10:00:01Z"
Data = dict[str, Any]


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which all of it happens."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def draft(title: str, file: str, created_at: str = EARLY, **given: Any) -> Data:
    name = title.lower().replace(" ", "_")
    command = f"{name}: write: change {file}"
    return new_intent(title, project="shop", created_at=created_at, files=[file], commands=[command], **given)


def batch(folder: Path, *intents: Data, name: str = "monday") -> None:
    ids = [intent["id"] for intent in intents]
    lay_out(folder, [new_set(name, ids, project="shop", created_at=EARLY), *intents])


def three(folder: Path) -> None:
    """Three plans for one file: one of lower risk, and one more file that only a loser has."""
    docs = draft("Generate docs", "src/api.py", risk="low", created_by="ann")
    limits = new_intent(
        "Add limits", project="shop", created_at=LATE, files=["src/api.py", "src/limits.py"], risk="medium",
        commands=["add_limits: write: limit every route"], created_by="bob",
    )  # fmt: skip
    batch(folder, docs, limits, draft("Write notes", "notes.md", created_by="cem"))


def test_who_lost_is_said_first(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The second line names the loser, the winner, the rule with both values, and what was dropped; --json has it in its
    first field; on a terminal and in a pipe, and `explain` says the same line."""
    three(desk)
    code, out, _ = govern(capsys, "evaluate", "set.json", "--out", "out")
    assert code == 0
    line = out.splitlines()[1]
    for part in (
        "intent_add_limits gives way to intent_generate_docs",
        "decided by risk: its risk is lower (low against medium)",
        "dropped: 1 command (add_limits), 1 target (src/limits.py)",
    ):
        assert part in line
    assert line in govern(capsys, "explain", "out/result.json")[1]
    _, data = govern_json(capsys, "evaluate", "set.json")
    assert next(iter(data)) == "losses"
    (loss,) = data["losses"]
    assert (loss["intent_id"], loss["lost_to"], loss["rule"], loss["fate"]) == (
        "intent_add_limits",
        "intent_generate_docs",
        "risk",
        "superseded",
    )
    assert loss["dropped"] == {"commands": ["add_limits"], "targets": ["src/limits.py"]}
    assert loss["conflict_ids"] == [c["conflict_id"] for c in data["evaluation"]["conflicts"]]
    piped = subprocess.run(
        [sys.executable, "-m", "volition.cli", "govern", "evaluate", "set.json"],
        capture_output=True, text=True, timeout=PATIENCE, check=True, env={**os.environ, "COLUMNS": "40"},
    )  # fmt: skip
    assert piped.stdout.splitlines()[1] == line


@pytest.mark.parametrize("authors", [("ann", "bob"), ("author", "author")], ids=["two authors", "nobody named"])
def test_the_clock_asks_unless_a_policy_says_otherwise(
    desk: Path, capsys: pytest.CaptureFixture[str], authors: tuple[str, str], told: Told
) -> None:
    """Where one of two plans was only written a second later, by somebody else or by nobody in particular, a person is
    asked; with the guide's literal list in a policy the later one wins, and the first lines say that the clock decided."""
    batch(desk, draft("Add limits", "a.py", created_by=authors[0]), draft("Write docs", "a.py", LATE, created_by=authors[1]))  # fmt: skip
    code, out, _ = govern(capsys, "evaluate", "set.json")
    assert code == 3
    told(*lines_about(out, "clock", "--out"))
    (desk / "literal.toml").write_text('priority_order = ["explicit", "risk", "newer", "status"]\n', encoding="utf-8")
    code, out, _ = govern(capsys, "evaluate", "set.json", "--policy", "literal.toml")
    assert code == 0
    assert f"decided by newer: it is newer ({LATE} against {EARLY})" in out.splitlines()[1]


def next_line(out: str) -> list[str]:
    return shlex.split(out.partition("next: volition govern ")[2])


def test_answer_prints_the_right_line_in_every_round(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command that `answer` prints works as it is, in the second round too: with the set, the folder of intents, the policy
    and all answers given so far."""
    intents = [
        draft(f"{verb} {part}", f"{part}.py", created_by=verb) for part in ("cart", "stock") for verb in ("Ann", "Bob")
    ]
    batch(desk / "my plans", *intents)
    (desk / "team policy.toml").write_text("[limits]\nmax_files = 400\n", encoding="utf-8")
    (desk / "sets").mkdir()
    (desk / "my plans" / "set.json").rename(desk / "sets" / "set.json")
    first = ("evaluate", "sets/set.json", "--intents", "my plans", "--policy", "team policy.toml", "--out", "sets/out")
    assert govern(capsys, *first)[0] == 3
    code, out, _ = govern(capsys, "answer", "sets/out/question_pack.json", "--choose", "question_0001=option_0001")
    assert code == 0
    line = next_line(out)
    assert line[:6] == ["evaluate", "sets/set.json", "--intents", "my plans", "--policy", "team policy.toml"]
    code, out, err = govern(capsys, *line)
    assert (code, err) == (3, "")
    code, out, _ = govern(capsys, "answer", "sets/out/question_pack.json", "--choose", "question_0001=option_0002")
    line = next_line(out)
    assert [word for word in line if word.endswith(".json")] == [
        "sets/set.json",
        "sets/out/answer_pack.json",
        "sets/out/answer_pack_2.json",
    ]
    assert "team policy.toml" in line
    code, out, err = govern(capsys, *line)
    assert (code, err) == (0, "")
    assert not (desk / "sets" / "out" / "rounds.toml").exists()
    code, out, _ = govern(capsys, "gates", ".", "--policy", "team policy.toml")
    assert code == 0, out


def test_a_pack_without_its_rounds_still_says_how_to_go_on(
    desk: Path, capsys: pytest.CaptureFixture[str], told: Told
) -> None:
    """A question pack that was moved, or whose record is of another pack or broken, is answered with the general line."""
    batch(desk, draft("Add limits", "a.py"), draft("Write docs", "a.py"))
    govern(capsys, "evaluate", "set.json", "--out", "out")
    rounds = desk / "out" / "rounds.toml"
    for text in ('questions = "another"\nset = "x"\n', "set = 3\n", "no toml", None):
        rounds.unlink() if text is None else rounds.write_text(text, encoding="utf-8")
        _, out, _ = govern(
            capsys, "answer", "out/question_pack.json", "--choose", "question_0001=option_0001", "--by", "ann"
        )
        told(out)


def test_a_merged_plan_enters_the_next_round(desk: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """`new set` takes the id from the document, whatever its file is called, and `evaluate --intent` finds it there."""
    three(desk)
    assert govern(capsys, "evaluate", "set.json", "--out", "out")[0] == 0
    late = draft("Write tests", "tests/test_api.py", created_by="dan")
    lay_out(desk, [late])
    merged = json.loads((desk / "out" / "merged_intent.json").read_bytes())
    code, out, _ = govern(
        capsys, "new", "set", "tuesday", "out/merged_intent.json", "intent_write_tests.json", "--project", "shop"
    )
    assert (code, "--intent out/merged_intent.json" in out) == (0, True)
    assert json.loads((desk / "intent_set_tuesday.json").read_bytes())["intent_ids"] == [merged["id"], late["id"]]
    given = ("evaluate", "intent_set_tuesday.json", "--intent", "out/merged_intent.json", "--out", "again")
    code, result = govern_json(capsys, *given)
    assert code == 0
    assert result["input"]["intent_checksums"][merged["id"]] == merged["audit"]["checksum"]
    code, out, _ = govern(capsys, "gates", ".")
    assert code == 0, out
    code, _, err = govern(capsys, *given[:4], "--intent", "out/result.json")
    assert code == 2
    told(err)


def statuses(folder: Path) -> dict[str, str]:
    return {file.stem: json.loads(file.read_bytes())["status"] for file in sorted(folder.glob("intent_*.json"))}


def test_apply_marks_the_losers(desk: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """After --apply the losers are superseded on disk, valid, with who, why and by which evaluation; nobody else changes,
    the same line again changes nothing, the gates still hold, and a marked plan is not evaluated by itself."""
    three(desk)
    before = content_of(desk)
    code, out, _ = govern(capsys, "evaluate", "set.json", "--apply", "--out", "out")
    assert code == 0
    told(*lines_about(out, "marked"))
    assert statuses(desk) == {"intent_add_limits": "superseded", "intent_generate_docs": "draft", "intent_write_notes": "draft"}  # fmt: skip
    result = json.loads((desk / "out" / "result.json").read_bytes())
    marked = json.loads((desk / "intent_add_limits.json").read_bytes())
    assert marked["metadata"]["supersession"] == {
        "result_id": result["id"],
        "rule": "risk",
        "status": "draft",
        "checksum": result["input"]["intent_checksums"]["intent_add_limits"],
        "superseded_by": "intent_generate_docs",
    }
    assert govern(capsys, "validate", "--kind", "intent", "intent_add_limits.json")[0] == 0
    after = content_of(desk)
    assert {name for name in before if before[name] != after[name]} == {"intent_add_limits.json"}
    assert govern(capsys, "evaluate", "set.json", "--apply", "--out", "out")[0] == 0
    assert content_of(desk) == after
    code, out, _ = govern(capsys, "gates", ".")
    assert code == 0, out
    code, _, err = govern(capsys, "evaluate", "set.json")
    assert code == 2
    told(err)


def test_apply_marks_nobody_while_a_question_is_open(
    desk: Path, capsys: pytest.CaptureFixture[str], told: Told
) -> None:
    """Where nothing is merged nothing is marked; and --apply stays in the line that goes on."""
    batch(desk, draft("Add limits", "a.py"), draft("Write docs", "a.py"))
    before = content_of(desk)
    assert govern(capsys, "evaluate", "set.json", "--apply", "--out", "out")[0] == 3
    assert {name: data for name, data in content_of(desk).items() if "/" not in name} == before
    _, out, _ = govern(capsys, "answer", "out/question_pack.json", "--choose", "question_0001=option_0001")
    code, out, _ = govern(capsys, *next_line(out))
    assert code == 0
    told(*lines_about(out, "marked"))
