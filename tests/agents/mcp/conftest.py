"""Tests open hundreds of sessions with the same tools, whose schemas the SDK checks once; and no test depends on how fast the
machine is, so the SDK's own limits are as long as those of the tests."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from tests.processes import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True, scope="session")
def schemas_checked_once() -> Iterator[None]:
    """Let the SDK's client check a schema once, and not again in every session: that takes longer than most calls."""
    check = Draft202012Validator.check_schema

    @cache
    def check_once(text: str) -> None:
        check(json.loads(text))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Draft202012Validator, "check_schema", lambda schema: check_once(json.dumps(schema)))
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
