"""The clients whose hooks the guard understands: one module each, with a `CLIENT`."""

from __future__ import annotations

from importlib import import_module

from volition.agents.guard.lean import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Final

    from volition.agents.guard.clients.common import HookClient

CLIENTS: Final = ("claude", "codex", "gemini", "cursor")


def client_of(name: str) -> HookClient:
    """The client of a name; only its module is imported."""
    if name not in CLIENTS:
        raise ValueError(f"no client is called {name!r}; known: {', '.join(CLIENTS)}")
    found: HookClient = import_module(f"{__name__}.{name}").CLIENT
    return found
