"""`volition body`: serve a body that comes as an example, or copy it to begin with yours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from volition.cli.options import SEED, path_type

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
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="The port for a bridge; any free one if not given."
)
@click.option(
    "--game-port",
    type=click.IntRange(0, 65535),
    default=25565,
    show_default=True,
    help="The port for clients of the game; 0 takes any that is free.",
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="The seed of where both bodies begin.")
@click.option("--token", envvar="VOLITION_TOKEN", show_envvar=True, help="The token that a bridge must send.")
@click.option("--probe", is_flag=True, help="For tests: report what is true to bridges that ask for this feature.")
def minestom(port: int, game_port: int, seed: int, token: str | None, probe: bool) -> None:
    """Serve a Minecraft-compatible world on this computer until interrupted or terminated; needs Java 25 and, once, Maven.

    The first line says where a bridge connects, the second where a client of the game does, and of which version. Exit code
    0: terminated; 2: a port is taken; 4: there is no Java 25, or no Maven to build the server; 130: Ctrl-C. Not affiliated
    with Mojang or Microsoft.

    \b
    Examples:
      volition body minestom --port 5001
      volition drive --executor tcp://127.0.0.1:5001
    """
    import os
    import subprocess

    from volition.core.errors import InvalidInput, MissingPart
    from volition.execution.executor.server import LONGEST_NAP, until_signalled
    from volition.execution.transports.address import parse_address
    from volition.execution.transports.sockets import listen_tcp
    from volition.execution.worlds.minestom import PORT_TAKEN, find_built, find_java, server_command, stop_server

    for each in (port, game_port):
        listen_tcp(parse_address(f"tcp://127.0.0.1:{each}"))[0].close()
    find_java()
    if find_built() is None:
        click.echo("building the server, which takes a minute and is done once", err=True)
    command = server_command(port=port, game_port=game_port, seed=seed, probe=probe)
    environment = {**os.environ, **({} if token is None else {"VOLITION_TOKEN": token})}
    with (
        until_signalled() as stop,
        subprocess.Popen(command, stdin=subprocess.PIPE, env=environment) as server,  # noqa: S603  our own server
    ):
        while server.poll() is None and not stop.wait(LONGEST_NAP):
            pass
        if stop.is_set():
            stop_server(server)
        elif server.returncode:
            kind = InvalidInput if server.returncode == PORT_TAKEN else MissingPart
            raise kind.of(
                f"the server has ended with {server.returncode}",
                where="volition body minestom",
                expected="a server that runs until it is interrupted",
                remedy="read what it says above; where a port is taken, choose another",
            )
