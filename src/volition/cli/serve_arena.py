"""`volition serve-arena`: let the arena be driven from another process."""

from __future__ import annotations

import click

from volition.cli import completion

_LARGEST = 2**53 - 1


@click.command("serve-arena")
@click.option(
    "--port", type=click.IntRange(0, 65535), help="The port to listen at; any that is free, if not given or 0."
)
@click.option("--unix", metavar="PATH", help="Listen at a Unix socket instead.")
@click.option("--stdio", is_flag=True, help="Talk over standard input and output instead, to whoever launched this.")
@click.option(
    "--map",
    "map_",
    shell_complete=completion.maps,
    metavar="NAME|FILE",
    default="courtyard",
    show_default=True,
    help="The map to play on.",
)
@click.option("--seed", type=click.IntRange(0, _LARGEST), default=0, show_default=True, help="How the opponent turns.")
@click.option("--token", envvar="VOLITION_TOKEN", show_envvar=True, help="What a bridge must know to be let in.")
@click.option(
    "--hz", type=click.FloatRange(0.1, 1000), default=20.0, show_default=True, help="Ticks a second; 20 is real time."
)
@click.option("--probe", is_flag=True, help="For tests: tell whoever asks for the feature what is true of the world.")
def serve_arena(
    port: int | None, unix: str | None, stdio: bool, map_: str, seed: int, token: str | None, hz: float, probe: bool
) -> None:
    """Serve the arena on this computer until it is interrupted or terminated.

    The first line says where it listens. One bridge drives at a time; when it goes, however it goes, the actor stops.
    Ends with 0 when it is terminated or, with --stdio, when its input ends; with 130 on Ctrl-C.

    \b
    Examples:
      volition serve-arena --port 5001
      volition serve-arena --unix /tmp/arena.sock --map foundry --seed 7
    """
    from volition.execution.arena import Arena  # noqa: PLC0415  only when it runs
    from volition.execution.executor.arena_executor import ArenaExecutor, find_map  # noqa: PLC0415
    from volition.execution.executor.server import ExecutorServer, standard_pipes, until_signalled  # noqa: PLC0415

    if (port is not None) + (unix is not None) + stdio > 1:
        raise click.UsageError("--port, --unix and --stdio exclude each other: an arena is served in one place.")
    executor = ArenaExecutor(Arena(find_map(map_), seed=seed), hz=hz, probe=probe)
    with until_signalled() as stop:
        if stdio:
            with (
                standard_pipes() as (reader, writer),
                ExecutorServer.over_pipes(executor, reader=reader, writer=writer, token=token) as server,
            ):
                server.serve(stop)
            return
        address = f"tcp://127.0.0.1:{port or 0}" if unix is None else f"unix:{unix}"
        with ExecutorServer.listen(address, executor, token=token) as server:
            click.echo(server.address)
            server.serve(stop)
