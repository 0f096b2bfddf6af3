"""The same on a team's server: the tools, updates and races over a registry in PostgreSQL."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from tests.agents.mcp.cases import CASES, NAMES, all_rounds, race
from tests.agents.mcp.racing import volition_agent
from tests.agents.mcp.talking import ERAS, PROJECT, Agent, make_server, talk
from tests.agents.mcp.test_sessions import hear
from tests.agents.mcp.test_tools import work_together
from tests.workflow.conftest import cluster
from volition.workflow import Store, parse_store_address, verify_registry

if TYPE_CHECKING:
    from tests.workflow.clusters import Cluster

__all__ = ["cluster"]


@pytest.fixture
def registry(cluster: Cluster) -> Any:
    """The address of an empty registry on a server."""
    return cluster.emptied_database()


@pytest.mark.parametrize("era", ERAS)
def test_two_agents_work_together_on_a_server(registry: Any, era: str) -> None:
    """Every tool answers as it does over a file, one server process beside another; what happened is in the record, signed;
    and who listens at one of them hears what happens through the other."""

    async def play(ann: Agent, bob: Agent) -> None:
        await work_together(ann, bob)
        if era == "auto":
            async with bob.client.listen(resource_subscriptions=["volition://plans"]) as heard:
                await ann.claim("Add a page", "page.md")
                await hear(heard, "volition://plans")

    talk(play, make_server(registry, "one"), make_server(registry, "two"), mode=era)
    with Store(parse_store_address(registry)) as store:
        found = verify_registry(store, PROJECT)
    assert found.faults == ()


def test_one_agent_is_granted_what_several_want_on_a_server(registry: Any) -> None:
    """As over a file: of processes that want the same at the same moment, one is granted it, and the others are told."""
    rounds = all_rounds(len(CASES) * len(NAMES))
    for (case, names), ended in zip(rounds, race(volition_agent, registry, 4, rounds), strict=True):
        others = "held" if names == "one session" else "refused"
        assert Counter(ended) == {"granted": 1, others: 3}, (case, names)
