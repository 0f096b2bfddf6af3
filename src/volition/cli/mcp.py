"""`volition mcp`: serve a team's registry to coding agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from volition.cli.options import holder_option, path_type, project_option, registry_option
from volition.cli.printing import warn

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@registry_option
@project_option
@holder_option
@click.option(
    "--session",
    help="The id of the agent's session; if not given, VOLITION_SESSION, what the guard knows, the client's variable, or "
    "a new one.",
)
@click.option(
    "--guard", type=path_type, help="The guard's folder; the one of the repository around this folder if not given."
)
@click.option(
    "--port", type=click.IntRange(0, 65535), help="Serve HTTP on this port of 127.0.0.1 instead; 0 takes any free one."
)
@click.option(
    "--forms",
    type=click.Choice(["none", "answers", "approvals"]),
    default="answers",
    show_default=True,
    help="What a person may do in forms of the agent's own client; a client may fill them in without a person.",
)
def mcp(
    registry: str | None,
    project: str | None,
    holder: str,
    session: str | None,
    guard: Path | None,
    port: int | None,
    forms: Literal["none", "answers", "approvals"],
) -> None:
    """Serve the registry to coding agents over the Model Context Protocol, until they disconnect.

    A client starts it by itself and talks to it over its pipes; docs/agents.md has the configuration. With --port it
    serves any number of agents of this machine. Exit code 4: the port is taken, or the extra `agents` is not installed.

    \b
    Examples:
      volition mcp --registry team.db --project shop --holder ann
      volition mcp --registry team.db --project shop --port 8765
    """
    import os

    from volition.core.extras import require
    from volition.workflow.store.address import chosen_address

    address = chosen_address(registry)
    require("mcp")
    require("sqlalchemy")
    if address.kind == "postgresql":
        require("psycopg")
    if session is not None and port is not None:
        raise click.UsageError("--session is for one agent; with --port, each agent has its own.")
    from volition.agents.guard.sessions import clean_id
    from volition.agents.mcp.serving import serve_pipes, serve_port
    from volition.agents.repository import guard_around

    named = project or os.environ.get("VOLITION_PROJECT", "")
    try:
        if port is None:
            serve_pipes(address, named, holder, clean_id(session), guard_around(guard), forms=forms)
        else:
            serve_port(
                address,
                named,
                holder,
                port,
                lambda at: click.echo(f"agents are served at {at}\nCtrl-C ends it"),
                forms=forms,
            )
    except KeyboardInterrupt:
        warn("the server is closed")
