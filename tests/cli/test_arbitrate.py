"""`volition arbitrate` as a person and as a program use it: its text, its JSON and its exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any, get_args

import pytest

from tests.cli.lines import Ended, run_in
from tests.processes import PATIENCE
from volition.arbitration.tally import Rule

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told

CASE: dict[str, Any] = {
    "candidates": ["a", "b", "c"],
    "intentions": [
        {"id": "safety", "kind": "constraint", "intent": {"violates": ["b"]}},
        {"id": "goal", "kind": "heuristic", "intent": {"scores": {"a": 0.5, "b": None, "c": 0.25}}, "priority": 10},
        {"id": "cheap", "kind": "heuristic", "intent": {"scores": {"c": 0.25}}, "weight": 0.5},
    ],
}
CLOSED = CASE | {"candidates": ["b"]}


def volition(*arguments: str, cwd: Path) -> Ended:
    return run_in(cwd, "arbitrate", *arguments)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "case.json").write_text(json.dumps(CASE))
    (tmp_path / "closed.json").write_text(json.dumps(CLOSED))
    return tmp_path


def decide_json(folder: Path, *arguments: str) -> dict[str, Any]:
    done = volition(*arguments, "--json", cwd=folder)
    assert done.code in (0, 3), done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


@pytest.mark.req("AR-14")
def test_a_table_with_vetoes_reason_and_flip(folder: Path) -> None:
    """The text shows votes, vetoed rows, why, the margin, the robustness and the nearest flip."""
    done = volition("case.json", cwd=folder)
    assert done.code == 0
    for part in (
        "act: a",
        "goal x1",
        "+0.500",
        "x b",
        "vetoed by safety",
        "a leads c",
        "margin 0.125",
        "robustness",
        "nearest flip",
    ):
        assert part in done.out
    assert "\x1b" not in done.out


@pytest.mark.req("AR-14")
def test_the_decision_as_json(folder: Path) -> None:
    """--json gives kind, candidate and the spec's reason; the rule is one of a closed list."""
    found = decide_json(folder, "case.json")
    assert (found["kind"], found["candidate"]) == ("act", "a")
    reason = found["reason"]
    assert reason["voted_by"] == ["goal"]
    assert (reason["vetoed_by"], reason["vetoed_count"]) == (["safety"], 1)
    assert reason["final_scores"] == {"a": 0.5, "c": 0.375}
    assert reason["rule"] in get_args(Rule)
    assert list(found["trace"]) == ["filter", "aggregate", "tie_break"]
    assert found["trace"]["aggregate"]["a"]["votes"]["cheap"]["score"] is None


@pytest.mark.req("AR-06")
def test_hold_and_fail_end_with_three(folder: Path) -> None:
    """If nothing may be chosen, the answer is valid and needs a person: exit code 3."""
    done = volition("closed.json", "--json", cwd=folder)
    assert (done.code, json.loads(done.out)["kind"]) == (3, "hold")
    done = volition("closed.json", "--on-impossible", "fail", "--json", cwd=folder)
    assert (done.code, json.loads(done.out)["kind"]) == (3, "fail")
    assert json.loads(done.out)["reason"]["relaxations"] == [["safety"]]
    (folder / "stay.json").write_text(json.dumps(CLOSED | {"stay": "b"}))
    assert decide_json(folder, "stay.json")["kind"] == "fail"
    (folder / "none.json").write_text(json.dumps(CASE | {"candidates": []}))
    assert decide_json(folder, "none.json")["reason"]["rule"] == "no_candidates"


@pytest.mark.req("AR-16")
def test_why_not_and_what_if(folder: Path, told: Told) -> None:
    """--why-not answers for each id, --what-if and --without decide again beside the decision."""
    found = decide_json(
        folder, "case.json", "--why-not", "b", "--why-not", "c", "--why-not", "z", "--what-if", "goal=0.25"
    )
    answers = {id: answer["answer"] for id, answer in found["why_not"].items()}
    assert answers == {"b": "Vetoed", "c": "Outscored", "z": "NotOffered"}
    assert (found["candidate"], found["what_if"]["after"], found["what_if"]["changed"]) == ("a", "c", True)
    freed = decide_json(folder, "case.json", "--without", "safety")
    assert freed["what_if"]["shadows"] == ["b"]
    told(volition("case.json", "--why-not", "c", cwd=folder).out)


