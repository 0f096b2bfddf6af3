"""What a check says: a row for each law, and the report of all rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.execution.conformance.talk import Spoken

Verdict: TypeAlias = Literal["holds", "breaks", "not judged", "not applicable"]

SHOWN_BYTES = 600
SHOWN_FRAMES = 24


class Breaks(Exception):
    """Raised in a check: the law is broken. `frames` replaces what was said during the check as the evidence."""

    def __init__(self, found: str, *, expected: str, frames: tuple[Spoken, ...] | None = None) -> None:
        super().__init__(found)
        self.found, self.expected, self.frames = found, expected, frames


class Late(Breaks):
    """Raised in a check: only the clock says that the law is broken. On a busy machine that proves nothing."""


class Unjudged(Exception):
    """Raised in a check: it came to no verdict within the time that one check has."""


class NotApplicable(Exception):
    """Raised in a check: this executor gives no occasion to try the law, and why."""


@dataclass(frozen=True, slots=True)
class Said:
    """One line of the evidence: who said it on which connection, when (seconds of the run), and its text, shortened."""

    connection: int
    by: Literal["kit", "executor"]
    at: float
    text: str

    def __str__(self) -> str:
        arrow = "->" if self.by == "kit" else "<-"
        return f"#{self.connection} {self.at:8.3f} {arrow} {self.text}"

    def to_data(self) -> dict[str, Any]:
        return {"connection": self.connection, "by": self.by, "at": round(self.at, 3), "line": self.text}


@dataclass(frozen=True, slots=True)
class Row:
    """What came of one check. `found` says what was seen, or why the law could not be tried."""

    check: str
    law: str
    section: str
    verdict: Verdict
    found: str = ""
    expected: str = ""
    frames: tuple[Said, ...] = ()
    seconds: float = 0.0

    def to_data(self) -> dict[str, Any]:
        return {
            "check": self.check,
            "law": self.law,
            "section": self.section,
            "verdict": self.verdict,
            "found": self.found,
            "expected": self.expected,
            "frames": [said.to_data() for said in self.frames],
            "seconds": round(self.seconds, 3),
        }

    def __str__(self) -> str:
        """The row for a reader without a terminal: one line, and below a broken law all that is known of it."""
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
            *(f"  {said}" for said in self.frames),
        ]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Report:
    """All rows of a run, in the order of the checks; `executor` is the name and version that the welcome gave."""

    executor: str
    rows: tuple[Row, ...]
    seed: int
    seconds: float

    @property
    def holds(self) -> bool:
        """Whether something was tried, nothing is broken, and nothing was left without a verdict."""
        return not self.broken and not self.unjudged and any(row.verdict == "holds" for row in self.rows)

    @property
    def broken(self) -> tuple[str, ...]:
        """The checks that break."""
        return tuple(row.check for row in self.rows if row.verdict == "breaks")

    @property
    def unjudged(self) -> tuple[str, ...]:
        """The checks that came to no verdict on this machine."""
        return tuple(row.check for row in self.rows if row.verdict == "not judged")

    def count(self, verdict: Verdict) -> int:
        return sum(row.verdict == verdict for row in self.rows)

    def to_data(self) -> dict[str, Any]:
        return {
            "executor": self.executor,
            "holds": self.holds,
            "seed": self.seed,
            "seconds": round(self.seconds, 3),
            "rows": [row.to_data() for row in self.rows],
        }

    @property
    def summary(self) -> str:
        """The last line of a report."""
        counts = f"{self.count('holds')} laws hold, {self.count('breaks')} break, {self.count('not applicable')} not applicable"
        if self.unjudged:
            counts += f", {len(self.unjudged)} not judged"
        verdict = "conforms" if self.holds else "does not conform" if self.broken else "could not be judged whole"
        return f"{self.executor} {verdict}: {counts} (seed {self.seed}, {self.seconds:.1f} s)"

    def __str__(self) -> str:
        return "\n".join([*map(str, self.rows), self.summary])


def evidence(spoken: Sequence[Spoken], began: float) -> tuple[Said, ...]:
    """The last lines of what was said, shortened to what a person reads; pushed states give way to the rest."""
    if len(spoken) > SHOWN_FRAMES:
        spoken = [said for said in spoken if not _pushed(said.data)] or spoken
    return tuple(
        Said(said.connection, said.by, said.at - began, _shortened(said.line)) for said in spoken[-SHOWN_FRAMES:]
    )


def _pushed(data: dict[str, Any] | None) -> bool:
    return data is not None and data.get("type") == "state" and "id" not in data


def _shortened(line: bytes) -> str:
    if len(line) <= SHOWN_BYTES:
        return line.decode("utf-8", "backslashreplace")
    head, tail = line[: SHOWN_BYTES * 3 // 4], line[-SHOWN_BYTES // 8 :]
    text = f"{head.decode('utf-8', 'backslashreplace')} ... {tail.decode('utf-8', 'backslashreplace')}"
    return f"{text} ({len(line)} bytes)"
