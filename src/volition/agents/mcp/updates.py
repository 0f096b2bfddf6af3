"""Tells listeners what changed in the registry, whether by this server, another one, or the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import anyio
import anyio.to_thread
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourceUpdated, ServerEvent

from volition.core.errors import VolitionError

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.agents.mcp.access import TeamAccess
    from volition.workflow import RecordedEvent

PLANS: Final = "volition://plans"
QUESTIONS: Final = "volition://questions"
POLL: Final = 0.5
"""Seconds between two looks while somebody listens."""
IDLE: Final = 30.0
"""Seconds between two looks while nobody does."""


class RegistryUpdates(InMemorySubscriptionBus):
    """A bus that follows the events of the registry.

    A look publishes everything since the look before, so what happens between the request to listen and the next look is
    not lost. An update may come twice; none is missed while the stream lasts.
    """

    def __init__(self, access: TeamAccess, *, poll: float = POLL) -> None:
        super().__init__()
        self._access = access
        self._poll = poll
        self._seen = 0
        self._listening = 0
        self._woken = anyio.Event()

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        leave = super().subscribe(listener)
        self._listening += 1
        self._woken.set()
        left = False

        def unsubscribe() -> None:
            nonlocal left
            self._listening -= 0 if left else 1
            left = True
            leave()

        return unsubscribe

    async def follow(self) -> None:
        """Follow the registry until cancelled. A registry that cannot be read now is looked at again later."""
        while True:
            for uri in sorted({uri for event in await self._look() for uri in uris_of(event)}):
                await self.publish(ResourceUpdated(uri=uri))
            self._woken = anyio.Event()
            with anyio.move_on_after(self._poll if self._listening else IDLE):
                await (anyio.sleep_forever() if self._listening else self._woken.wait())

    async def start(self) -> None:
        """Begin at the newest event: what happened before is no news."""
        await self._look()

    async def _look(self) -> list[RecordedEvent]:
        return await anyio.to_thread.run_sync(self._news)

    def _news(self) -> list[RecordedEvent]:
        try:
            with self._access.use() as team:
                found = list(team.history(after=self._seen))
        except VolitionError:
            return []
        self._seen = found[-1].seq if found else self._seen
        return found


def uris_of(event: RecordedEvent) -> list[str]:
    """The resources that an event changes."""
    if event.subject.startswith("flow_"):
        return [QUESTIONS]
    return [PLANS, f"{PLANS}/{event.subject}"]
