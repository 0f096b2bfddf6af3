"""An ensemble on disk: its manifest, the parts played so far, and in the end one file of all evenings.

    manifest.json    the plan, and its hash
    parts/           rows played so far, one file per task; every file names the plan and has a checksum
    evenings.jsonl   all rows in order, once all are played
    table.*          the same as a table, with a column for every number
    done.json        written last: the number of evenings, the checksum of evenings.jsonl, and how people decided

Every file is written completely or not at all. A part that was damaged counts as not played.
"""

from __future__ import annotations

import errno
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
from volition.drama.ensemble.files import replace_atomically
from volition.drama.ensemble.lines import covers_rows
from volition.drama.ensemble.plan import EnsemblePlan
from volition.drama.ensemble.work import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    from volition.arbitration import Intention

FORMAT: Final = 1
KIND: Final = "ensemble"
MANIFEST, PARTS, EVENINGS, DONE = "manifest.json", "parts", "evenings.jsonl", "done.json"
LIMIT_BYTES: Final = 64 * 2**20
"""The largest manifest that is read."""

_PART = re.compile(r"(\d{9})-(\d{9})\.jsonl")
_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class EnsembleFolder:
    """The folder of one ensemble."""

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)

    @contextmanager
    def writing(self, plan: EnsemblePlan) -> Iterator[None]:
        """Lock the folder for a plan, and begin a new one; a folder of another plan or in use by another process is refused."""
        self._check_free()
        with report_full_disk(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            lock = self._lock()
        try:
            if (self.path / MANIFEST).exists():
                self._check_plan(plan)
            else:
                data = {"kind": KIND, "format": FORMAT, "hash": plan.hash, "plan": plan.to_data()}
                with report_full_disk(self.path):
                    write_atomically(self.path / MANIFEST, dump_json(data).encode())
            with report_full_disk(self.path):
                (self.path / PARTS).mkdir(exist_ok=True)
            yield
        finally:
            lock.release()

    def plan(self, terms: Sequence[Intention] = ()) -> EnsemblePlan:
        """The plan of this folder."""
        return EnsemblePlan.from_data(self.manifest()["plan"], terms)

    def manifest(self) -> dict[str, Any]:
        """The content of the manifest."""
        file = self.path / MANIFEST
        if not file.is_file():
            refuse(
                "this is not the folder of an ensemble",
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
        """Whether all evenings are played and gathered."""
        return (self.path / DONE).is_file()

    @property
    def decided(self) -> str:
        """On which path people decided, and why."""
        return str(read_document(self.path / DONE, limit_bytes=LIMIT_BYTES).get("decided", ""))

    def keep(self, plan: EnsemblePlan, span: Span, lines: bytes) -> None:
        """Store rows that were played."""
        name = f"{span.first:09}-{span.last:09}.jsonl"
        with report_full_disk(self.path):
            write_atomically(self.path / PARTS / name, canonical(_head(plan, span, lines)) + b"\n" + lines)

    def parts(self, plan: EnsemblePlan) -> list[tuple[Span, Path]]:
        """The undamaged parts in the order of their rows; no row is in two of them."""
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

    def missing(self, plan: EnsemblePlan) -> list[Span]:
        """The rows that have not been played yet."""
        gaps, reached = [], 0
        for (first, count), _ in [*self.parts(plan), (Span(plan.size, 0), self.path)]:
            gaps += [Span(reached, first - reached)] if first > reached else []
            reached = first + count
        return gaps

    def gather(self, plan: EnsemblePlan) -> None:
        """Join all parts in one file; none may be missing."""
        assert not self.missing(plan)
        with (
            report_full_disk(self.path),
            replace_atomically(self.path / EVENINGS) as draft,
            draft.open("wb") as stream,
        ):
            for span, file in self.parts(plan):
                stream.write(_body(file, plan, span) or b"")

    def finish(self, plan: EnsemblePlan, decided: str) -> None:
        """Mark the ensemble as complete, with how people decided; the parts are not needed any more."""
        data = {"plan": plan.hash, "evenings": plan.size, "sha256": self._checksum(), "decided": decided}
        with report_full_disk(self.path):
            write_atomically(self.path / DONE, dump_json(data).encode())
        shutil.rmtree(self.path / PARTS, ignore_errors=True)

    def check(self, plan: EnsemblePlan, hash: str) -> None:
        """Refuse an ensemble that is not finished, or whose evenings were changed.

        `hash` is that of the plan: without its custom terms, a plan cannot be hashed again.
        """
        if not self.finished:
            refuse(
                f"not all of its {plan.size} evenings are played yet",
                where=str(self.path),
                expected="an ensemble that is finished",
                remedy="run it again with the same settings: it continues where it stopped",
            )
        done = read_document(self.path / DONE)
        try:
            expected = {"plan": hash, "evenings": plan.size, "sha256": self._checksum()}
            intact = isinstance(done, dict) and {part: done.get(part) for part in expected} == expected
        except OSError:
            intact = False
        if not intact:
            what = f"{EVENINGS} is not what was written"
            remedy = f"remove {DONE} and run it again: the evenings are played again"
            raise BrokenRecord(Problem(what, str(self.path / EVENINGS), "the evenings that were played", remedy))

    def _checksum(self) -> str:
        with (self.path / EVENINGS).open("rb") as stream:
            return file_digest(stream, "sha256").hexdigest()

    def _check_free(self) -> None:
        path = self.path
        if path.exists() and not (path / MANIFEST).is_file() and (not path.is_dir() or any(_foreign_files(path))):
            refuse(
                "there is something else with this name",
                where=str(path),
                expected="a new folder, or the folder of an ensemble",
                remedy="choose another name",
            )

    def _lock(self) -> WriterLock:
        try:
            return WriterLock(self.path)
        except InvalidInput:
            refuse(
                "another process is playing into this folder",
                where=str(self.path),
                expected="one at a time",
                remedy="wait until it ends, or use another folder",
            )

    def _check_plan(self, plan: EnsemblePlan) -> None:
        there = self.manifest()
        if there["hash"] == plan.hash:
            return
        now = plan.to_data()
        other = [part for part, value in now.items() if there["plan"].get(part) != value]
        refuse(
            f"the folder holds an ensemble of another plan: {', '.join(other) or 'its hash'} differ",
            where=str(self.path),
            expected="the plan that was started here",
            remedy="use another folder, or the settings of the first run",
        )


@contextmanager
def report_full_disk(where: Path) -> Iterator[None]:
    """Report a full disk as such, and any other failure to write; what was written before is kept."""
    try:
        yield
    except (OSError, InvalidInput) as error:
        inner = error if isinstance(error, OSError) else error.__context__
        if isinstance(inner, OSError) and inner.errno in _FULL:
            raise MissingPart.of(
                f"there is no space left to write ({inner.strerror})",
                where=str(where),
                expected="space on the disk for the evenings",
                remedy="free some space, then run it again: it continues where it stopped",
            ) from None
        if isinstance(error, OSError):
            what = str(error.strerror or error)
            refuse(
                what, where=str(where), expected="a folder that can be written to", remedy="check its name and owner"
            )
        raise


def _body(file: Path, plan: EnsemblePlan, span: Span) -> bytes | None:
    """The lines of a part; None if the part is damaged or belongs to another plan."""
    with suppress(OSError, VolitionError):
        head, _, lines = file.read_bytes().partition(b"\n")
        if parse_json(head) == _head(plan, span, lines) and covers_rows(lines, *span):
            return lines
    return None


def _head(plan: EnsemblePlan, span: Span, lines: bytes) -> dict[str, Any]:
    """The first line of a part: of which plan and rows it is, and a checksum of the other lines."""
    return {"plan": plan.hash, "first": span.first, "count": span.rows, "sha256": sha256(lines).hexdigest()}


def _foreign_files(path: Path) -> Iterator[Path]:
    """The files in a folder that were not left by an interrupted first run."""
    return (one for one in path.iterdir() if one.name != "writer.lock" and not one.name.startswith(".volition-"))
