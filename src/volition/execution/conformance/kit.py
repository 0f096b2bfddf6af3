"""The kit: every law tried on one executor, in order, each within its time."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Final, get_args

from volition.core.clock import SystemClock
from volition.core.errors import did_you_mean, refuse
from volition.execution.conformance import damage, history  # noqa: F401  their laws are of TRUTH and CONDUCT
from volition.execution.conformance.bench import Bench, Gone
from volition.execution.conformance.conduct import CONDUCT
from volition.execution.conformance.control import CANCEL, STOP
from volition.execution.conformance.framing import FRAMING
from volition.execution.conformance.handshake import HANDSHAKE
from volition.execution.conformance.heartbeat import DEAD_MAN, GOODBYE, HEARTBEAT
from volition.execution.conformance.intents import IDS, INTENTS, WINDOW
from volition.execution.conformance.meter import Meter
from volition.execution.conformance.opening import OPENING
from volition.execution.conformance.robustness import ROBUSTNESS
from volition.execution.conformance.states import STATES
from volition.execution.conformance.timing import DEADLINES
from volition.execution.conformance.truth import TRUTH
from volition.execution.conformance.verdict import (
    Breaks,
    Late,
    NotApplicable,
    Report,
    Row,
    Unjudged,
    Verdict,
    evidence,
)
from volition.execution.frames import RejectCode
from volition.execution.session.handshake import refusal
from volition.execution.session.refusals import HandshakeFailed, NoAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from volition.core.clock import Clock
    from volition.execution.conformance.law import Check
    from volition.execution.conformance.probe import Probe
    from volition.execution.transports.stream import Stream

GROUPS: Final = (
    HANDSHAKE, OPENING, FRAMING, INTENTS, IDS, DEADLINES, WINDOW, CANCEL, STOP, HEARTBEAT, DEAD_MAN, GOODBYE,
    TRUTH, STATES, ROBUSTNESS, CONDUCT,
)  # fmt: skip

CHECKS: Final[tuple[Check, ...]] = tuple(check for group in GROUPS for check in group.checks)
"""Every law, in the order in which it is tried."""

LONGEST: Final = 30.0
"""How long, in seconds, one check may take until it is left without a verdict."""
TRIES: Final = 3
"""How often a check is tried that only the clock of a busy machine calls broken."""

_SPOILT: Final = (KeyError, TypeError, ValueError, AttributeError, IndexError)
"""What a check may stumble over where a frame is not what it claims to be."""


def check(
    dial: Callable[[], Stream],
    *,
    token: str | None = None,
    seed: int = 0,
    only: Iterable[str] | None = None,
    clock: Clock | None = None,
    probe: Probe | None = None,
    shared: bool = True,
    trying: Callable[[Check], None] | None = None,
    tell: Callable[[Row], None] | None = None,
) -> Report:
    """Try the laws of the protocol on the executor that `dial` leads to.

    `only` names checks or groups; all are tried otherwise. `clock` is the clock of the streams' timeouts. `probe` reads
    the executor's states; without one the kit asks the executor itself where that offers the feature `probe`, and reads
    the arena's states by itself. `shared` is false where every dial starts another executor: then nothing can be
    asked of two connections. `trying` gets each check before it is tried, `tell` each row as soon as it is known.
    HandshakeFailed where there is no executor to try: nobody there, no answer, or a refusal of the kit's own greeting.
    InvalidInput where `probe` does not read this executor's states.
    """
    chosen = selected(only)
    time = clock or SystemClock()
    bench = Bench(dial, time, token=token, seed=seed, probe=probe, shared=shared)
    began = time.monotonic()
    rows: list[Row] = []
    # A clock that is moved by hand knows no busy machine.
    with Meter() if isinstance(time, SystemClock) else nullcontext() as meter:
        try:
            _meet(bench)
            lost = ""
            for each in chosen:
                if trying is not None:
                    trying(each)
                row = _tried(each, bench, began, lost, meter)
                lost = lost or (each.name if row.verdict == "breaks" and not _there(bench) else "")
                rows.append(row)
                if tell is not None:
                    tell(row)
        finally:
            bench.hang_up()
    return Report(_name(bench), tuple(rows), seed, time.monotonic() - began)


def selected(only: Iterable[str] | None) -> tuple[Check, ...]:
    """The checks of these names or groups, in their order; InvalidInput where a name is neither."""
    if only is None:
        return CHECKS
    names = list(only)
    known = [*(group.name for group in GROUPS), *(each.name for each in CHECKS)]
    for name in names:
        if name not in known:
            refuse(
                f"{name!r} is no check",
                where="only",
                expected="the name of a check or of a group",
                remedy=did_you_mean(name, known),
            )
    return tuple(each for each in CHECKS if each.name in names or each.name.partition(".")[0] in names)


def _meet(bench: Bench) -> None:
    """The first greeting: without a welcome there is nothing to try."""
    try:
        talk = bench.connect()
        answer = bench.greet(talk)
    except Gone as gone:
        if isinstance(gone.__cause__, HandshakeFailed):
            raise gone.__cause__ from None
        raise NoAnswer.of(
            f"no connection: {gone}",
            where="the executor",
            expected="an executor that listens",
            remedy="start it, and check its address",
        ) from gone
    except Breaks as silence:
        raise NoAnswer.of(
            f"no answer to the greeting: {silence}",
            where="the executor",
            expected="a welcome within 5 s",
            remedy="check that it is an executor of this protocol, and that its loop runs",
        ) from silence
    if answer["type"] == "reject":
        code: Any = answer.get("code")
        known: RejectCode = code if code in get_args(RejectCode) else "not_ready"
        raise refusal(known, f"the executor refuses the kit ({code}): {answer.get('message')}")
    bench.know(answer)


def _tried(check: Check, bench: Bench, began: float, lost: str, meter: Meter | None) -> Row:
    """One row; whatever the executor does, it comes to an end."""
    if lost and not _there(bench):
        return Row(check.name, check.law, check.section, "not applicable", f"nobody answers since {lost}")
    for attempt in range(TRIES):
        if meter is not None:
            meter.read()
        row, late = _trial(check, bench, began)
        calm = meter.read() if late and meter is not None else None
        if calm is None or not calm.busy:
            return row
        bench.forget()
        if attempt == TRIES - 1 or row.verdict == "not judged":
            break
    what = f"could not be judged on this machine now: {row.found}; {calm}"
    return Row(check.name, check.law, check.section, "not judged", what, row.expected, row.frames, row.seconds)


def _trial(check: Check, bench: Bench, began: float) -> tuple[Row, bool]:
    """Try a check once: its row, and whether only the clock speaks against the executor."""
    start, first = bench.clock.monotonic(), len(bench.log)
    verdict: Verdict = "breaks"
    found = expected = ""
    frames = None
    late = False
    bench.log.ends = start + LONGEST
    try:
        check.trial(bench)
        verdict = "holds"
    except NotApplicable as reason:
        verdict, found = "not applicable", str(reason)
    except Breaks as broken:
        found, expected, frames = str(broken), broken.expected, broken.frames
        late = isinstance(broken, Late)
    except Unjudged:
        verdict, found, late = "not judged", f"no verdict within {LONGEST:g} s: the executor is too slow for it", True
    except Gone as gone:
        found, expected = f"nobody answers any more: {gone}", "an executor that goes on"
    except _SPOILT as error:
        found, expected = f"a frame that cannot be used: {type(error).__name__}: {error}", "frames as the page says"
    bench.log.ends = None
    bench.settle(clean=verdict in {"holds", "not applicable"})
    said = () if verdict != "breaks" else evidence(bench.log[first:] if frames is None else frames, began)
    seconds = bench.clock.monotonic() - start
    return Row(check.name, check.law, check.section, verdict, found, expected, said, seconds), late


def _there(bench: Bench) -> bool:
    try:
        bench.connect()
    except Gone:
        return False
    return True


def _name(bench: Bench) -> str:
    party = bench.welcome.get("executor")
    return f"{party.get('name')} {party.get('version')}" if isinstance(party, dict) else "the executor"
