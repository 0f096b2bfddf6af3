"""An ensemble on disk: its manifest, the parts played so far, and in the end one file of all evenings.

    manifest.json    the plan, and its hash
    parts/           rows played so far, one file per task; every file names the plan and has a checksum
    evenings.rows    all rows in order, once all are played
    table.*          the same as a table, with a column for every number
    done.json        written last: the number of evenings, the checksum of evenings.rows, and how they were played

Every file is written completely or not at all. A part that was damaged counts as not played.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from contextlib import contextmanager, suppress
from dataclasses import replace
from hashlib import file_digest, sha256
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from volition.core.canonical import canonical
from volition.core.document import dump_json, parse_json, read_document, write_atomically
from volition.core.errors import BrokenRecord, InvalidInput, MissingPart, Problem, VolitionError, refuse
from volition.core.ledger.segment import WriterLock
from volition.drama.ensemble.frames import Frame, Span, covers_rows, read_frames
from volition.drama.ensemble.plan import EnsemblePlan, leave_words_out
from volition.drama.evening.measure import MEASURES_VERSION
from volition.drama.stage.archive import check_rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    from volition.arbitration import Intention

FORMAT: Final = 2
KIND: Final = "ensemble"
MANIFEST, PARTS, EVENINGS, DONE = "manifest.json", "parts", "evenings.rows", "done.json"
LIMIT_BYTES: Final = 64 * 2**20
"""The largest manifest that is read."""

_PART = re.compile(r"(\d{9})-(\d{9})\.rows")
_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class EnsembleFolder:
    """The folder of one ensemble. A plan that was begun in it need not be read again."""

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        self._begun: EnsemblePlan | None = None

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
                self._begun = plan
            with report_full_disk(self.path):
                (self.path / PARTS).mkdir(exist_ok=True)
            yield
        finally:
            lock.release()

    def whole_plan(self, terms: Sequence[Intention] = ()) -> EnsemblePlan:
        """The plan of this folder, with every seed that it names."""
        if self._begun is not None and self._begun.terms == tuple(terms):
            return self._begun
        return EnsemblePlan.from_data(self.manifest()["plan"], terms)

    def plan(self, terms: Sequence[Intention] = ()) -> EnsemblePlan:
        """The plan of this folder, with the seeds that were played: one that stops early has fewer than it names."""
        plan = self.whole_plan(terms)
        seeds = self._read_done().get("seeds", len(plan.seeds)) if self.finished else len(plan.seeds)
        return plan if seeds == len(plan.seeds) else replace(plan, seeds=plan.seeds[:seeds])

    @property
    def evenings(self) -> Path:
        """The file of all evenings."""
        return self.path / EVENINGS

    def _read_done(self) -> dict[str, Any]:
        document = read_document(self.path / DONE, limit_bytes=LIMIT_BYTES)
        return document if isinstance(document, dict) else {}

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
        if not isinstance(data, dict) or data.get("kind") != KIND or data.get("format") != FORMAT:
            what = "this is not the manifest of an ensemble that can be read"
            refuse(what, where=str(file), expected=f"the format {FORMAT}", remedy="use the version that wrote it")
        check_rules(data["plan"]["rules"], str(self.path))
        if data["plan"]["measures"] != MEASURES_VERSION:
            what = f"its evenings were measured by version {data['plan']['measures']}"
            expected = f"measures of version {MEASURES_VERSION}"
            refuse(what, where=str(file), expected=expected, remedy="run the ensemble again")
        return data

    @property
    def finished(self) -> bool:
        """Whether all evenings are played and gathered."""
        return (self.path / DONE).is_file()

    @property
    def decided(self) -> str:
        """On which path evenings were played, and why."""
        return str(self._read_done().get("decided", ""))

    def keep(self, plan: EnsemblePlan, span: Span, frames: bytes) -> None:
        """Store rows that were played."""
        name = f"{span.first:09}-{span.last:09}.rows"
        with report_full_disk(self.path):
            write_atomically(self.path / PARTS / name, canonical(_head(plan.hash, span, frames)) + b"\n" + frames)

    def frames(self, plan: EnsemblePlan) -> Iterator[Frame]:
        """The rows played so far, in order."""
        for span, file in self.parts(plan):
            yield from read_frames(BytesIO(read_part(file, plan.hash, span) or b""))

    def parts(self, plan: EnsemblePlan, hash: str | None = None) -> list[tuple[Span, Path]]:
        """The undamaged parts in the order of their rows; no row is in two of them.

        `hash` is that of the plan, where its custom terms are not there to hash it again.
        """
        parts: list[tuple[Span, Path]] = []
        reached = 0
        for file in sorted((self.path / PARTS).glob("*.rows")):
            match = _PART.fullmatch(file.name)
            if match is None:
                continue
            first, last = map(int, match.groups())
            span = Span(first, last - first + 1)
            if first >= reached and last < plan.size and read_part(file, hash or plan.hash, span) is not None:
                parts.append((span, file))
                reached = last + 1
        return parts

    def missing(self, plan: EnsemblePlan, seeds: int | None = None) -> list[Span]:
        """The rows that have not been played yet; of the first `seeds` seeds at every point, if a number is given."""
        gaps, reached = list[Span](), 0
        for (first, count), _ in [*self.parts(plan), (Span(plan.size, 0), self.path)]:
            gaps += [Span(reached, first - reached)] if first > reached else []
            reached = first + count
        each = len(plan.seeds)
        if seeds is None or seeds == each:
            return gaps
        wanted = [Span(point * each, seeds) for point in range(len(plan.points))]
        both = [_overlap(gap, span) for gap in gaps for span in wanted]
        return [span for span in both if span.rows > 0]

    def gather(self, plan: EnsemblePlan, seeds: int) -> None:
        """Join the rows of the first `seeds` seeds at every point in one file; none of them may be missing."""
        assert not self.missing(plan, seeds)
        with (
            report_full_disk(self.path),
            replace_atomically(self.evenings) as draft,
            draft.open("wb") as stream,
        ):
            for frame in self.frames(plan):
                point, place = divmod(frame.row, len(plan.seeds))
                if place < seeds:
                    stream.write(Frame(point * seeds + place, frame.path, frame.body).to_bytes())

    def finish(self, plan: EnsemblePlan, decided: str, seeds: int) -> None:
        """Mark the ensemble as complete, with how it was played; the parts are not needed any more."""
        evenings = len(plan.points) * seeds
        data = {"plan": plan.hash, "evenings": evenings, "sha256": self._checksum(), "decided": decided}
        if seeds < len(plan.seeds):
            data["seeds"] = seeds
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
        document = read_document(self.path / DONE)
        try:
            expected = {"plan": hash, "evenings": plan.size, "sha256": self._checksum()}
            intact = isinstance(document, dict) and {part: document.get(part) for part in expected} == expected
        except OSError:
            intact = False
        if not intact:
            what = f"{self.evenings.name} is not what was written"
            remedy = f"remove {DONE} and run it again: the evenings are played again"
            raise BrokenRecord(Problem(what, str(self.evenings), "the evenings that were played", remedy))

    def _checksum(self) -> str:
        with self.evenings.open("rb") as stream:
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
        before, now = leave_words_out(there["plan"]), leave_words_out(plan.to_data())
        other = [part for part, value in now.items() if before.get(part) != value]
        refuse(
            f"the folder holds an ensemble of another plan: {', '.join(other) or 'its hash'} differ",
            where=str(self.path),
            expected="the plan that was started here",
            remedy="use another folder, or the settings of the first run",
        )


@contextmanager
def replace_atomically(file: Path) -> Iterator[Path]:
    """Give a draft to write to; it takes the file's place when it is complete and on the disk, and is else removed."""
    draft = file.with_name(f".{file.name}.tmp")
    try:
        yield draft
        with draft.open("rb") as stream:
            os.fsync(stream.fileno())
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)


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


def read_part(file: Path, hash: str, span: Span) -> bytes | None:
    """The frames of a part of the plan with this hash; None if it is gone, damaged or of another plan."""
    with suppress(OSError, VolitionError):
        head, _, frames = file.read_bytes().partition(b"\n")
        if parse_json(head) == _head(hash, span, frames) and covers_rows(frames, span):
            return frames
    return None


def _head(hash: str, span: Span, frames: bytes) -> dict[str, Any]:
    """The first line of a part: of which plan and rows it is, and a checksum of what follows."""
    return {"plan": hash, "first": span.first, "count": span.rows, "sha256": sha256(frames).hexdigest()}


def _overlap(one: Span, other: Span) -> Span:
    """The rows of both."""
    first = max(one.first, other.first)
    return Span(first, max(0, min(one.first + one.rows, other.first + other.rows) - first))


def _foreign_files(path: Path) -> Iterator[Path]:
    """The files in a folder that were not left by an interrupted first run."""
    return (file for file in path.iterdir() if file.name != "writer.lock" and not file.name.startswith(".volition-"))
