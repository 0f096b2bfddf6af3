"""What comes of a law: the exceptions that a trial ends with, the row that the kit makes of them, and the report of all.

A trial that returns `holds`. `Breaks` is evidence against the executor; `TooLate` is evidence of the clock alone, and counts
only on a calm machine. `NotApplicable` says that the law cannot be tried on this executor: what it begins with did not come
about (such a row is `unmet`), or, as `Unoffered`, is not offered at all. `Unseen` says that the kit may have looked too
late, and makes a law inapplicable only on a calm machine. `Unjudged` and `Blocked` (patience.py) leave a law without a
verdict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec
from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Sequence


Frame: TypeAlias = dict[str, Any]
"""A frame as JSON data, valid or not."""


class LoggedLine(Struct, frozen=True):
    """One line on one connection; `data` is its object as far as it can be read."""

    connection: int
    by: Literal["kit", "executor"]
    at: float
    line: bytes
    data: Frame | None


LawVerdict: TypeAlias = Literal["holds", "breaks", "not judged", "not applicable"]

SHOWN_BYTES = 800
SHOWN_FRAMES = 24


class Breaks(Exception):
    """Raised in a check: the law is broken. `frames` is the evidence; by default everything said during the check."""

    def __init__(self, found: str, *, expected: str, frames: tuple[LoggedLine, ...] | None = None) -> None:
        super().__init__(found)
        self.found, self.expected, self.frames = found, expected, frames


class TooLate(Breaks):
    """Raised in a check: only the clock says that the law is broken, which proves nothing on a busy machine."""


class NotApplicable(Exception):
    """Raised in a check: the law cannot be tried on this executor, and why: what it begins with did not come about."""


class Unoffered(NotApplicable):
    """Raised in a check: the law is about something that this executor, or whoever runs the kit, does not offer."""


class Unseen(NotApplicable):
    """Raised in a check: what the law is about was not seen, perhaps because the kit looked too late; a busy machine
    does not make the law inapplicable."""


class EvidenceLine(Struct, frozen=True):
    """A logged line as a report shows it: `at` is in seconds of the run, and a long text is shortened."""

    connection: int
    by: Literal["kit", "executor"]
    at: float
    line: str

    def __str__(self) -> str:
        arrow = "->" if self.by == "kit" else "<-"
        return f"#{self.connection} {self.at:8.3f} {arrow} {self.line}"


class CheckResult(Struct, frozen=True):
    """The result of one check. `found` says what was seen, or why the law could not be tried.

    `unmet` marks a law that is not applicable although everything it needs is offered: it did not come about.
    """

    check: str
    law: str
    section: str
    verdict: LawVerdict
    found: str = ""
    expected: str = ""
    frames: tuple[EvidenceLine, ...] = ()
    seconds: float = 0.0
    unmet: bool = False

    def __str__(self) -> str:
        """The result as text: one line, and below a broken law everything that is known about it."""
        head = f"{self.verdict:<14} {self.check}"
        if self.verdict == "holds":
            return head
        if self.verdict in {"not applicable", "not judged"}:
            return f"{head}: {self.found}"
        lines = [
            head,
            f"  law:      {self.law} ({self.section})",
            f"  found:    {self.found}",
            f"  expected: {self.expected}",
            *(f"  {line}" for line in self.frames),
        ]
        return "\n".join(lines)


class Report(Struct, frozen=True):
    """All results of a run, in the order of the checks; `executor` is the name and version from the welcome."""

    executor: str
    rows: tuple[CheckResult, ...]
    seed: int
    seconds: float

    @property
    def holds(self) -> bool:
        """Whether most of what is offered was tried, nothing is broken, and everything has a verdict."""
        return not self.broken and not self.unjudged and not self.idle

    @property
    def idle(self) -> bool:
        """Whether hardly anything could be tried: more laws did not come about than hold, or none holds."""
        return not self.count("holds") or sum(row.unmet for row in self.rows) > self.count("holds")

    @property
    def broken(self) -> tuple[str, ...]:
        """The checks that break."""
        return tuple(row.check for row in self.rows if row.verdict == "breaks")

    @property
    def unjudged(self) -> tuple[str, ...]:
        """The checks without a verdict on this machine."""
        return tuple(row.check for row in self.rows if row.verdict == "not judged")

    def count(self, verdict: LawVerdict) -> int:
        return sum(row.verdict == verdict for row in self.rows)

    def to_data(self) -> dict[str, Any]:
        return {
            "executor": self.executor,
            "holds": self.holds,
            "seed": self.seed,
            "seconds": round(self.seconds, 3),
            "rows": msgspec.to_builtins(self.rows),
        }

    @property
    def summary(self) -> str:
        """The last line of a report."""
        counts = f"{self.count('holds')} laws hold, {self.count('breaks')} break, {self.count('not applicable')} not applicable"
        if self.unjudged:
            counts += f", {len(self.unjudged)} not judged"
        if unmet := sum(row.unmet for row in self.rows):
            counts += f" ({unmet} of them because what they begin with did not come about)" if self.idle else ""
        verdict = "conforms" if self.holds else "does not conform" if self.broken else "could not be judged completely"
        return f"{self.executor} {verdict}: {counts} (seed {self.seed}, {self.seconds:.1f} s)"

    def __str__(self) -> str:
        return "\n".join([*map(str, self.rows), self.summary])


def evidence(logged: Sequence[LoggedLine], began: float) -> tuple[EvidenceLine, ...]:
    """The last lines, shortened for reading; where there are too many, pushed states are left out first."""
    if len(logged) > SHOWN_FRAMES:
        logged = [line for line in logged if not _is_pushed(line.data)] or logged
    return tuple(
        EvidenceLine(line.connection, line.by, round(line.at - began, 3), _shorten(line.line))
        for line in logged[-SHOWN_FRAMES:]
    )


def _is_pushed(data: dict[str, Any] | None) -> bool:
    return data is not None and data.get("type") == "state" and "id" not in data


def _shorten(line: bytes) -> str:
    if len(line) <= SHOWN_BYTES:
        return line.decode("utf-8", "backslashreplace")
    head, tail = line[: SHOWN_BYTES * 3 // 4], line[-SHOWN_BYTES // 8 :]
    text = f"{head.decode('utf-8', 'backslashreplace')} ... {tail.decode('utf-8', 'backslashreplace')}"
    return f"{text} ({len(line)} bytes)"
