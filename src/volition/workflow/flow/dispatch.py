"""Dispatch: one node as an order to an executor, through the door, and what its outcome means.

Silence is never taken for failure: an order without a definite answer is `unknown`, unless the executor remembers
requests; then the same request is asked again, and answered with the result that it had.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from volition.core.canonical import digest
from volition.execution import connect

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from volition.execution import Bridge, Outcome
    from volition.workflow.flow.bindings import Binding


@dataclass(frozen=True, slots=True)
class WorkOrder:
    """What an executor is asked to do, once: `request` names it for ever, `token` says under which grant."""

    request: str
    token: int
    resource: str
    intent: str
    parameters: Mapping[str, Any]
    agent: str | None
    deadline: float

    @property
    def digest(self) -> str:
        """What the request is for: the same request with another digest is a mistake."""
        return digest({"intent": self.intent, "parameters": dict(self.parameters), "agent": self.agent})


@dataclass(frozen=True, slots=True)
class WorkResult:
    """What is known of an order. `retry`: it definitely had no effect, so it may be attempted again."""

    outcome: Literal["done", "failed", "unknown"]
    result: dict[str, Any] | None
    detail: str
    retry: bool = False


class WorkDoor(Protocol):
    """A way to one executor."""

    @property
    def once_only(self) -> bool:
        """Whether the executor remembers requests, over connections and restarts, and never does one twice."""
        ...

    def act(self, order: WorkOrder) -> WorkResult:
        """Ask for an order to be done, and wait for what is known of it."""
        ...

    def close(self) -> None: ...


def order_for(binding: Binding, request: str, token: int) -> WorkOrder:
    """The order for a node, from its binding alone: nothing in it comes from the text of a plan."""
    return WorkOrder(
        request, token, binding.resource, binding.intent, binding.parameters, binding.agent, binding.deadline
    )


class BridgeDoor:
    """The door of an executor at an address."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge

    @property
    def once_only(self) -> bool:
        return False

    def act(self, order: WorkOrder) -> WorkResult:
        outcome = self._bridge.execute(
            order.intent, dict(order.parameters) or None, deadline=order.deadline, agent=order.agent
        )
        return read_outcome(outcome)

    def close(self) -> None:
        self._bridge.close()


def read_outcome(outcome: Outcome) -> WorkResult:
    """What an outcome of the door means for a node."""
    detail = f"{outcome.status}/{outcome.reason}" + (f": {outcome.detail}" if outcome.detail else "")
    if outcome.sent is None:
        return WorkResult("failed", None, f"not sent: {outcome.detail}", retry=True)
    if not outcome.answered or outcome.label in {"malformed", "timeout", "unknown"}:
        return WorkResult("unknown", None, detail)
    data = outcome.result.to_data()
    if outcome.status == "SUCCESS":
        return WorkResult("done", data, detail)
    return WorkResult("failed", data, detail, retry=outcome.status == "FAILURE")


def open_bridge_door(address: str, *, journal: Any = None, token: str | None = None) -> BridgeDoor:
    """A door to the executor at an address; HandshakeFailed says why there is none."""
    return BridgeDoor(connect(address, token=token, journal=journal))


if TYPE_CHECKING:
    OpenDoor = Callable[[str], WorkDoor]
