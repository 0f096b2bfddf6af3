"""Dispatch: one node as an order to an executor or to a local function, through a door, and what its outcome means.

Silence is never taken for failure: an order without a definite answer is `unknown`, unless the executor remembers
requests; then the same request is asked again, and answered with the result that it had.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from msgspec import Struct

from volition.core.canonical import digest
from volition.core.errors import InvalidInput, MissingPart
from volition.execution import Bridge, Journal, Outcome, RequestMark, connect
from volition.execution.executor.requests import NOT_REMEMBERED, OTHER_DIGEST, STALE_TOKEN
from volition.execution.journal.journal import BodyJournal
from volition.execution.wire.frames import MAX_NAME
from volition.execution.wire.request import REQUESTS, Numbers
from volition.execution.wire.results import UNTRIED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from os import PathLike

    from volition.execution.client.driver import Records
    from volition.workflow.law.bindings import Binding


class WorkOrder(Struct, frozen=True):
    """What an executor is asked to do, once: `request` names it permanently.

    `token` is the number under which the driver claimed the flow: an executor that has seen a higher one for this
    resource refuses it.
    """

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


class WorkResult(Struct, frozen=True):
    """What is known of an order: `done` or `failed` by the word of who was asked, `unsent` if nothing has left, else `unknown`.
    `retry`: it definitely had no effect, so it may be attempted again. `refused`: this asking was refused without an attempt,
    which says nothing about an earlier one under the same request."""

    outcome: Literal["done", "failed", "unknown", "unsent"]
    result: dict[str, Any] | None
    detail: str
    retry: bool = False
    refused: bool = False


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


def order_for(binding: Binding, request: str, token: int, project: str, flow_id: str) -> WorkOrder:
    """The order for a node, from its binding alone: nothing in it comes from the text of a plan."""
    return WorkOrder(
        request,
        token,
        resource_of(binding, project, flow_id),
        binding.intent or binding.call,
        binding.parameters,
        binding.agent,
        binding.deadline,
    )


def resource_of(binding: Binding, project: str, flow_id: str) -> str:
    """What the token protects at the executor: what the binding names, or the actor, for this flow.

    A token says which driver of a flow is the newest; drivers of other flows do not compete with it.
    """
    return f"{project}/{flow_id}/{binding.resource or binding.agent or 'actor'}"[:MAX_NAME]


class BridgeDoor:
    """The door of an executor at an address.

    Whether the executor remembers is decided when the door is opened, because an order that left without a mark must
    not be asked for again as if it had one. If the executor comes back without its memory, nothing more leaves.
    """

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        self.once_only: Final = self._remembers

    def act(self, order: WorkOrder) -> WorkResult:
        mark = RequestMark(request=order.request, digest=order.digest, token=order.token, resource=order.resource)
        # STOP is carried out every time and takes no mark: to stop again does no harm. An executor that has come to remember
        # since the door was opened gets marks too: another driver may ask for the same request.
        marked = order.intent != "STOP" and (self.once_only or self._remembers)
        try:
            outcome = self._bridge.execute(
                order.intent,
                dict(order.parameters) or None,
                deadline=order.deadline,
                agent=order.agent,
                mark=mark if marked else None,
            )
        except InvalidInput as error:
            return WorkResult("unsent", None, error.problems[0].what)
        return read_outcome(outcome)

    def close(self) -> None:
        self._bridge.close()

    @property
    def _remembers(self) -> bool:
        """Whether the executor at the other end remembers requests; False without a connection."""
        return self._bridge.welcome is not None and REQUESTS in self._bridge.welcome.features


def read_outcome(outcome: Outcome) -> WorkResult:
    """What an outcome of the door means for a node."""
    detail = f"{outcome.status}/{outcome.reason}" + (f": {outcome.detail}" if outcome.detail else "")
    if outcome.sent is None:
        return WorkResult("unsent", None, outcome.detail or detail)
    # A refusal of the driver says nothing about the request: somebody else may have sent it.
    foreign = outcome.detail in {STALE_TOKEN, OTHER_DIGEST}
    forgotten = outcome.detail == NOT_REMEMBERED
    refused = outcome.detail in UNTRIED or (forgotten and outcome.reason == "RESOURCE_EXHAUSTED")
    vague = foreign or forgotten or outcome.label in {"malformed", "timeout", "unknown"}
    if not outcome.answered or (vague and not refused):
        return WorkResult("unknown", None, detail)
    data = outcome.result.to_data()
    if outcome.status == "SUCCESS":
        return WorkResult("done", data, detail)
    return WorkResult("failed", data, detail, retry=outcome.status == "FAILURE", refused=refused)


def definite(again: WorkResult) -> WorkResult | None:
    """What asking again for a request has told about it; None if nothing."""
    return again if again.outcome in {"done", "failed"} and not again.refused else None


def open_bridge_door(
    address: str, fences: Mapping[str, int], journal: Records | None = None, numbers: Numbers | None = None
) -> BridgeDoor:
    """A door to the executor at an address; HandshakeFailed says why there is none.

    `fences` are announced with the greeting, before anything is asked for: a driver with a lower number is refused.
    """
    return BridgeDoor(connect(address, fences=fences, journal=journal, numbers=numbers))


@contextmanager
def journaled_doors(folder: str | PathLike[str]) -> Iterator[OpenDoor]:
    """Doors whose every request and result is in the journal in a folder before anything goes on; for one driver.

    `verify_registry` compares such journals with the events.
    """
    numbers = Numbers()
    with Journal(folder, durable="outcome") as journal:
        yield lambda address, fences: open_bridge_door(address, fences, BodyJournal(journal, address), numbers)


class ActionDoor:
    """The door of a function in the driver's own process. Nothing remembers its requests, so it is not done again after a
    crash, unless a person says so."""

    once_only = False

    def __init__(self, action: LocalAction) -> None:
        self._action = action

    def act(self, order: WorkOrder) -> WorkResult:
        try:
            return self._action(order) or WorkResult("done", None, "")
        except Exception as error:  # noqa: BLE001  the owner's code: whatever it raises, its result is unknown
            return WorkResult("unknown", None, f"{type(error).__name__}: {error}")

    def close(self) -> None:
        """Nothing is open."""


def open_action_door(name: str, actions: Mapping[str, LocalAction]) -> ActionDoor:
    """A door to the function that is registered under a name; MissingPart if there is none."""
    if name not in actions:
        raise MissingPart.of(
            f"this driver has no function {name!r}",
            where="bindings",
            expected=f"one of {', '.join(sorted(actions))}" if actions else "a driver that registers functions",
            remedy=f"drive the flow in Python: FlowDriver(..., actions={{{name!r}: function}})",
        )
    return ActionDoor(actions[name])


if TYPE_CHECKING:
    OpenDoor = Callable[[str, Mapping[str, int]], WorkDoor]
    LocalAction = Callable[[WorkOrder], WorkResult | None]
