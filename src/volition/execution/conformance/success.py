"""Success: what the welcome offers can be done. Judged over the whole run, and tried once more where it never was."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from volition.execution.conformance.bed import status, words
from volition.execution.conformance.conduct import CONDUCT, lines_of
from volition.execution.conformance.connection import STEP
from volition.execution.conformance.verdict import Breaks, NotApplicable
from volition.execution.wire.intents import CANONICAL

if TYPE_CHECKING:
    from volition.execution.conformance.bed import TestBed
    from volition.execution.conformance.connection import KitConnection
    from volition.execution.conformance.log import Frame, LoggedLine
    from volition.execution.wire.probe import Vector

_TRIES: Final = 6
_LENGTHS: Final = (1.0, 0.5)
_AXES: Final = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))
_TTL_MS: Final = 8000
_GRACE: Final = 0.5
_COOLING: Final = 1.0
"""How long, in seconds, the kit lets something cool down that it cannot see."""


@CONDUCT.law("Handshake")
def each_succeeds(bed: TestBed) -> None:
    """Every intent that the welcome offers succeeds at least once in the run, under conditions that favour it."""
    never = [name for name in CANONICAL if bed.supports(name) and not _has_success(bed, name)]
    failed = [name for name in never if not _succeeds_now(bed, name)]
    if failed:
        ends = {name: _ends(bed, name) for name in failed}
        what = "; ".join(f"{name} never succeeds: {said}" for name, said in ends.items())
        last = tuple(logged for name in failed for logged in _results(bed, name)[-2:])
        raise Breaks(what, expected="SUCCESS of each intent that the welcome offers", frames=last)


def _has_success(bed: TestBed, name: str) -> bool:
    return any(status(logged.data or {}) == "SUCCESS" for logged in _results(bed, name))


def _succeeds_now(bed: TestBed, name: str) -> bool:
    """Try an intent where nothing known prevents it, several times: whether it succeeds."""
    for attempt in range(_TRIES):
        connection = bed.session()
        connection.do("STOP")
        if name == "RELEASE":
            _hold(bed, connection)
        elif name in {"HOLD", "MOVE"}:
            _wait(bed, connection, None)
        elif name != "STOP":
            _wait(bed, connection, name)
        for parameters in _ways(bed, connection) if name == "MOVE" else [STEP.get(name)]:
            if status(connection.do(name, parameters, ttl_ms=_TTL_MS, within=_TTL_MS / 1000 + _GRACE)) == "SUCCESS":
                return True
        _go_elsewhere(bed, connection, attempt)
    return False


def _hold(bed: TestBed, connection: KitConnection) -> None:
    """Begin a HOLD, so that there is something to release."""
    _wait(bed, connection, None)
    if bed.supports("HOLD"):
        connection.do("HOLD")


def _wait(bed: TestBed, connection: KitConnection, name: str | None) -> None:
    """Wait until the actor is free for an intent, as far as the kit can see; where it never seems to be, try all the same."""
    if bed.probe is None and name is not None:
        connection.gather(_COOLING)
    with suppress(NotApplicable):
        bed.rest(connection, name)


def _ways(bed: TestBed, connection: KitConnection) -> list[Frame]:
    """Parameters for a MOVE over free ground: those that the probe knows, or a step in each direction."""
    found: list[Vector] = []
    if bed.probe is not None and bed.welcome.get("move_frame") == "relative":
        with suppress(NotApplicable):
            found = [way for way in bed.consult(bed.probe.ways, bed.state(connection)) if max(map(abs, way)) <= 2][:3]
    steps = found or [(x * length, y * length, z * length) for length in _LENGTHS for x, y, z in _AXES]
    return [{"vector": list(vector)} for vector in steps]


def _go_elsewhere(bed: TestBed, connection: KitConnection, attempt: int) -> None:
    """Move before the next try: the place may be why something fails. A target may be what a swing needs."""
    if bed.probe is None or not bed.supports("MOVE"):
        return
    with suppress(NotApplicable, Breaks):
        state = bed.state(connection)
        step = bed.consult(partial(bed.probe.step_to_target), state) if attempt % 2 else None
        if step is None or not any(step):
            bed.step_aside(connection, state)
        else:
            connection.do("MOVE", {"vector": [max(-2.0, min(2.0, part)) for part in step]})


def _ends(bed: TestBed, name: str) -> str:
    """How often an intent was answered in the run, and how."""
    said: dict[str, int] = {}
    for logged in _results(bed, name):
        word = words(logged.data or {}).partition(": ")[2]
        said[word] = said.get(word, 0) + 1
    return ", ".join(f"{count} times {word}" for word, count in said.items()) or "it has no result"


def _results(bed: TestBed, name: str) -> list[LoggedLine]:
    """The results of one intent in the whole run."""
    found: list[LoggedLine] = []
    for logged in lines_of(bed):
        data: dict[str, Any] = logged.data or {}
        if logged.by == "executor" and data.get("type") == "result" and data.get("intent") == name:
            found.append(logged)
    return found
