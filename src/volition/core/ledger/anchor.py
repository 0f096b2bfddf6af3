"""The end of a ledger in one line: kept elsewhere it reveals rewriting, and next to a closed ledger that it was cut."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from volition.core.errors import InvalidInput, refuse
from volition.core.folder import replace_file
from volition.core.ledger.fault import BrokenLedger, Fault, FaultKind

if TYPE_CHECKING:
    from pathlib import Path

CLOSED: Final = "closed.anchor"
"""The file in which the writer of a ledger records where it ends, when it closes it properly."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """The number of records and the hash of the last one (of the header if there are none), to be kept elsewhere.

    >>> str(Anchor(2, "ab" * 32))[:8]
    '2:ababab'
    """

    count: int
    hash: str

    def __str__(self) -> str:
        return f"{self.count}:{self.hash}"

    @classmethod
    def parse(cls, text: str) -> Anchor:
        """Read an anchor as `str` writes it."""
        found = re.fullmatch(r"([0-9]{1,18}):([0-9a-f]{64})", text)
        if found is None:
            refuse(
                f"{text!r:.100} is not an anchor",
                where="anchor",
                expected="COUNT:HASH, the hash as 64 lower-case hex digits",
                remedy="take it from `volition ledger anchor PATH` or Ledger.anchor()",
            )
        return cls(int(found[1]), found[2])


def write_closed(folder: Path, anchor: Anchor) -> None:
    """Record where a ledger ends, atomically."""
    replace_file(folder / CLOSED, f"{anchor}\n".encode())


def read_closed(folder: Path) -> Anchor | None:
    """Where a ledger ended when it was closed; None if it was not closed. BrokenLedger if the file was changed."""
    try:
        with (folder / CLOSED).open("rb") as file:
            content = file.read(128)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _broken_ledger(folder, f"it cannot be read: {error.strerror}") from None
    try:
        anchor = Anchor.parse(content.decode("ascii").removesuffix("\n"))
    except (InvalidInput, UnicodeDecodeError):
        anchor = None
    if anchor is None or f"{anchor}\n".encode() != content:
        raise _broken_ledger(folder, "it does not contain an unchanged anchor")
    return anchor


def _broken_ledger(folder: Path, detail: str) -> BrokenLedger:
    return BrokenLedger(folder, Fault(FaultKind.CHANGED, CLOSED, 1, 1, detail))
