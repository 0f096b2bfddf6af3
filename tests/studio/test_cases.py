"""To refuse a case costs a few calls for each of its keys; a case that is decided is bounded in all that costs."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tests.studio.served import problem_of
from volition.core.errors import VolitionError
from volition.governance.drafts.samples import samples
from volition.studio import cases
from volition.studio.cases import INTENTIONS, MAP_CELLS, TOML_TEXT, VALUES, CaseAsked, decide_case
from volition.studio.errors import MOST_PROBLEMS, TooMuch, body_of
from volition.studio.governing import GovernAsked, evaluate_set
from volition.studio.store import RecordStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.studio.served import Served

SOME = 3000
"""The most values of a case in the tests of what a refusal costs: what takes too many calls for each of 50 000 does so here."""
KEYS = {f"unknown_{n}": 1 for n in range(SOME + 600)}
FEWER = {f"unknown_{n}": 1 for n in range(SOME - 10)}
CALLS = 40
"""The most calls for each key: to explain one takes hundreds."""
HEURISTIC = {"id": "h", "kind": "heuristic", "intent": {"scores": {"a": 0.5}}}


def case(**more: Any) -> dict[str, Any]:
    return {"candidates": ["a"], "intentions": [HEURISTIC], **more}


def refusal(work: Callable[[], Any]) -> VolitionError:
    with pytest.raises(VolitionError) as caught:
        work()
    return caught.value


def calls_of(work: Callable[[], Any]) -> int:
    """How many calls a refusal takes, body included: work that no busy machine makes longer."""
    count = 0

    def profile(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(profile)
    try:
        body_of(refusal(work))
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("document", [
    case(**KEYS), case(**FEWER), case(intentions=[{**HEURISTIC, **KEYS}]), case(intentions=[{**HEURISTIC, **FEWER}]),
    case(intentions=[{**HEURISTIC, "intent": {"scores": KEYS}}]), case(candidates=[KEYS]), case(hold_below=FEWER),
    case(candidates={**FEWER}), case(intentions=[{**HEURISTIC, "intent": {"scores": dict.fromkeys(FEWER, "x")}}]),
], ids=["case", "fewer", "intention", "fewer in one", "scores", "candidate", "setting", "candidates", "wrong scores"])  # fmt: skip
def test_unknown_keys_cost_little(document: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """However many keys of a case are unknown, to refuse it takes a few calls for each, and no explanation."""
    monkeypatch.setattr(cases, "VALUES", SOME)
    text = json.dumps(document)
    assert calls_of(lambda: decide_case(CaseAsked(document=document))) < CALLS * len(KEYS)
    assert calls_of(lambda: decide_case(CaseAsked(text=text))) < CALLS * len(KEYS)


@pytest.mark.parametrize("place", ["set", "intent", "policy", "answers", "choices"])
def test_unknown_keys_of_plans_cost_little(tmp_path: Path, place: str) -> None:
    """The same for plans that are evaluated together."""
    batch, intents = samples()["same_target"]
    sent = list(intents.values())
    keys = json.dumps(KEYS)[1:]
    more: dict[str, Any] = {}
    if place == "policy":
        more["policy"] = "".join(f"{key} = 1\n" for key in KEYS)[: TOML_TEXT - 100] + "\n"
    elif place == "choices":
        more["choices"] = [dict.fromkeys(KEYS, "option_0001")]
    elif place == "answers":
        more["answers"] = [msgspec.Raw(json.dumps(KEYS).encode())]
    documents = [json.dumps(batch), *map(json.dumps, sent)]
    if place in {"set", "intent"}:
        at = 0 if place == "set" else 1
        documents[at] = documents[at][:-1] + ", " + keys
    if place == "policy":
        more["policy"] = more["policy"].rpartition("\n")[0].rpartition("\n")[0]
    raw = [msgspec.Raw(one.encode()) for one in documents]
    asked = GovernAsked(raw[0], raw[1:], **more)
    assert calls_of(lambda: evaluate_set(asked, RecordStore(tmp_path))) < CALLS * len(KEYS)


TOML = {
    "keys": lambda: "".join(f"k{n} = {n}\n" for n in range(400_000)),
    "tables": lambda: "".join(f"[t{n}]\na = 1\n" for n in range(300_000)),
    "arrays": lambda: "a = [" + "1," * 1_800_000 + "]",
    "tables in line": lambda: "a = [" + "{b=1}," * 600_000 + "]",
    "dots": lambda: "".join(f"{'.'.join('abcdefgh' * 6)}.k{n} = {n}\n" for n in range(30_000)),
    "lines": lambda: "\n" * 3_700_000,
}


@pytest.mark.parametrize("name", TOML)
def test_toml_costs_little(name: str) -> None:
    """3 MB of TOML are refused before they are read."""
    text = TOML[name]()
    error = refusal(lambda: decide_case(CaseAsked(text=text, format="toml")))
    assert isinstance(error, TooMuch)
    assert str(TOML_TEXT) in error.problems[0].expected
    assert calls_of(lambda: decide_case(CaseAsked(text=text, format="toml"))) < 1000


def test_only_so_many_problems_are_told(served: Served) -> None:
    """A refusal tells the first problems, and how many more there are."""
    document = case(intentions=[{**HEURISTIC, "intent": {"scores": {f"c{n}": "x" for n in range(500)}}}])
    answer = served.client.post("/api/v1/decide", json={"document": document})
    problem_of(answer)
    problems = answer.json()["problems"]
    assert (len(problems), problems[-1]["what"]) == (MOST_PROBLEMS + 1, f"{500 - MOST_PROBLEMS} more problems")


def test_unknown_keys_are_counted(served: Served) -> None:
    """Of many unknown keys the first are explained, and the others are counted."""
    answer = served.client.post("/api/v1/decide", json={"document": case(**{f"k{n}": 1 for n in range(1000)})})
    problem_of(answer)
    told = [one["what"] for one in answer.json()["problems"]]
    assert told[:3] == ["'k0' is not known here", "'k1' is not known here", "'k10' is not known here"]
    assert (len(told), told[-1]) == (21, "980 more keys are not known here")


@pytest.mark.parametrize(("document", "expected"), [
    (case(intentions=[{**HEURISTIC, "id": f"h{n}"} for n in range(INTENTIONS + 1)]), INTENTIONS),
    (case(**dict.fromkeys(map(str, range(VALUES)), 1)), VALUES),
    ({"map": ["." * 1000] * 500, "position": [0, 0], "intentions": [HEURISTIC]}, MAP_CELLS),
    ({"map": "." * 1000, "position": [0, 0], "intentions": [HEURISTIC] * 401}, MAP_CELLS),
])  # fmt: skip
def test_what_costs_has_a_limit(served: Served, document: dict[str, Any], expected: int) -> None:
    """Too many intentions, values or tiles are 413, with the limit."""
    status, problem = served.refusal("POST", "/decide", {"document": document})
    assert status == 413
    assert str(expected) in problem["expected"]
