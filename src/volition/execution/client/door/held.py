"""The requests of a door that cannot be sent yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.execution.client.door.request import OpenRequest


class HeldRequests:
    """Requests in the order in which they were made."""

    def __init__(self) -> None:
        self._requests: list[OpenRequest] = []

    def __len__(self) -> int:
        return len(self._requests)

    @property
    def deadline(self) -> float | None:
        """When the first of them will be too old; None if there is none."""
        return min([request.deadline for request in self._requests], default=None)

    def add(self, request: OpenRequest) -> None:
        self._requests.append(request)

    def remove(self, request: OpenRequest) -> None:
        self._requests.remove(request)

    def take(self, stop: OpenRequest | None = None) -> list[OpenRequest]:
        """Remove and return all of them, or those that a STOP stops."""
        taken = [request for request in self._requests if stop is None or stop.stops(request)]
        self._requests = [request for request in self._requests if stop is not None and not stop.stops(request)]
        return taken

    def release(self, end: Callable[[OpenRequest], bool], send: Callable[[OpenRequest], bool]) -> None:
        """Go through them: `end` those that are over, and `send` the others, in order for each agent.

        Both say whether they did. What cannot be sent stays, and so does everything of the same agent behind it.
        """
        waiting, self._requests = self._requests, []
        behind: set[str | None] = set()
        for request in waiting:
            agent = request.requested.agent
            if not end(request) and (agent in behind or not send(request)):
                behind.add(agent)
                self._requests.append(request)
