"""The clients whose hooks the guard understands: one module each, with `read` and `answer`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

if TYPE_CHECKING:
    from volition.agents.guard.event import HookAnswer, HookEvent, Moment

CLIENTS: Final = ("claude", "codex", "gemini", "cursor")


class Client(Protocol):
    """How a client is understood, and answered."""

    def read(self, data: Any) -> HookEvent:
        """The event that a client sent; MalformedEvent if it is not one."""

    def answer(self, moment: Moment, objection: str) -> HookAnswer:
        """The answer: an objection as the client takes it, or none if it is empty."""


def client_of(name: str) -> Client:
    """The module of a client; only this one is imported."""
    if name not in CLIENTS:
        raise ValueError(f"no client is called {name!r}; known: {', '.join(CLIENTS)}")
    return cast("Client", import_module(f"{__name__}.{name}"))
