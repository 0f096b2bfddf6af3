"""Everything that was said in a run of the kit, line by line: what laws of conduct and the evidence are taken from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from volition.execution.conformance.waiting import Waiting

if TYPE_CHECKING:
    from volition.execution.wire.codec import FrameFault

Frame: TypeAlias = dict[str, Any]
"""A frame as JSON data, valid or not."""

MOST_LINES: Final = 50_000
MOST_BYTES: Final = 2**26
"""No more lines and bytes than these are read in one run."""


@dataclass(frozen=True, slots=True)
class LoggedLine:
    """One line on one connection; `data` is its object as far as it can be read, `fault` why it is not a frame."""

    connection: int
    by: Literal["kit", "executor"]
    at: float
    line: bytes
    data: Frame | None
    fault: FrameFault | None = None


class Log(list[LoggedLine]):
    """All lines of a run, on all connections; `heard` counts the bytes received.

    `waiting` is the patience that is left for more of them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.heard = 0
        self.waiting = Waiting()

    @property
    def full(self) -> bool:
        """Whether the executor has said so much that the kit stops reading."""
        return len(self) >= MOST_LINES or self.heard >= MOST_BYTES
