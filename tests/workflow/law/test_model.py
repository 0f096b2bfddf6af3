"""The model of how a flow is driven, checked by TLC: the law keeps its promises, and each planted fault breaks one."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from tests.workflow.tlc import JAR, MODELS, check, read_verdict
from volition.core.errors import MissingPart
from volition.workflow.law.table import LAW

if TYPE_CHECKING:
    from pathlib import Path

MODEL = (MODELS / "Once.tla").read_text(encoding="utf-8")
TRANSITIONS = {law.apply.__name__.title() for law in LAW.values() if law.apply.__module__.endswith(".driving")} - {
    "Notify",
    "Report",
}
"""What drivers and persons do to a flow, by the law; holders who are notified and report are not modelled."""
WORLD = {
    "Greet",
    "Hand",
    "Miss",
    "Deliver",
    "Act",
    "Fail",
    "Reply",
    "Lose",
    "Deadline",
    "Expire",
    "Crash",
    "Restart",
    "Rest",
}
"""What happens besides: messages, executors, clocks and accidents."""
EXPECTED = {
    **dict.fromkeys(
        ("small", "small_forgetful", "chained", "free", "forgetful", "deep", "stuck", "stuck_forgetful"), ""
    ),
    **dict.fromkeys(
        ("silence_is_unsent", "stale_driver_records", "refusal_is_failure", "interruption_is_failure"), "Once"
    ),
    "sent_is_left_alone": "Temporal properties",
}
"""Each configuration, and the promise that breaks in it: none of the law itself, one under each planted fault."""
QUICK = ("small_forgetful", "silence_is_unsent")
"""What is checked with all other tests; `make models` checks everything, in minutes."""
CHOSEN = tuple(EXPECTED) if os.environ.get("VOLITION_MODELS") == "all" else QUICK

# Where there is no TLC, a test that is skipped for want of it speaks neither for a requirement nor against it.
pytestmark = [pytest.mark.req("WF-07")] if JAR.exists() and os.environ.get("NO_JAVA") != "1" else []


def actions_of(model: str) -> set[str]:
    """The names of the actions that the model's `Next` consists of."""
    found = re.search(r"^Next ==\n(.*?)\n\n", model, re.MULTILINE | re.DOTALL)
    return set(re.findall(r"\\/ ([A-Z]\w*)", found[1])) if found else set()


@pytest.mark.parametrize("configuration", CHOSEN)
def test_the_law_keeps_its_promises_and_each_planted_fault_breaks_one(configuration: str, tmp_path: Path) -> None:
    """In every order of sends, silence, deaths and pauses: no effect happens twice, what is recorded as done has happened,
    nothing comes before what it waits for, the id of a request that is out stays, and no state is a dead end. If whoever can act
    does so at last, and a person answers when asked, every flow comes to its end. A planted fault doubles an effect, for which
    the node is sent a second time, or blocks a flow; TLC shows how.

    Skipped, aloud, where there is no Java or no TLC.
    """
    if os.environ.get("NO_JAVA") == "1":
        pytest.skip("NO_JAVA=1 IS SET: the model of driving is NOT CHECKED here")
    try:
        verdict = check(configuration, tmp_path, brief=configuration in QUICK)
    except MissingPart as missing:
        pytest.skip(f"NO TLC: the model of driving is NOT CHECKED here: {missing}")
    assert verdict.broken == EXPECTED[configuration], verdict.output
    assert verdict.complete or verdict.broken, verdict.output
    assert verdict.broken != "Once" or verdict.steps.count("Send") >= 2


def test_every_configuration_is_checked() -> None:
    """Each configuration of the model is checked, and each planted fault is one that the model knows."""
    faults = {name for name, broken in EXPECTED.items() if broken}
    assert {path.stem for path in MODELS.glob("*.cfg")} == EXPECTED.keys()
    assert set(re.findall(r'Planted\("(\w+)"\)', MODEL)) == faults
    for name in EXPECTED:
        planted = f'{{"{name}"}}' if name in faults else "{}"
        assert f"Faults = {planted}" in (MODELS / f"{name}.cfg").read_text(encoding="utf-8")


def test_the_model_has_the_names_of_the_law() -> None:
    """The model takes exactly the transitions of the law, and besides them only what happens in the world."""
    assert actions_of(MODEL) == TRANSITIONS | WORLD
    assert not TRANSITIONS & WORLD


def test_actions_are_read_from_the_model() -> None:
    """Actions are found with and without arguments, below quantifiers, and in `Next` alone."""
    model = (
        "Init == A\n\nNext ==\n    \\/ \\E d \\in D :\n        \\/ Send(d)\n    \\/ Rest\n\nOther == \\/ Never(d)\n\n"
    )
    assert actions_of(model) == {"Send", "Rest"}
    assert actions_of("Other == \\/ Never") == set()


def test_a_verdict_is_read() -> None:
    """A run that was cut off, or that left states unvisited, proves nothing; an error names the promise and the steps."""
    done = "Model checking completed. No error has been found.\n9 states generated, 4 distinct states found, 0 states left on queue."
    assert (read_verdict(done).complete, read_verdict(done).states) == (True, 4)
    assert not read_verdict(done.replace("0 states left", "2 states left")).complete
    assert not read_verdict("").complete
    error = "Error: Invariant Once is violated.\nState 1: <Initial predicate>\nState 2: <Send line 9, col 5>\n"
    assert (read_verdict(error).broken, read_verdict(error).steps) == ("Once", ("Initial", "Send"))
