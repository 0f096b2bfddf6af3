"""The kit: tries every law on one executor, in order, each within its time limit."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, get_args

from volition.core.clock import SystemClock
from volition.core.errors import did_you_mean, refuse
from volition.execution.conformance import damage, endings, history, marks, pictures  # noqa: F401  laws of other groups
from volition.execution.conformance.bench import Bench, Gone
from volition.execution.conformance.conduct import CONDUCT
from volition.execution.conformance.control import CANCEL, STOP
from volition.execution.conformance.framing import FRAMING
from volition.execution.conformance.handshake import HANDSHAKE
from volition.execution.conformance.heartbeat import DEAD_MAN, GOODBYE, HEARTBEAT
from volition.execution.conformance.intents import IDS, INTENTS, WINDOW
from volition.execution.conformance.meter import LoadMeter
from volition.execution.conformance.observe import OBSERVE
from volition.execution.conformance.once import REQUESTS
from volition.execution.conformance.opening import OPENING
from volition.execution.conformance.robustness import ROBUSTNESS
from volition.execution.conformance.states import STATES
from volition.execution.conformance.timing import DEADLINES
from volition.execution.conformance.truth import TRUTH
from volition.execution.conformance.verdict import (
    Breaks,
    CheckResult,
    LawVerdict,
    NotApplicable,
    Report,
    TooLate,
    Unjudged,
    Unseen,
    evidence,
)
from volition.execution.wire.frames import RejectCode
from volition.execution.wire.session.handshake import make_refusal
from volition.execution.wire.session.refusals import HandshakeFailed, NoAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from volition.core.clock import Clock
    from volition.execution.conformance.law import Check
    from volition.execution.conformance.log import Spoken
    from volition.execution.transports.stream import Stream
    from volition.execution.wire.probe import Probe

GROUPS: Final = (
    HANDSHAKE, OPENING, FRAMING, INTENTS, IDS, DEADLINES, WINDOW, CANCEL, STOP, HEARTBEAT, DEAD_MAN, GOODBYE,
    OBSERVE, REQUESTS, TRUTH, STATES, ROBUSTNESS, CONDUCT,
)  # fmt: skip

CHECKS: Final[tuple[Check, ...]] = tuple(check for group in GROUPS for check in group.checks)
"""Every law, in the order in which they are tried."""

LONGEST: Final = 30.0
"""The time limit of one check, in seconds; beyond it there is no verdict."""
TRIES: Final = 3
"""How often a check is tried on a busy machine that only its clock breaks, or that came too late to see anything."""

_MALFORMED: Final = (KeyError, TypeError, ValueError, AttributeError, IndexError)
"""What a check may raise where a frame does not have the expected shape."""


def check(
    dial: Callable[[], Stream],
    *,
    token: str | None = None,
    seed: int = 0,
    only: Iterable[str] | None = None,
    clock: Clock | None = None,
    probe: Probe | None = None,
    known_probes: Iterable[Probe] = (),
    shared: bool = True,
    trying: Callable[[Check], None] | None = None,
    tell: Callable[[CheckResult], None] | None = None,
) -> Report:
    """Try the laws of the protocol on the executor that `dial` connects to.

    `only` names checks or groups; by default all are tried. `clock` is the clock of the streams' timeouts. `probe` reads
    the executor's states; without one the kit asks the executor itself where it offers the feature `probe`, and otherwise
    takes the first of `known_probes` that fits its schema. `shared` is false where every dial starts another executor:
    then the laws about two connections do not apply. `trying` gets each check before it is tried, `tell` each row as
    soon as it is known. HandshakeFailed where there is no executor to try: nothing listening, no answer, or a refusal of
    the kit's greeting. InvalidInput where `probe` does not read this executor's states.
    """
    chosen = select_checks(only)
    time = clock or SystemClock()
    bench = Bench(dial, time, token=token, seed=seed, probe=probe, known_probes=known_probes, shared=shared)
    began = time.monotonic()
    rows: list[CheckResult] = []
    # A manual clock is not affected by a busy machine.
    with LoadMeter() if isinstance(time, SystemClock) else nullcontext() as meter:
        try:
            _meet(bench)
            lost = ""
            for each in chosen:
                if trying is not None:
                    trying(each)
                row = _try(each, bench, began, lost, meter)
                lost = lost or (each.name if row.verdict == "breaks" and not _is_reachable(bench) else "")
                rows.append(row)
                if tell is not None:
                    tell(row)
        finally:
            bench.hang_up()
    return Report(_name(bench), tuple(rows), seed, time.monotonic() - began)


def select_checks(only: Iterable[str] | None) -> tuple[Check, ...]:
    """The checks of these names or groups, in their order; InvalidInput where a name is neither."""
    if only is None:
        return CHECKS
    names = list(only)
    known = [*(group.name for group in GROUPS), *(each.name for each in CHECKS)]
    for name in names:
        if name not in known:
            refuse(
                f"{name!r} is not a check",
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
            remedy="check that it is an executor of this protocol, and that its loop is running",
        ) from silence
    if answer["type"] == "reject":
        code: Any = answer.get("code")
        known: RejectCode = code if code in get_args(RejectCode) else "not_ready"
        raise make_refusal(known, f"the executor refuses the kit ({code}): {answer.get('message')}")
    bench.know(answer)


def _try(check: Check, bench: Bench, began: float, lost: str, meter: LoadMeter | None) -> CheckResult:
    """The result of one check; whatever the executor does, it comes to an end."""
    if lost and not _is_reachable(bench):
        return CheckResult(check.name, check.law, check.section, "not applicable", f"nobody answers since {lost}")
    for attempt in range(TRIES):
        if meter is not None:
            meter.read()
        row, late = _try_once(check, bench, began)
        calm = meter.read() if late and meter is not None else None
        if calm is None or not calm.busy:
            return row
        bench.forget()
        if attempt == TRIES - 1 or row.verdict == "not judged":
            break
    return replace(row, verdict="not judged", found=f"could not be judged on this machine now: {row.found}; {calm}")


def _try_once(check: Check, bench: Bench, began: float) -> tuple[CheckResult, bool]:
    """Try a check once: its result, and whether that may be due to a kit that was too slow."""
    start, first = bench.clock.monotonic(), len(bench.log)
    verdict: LawVerdict = "breaks"
    found = expected = ""
    frames = None
    late = False
    bench.log.ends = start + LONGEST
    try:
        check.trial(bench)
        verdict = "holds"
    except NotApplicable as reason:
        verdict, found, late = "not applicable", str(reason), isinstance(reason, Unseen)
    except Breaks as broken:
        found, expected, frames = str(broken), broken.expected, broken.frames
        # Between two looks of a kit without a core, the actor may even have died and begun again.
        late = isinstance(broken, TooLate) or len(_episodes(bench.log[first:])) > 1
    except Unjudged:
        verdict, found, late = "not judged", f"no verdict within {LONGEST:g} s: the executor is too slow for it", True
    except Gone as gone:
        found, expected = f"nobody answers any more: {gone}", "an executor that keeps running"
    except _MALFORMED as error:
        found, expected = (
            f"a frame that cannot be used: {type(error).__name__}: {error}",
            "frames as in docs/protocol.md",
        )
    bench.log.ends = None
    bench.settle(clean=verdict in {"holds", "not applicable"})
    said = () if verdict != "breaks" else evidence(bench.log[first:] if frames is None else frames, began)
    seconds = round(bench.clock.monotonic() - start, 3)
    return CheckResult(check.name, check.law, check.section, verdict, found, expected, said, seconds), late


def _episodes(lines: list[Spoken]) -> set[int]:
    """The episodes of the states in these lines."""
    said = [spoken.data for spoken in lines if spoken.by == "executor" and spoken.data is not None]
    shown = [state for data in said for state in (data, data.get("next_state")) if isinstance(state, dict)]
    return {state["episode"] for state in shown if isinstance(state.get("episode"), int)}


def _is_reachable(bench: Bench) -> bool:
    try:
        bench.connect()
    except Gone:
        return False
    return True


def _name(bench: Bench) -> str:
    party = bench.welcome.get("executor")
    return f"{party.get('name')} {party.get('version')}" if isinstance(party, dict) else "the executor"
