"""What minds were asked and answered, in order, so that a run can be repeated without them."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

import msgspec

from volition.core.canonical import canonical
from volition.core.document import write_atomically
from volition.core.errors import BrokenRecord, Problem, VolitionError
from volition.core.typed import decoder
from volition.minds.contract import Asked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

LIMIT_BYTES: Final = 256 * 2**20
"""The largest file of answers that is read."""


class NotRecorded(VolitionError):
    """A question of a replay that is not in the record: the run is not the one that was recorded."""

    exit_code = 3


class MindRecord:
    """The questions of a run with their answers. As a file it has one line of canonical JSON for each.

    >>> record = MindRecord([Asked("ada", "c0ffee", choice="stay")])
    >>> record.to_bytes(seconds=False)
    b'{"choice":"stay","fallback":"","fault":"","kind":"","question":"c0ffee","reason":"","tokens":0,"who":"ada","words":""}\\n'
    """

    def __init__(self, asked: Iterable[Asked] = ()) -> None:
        self._asked = list(asked)

    def __repr__(self) -> str:
        return f"<MindRecord of {len(self)} questions>"

    def __len__(self) -> int:
        return len(self._asked)

    def __iter__(self) -> Iterator[Asked]:
        return iter(tuple(self._asked))

    def append(self, asked: Asked) -> None:
        """Add what was asked last."""
        self._asked.append(asked)

    def to_bytes(self, *, seconds: bool = True) -> bytes:
        """The content of a file; without the seconds, the same answers give the same bytes."""
        rows = [asked.to_data() for asked in self._asked]
        if not seconds:
            rows = [{name: value for name, value in row.items() if name != "seconds"} for row in rows]
        return b"".join(canonical(row) + b"\n" for row in rows)

    def write(self, path: Path) -> None:
        """Store the record in a file, whole or not at all."""
        write_atomically(path, self.to_bytes())

    @classmethod
    def read(cls, path: Path) -> MindRecord:
        """Read a record; BrokenRecord names the first line that is none."""
        with path.open("rb") as file:
            lines = file.read(LIMIT_BYTES + 1)
        if len(lines) > LIMIT_BYTES:
            raise BrokenRecord(_problem(f"the file has more than {LIMIT_BYTES} bytes", str(path)))
        return cls(_read_line(line, f"{path}, line {at}") for at, line in enumerate(lines.splitlines(), 1))


class MindReplay:
    """Answers from a record: the nth time that a question is asked, its nth answer."""

    def __init__(self, record: MindRecord) -> None:
        self._left: dict[tuple[str, str], deque[Asked]] = {}
        for asked in record:
            self._left.setdefault((asked.who, asked.question), deque()).append(asked)

    def answer(self, who: str, question: str) -> Asked:
        """The recorded answer; NotRecorded where there is none, or none any more."""
        left = self._left.get((who, question))
        if not left:
            raise NotRecorded.of(
                f"{who} was not asked this" if left is None else f"{who} was not asked this again",
                where=f"question {question}",
                expected="the questions of the recorded run",
                remedy="repeat the run with the same code and input, or ask the mind again without replay",
            )
        return left.popleft()


def _read_line(line: bytes, where: str) -> Asked:
    try:
        return decoder(Asked).decode(line)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise BrokenRecord(_problem(f"it is no record of a question: {error}", where)) from None


def _problem(what: str, where: str) -> Problem:
    return Problem(what, where, "a file that MindRecord.write has written", "take a whole copy of it")