@pytest.mark.req("AR-23")
def test_it_holds_below_what_the_line_or_the_file_names(folder: Path, told: Told) -> None:
    """--hold-below holds with exit code 3 and both numbers; the file may say it, and the line goes before the file."""
    done = volition("case.json", "--hold-below", "margin=0.2", cwd=folder)
    assert done.code == 3
    assert done.out.startswith("hold: a is first (below_margin)\n")
    told(done.out)
    assert volition("case.json", "--hold-below", "margin=0.125", cwd=folder).code == 0
    (folder / "low.json").write_text(json.dumps(CASE | {"hold_below": {"total": 0.75}}))
    found = decide_json(folder, "low.json")
    assert found["reason"]["shortfall"] == {"leader": "a", "what": "total", "value": 0.5, "least": 0.75}
    assert found["ranking"] == ["a", "c"]
    assert decide_json(folder, "low.json", "--hold-below", "total=0.5")["kind"] == "act"
    for wrong in ("0.2", "lead=0.2", "margin=x", "margin=-1"):
        assert volition("case.json", "--hold-below", wrong, cwd=folder).code == 2


@pytest.mark.req("AR-23")
def test_chance_chooses_by_the_seed(folder: Path) -> None:
    """--choose weighted draws by --seed: the same seed the same candidate; without a seed it is refused."""
    found = [decide_json(folder, "case.json", "--choose", "weighted", "--seed", str(seed)) for seed in range(12)]
    assert {one["candidate"] for one in found} == {"a", "c"}
    assert found[3] == decide_json(folder, "case.json", "--choose", "weighted", "--seed", "3")
    assert found[3]["draw"]["chances"] == {"a": 0.5 / 0.875, "c": 0.375 / 0.875}
    assert "was drawn" in found[3]["why"]
    assert volition("case.json", "--choose", "weighted", cwd=folder).code == 2


def test_a_file_may_come_by_pipe(folder: Path) -> None:
    """A dash reads JSON from standard input, and a separate process prints the same as this one."""
    done = subprocess.run(
        [sys.executable, "-m", "volition.cli", "arbitrate", "-", "--json"],
        cwd=folder,
        input=json.dumps(CASE),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "random"},
    )
    assert json.loads(done.stdout)["candidate"] == "a"
    assert (0, done.stdout, done.stderr) == volition("case.json", "--json", cwd=folder)


def test_strangers_are_warned_of(folder: Path, told: Told) -> None:
    """An id that was not offered is reported on stderr and in the JSON, and decides nothing."""
    done = volition("closed.json", "--json", cwd=folder)
    told(done.err)
    assert any("'a'" in warning for warning in json.loads(done.out)["warnings"])


