"""Serving agents: one over the pipes of this process, or any number on a port of this machine."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Final

import uvicorn

from volition.agents.mcp.access import TeamAccess
from volition.agents.mcp.caller import Callers, PipeSession
from volition.agents.mcp.server import AgentServer
from volition.core.errors import MissingPart

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.agents.mcp.forms import Forms
    from volition.workflow.store.address import StoreAddress

HOST: Final = "127.0.0.1"
"""Agents on other machines cannot connect: the server has no passwords."""
PATH: Final = "/mcp"


def serve_pipes(
    address: StoreAddress, project: str, name: str, session: str = "", guard: str = "", *, forms: Forms = "answers"
) -> None:
    """Serve the agent that started this process, until it closes its end: the session that was told, or else the one
    that the guard in a folder knows for the same client."""
    pipe = PipeSession(session, guard)
    pipe.announce()
    try:
        AgentServer(TeamAccess(address, project), Callers(name, pipe.find), forms=forms).run("stdio")
    finally:
        pipe.leave()


def serve_port(
    address: StoreAddress, project: str, name: str, port: int, tell: Callable[[str], None], *, forms: Forms = "answers"
) -> None:
    """Serve agents on a port until interrupted; `tell` gets the address once it is bound, 0 takes any free port."""
    serve_on_port(AgentServer(TeamAccess(address, project), Callers(name), forms=forms), port, tell)


def serve_on_port(server: AgentServer, port: int, tell: Callable[[str], None]) -> None:
    """Serve agents with a server that is made already."""
    app = server.streamable_http_app(host=HOST, streamable_http_path=PATH)
    try:
        listening = socket.create_server((HOST, port))
    except OSError as error:
        raise MissingPart.of(
            f"the port cannot be used: {error.strerror or error}",
            where=f"{HOST}, port {port}",
            expected="a free port",
            remedy="choose another --port, or 0 for any that is free",
        ) from None
    with listening:
        tell(f"http://{HOST}:{listening.getsockname()[1]}{PATH}")
        config = uvicorn.Config(app, log_level="warning", access_log=False, ws="none", timeout_graceful_shutdown=3)
        uvicorn.Server(config).run(sockets=[listening])
