"""The kit: tries every law on one executor, in order, each within its time limit and all within that of the run.

How a law is tried: it is given its time, its trial runs on the test bed, and what the trial raises becomes a verdict
(verdict.py); then STOP ends what it left open, or the bed hangs up.

    tried --returns--> holds
          --Breaks--> breaks; TooLate on a busy machine: tried again
          --NotApplicable--> not applicable; Unseen on a busy machine: tried again
          --Unjudged--> not judged; Blocked, by a law that waited in vain for the same, at once

What is tried again starts from nothing: new connections, no findings, all patience. After three tries on a busy machine
there is no verdict. Nothing is tried any more once the run's time is over, once the executor stopped responding, or, with
`fail_fast`, after the first broken law: those rows are `not judged`. Whatever an executor does, each law has exactly one row.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Final, get_args

from msgspec.structs import replace

from volition.core.clock import SystemClock
from volition.execution.conformance.bed import Gone, TestBed
from volition.execution.conformance.laws import select_checks
from volition.execution.conformance.patience import Blocked, LoadMeter, Unjudged
from volition.execution.conformance.verdict import (
    Breaks,
    CheckResult,
    LawVerdict,
    NotApplicable,
    Report,
    TooLate,
    Unoffered,
    Unseen,
    evidence,
)
from volition.execution.wire.frames import RejectCode
from volition.execution.wire.session.handshake import HandshakeFailed, NoAnswer, make_refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from volition.core.clock import Clock
    from volition.execution.conformance.law import Check
    from volition.execution.conformance.verdict import LoggedLine
    from volition.execution.transports.stream import Stream
    from volition.execution.wire.probe import Probe

LIMIT: Final = 120.0
"""The time limit of a whole run, in seconds, unless another is given."""
LONGEST: Final = 30.0
"""The time limit of one check, in seconds; beyond it there is no verdict."""
_SETTLING: Final = 5.0
_DIALS: Final = 3
"""How often an executor that is gone is dialled again."""
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
    limit: float = LIMIT,
    fail_fast: bool = False,
    clock: Clock | None = None,
    probe: Probe | None = None,
    known_probes: Iterable[Probe] = (),
    shared: bool = True,
    restart: Callable[[], None] | None = None,
    trying: Callable[[Check], None] | None = None,
    tell: Callable[[CheckResult], None] | None = None,
) -> Report:
    """Try the laws of the protocol on the executor that `dial` connects to.

    `only` names checks or groups; by default all are tried. After `limit` seconds, or with `fail_fast` after the first
    broken law, the rest is not judged. `clock` is the clock of the streams' timeouts. `probe` reads the executor's states;
    without one the kit asks the executor itself where it offers the feature `probe`, and otherwise takes the first of
    `known_probes` that fits its schema. `shared` is false where every dial starts another executor: then the laws about
    two connections do not apply. `restart` ends the executor and starts it again; without it the laws about restarts do
    not apply. `trying` gets each check before it is tried, `tell` each row as soon as it is known.

    HandshakeFailed where there is no executor to try: nothing listening, no answer, or a refusal of the kit's greeting.
    InvalidInput where `probe` does not read this executor's states.
    """
    chosen = select_checks(only)
    time = clock or SystemClock()
    bed = TestBed(
        dial, time, token=token, seed=seed, probe=probe, known_probes=known_probes, shared=shared, restart=restart
    )
    began = time.monotonic()
    rows: list[CheckResult] = []
    # A manual clock is not affected by a busy machine.
    with LoadMeter() if isinstance(time, SystemClock) else nullcontext() as meter:
        run = _Run(bed, began, limit, fail_fast=fail_fast, meter=meter)
        try:
            run.begin("the greeting", limit)
            _meet(bed)
            for each in chosen:
                if trying is not None:
                    trying(each)
                rows.append(run.judge(each))
                if tell is not None:
                    tell(rows[-1])
        finally:
            bed.hang_up()
    return Report(_name(bed), tuple(rows), seed, time.monotonic() - began)


def _meet(bed: TestBed) -> None:
    """The first greeting: without a welcome there is nothing to try."""
    try:
        connection = bed.connect()
        answer = bed.greet(connection)
    except Gone as gone:
        if isinstance(gone.__cause__, HandshakeFailed):
            raise gone.__cause__ from None
        raise NoAnswer.of(
            f"no connection: {gone}",
            where="the executor",
            expected="an executor that listens",
            remedy="start it, and check its address",
        ) from gone
    except (Breaks, Unjudged) as silence:
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
    bed.know(answer)


class _Run:
    """One run over the laws: what is left of its time, and why the rest is not tried any more."""

    def __init__(self, bed: TestBed, began: float, limit: float, *, fail_fast: bool, meter: LoadMeter | None) -> None:
        self._bed, self._began, self._ends = bed, began, began + limit
        self._limit, self._fail_fast, self._meter = f"the time limit of the run, {limit:g} s,", fail_fast, meter
        self._broken = self._lost = ""
        self._dials = 0

    def judge(self, check: Check) -> CheckResult:
        """The result of one check; whatever the executor does, it comes to an end."""
        if why := self._why_not():
            return CheckResult(check.name, check.law, check.section, "not judged", why)
        row = self._try(check)
        if row.verdict == "breaks":
            self._broken = self._broken or check.name
            self._lost = "" if self._is_reachable() else self._lost or check.name
        return row

    def _why_not(self) -> str:
        """Why no law is tried any more; empty where the next one is."""
        if self._fail_fast and self._broken:
            return f"not tried: {self._broken} breaks, and the run ends there"
        if self._bed.clock.monotonic() >= self._ends:
            return f"not tried: {self._limit} was reached before"
        if self._lost and not self._is_reachable():
            return f"not tried: the executor stopped responding in {self._lost}"
        return ""

    def _is_reachable(self) -> bool:
        if self._lost and self._dials >= _DIALS:
            return False
        try:
            self._bed.connect()
        except (Gone, Unjudged):
            self._dials += 1
            return False
        self._dials = 0
        return True

    def _try(self, check: Check) -> CheckResult:
        """Try a check, again where only the clock of a busy machine speaks against the executor."""
        bed, meter = self._bed, self._meter
        for attempt in range(TRIES):
            if meter is not None:
                meter.read()
            row, late = self.try_once(check)
            calm = meter.read() if late and meter is not None else None
            if calm is None or not calm.busy:
                return row
            bed.forget()
            if attempt == TRIES - 1 or row.verdict == "not judged" or bed.clock.monotonic() >= self._ends:
                break
        return replace(row, verdict="not judged", found=f"could not be judged on this machine now: {row.found}; {calm}")

    def try_once(self, check: Check) -> tuple[CheckResult, bool]:
        """Try a check once: its result, and whether that may be due to a kit that was too slow."""
        bed, first = self._bed, len(self._bed.log)
        start = self.begin(check.name, LONGEST)
        verdict: LawVerdict = "breaks"
        found = expected = ""
        frames = None
        late = unmet = False
        try:
            check.trial(bed)
            verdict = "holds"
        except NotApplicable as reason:
            verdict, found, late = "not applicable", str(reason), isinstance(reason, Unseen)
            unmet = not isinstance(reason, Unoffered)
        except Breaks as broken:
            found, expected, frames = str(broken), broken.expected, broken.frames
            # Between two looks of a kit without a core, the actor may even have died and begun again.
            late = isinstance(broken, TooLate) or len(_episodes(bed.log[first:])) > 1
        except Unjudged as reason:
            verdict, found, late = "not judged", str(reason), not isinstance(reason, Blocked)
        except Gone as gone:
            found, expected = f"the executor stopped responding: {gone}", "an executor that keeps running"
        except _MALFORMED as error:
            found, expected = (
                f"a frame that cannot be used: {type(error).__name__}: {error}",
                "frames as in docs/protocol.md",
            )
        self.begin(check.name, _SETTLING)
        bed.settle(clean=verdict in {"holds", "not applicable"})
        said = () if verdict != "breaks" else evidence(bed.log[first:] if frames is None else frames, self._began)
        seconds = round(bed.clock.monotonic() - start, 3)
        return CheckResult(check.name, check.law, check.section, verdict, found, expected, said, seconds, unmet), late

    def begin(self, law: str, seconds: float) -> float:
        """Give a law this much time, or what is left of the run; when it begins."""
        now = self._bed.clock.monotonic()
        if now + seconds < self._ends:
            why = f"no verdict within {seconds:g} s: the executor is too slow for it"
        else:
            why = f"no verdict: {self._limit} was reached"
        self._bed.log.waiting.begin(law, min(now + seconds, self._ends), why)
        return now


def _episodes(lines: list[LoggedLine]) -> set[int]:
    """The episodes of the states in these lines."""
    said = [logged.data for logged in lines if logged.by == "executor" and logged.data is not None]
    shown = [state for data in said for state in (data, data.get("next_state")) if isinstance(state, dict)]
    return {state["episode"] for state in shown if isinstance(state.get("episode"), int)}


def _name(bed: TestBed) -> str:
    party = bed.welcome.get("executor")
    return f"{party.get('name')} {party.get('version')}" if isinstance(party, dict) else "the executor"
