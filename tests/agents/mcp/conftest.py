"""Tests make hundreds of servers with the same tools, so what the SDK derives from a tool's signature is derived once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from mcp.server.mcpserver.utilities.func_metadata import func_metadata

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
