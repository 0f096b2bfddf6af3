"""Executors for the tests of flows: one that remembers requests, one that does not, and one that only says it does."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from volition.workflow import WorkResult

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from volition.workflow import WorkOrder


def _nothing(name: str) -> None:
    """Let it happen."""


@dataclass
class Body:
    """Does what it is asked, and keeps a list of what it did. It outlives every driver, as an executor would.

    `remembers`: a request that it knows is answered with the result that it had. `claims_to`: what it says about that.
    `boundary` is called before and after every effect.
    """

    remembers: bool = True
    claims_to: bool = True
    effects: list[tuple[str, str]] = field(default_factory=list)
    """The request and the intent of everything that was done."""
    orders: list[WorkOrder] = field(default_factory=list)
    fails: dict[str, int] = field(default_factory=dict)
    """Intent -> how often it definitely fails before it is done."""
    silent: set[str] = field(default_factory=set)
    """Intents that are done without an answer, once."""
    boundary: Callable[[str], None] = _nothing
    known: dict[str, WorkResult] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)
    fences: dict[str, int] = field(default_factory=dict)

    @property
    def once_only(self) -> bool:
        return self.claims_to

    def act(self, order: WorkOrder) -> WorkResult:
        self.boundary("before the effect")
        with self.lock:
            self.orders.append(order)
            result = self._do(order)
        self.boundary("after the effect")
        return result

    def _do(self, order: WorkOrder) -> WorkResult:
        if self.remembers and order.request in self.known:
            return self.known[order.request]
        if self.fails.get(order.intent, 0):
            self.fails[order.intent] -= 1
            result = WorkResult("failed", {"status": "FAILURE"}, "FAILURE/BLOCKED", retry=True)
        else:
            self.effects.append((order.request, order.intent))
            result = WorkResult("done", {"status": "SUCCESS"}, "SUCCESS/NONE")
        self.known[order.request] = result
        if order.intent in self.silent:
            self.silent.discard(order.intent)
            return WorkResult("unknown", None, "no answer in time")
        return result

    def close(self) -> None:
        """Nothing is open."""

    def door(self, address: str, fences: Mapping[str, int]) -> Body:
        """The way to it, whatever its address is."""
        self.fences = dict(fences)
        return self
