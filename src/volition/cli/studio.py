"""`volition studio`: serve the web application on this machine."""

from __future__ import annotations

from pathlib import Path

import click

from volition.cli.options import path_type


@click.command()
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8420,
    show_default=True,
    help="The port to listen on; 0 takes any free one.",
)
@click.option("--open", "look", is_flag=True, help="Open it in the browser.")
@click.option(
    "--folder",
    type=path_type,
    default=Path(),
    metavar="DIR",
    help="Where to look for runs, journals and evaluations; the current folder if not given.",
)
@click.option("--host", default="127.0.0.1", show_default=True, metavar="H", help="Another address needs a token.")
@click.option(
    "--token-file",
    type=path_type,
    metavar="FILE",
    help="A file with the token that visitors must know; VOLITION_STUDIO_TOKEN if not given.",
)
@click.option(
    "--registry",
    envvar="VOLITION_REGISTRY",
    show_envvar=True,
    metavar="PATH|postgresql://...",
    help="The registry of a team, whose questions can then be answered here.",
)
def studio(
    port: int, look: bool, folder: Path, host: str, token_file: Path | None, registry: str | None
) -> None:  # fmt: skip
    """Look at decisions instead of logs: evenings, plans and drives as web pages, until Ctrl-C.

    Only this machine can reach it, unless --host says otherwise. The token, at least 16 letters and digits, comes from
    the environment or a file, so that no process list shows it. Exit code 4: the port is taken, or the extra `studio`
    is not installed.

    \b
    Examples:
      volition studio --open
      volition studio --port 9000 --folder records
      volition studio --host 0.0.0.0 --token-file studio.token
    """
    from volition.core.extras import require

    require("litestar", "prometheus_client", "uvicorn")
    from volition.agents.persons import agent_around
    from volition.studio.server import serve, token_from

    def announce(address: str) -> None:
        click.echo(f"the studio is open at {address}\nCtrl-C ends it")

    try:
        serve(
            folder,
            host=host,
            port=port,
            token=token_from(token_file),
            announce=announce,
            open_browser=look,
            registry=registry,
            by_person=agent_around() is None,
        )
    except KeyboardInterrupt:
        click.echo("the studio is closed")
