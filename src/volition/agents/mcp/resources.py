"""The resources: open plans, one plan, and open questions, as JSON. Their updates come from the registry's events.

The server reads the annotations, so there is no `from __future__ import annotations` here.
"""

from typing import Any, Final

from mcp.server.mcpserver import MCPServer

from volition.agents.mcp.answers import PlanDetail, PlanPage, QuestionPage
from volition.agents.mcp.plan_tools import PlanTools
from volition.agents.mcp.question_tools import QuestionTools
from volition.agents.mcp.updates import PLANS, QUESTIONS

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
