"""What every crew of workers can do: take spans of rows, and answer with the frames of what was played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.drama.ensemble.work import Done, Span


class WorkerLost(Exception):
    """A worker died before it answered."""


class Crew(Protocol):
    """Workers that play spans. A handle stands for an answer that is still to come."""

    most: int

    def ask(self, span: Span, seconds: float) -> Any:
        """Give a span to a worker and return a handle; raises WorkerLost if no worker is left to take it."""

    def first(self, handles: Sequence[Any]) -> Any:
        """Wait until one of the handles has its answer, and return that handle."""

    def answer(self, handle: Any) -> Done:
        """The answer of a handle; raises WorkerLost, or whatever the worker raised."""

    def renew(self) -> bool:
        """Replace lost workers; whether all other handles are lost as well."""

    def close(self) -> None:
        """Release the workers."""
