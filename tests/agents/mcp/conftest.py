"""Tests make hundreds of servers with the same tools, so what the SDK derives from a tool's signature is derived once; and no
test depends on how fast the machine is, so the SDK's own limits are as long as those of the tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from mcp.server.mcpserver.utilities.func_metadata import func_metadata

from tests.processes import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


@pytest.fixture(autouse=True, scope="session")
def tools_read_once() -> Iterator[None]:
    """Keep the schemas of a function by its code: making them takes a tenth of a second for each server."""
    known: dict[Any, Any] = {}

    def read_once(
        function: Callable[..., Any], skip_names: Sequence[str] = (), structured_output: bool | None = None
    ) -> Any:
        key = (function.__code__, tuple(skip_names), structured_output)
        if key not in known:
            known[key] = func_metadata(function, skip_names=skip_names, structured_output=structured_output)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mcp.server.mcpserver.tools.base.func_metadata", read_once)
        yield


@pytest.fixture(autouse=True, scope="session")
def patient_sdk() -> Iterator[None]:
    """Let the SDK's client wait for a server as long as it takes to start and to end. By itself it waits 10 s for the first
    answer, which includes opening the registry, and then takes the server for one of the older revisions; and it cancels a
    server that needs more than 2 s to close its registry. Both happen on a busy machine, and fail in other words."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mcp.client.session.DISCOVER_TIMEOUT_SECONDS", PATIENCE)
        patch.setattr("mcp.client._memory.SERVER_SHUTDOWN_GRACE", PATIENCE)
        yield
