"""`volition studio`: the web application, served on this machine."""

from __future__ import annotations

from pathlib import Path

import click

from volition.cli.exits import DONE


@click.command()
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8420, show_default=True, help="0 takes any that is free."
)
@click.option("--open", "look", is_flag=True, help="Open it in the browser.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    default=Path(),
    metavar="DIR",
    help="Where runs, journals and evaluations are looked for; here if not given.",
)
@click.option("--host", default="127.0.0.1", show_default=True, metavar="H", help="Another address needs a token.")
@click.option(
    "--token-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Holds the token that who asks must know; else VOLITION_STUDIO_TOKEN does.",
)
def studio(port: int, look: bool, folder: Path, host: str, token_file: Path | None) -> int:
    """Look at decisions instead of logs: evenings, plans and drives as pages, until Ctrl-C.

    Only this machine can reach it, unless --host says otherwise. A token, of at least 16 letters and digits, comes from
    the environment or a file, so that no list of processes shows it. Ends with 4 where the port is taken or the extra
    `studio` is not installed.

    \b
    Examples:
      volition studio --open
      volition studio --port 9000 --folder records
      volition studio --host 0.0.0.0 --token-file studio.token
    """
    _needs("litestar", "uvicorn")
    from volition.studio.server import serve, token_from  # noqa: PLC0415  only when it runs

    def tell(address: str) -> None:
        click.echo(f"the studio is open at {address}\nCtrl-C ends it")

    try:
        serve(folder, host=host, port=port, token=token_from(token_file), tell=tell, look=look)
    except KeyboardInterrupt:
        click.echo("the studio is closed")
    return DONE


def _needs(*modules: str) -> None:
    """Raise MissingPart, with the line that installs it, where one of these modules is not there."""
    from importlib.util import find_spec  # noqa: PLC0415  only when it runs

    from volition.core.errors import MissingPart  # noqa: PLC0415

    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        raise MissingPart.of(
            f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed",
            where="this Python environment",
            expected="the extra 'studio'",
            remedy="pip install 'volition[studio]'",
        )
