"""`volition body`: serve a body that comes as an example, or copy it to begin with yours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from volition.cli.options import GAME_PORT, PORT, SEED, path_type

if TYPE_CHECKING:
    from pathlib import Path


@click.group()
def body() -> None:
    """Serve a body that comes as an example, or copy it to begin with yours.

    \b
    Examples:
      volition body mujoco --port 5001
      volition body minestom --port 5001
      volition body copy mujoco my_robot
    """


@body.command()
@click.argument("name", metavar="BODY")
@click.argument("directory", type=path_type, metavar="DIR")
def copy(name: str, directory: Path) -> None:
    """Write the files of a body into DIR, which is new or empty.

    \b
    Example:
      volition body copy mujoco my_robot
    """
    from volition.core.folder import write_folder
    from volition.execution.worlds.bodies import body_files

    files = {file: path.read_bytes() for file, path in body_files(name).items()}
    write_folder(directory, files)
    click.echo(f"{directory}: {', '.join(files)}")


@body.command()
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="The port to listen on; any free one if not given."
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="The seed of the place where it begins.")
@click.option("--token", envvar="VOLITION_TOKEN", show_envvar=True, help="The token that a bridge must send.")
@click.option(
    "--probe", is_flag=True, help="For tests: report where it really is to bridges that ask for this feature."
)
def mujoco(port: int, seed: int, token: str | None, probe: bool) -> None:
    """Serve a rover in MuJoCo on this computer until interrupted or terminated; needs the extra `mujoco`.

    The first line says where it listens. Exit code 0: terminated; 2: the port is taken; 4: MuJoCo is not installed;
    130: Ctrl-C.

    \b
    Example:
      volition body mujoco --port 5001
    """
    from volition.core.extras import require
    from volition.execution.executor.server import ExecutorServer, until_signalled
    from volition.execution.worlds.bodies import load_body

    require("mujoco")
    rover = load_body("mujoco", "rover").Rover(seed=seed, probe=probe)
    address = f"tcp://127.0.0.1:{port}"
    with until_signalled() as stop, ExecutorServer.listen(address, rover, token=token) as server:
        click.echo(server.address)
        server.serve(stop)


@body.command()
@click.option("--stage", is_flag=True, help="Serve an empty stage, for volition stage-in-world, in place of the yard.")
@click.option("--port", type=PORT, default=0, help="The port for a bridge; any free one if not given.")
@click.option(
    "--game-port",
    type=PORT,
    default=GAME_PORT,
    show_default=True,
    help="The port for clients of the game; 0 takes any that is free.",
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="The seed of where both bodies begin.")
@click.option("--token", envvar="VOLITION_TOKEN", show_envvar=True, help="The token that a bridge must send.")
@click.option("--probe", is_flag=True, help="For tests: report what is true to bridges that ask for this feature.")
def minestom(stage: bool, port: int, game_port: int, seed: int, token: str | None, probe: bool) -> None:
    """Serve a Minecraft-compatible world on this computer until interrupted or terminated; needs Java 25 and, once, Maven.

    The first line says where a bridge connects, the second where a client of the game does, and of which version. Exit code
    0: terminated; 2: a port is taken; 4: there is no Java 25, or no Maven to build the server; 130: Ctrl-C. Not affiliated
    with Mojang or Microsoft.

    \b
    Examples:
      volition body minestom --port 5001
      volition drive --executor tcp://127.0.0.1:5001
      volition body minestom --stage --port 5001
    """
    if stage and (probe or seed):
        raise click.UsageError("--seed and --probe are for the yard: leave them out, or --stage.")
    from volition.execution.worlds.minestom_server import serve_minestom, watch_server

    with serve_minestom(
        port=port,
        game_port=game_port,
        token=token,
        warn=lambda line: click.echo(line, err=True),
        seed=seed,
        probe=probe,
        stage=stage,
    ) as server:
        watch_server(server)
