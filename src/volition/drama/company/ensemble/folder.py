"""An ensemble on disk: its manifest, the parts that are played, and in the end one file of all evenings.

    manifest.json    the plan, and its hash
    parts/           rows that are played, a file for each task; every file names the plan and has a checksum
    evenings.jsonl   all of them in the order of their rows, once all are there
    table.*          the same as a table, with a column for every number
    done.json        written last: how many evenings there are, the checksum of evenings.jsonl, and how people decided

Whatever is written is written whole or not at all. A part that is not what was written counts as not played.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from contextlib import contextmanager, suppress
from hashlib import file_digest, sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from volition.core.canonical import canonical
from volition.core.document import dump_json, parse_json, read_document, write_atomically
from volition.core.errors import BrokenRecord, InvalidInput, MissingPart, Problem, VolitionError, refuse
from volition.core.ledger.lock import WriterLock
from volition.drama.company.ensemble.lines import holds
from volition.drama.company.ensemble.plan import Plan
from volition.drama.company.ensemble.work import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    from volition.arbitration import Intention

FORMAT: Final = 1
KIND: Final = "ensemble"
MANIFEST, PARTS, EVENINGS, DONE = "manifest.json", "parts", "evenings.jsonl", "done.json"
LIMIT_BYTES: Final = 64 * 2**20
"""How large a manifest may be."""

_PART = re.compile(r"(\d{9})-(\d{9})\.jsonl")
_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Folder:
    """The folder of one ensemble."""

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)

    @contextmanager
    def writing(self, plan: Plan) -> Iterator[None]:
        """Hold the folder for a plan: a new one is begun, and one of another plan, or of somebody else, refused."""
        self._check_free()
        with full_disk_named(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            lock = self._locked()
        try:
            if (self.path / MANIFEST).exists():
                self._check_plan(plan)
            else:
                data = {"kind": KIND, "format": FORMAT, "hash": plan.hash, "plan": plan.to_data()}
                with full_disk_named(self.path):
                    write_atomically(self.path / MANIFEST, dump_json(data).encode())
            with full_disk_named(self.path):
                (self.path / PARTS).mkdir(exist_ok=True)
            yield
        finally:
            lock.release()

    def plan(self, terms: Sequence[Intention] = ()) -> Plan:
        """The plan that is played here."""
        return Plan.from_data(self.manifest()["plan"], terms)

    def manifest(self) -> dict[str, Any]:
        """What the manifest says."""
        file = self.path / MANIFEST
        if not file.is_file():
            refuse(
                "there is no ensemble here",
                where=str(self.path),
                expected=f"a folder with a {MANIFEST}",
                remedy="volition ensemble run makes one",
            )
        data = read_document(file, limit_bytes=LIMIT_BYTES)
        if not isinstance(data, dict) or (data.get("kind"), data.get("format")) != (KIND, FORMAT):
            what = "this is not the manifest of an ensemble that can be read"
            refuse(what, where=str(file), expected=f"the format {FORMAT}", remedy="use the version that wrote it")
        return data

    @property
    def finished(self) -> bool:
        """Whether all evenings are there."""
        return (self.path / DONE).is_file()

    @property
    def decided(self) -> str:
        """By which path people decided, and why."""
        return str(read_document(self.path / DONE, limit_bytes=LIMIT_BYTES).get("decided", ""))

    def keep(self, plan: Plan, span: Span, lines: bytes) -> None:
        """Keep rows that were played."""
        head = {"plan": plan.hash, "first": span.first, "count": span.rows, "sha256": sha256(lines).hexdigest()}
        name = f"{span.first:09}-{span.first + span.rows - 1:09}.jsonl"
        with full_disk_named(self.path):
            write_atomically(self.path / PARTS / name, canonical(head) + b"\n" + lines)

    def parts(self, plan: Plan) -> list[tuple[Span, Path]]:
        """The parts that are there and whole, by rows; a row stands in one of them only."""
        found: list[tuple[Span, Path]] = []
        reached = 0
        for file in sorted((self.path / PARTS).glob("*.jsonl")):
            match = _PART.fullmatch(file.name)
            if match is None:
                continue
            first, last = map(int, match.groups())
            span = Span(first, last - first + 1)
            if first >= reached and last < plan.size and _body(file, plan, span) is not None:
                found.append((span, file))
                reached = last + 1
        return found

    def missing(self, plan: Plan) -> list[Span]:
        """The rows that are not played yet."""
        gaps, reached = [], 0
        for (first, count), _ in [*self.parts(plan), (Span(plan.size, 0), self.path)]:
            gaps += [Span(reached, first - reached)] if first > reached else []
            reached = first + count
        return gaps

    def gather(self, plan: Plan) -> None:
        """Put all parts together in one file; there must not be one missing."""
        assert not self.missing(plan)
        draft = self.path / f".{EVENINGS}.tmp"
        try:
            with full_disk_named(self.path):
                with draft.open("wb") as stream:
                    for span, file in self.parts(plan):
                        stream.write(_body(file, plan, span) or b"")
                    stream.flush()
                    os.fsync(stream.fileno())
                draft.replace(self.path / EVENINGS)
        finally:
            draft.unlink(missing_ok=True)

    def finish(self, plan: Plan, decided: str) -> None:
        """Say that everything is there, and how people decided; the parts are needed no more."""
        data = {"plan": plan.hash, "evenings": plan.size, "sha256": self._checksum(), "decided": decided}
        with full_disk_named(self.path):
            write_atomically(self.path / DONE, dump_json(data).encode())
        shutil.rmtree(self.path / PARTS, ignore_errors=True)

    def check(self, plan: Plan, hash: str) -> None:
        """Refuse an ensemble that is not finished, and one whose evenings are not those that were written.

        `hash` is the plan's: one with terms that are not at hand cannot be hashed again.
        """
        if not self.finished:
            refuse(
                f"not all of its {plan.size} evenings are played yet",
                where=str(self.path),
                expected="an ensemble that is finished",
                remedy="run it again with the same settings: it goes on where it stopped",
            )
        said = read_document(self.path / DONE)
        try:
            told = {part: said.get(part) for part in ("plan", "evenings", "sha256")} if isinstance(said, dict) else None
            fits = told == {"plan": hash, "evenings": plan.size, "sha256": self._checksum()}
        except OSError:
            fits = False
        if not fits:
            what = f"{EVENINGS} is not what was written"
            remedy = f"remove {DONE} and run it again: the evenings are played once more"
            raise BrokenRecord(Problem(what, str(self.path / EVENINGS), "the evenings that were played", remedy))

    def _checksum(self) -> str:
        with (self.path / EVENINGS).open("rb") as stream:
            return file_digest(stream, "sha256").hexdigest()

    def _check_free(self) -> None:
        path = self.path
        if path.exists() and not (path / MANIFEST).is_file() and (not path.is_dir() or any(_foreign(path))):
            refuse(
                "there is something else of this name",
                where=str(path),
                expected="a new folder, or that of an ensemble",
                remedy="choose another name",
            )

    def _locked(self) -> WriterLock:
        try:
            return WriterLock(self.path)
        except InvalidInput:
            refuse(
                "another process plays into this folder",
                where=str(self.path),
                expected="one at a time",
                remedy="wait until it ends, or use another folder",
            )

    def _check_plan(self, plan: Plan) -> None:
        there = self.manifest()
        if there["hash"] == plan.hash:
            return
        now = plan.to_data()
        other = [part for part, value in now.items() if there["plan"].get(part) != value]
        refuse(
            f"the folder holds an ensemble of another plan: {', '.join(other) or 'its hash'} differ",
            where=str(self.path),
            expected="the plan that was begun here",
            remedy="use another folder, or the settings of the first time",
        )


@contextmanager
def full_disk_named(where: Path) -> Iterator[None]:
    """Say of a disk that is full that it is: what was written before is kept."""
    try:
        yield
    except (OSError, InvalidInput) as error:
        inner = error if isinstance(error, OSError) else error.__context__
        if isinstance(inner, OSError) and inner.errno in _FULL:
            raise MissingPart.of(
                f"there is no room left to write ({inner.strerror})",
                where=str(where),
                expected="space on the disk for the evenings that are played",
                remedy="make room, then run it again: it goes on where it stopped",
            ) from None
        if isinstance(error, OSError):
            what = str(error.strerror or error)
            refuse(what, where=str(where), expected="a folder to write to", remedy="check the name and its owner")
        raise


def _body(file: Path, plan: Plan, span: Span) -> bytes | None:
    """The lines of a part; None where it is not what was written for this plan."""
    with suppress(OSError, VolitionError):
        head, _, lines = file.read_bytes().partition(b"\n")
        said = {"plan": plan.hash, "first": span.first, "count": span.rows, "sha256": sha256(lines).hexdigest()}
        if parse_json(head) == said and holds(lines, *span):
            return lines
    return None


def _foreign(path: Path) -> Iterator[Path]:
    """What stands in a folder that an interrupted beginning would not have left."""
    return (one for one in path.iterdir() if one.name != "writer.lock" and not one.name.startswith(".volition-"))
