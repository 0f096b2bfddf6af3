"""A witness: the same questions asked again in another process, under another hash seed.

Run as a module it reads what to ask from its standard input and writes the answers as JSON. What it is sent is pickled
by the process that started it, and by nobody else.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any, NoReturn

from volition.arbitration.intent import Function, Intent, Kind, as_intent
from volition.arbitration.intention import Constraint, Heuristic
from volition.arbitration.reference import find
from volition.arbitration.stages import describe_raised
from volition.core.errors import refuse

if TYPE_CHECKING:
    from collections.abc import Sequence

SEEDS = ("1", "2")
"""The hash seeds of the witnesses."""

SECONDS = 60.0


def describe_answer(answer: Any) -> str:
    """An answer as text, the same in every process when the answer is the same."""
    return f"{answer!r} ({type(answer).__name__})"


def describe_answer_of(intent: Intent, kind: Kind, candidate: Any, name: str, context: Any) -> str:
    """What an intent says of one candidate, raising included."""
    try:
        return ", ".join(map(describe_answer, intent.ask(kind, [candidate], [name], context)))
    except Exception as error:  # noqa: BLE001  raising is an answer here
        return describe_raised(error)


def ask_elsewhere(
    sent: str | Intent, kind: Kind, candidates: Sequence[Any], names: Sequence[str], context: Any, seed: str
) -> list[str]:
    """What a `sendable` intent says of each candidate in another process with that hash seed."""
    environment = {
        **os.environ,
        "PYTHONHASHSEED": seed,
        "PYTHONPATH": os.pathsep.join(os.path.abspath(folder) for folder in sys.path),  # noqa: PTH100  no symlinks followed
    }
    try:
        process = subprocess.run(
            [sys.executable, "-m", "volition.arbitration.witness"],
            input=_pickle(sent, kind, list(candidates), list(names), context),
            env=environment,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        _refuse(f"the other process did not answer within {SECONDS:g} seconds", "let the intention answer faster")
    if process.returncode:
        lines = process.stderr.decode("utf-8", "replace").splitlines()
        # The lines of a problem, and those of a traceback, are indented below what they belong to.
        last = next((line for line in reversed(lines) if line[:1].strip()), f"it ended with {process.returncode}")
        _refuse(
            f"the other process could not ask: {last}",
            "keep the intention and its samples in a module that can be imported from anywhere",
        )
    answers: list[str] = json.loads(process.stdout)
    return answers


def sendable(intent: Intent, reference: str | None = None) -> str | Intent:
    """What another process can find: the reference, or the intent itself, whose functions pickle writes by name."""
    if reference is None and isinstance(intent, Function) and intent.call.__module__ == "__main__":
        _refuse(f"{intent.call!r} is in the script that runs", "move it to a separate module")
    return intent if reference is None else reference


def _pickle(*parts: Any) -> bytes:
    try:
        return pickle.dumps(parts)
    except Exception as error:  # noqa: BLE001  pickle lets out whatever an object raises
        _refuse(f"what is to be sent cannot be pickled: {error}", "use plain data, and classes at module level")


def _refuse(what: str, remedy: str) -> NoReturn:
    refuse(what, where="another process", expected="an intention and samples that work there too", remedy=remedy)


def _receive(sent: str | Intent) -> Intent:
    if not isinstance(sent, str):
        return sent
    named = find(sent)
    return named.intent if isinstance(named, (Constraint, Heuristic)) else as_intent(named)


def _main() -> None:
    with redirect_stdout(sys.stderr):
        sent, kind, candidates, names, context = pickle.load(sys.stdin.buffer)  # noqa: S301  from our own parent
        intent = _receive(sent)
        answers = [
            describe_answer_of(intent, kind, candidate, name, context)
            for candidate, name in zip(candidates, names, strict=True)
        ]
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    _main()
