"""The resources: open plans, one plan, and open questions, as JSON; and what tells listeners that they changed, whether by this
server, another one, or the command line.

The server reads the annotations, so there is no `from __future__ import annotations` here.
"""

from collections.abc import Callable
from typing import Any, Final

import anyio
import anyio.to_thread
from mcp.server.mcpserver import MCPServer
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourceUpdated, ServerEvent

from volition.agents.mcp.access import TeamAccess
from volition.agents.mcp.answers import PlanDetail, PlanPage, QuestionPage
from volition.agents.mcp.plan_tools import PlanTools
from volition.agents.mcp.question_tools import QuestionTools
from volition.core.errors import VolitionError
from volition.workflow.store.events import RecordedEvent

PLANS: Final = "volition://plans"
QUESTIONS: Final = "volition://questions"
POLL: Final = 0.5
"""Seconds between two looks while somebody listens."""
IDLE: Final = 30.0
"""Seconds between two looks while nobody does."""
_JSON: Final = "application/json"


def add_resources(server: MCPServer[Any], plan_tools: PlanTools, question_tools: QuestionTools) -> None:
    """Offer the resources. Nobody is known to read them, so none of the plans is `yours` there."""

    @server.resource(PLANS, title="Open plans", mime_type=_JSON)
    def plans() -> PlanPage:
        """The active and waiting plans of the project: who works on what. list_plans pages through all of them."""
        return plan_tools.page_of("open", "")

    @server.resource(PLANS + "/{plan_id}", title="One plan", mime_type=_JSON)
    def plan(plan_id: str) -> PlanDetail:
        """One plan: who holds it, until when, what it touches, and what is in its way now."""
        return plan_tools.detail_of(plan_id, "")

    @server.resource(QUESTIONS, title="Open questions", mime_type=_JSON)
    def questions() -> QuestionPage:
        """The questions that wait for a person."""
        return question_tools.list_questions()


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
                events = list(team.history(after=self._seen))
        except VolitionError:
            return []
        self._seen = events[-1].seq if events else self._seen
        return events


def uris_of(event: RecordedEvent) -> list[str]:
    """The resources that an event changes."""
    if event.subject.startswith("flow_"):
        return [QUESTIONS]
    return [PLANS, f"{PLANS}/{event.subject}"]
