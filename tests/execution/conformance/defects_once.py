"""Executors that do something twice, or obey who should not be obeyed any more."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, ClassVar

from tests.execution.conformance.defect import Defect
from tests.execution.conformance.subject import kind, read, written

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.execution.conformance.subject import Wire


def changed(line: bytes, **fields: object) -> bytes:
    """The line of a marked intent with other fields; any other line as it is."""
    data = read(line)
    return written(data | fields) if kind(line) == "intent" and "request" in data else line


class ForgetsRequests(Defect):
    """What was done for a request is forgotten with the connection."""

    caught_by: ClassVar = {"requests.remembered"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        if kind(line) == "hello":
            self.memory._digests.clear()
            self.memory._results.clear()
        return [line]


class DoesItTwice(Defect):
    """Every request is taken for a new one."""

    caught_by: ClassVar = {"requests.remembered", "requests.other_digest"}
    numbers = count()

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        return [changed(line, request=f"new-{next(self.numbers)}")]


class AnyDigest(Defect):
    """What a request was for is not compared."""

    caught_by: ClassVar = {"requests.other_digest"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        return [changed(line, digest="same")]


class ObeysOldTokens(Defect):
    """An outdated token is obeyed."""

    caught_by: ClassVar = {"requests.stale_token", "requests.fences"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        return [changed(line, token=2**52)]


class PassesFencesOver(Defect):
    """Tokens in a greeting are passed over."""

    caught_by: ClassVar = {"requests.fences"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        return [written(read(line) | {"fences": {}})] if kind(line) == "hello" else [line]


class OneFenceForAll(Defect):
    """A token outdates lower ones for every resource."""

    caught_by: ClassVar = {"requests.stale_token"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        return [changed(line, resource="volition-conformance")]
