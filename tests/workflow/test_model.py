"""The model of how a flow is driven, checked by TLC: the law keeps its promises, and each planted fault breaks one."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from tests.workflow.tlc import MODELS, Verdict, check, read_verdict
from volition.core.errors import MissingPart
from volition.workflow.law import LAW

if TYPE_CHECKING:
    from pathlib import Path

MODEL = (MODELS / "Once.tla").read_text(encoding="utf-8")
TRANSITIONS = {law.__name__.title() for law in LAW.values() if law.__module__.endswith(".driving")} - {
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
LAWFUL = ("small", "small_forgetful", "chained", "free", "forgetful", "deep")
PATIENT = ("stuck", "stuck_forgetful")
FAULTS = ("silence_is_unsent", "stale_driver_records", "refusal_is_failure", "interruption_is_failure")
STUCK = "sent_is_left_alone"
QUICK = {"small", "small_forgetful", "silence_is_unsent", "stale_driver_records"}
"""What is checked with all other tests; `make models` checks everything, in minutes."""

pytestmark = pytest.mark.req("WF-07")


def actions_of(model: str) -> set[str]:
    """The names of the actions that the model's `Next` consists of."""
    found = re.search(r"^Next ==\n(.*?)\n\n", model, re.MULTILINE | re.DOTALL)
    return set(re.findall(r"\\/ ([A-Z]\w*)", found[1])) if found else set()


def checked(configuration: str, folder: Path) -> Verdict:
    """TLC's verdict; the test is skipped, aloud, where there is no Java or no TLC."""
    if configuration not in QUICK and os.environ.get("VOLITION_MODELS") != "all":
        pytest.skip(f"{configuration} is checked by `make models`, and NOT here: it takes minutes with the others")
    if os.environ.get("NO_JAVA") == "1":
        pytest.skip("NO_JAVA=1 IS SET: the model of driving is NOT CHECKED here")
    try:
        return check(configuration, folder)
    except MissingPart as missing:
        pytest.skip(f"NO TLC: the model of driving is NOT CHECKED here: {missing}")


@pytest.mark.parametrize("configuration", LAWFUL)
def test_no_effect_twice_and_none_missing(configuration: str, tmp_path: Path) -> None:
    """In every order of sends, silence, deaths and pauses: no effect happens twice, what is recorded as done has happened,
    nothing comes before what it waits for, the id of a request that is out stays, and no state is a dead end."""
    verdict = checked(configuration, tmp_path)
    assert verdict.complete, verdict.output


@pytest.mark.parametrize("configuration", PATIENT)
def test_none_stuck(configuration: str, tmp_path: Path) -> None:
    """If whoever can act does so at last, and a person answers when asked, every flow comes to its end.

    All promises are checked here too, without the view that shortens the other runs.
    """
    verdict = checked(configuration, tmp_path)
    assert verdict.complete, verdict.output


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_doubles_an_effect(fault: str, tmp_path: Path) -> None:
    """Each fault leads to an effect that happens twice, and TLC shows how: the node is sent a second time."""
    verdict = checked(fault, tmp_path)
    assert verdict.broken == "Once", verdict.output
    assert verdict.steps.count("Send") >= 2


def test_a_planted_fault_blocks_a_flow(tmp_path: Path) -> None:
    """If drivers ask about no node that they find sent, TLC shows a flow that never ends."""
    verdict = checked(STUCK, tmp_path)
    assert verdict.broken == "Temporal properties", verdict.output


def test_every_configuration_is_checked() -> None:
    """Each configuration of the model has its test, and each planted fault is one that the model knows."""
    assert {path.stem for path in MODELS.glob("*.cfg")} == {*LAWFUL, *PATIENT, *FAULTS, STUCK}
    assert set(re.findall(r'Planted\("(\w+)"\)', MODEL)) == {*FAULTS, STUCK}
    for fault in (*FAULTS, STUCK):
        assert f'Faults = {{"{fault}"}}' in (MODELS / f"{fault}.cfg").read_text(encoding="utf-8")
    for lawful in (*LAWFUL, *PATIENT):
        assert "Faults = {}" in (MODELS / f"{lawful}.cfg").read_text(encoding="utf-8")


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