BAD: dict[str, str] = {
    "duplicate key": '{"candidates": ["a"], "candidates": ["b"], "intentions": []}',
    "NaN": '{"candidates": ["a"], "intentions": [{"id": "g", "kind": "heuristic", "intent": {"scores": {"a": NaN}}}]}',
    "infinite": '{"candidates": ["a"], "intentions": [{"id": "g", "kind": "heuristic", "intent": {"scores": {"a": 1e999}}}]}',
    "too high": '{"candidates": ["a"], "intentions": [{"id": "g", "kind": "heuristic", "intent": {"scores": {"a": 1.0000001}}}]}',
    "bool": '{"candidates": ["a"], "intentions": [{"id": "g", "kind": "heuristic", "intent": {"scores": {"a": true}}}]}',
    "deep": '{"candidates": ["a"], "intentions": ' + "[" * 100_000 + "]" * 100_000 + "}",
    "cut": '{"candidates": ["a"], "intent',
    "empty": "",
    "a list": "[]",
    "twice offered": '{"candidates": ["a", "a"], "intentions": []}',
    "code": '{"candidates": ["a"], "intentions": [{"id": "g", "kind": "constraint", "intent": {"python": "os:abort"}}]}',
    "huge number": '{"candidates": ["a"], "intentions": [{"id": "g", "kind": "heuristic", "intent": {"scores": {"a": '
    + "9" * 5000
    + "}}}]}",
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_bad_input_is_a_clear_error(folder: Path, text: str) -> None:
    """Whatever is wrong with a file, the answer is exit code 2 with the four parts of an error, never a winner."""
    (folder / "bad.json").write_text(text)
    done = volition("bad.json", "--json", cwd=folder)
    assert done.code == 2
    assert done.err.startswith("error:")
    assert "Traceback" not in done.err
    for problem in json.loads(done.out)["problems"]:
        assert all(problem[part] for part in ("what", "where", "expected", "remedy"))


@pytest.mark.parametrize(
    "arguments",
    [
        ("missing.json",),
        ("case.json", "--what-if", "goal"),
        ("case.json", "--what-if", "goal=fast"),
        ("case.json", "--what-if", "gaol=1"),
        ("case.json", "--what-if", "safety=1"),
        ("case.json", "--what-if", "goal=-1"),
        ("case.json", "--without", "nobody"),
        ("case.json", "--on-impossible", "panic"),
        ("case.json", "--tie-margin", "-1"),
        ("case.txt",),
        (),
    ],
    ids=" ".join,
)
def test_a_wrong_command_line_ends_with_two(folder: Path, arguments: tuple[str, ...]) -> None:
    """A wrong option or file is invalid input: exit code 2, no traceback."""
    (folder / "case.txt").write_text(json.dumps(CASE))
    done = volition(*arguments, cwd=folder)
    assert done.code == 2
    assert "Traceback" not in done.err


def test_code_runs_only_when_it_is_allowed(folder: Path, told: Told) -> None:
    """Python named in a file runs only with --allow-python; an error in it is named, and nothing is decided."""
    (folder / "mine.py").write_text(
        "def low(name):\n    return {'a': -0.5, 'b': 1 / 0 if name == 'b' else 0.5}[name]\n"
    )
    case = {
        "candidates": ["a"],
        "intentions": [{"id": "low", "kind": "heuristic", "intent": {"python": "mine:low"}}],
    }
    (folder / "code.json").write_text(json.dumps(case))
    assert volition("code.json", cwd=folder).code == 2
    assert decide_json(folder, "code.json", "--allow-python")["reason"]["final_scores"] == {"a": -0.5}
    (folder / "code.json").write_text(json.dumps(case | {"candidates": ["a", "b"]}))
    done = volition("code.json", "--allow-python", cwd=folder)
    assert done.code == 2
    told(done.err)
    assert "candidate 'b'" in done.err


def test_thousands_of_candidates(folder: Path) -> None:
    """A very large case is decided, and its table stays short."""
    names = [f"c{n}" for n in range(2_000)]
    case = {
        "candidates": names,
        "intentions": [
            {"id": "even", "kind": "constraint", "intent": {"violates": names[::2]}},
            {
                "id": "rank",
                "kind": "heuristic",
                "intent": {"scores": {name: n / 2_000 for n, name in enumerate(names)}},
            },
        ],
    }
    (folder / "large.json").write_text(json.dumps(case))
    done = volition("large.json", cwd=folder)
    assert done.out.startswith("act: c1999")
    assert len(done.out.splitlines()) < 60


@pytest.mark.req("AR-22")
def test_a_walker_without_a_path_needs_a_person(tmp_path: Path, told: Told) -> None:
    """On a map the step is printed as well; a hold because no path leads to the target ends with 3 and names it."""
    walk = {
        "map": ["..~."],
        "position": [0, 0],
        "intentions": [
            {"id": "safety", "kind": "constraint", "intent": {"avoid": "hazard"}},
            {"id": "goal", "kind": "heuristic", "intent": {"reach": [3, 0]}},
        ],
    }
    (tmp_path / "walk.json").write_text(json.dumps(walk))
    done = volition("walk.json", cwd=tmp_path)
    assert done.code == 3
    told(done.out)
    found = decide_json(tmp_path, "walk.json")["tactical"]
    assert (found["kind"], found["unreachable"]) == ("hold", {"goal": [3, 0]})
