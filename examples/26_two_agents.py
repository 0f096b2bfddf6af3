"""Two coding agents in two worktrees: what the server tells each of them, and how a person decides between them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mcp import Client
from mcp_types import ElicitResult

from volition.agents.mcp.access import TeamAccess
from volition.agents.mcp.caller import Callers
from volition.agents.mcp.server import AgentServer
from volition.workflow import Flows, Members, Store, Team, parse_store_address


def nine_o_clock(_connection: object) -> int:
    """The registry's clock, stopped so that this prints the same every time."""
    return 1_790_000_000_000


async def pat(context: object, params: Any) -> ElicitResult:
    """The person at the client: sees the question as a form, and chooses the second option."""
    print("\npat is asked:", *(line for line in params.message.splitlines() if line.startswith("- ")), sep="\n  ")
    return ElicitResult(action="accept", content={"question_0001": "option_0002"})


@asynccontextmanager
async def agent(name: str, registry: Path) -> AsyncIterator[Any]:
    """An agent with its server: `volition mcp --holder NAME`, as a client starts it in the agent's worktree."""
    access = TeamAccess(parse_store_address(registry), "shop", clock=nine_o_clock)
    async with Client(AgentServer(access, Callers(name, f"{name}_1")), elicitation_callback=pat) as client:

        async def call(tool: str, **arguments: object) -> dict[str, Any]:
            result = await client.call_tool(tool, arguments)
            if result.is_error or result.structured_content is None:
                print(f"\n{name}: {tool} failed\n{getattr(result.content[0], 'text', '')}")
                return {}
            print(f"\n{name}: {tool}")
            for key in ("outcome", "state", "advice"):
                if key in result.structured_content:
                    print(f"  {key}: {result.structured_content[key]}")
            return dict(result.structured_content)

        yield call


async def main(registry: Path) -> None:
    """A morning's work."""
    async with agent("ann", registry) as ann, agent("bob", registry) as bob:
        limits = await ann("propose_plan", title="Add rate limits", files=["src/api/routes.py", "src/api/limits.py"])
        refused = await bob("propose_plan", title="Split the routes", files=["src/api"])
        print("  because:", refused["obstacles"][0]["because"])
        print("  evidence:", *refused["obstacles"][0]["evidence"], sep="\n    ")

        # Bob's plan waits in line, and is brought to a person.
        waiting = await bob("propose_plan", title="Split the routes", files=["src/api"], mode="wait")
        question = await bob("raise_question", plan_id=waiting["plan_id"])
        await bob("answer_question", flow_id=question["flow_id"])
        with Store(parse_store_address(registry), clock=nine_o_clock) as store:  # volition flow approve
            Members(Team(store, "shop")).join("pat")
            Flows(Team(store, "shop")).approve(question["flow_id"], "pat")

        # Ann's plan gave way, so her token opens nothing any more; Bob's is granted.
        await ann("renew_plan", plan_id=limits["plan_id"], token=limits["token"])
        split = await bob("show_plan", plan_id=waiting["plan_id"])
        await ann("propose_plan", title="Write the manual", files=["docs/manual.md"])
        await bob("finish_plan", plan_id=split["plan_id"], token=split["token"])


with TemporaryDirectory() as folder:
    asyncio.run(main(Path(folder) / "team.db"))
