"""A law: its name, its statement, its section of the protocol and its trial; and what a trial may expect of a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct

from volition.execution.conformance.verdict import Breaks, Frame, TooLate

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.execution.conformance.bed import TestBed
    from volition.execution.conformance.connection import KitConnection


Trial: TypeAlias = "Callable[[TestBed], None]"
"""Tries a law: returns where it holds; raises Breaks, or NotApplicable where it cannot be tried."""


class Check(Struct, frozen=True):
    """One law: its name (`group.law`), its statement, its section of the protocol, and its trial."""

    name: str
    law: str
    section: str
    trial: Trial


class Group:
    """Checks that belong together, in order."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.checks: list[Check] = []

    def law(self, section: str) -> Callable[[Trial], Trial]:
        """Register a function as a check: its name is the check's, its docstring is the law."""

        def register(trial: Trial) -> Trial:
            self.add(trial.__name__, " ".join((trial.__doc__ or "").split()), section, trial)
            return trial

        return register

    def add(self, name: str, law: str, section: str, trial: Trial) -> None:
        self.checks.append(Check(f"{self.name}.{name}", law, section, trial))


def payload(frame: Frame) -> Frame:
    """The result inside a result frame; empty where there is none."""
    inner = frame.get("result")
    return inner if isinstance(inner, dict) else {}


def status(frame: Frame) -> Any:
    """The status in a result frame."""
    return payload(frame).get("status")


def outcome(frame: Frame, name: str) -> Any:
    """One of the outcomes in a result frame."""
    return payload(frame).get("outcomes", {}).get(name)


def content(frame: Frame) -> Any:
    """What a result frame says, apart from its id and its next state."""
    return frame.get("intent"), frame.get("result"), frame.get("detail")


def words(frame: Frame) -> str:
    """A result frame in a few words."""
    inner = payload(frame)
    detail = f" ({frame['detail']})" if frame.get("detail") else ""
    return f"{frame.get('intent')}: {inner.get('status')}/{inner.get('failure_reason')}{detail}"


def in_time(true: bool, found: str, expected: str) -> None:
    """TooLate unless the condition holds: only the clock is evidence against the executor."""
    if not true:
        raise TooLate(found, expected=expected)


def expect(true: bool, found: str, expected: str) -> None:
    """Breaks unless the condition holds."""
    if not true:
        raise Breaks(found, expected=expected)


def expect_failure(answer: Frame, reason: str, detail: str) -> None:
    """Breaks unless a result is a FAILURE for this reason, with this detail."""
    inner = payload(answer)
    ending = (inner.get("status"), inner.get("failure_reason"), answer.get("detail"))
    expect(ending == ("FAILURE", reason, detail), words(answer), f"FAILURE/{reason} ({detail})")


def expect_standstill(bed: TestBed, connection: KitConnection) -> None:
    """Breaks where a living actor moves once it has had the time to coast that it declares."""
    bed.let_coast(connection)
    first = bed.see(connection)
    bed.watch(connection)
    second = bed.see(connection)
    moved = not bed.same_place(first, second) and first.alive and second.alive
    expect(not moved, f"it was at {first.place}, then at {second.place}", "an actor that stands still")


def expect_errors(connection: KitConnection, since: int, *codes: str) -> None:
    """Breaks unless these are the errors that were sent since."""
    sent = [error.get("code") for error in connection.frames("error", since=since)]
    expect(sent == [*codes], f"errors {sent}", f"errors {[*codes]}")
