"""Agents that race for what they want, as servers make them: each drafts a plan, and claims it in the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.agents.mcp.talking import PROJECT
from volition.agents.guard.sessions import Identity, new_session
from volition.agents.mcp.access import TeamAccess
from volition.agents.mcp.caller import Callers
from volition.agents.mcp.plan_tools import PlanTools
from volition.agents.proposal import Proposal
from volition.workflow import Store, parse_store_address

if TYPE_CHECKING:
    from tests.agents.mcp.cases import Claim


def make_claims(place: str, name: str, session: str) -> Claim:
    """An agent that proposes plans, as a server does for it."""
    tools = PlanTools(TeamAccess(parse_store_address(place), PROJECT), Callers(name))
    identity = Identity(session, name=name)

    def claim(path: str, round_number: int) -> str:
        return tools.propose_for(identity, Proposal(f"Work of round {round_number}", [path])).outcome

    return claim


def volition_agent(place: str, number: int, names: str) -> Claim:
    """The agent of a process. Agents with one name are told apart by their sessions; a shared session is a mistake."""
    name = f"agent {number}" if names == "several names" else "agent"
    return make_claims(place, name, "shared" if names == "one session" else new_session())


def prepare(place: str) -> None:
    """Make the registry, as the first claim of a team does, long before any race."""
    Store(parse_store_address(place)).close()
