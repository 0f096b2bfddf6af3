"""Success: what the welcome offers can be done. Judged over the whole run, and tried once more where it never was."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from volition.execution.conformance.bench import status, words
from volition.execution.conformance.conduct import CONDUCT, lines_of
from volition.execution.conformance.talk import STEP
from volition.execution.conformance.verdict import Breaks, NotApplicable
from volition.execution.wire.intents import CANONICAL

if TYPE_CHECKING:
    from volition.execution.conformance.bench import Bench
    from volition.execution.conformance.log import Frame, Spoken
    from volition.execution.conformance.talk import Talk
    from volition.execution.wire.probe import Vector

_TRIES: Final = 6
_LENGTHS: Final = (1.0, 0.5)
_AXES: Final = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))
_TTL_MS: Final = 8000
_GRACE: Final = 0.5
_COOLING: Final = 1.0
"""How long, in seconds, the kit lets something cool down that it cannot see."""


@CONDUCT.law("Handshake")
def each_succeeds(bench: Bench) -> None:
    """Every intent that the welcome offers succeeds at least once in the run, under conditions that favour it."""
    never = [name for name in CANONICAL if bench.supports(name) and not _has_success(bench, name)]
    failed = [name for name in never if not _succeeds_now(bench, name)]
    if failed:
        ends = {name: _ends(bench, name) for name in failed}
        what = "; ".join(f"{name} never succeeds: {said}" for name, said in ends.items())
        last = tuple(spoken for name in failed for spoken in _results(bench, name)[-2:])
        raise Breaks(what, expected="SUCCESS of each intent that the welcome offers", frames=last)


def _has_success(bench: Bench, name: str) -> bool:
    return any(status(spoken.data or {}) == "SUCCESS" for spoken in _results(bench, name))


def _succeeds_now(bench: Bench, name: str) -> bool:
    """Try an intent where nothing known prevents it, several times: whether it succeeds."""
    for attempt in range(_TRIES):
        talk = bench.session()
        talk.do("STOP")
        if name == "RELEASE":
            _hold(bench, talk)
        elif name in {"HOLD", "MOVE"}:
            _wait(bench, talk, None)
        elif name != "STOP":
            _wait(bench, talk, name)
        for parameters in _ways(bench, talk) if name == "MOVE" else [STEP.get(name)]:
            if status(talk.do(name, parameters, ttl_ms=_TTL_MS, within=_TTL_MS / 1000 + _GRACE)) == "SUCCESS":
                return True
        _go_elsewhere(bench, talk, attempt)
    return False


def _hold(bench: Bench, talk: Talk) -> None:
    """Begin a HOLD, so that there is something to release."""
    _wait(bench, talk, None)
    if bench.supports("HOLD"):
        talk.do("HOLD")


def _wait(bench: Bench, talk: Talk, name: str | None) -> None:
    """Wait until the actor is free for an intent, as far as the kit can see; where it never seems to be, try all the same."""
    if bench.probe is None and name is not None:
        talk.gather(_COOLING)
    with suppress(NotApplicable):
        bench.rest(talk, name)


def _ways(bench: Bench, talk: Talk) -> list[Frame]:
    """Parameters for a MOVE over free ground: those that the probe knows, or a step in each direction."""
    found: list[Vector] = []
    if bench.probe is not None and bench.welcome.get("move_frame") == "relative":
        with suppress(NotApplicable):
            found = [way for way in bench.consult(bench.probe.ways, bench.state(talk)) if max(map(abs, way)) <= 2][:3]
    steps = found or [(x * length, y * length, z * length) for length in _LENGTHS for x, y, z in _AXES]
    return [{"vector": list(vector)} for vector in steps]


def _go_elsewhere(bench: Bench, talk: Talk, attempt: int) -> None:
    """Move before the next try: the place may be why something fails. A target may be what a swing needs."""
    if bench.probe is None or not bench.supports("MOVE"):
        return
    with suppress(NotApplicable, Breaks):
        state = bench.state(talk)
        step = bench.consult(partial(bench.probe.step_to_target), state) if attempt % 2 else None
        if step is None or not any(step):
            bench.step_aside(talk, state)
        else:
            talk.do("MOVE", {"vector": [max(-2.0, min(2.0, part)) for part in step]})


def _ends(bench: Bench, name: str) -> str:
    """How often an intent was answered in the run, and how."""
    said: dict[str, int] = {}
    for spoken in _results(bench, name):
        word = words(spoken.data or {}).partition(": ")[2]
        said[word] = said.get(word, 0) + 1
    return ", ".join(f"{count} times {word}" for word, count in said.items()) or "it has no result"


def _results(bench: Bench, name: str) -> list[Spoken]:
    """The results of one intent in the whole run."""
    found: list[Spoken] = []
    for spoken in lines_of(bench):
        data: dict[str, Any] = spoken.data or {}
        if spoken.by == "executor" and data.get("type") == "result" and data.get("intent") == name:
            found.append(spoken)
    return found
