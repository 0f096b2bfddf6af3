"""Supersession: losers are marked all or none, and can be read again as they were."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given

from tests.governance.plans import NOW, judged, plan
from tests.governance.strategies import Case, cases
from volition.core.errors import InvalidInput
from volition.governance.documents.checksums import intent_checksum
from volition.governance.documents.intent import Budgets, IntentDocument
from volition.governance.documents.policy import Policy
from volition.governance.documents.reading import from_data
from volition.governance.documents.result import Loss
from volition.governance.documents.supersession import (
    mark_superseded,
    marked_files,
    replace_together,
    restore,
    restore_bytes,
)
from volition.governance.evaluator import EvaluationOutcome, evaluate
from volition.governance.settlement.questions import answer_questions

if TYPE_CHECKING:
    from tests.sentences import Told

pytestmark = pytest.mark.req("GV-24")
LOSERS = ("bbbbbb", "cccccc", "dddddd")
PLANS = [plan("aaaaaa", ["x"], priority=9), *(plan(name, ["x"], priority=n) for n, name in enumerate(LOSERS))]


@given(cases())
def test_a_marked_plan_can_be_restored(case: Case) -> None:
    """A mark is valid, and taking it off gives the plan as it was, to the checksum."""
    for loss in evaluate(case.intent_set, case.intents, case.policy).result.losses:
        one = next(one for one in case.intents if one.id == loss.intent_id)
        data = msgspec.json.decode(msgspec.json.encode(one))
        data["audit"]["checksum"] = intent_checksum(data)
        marked = mark_superseded(data, loss, "eval_result_of_today")
        assert from_data(marked, IntentDocument).status == "superseded"
        assert marked["audit"]["checksum"] == intent_checksum(marked)
        assert restore(marked) == data
        assert msgspec.json.decode(restore_bytes(msgspec.json.encode(marked))) == data
        forged = {**marked, "title": "Something else"}
        assert restore(forged) is forged


def folder_of(path: Path) -> tuple[Path, EvaluationOutcome]:
    for one in PLANS:
        (path / f"{one.id}.json").write_bytes(msgspec.json.encode(one))
    return path, judged(*PLANS)


def content(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(path.iterdir())}


def mark(path: Path, outcome: EvaluationOutcome) -> list[str]:
    files = marked_files(outcome.result, lambda name: path / f"{name}.json")
    replace_together(files)
    return [file.name for file in files]


@pytest.mark.parametrize("step", range(12))
def test_a_crash_is_finished_by_the_next_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    """Wherever the process dies, every file is whole, either old or new; doing it again gives what an undisturbed run
    gives, and leaves nothing else behind."""
    whole = tmp_path / "whole"
    whole.mkdir()
    mark(*folder_of(whole))
    broken = tmp_path / "broken"
    broken.mkdir()
    folder, outcome = folder_of(broken)
    before = content(folder)
    calls = iter(range(1000))

    def die(name: str, real: Any) -> Any:
        def act(*given: Any, **more: Any) -> Any:
            if next(calls) == step:
                raise KeyboardInterrupt(name)
            return real(*given, **more)

        return act

    with monkeypatch.context() as patched:
        for name in ("open", "replace", "unlink"):
            patched.setattr(Path, name, die(name, getattr(Path, name)))
        try:
            mark(folder, outcome)
        except KeyboardInterrupt:
            for name, data in content(folder).items():
                if name.endswith(".json"):
                    assert data in (before[name], content(whole)[name])
    mark(folder, outcome)
    assert content(folder) == content(whole)


def test_an_error_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: Told) -> None:
    """Where a file cannot be renamed, those before it are put back, and the error says so."""
    folder, outcome = folder_of(tmp_path)
    before = content(folder)
    real = Path.replace

    def replace(self: Path, target: Path) -> Path:
        if target.name == "intent_dddddd.json":
            raise PermissionError(13, "Permission denied", str(target))
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with told.raises(InvalidInput):
        mark(folder, outcome)
    assert content(folder) == before


def test_who_is_left_out_is_not_marked(tmp_path: Path) -> None:
    """A plan that a person left out has not given way to anybody: its file stays as it is."""
    some = [
        plan(name, [f"{name}.py"], budgets=Budgets(max_files=0, max_commits=0, max_tokens=600, max_cost_usd=0))
        for name in ("aaaaaa", "bbbbbb")
    ]
    policy = Policy(max_tokens=1000)
    pack = judged(*some, policy=policy).question_pack
    assert pack is not None
    option = next(o.option_id for o in pack.questions[0].options if o.label.startswith("Leave out"))
    outcome = judged(*some, policy=policy, answers=answer_questions(pack, {"question_0001": option}, NOW))
    assert [loss.fate for loss in outcome.result.losses] == ["left_out"]
    assert marked_files(outcome.result, lambda name: tmp_path / f"{name}.json") == {}


def test_only_what_was_evaluated_is_marked(tmp_path: Path) -> None:
    """A file that changed since, is gone, or was superseded by another evaluation is refused, all of them at once, and
    then nobody is marked."""
    folder, outcome = folder_of(tmp_path)
    changed = plan("bbbbbb", ["y"], priority=0)
    (folder / "intent_bbbbbb.json").write_bytes(msgspec.json.encode(changed))
    (folder / "intent_cccccc.json").unlink()
    loss = Loss("intent_dddddd", "superseded", "risk", "because", outcome.result.losses[0].dropped)
    other = mark_superseded(msgspec.to_builtins(PLANS[3]), loss, "eval_result_another_one")
    (folder / "intent_dddddd.json").write_bytes(msgspec.json.encode(other))
    before = content(folder)
    with pytest.raises(InvalidInput) as refused:
        mark(folder, outcome)
    assert len(refused.value.problems) == 3
    assert content(folder) == before
