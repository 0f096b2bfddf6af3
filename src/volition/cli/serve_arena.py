"""`volition serve-arena`: serve the arena to another process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from volition.cli import completion
from volition.cli.options import SEED, path_type

if TYPE_CHECKING:
    from pathlib import Path


@click.command("serve-arena")
@click.option("--port", type=click.IntRange(0, 65535), help="The port to listen on; any free one if not given or 0.")
@click.option("--unix", metavar="PATH", help="Listen on a Unix socket instead.")
@click.option("--stdio", is_flag=True, help="Talk to the parent process over standard input and output instead.")
@click.option(
    "--map",
    "map_",
    shell_complete=completion.maps,
    metavar="NAME|FILE",
    default="courtyard",
    show_default=True,
    help="The map to play on.",
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="The seed of the opponent's turns.")
@click.option("--token", envvar="VOLITION_TOKEN", show_envvar=True, help="The token that a bridge must send.")
@click.option(
    "--hz", type=click.FloatRange(0.1, 1000), default=20.0, show_default=True, help="Ticks per second; 20 is real time."
)
@click.option(
    "--probe", is_flag=True, help="For tests: report the true state of the world to bridges that ask for this feature."
)
@click.option(
    "--requests", type=path_type, metavar="FILE", help="Remember requests in this file, so that none is done twice."
)
@click.option(
    "--tls",
    nargs=2,
    type=path_type,
    metavar="CERTIFICATE KEY",
    help="Encrypt the connections at the port, with this certificate and its key.",
)
def serve_arena(
    port: int | None, unix: str | None, stdio: bool, map_: str, seed: int, token: str | None, hz: float, probe: bool,
    requests: Path | None, tls: tuple[Path, Path] | None,
) -> None:  # fmt: skip
    """Serve the arena on this computer until interrupted or terminated.

    The first line says where it listens. One bridge drives at a time; when it disconnects, for whatever reason, the
    actor stops. Exit code 0: terminated or, with --stdio, end of input; 130: Ctrl-C.

    \b
    Examples:
      volition serve-arena --port 5001
      volition serve-arena --unix /tmp/arena.sock --map foundry --seed 7
    """
    from contextlib import nullcontext

    from volition.execution.executor.requests import RequestMemory
    from volition.execution.executor.server import ExecutorServer, standard_pipes, until_signalled
    from volition.execution.worlds.arena import Arena
    from volition.execution.worlds.arena.executor import ArenaExecutor, find_map

    if (port is not None) + (unix is not None) + stdio > 1:
        raise click.UsageError("--port, --unix and --stdio exclude each other: choose one.")
    if tls is not None and (unix is not None or stdio):
        raise click.UsageError("--tls is for a port: leave --unix and --stdio out.")
    executor = ArenaExecutor(Arena(find_map(map_), seed=seed), hz=hz, probe=probe)
    with until_signalled() as stop, nullcontext() if requests is None else RequestMemory(requests) as memory:
        if stdio:
            with (
                standard_pipes() as (reader, writer),
                ExecutorServer.over_pipes(
                    executor, reader=reader, writer=writer, token=token, requests=memory
                ) as server,
            ):
                server.serve(stop)
            return
        scheme, context = "tcp", None
        if tls is not None:
            from volition.execution.transports.tls import make_server_context

            scheme, context = "tls", make_server_context(*tls)
        address = f"{scheme}://127.0.0.1:{port or 0}" if unix is None else f"unix:{unix}"
        with ExecutorServer.listen(address, executor, token=token, requests=memory, tls=context) as server:
            click.echo(server.address)
            server.serve(stop)
