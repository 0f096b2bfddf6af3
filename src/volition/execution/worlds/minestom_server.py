"""The Minestom server as a process: started once its ports are known to be free, and ended with the block that uses it."""

from __future__ import annotations

import os
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from volition.core.errors import InvalidInput, MissingPart
from volition.execution.executor.server import LONGEST_NAP, until_signalled
from volition.execution.transports.address import parse_address
from volition.execution.transports.sockets import listen_tcp
from volition.execution.worlds import minestom

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def serve_minestom(
    *,
    port: int,
    game_port: int,
    token: str | None,
    warn: Callable[[str], object],
    seed: int = 0,
    probe: bool = False,
    stage: bool = False,
    output: int | None = None,
) -> Iterator[subprocess.Popen[str]]:
    """A server that runs for the block; `warn` is told how far it is where it has to be built first.

    InvalidInput where a port is taken, MissingPart without Java or Maven.
    """
    for each in (port, game_port):
        listen_tcp(parse_address(f"tcp://127.0.0.1:{each}"))[0].close()
    minestom.find_java()
    minestom.build(warn)
    command = minestom.server_command(port=port, game_port=game_port, seed=seed, probe=probe, stage=stage)
    environment = {**os.environ, **({} if token is None else {"VOLITION_TOKEN": token})}
    with subprocess.Popen(  # noqa: S603  our own server
        command, stdin=subprocess.PIPE, stdout=output, env=environment, text=True
    ) as server:
        try:
            yield server
        finally:
            if server.poll() is None:
                minestom.stop_server(server)


@contextmanager
def serve_stage(
    *,
    port: int,
    game_port: int,
    token: str | None,
    stay: bool,
    say: Callable[[str], object],
    warn: Callable[[str], object],
) -> Iterator[str]:
    """The address of an empty stage; `say` is told where people join. With `stay` it is kept open after the block until
    Ctrl-C."""
    with serve_minestom(
        port=port, game_port=game_port, token=token, warn=warn, stage=True, output=subprocess.PIPE
    ) as server:
        assert server.stdout is not None
        address, where = server.stdout.readline().strip(), server.stdout.readline().strip()
        if not where:
            refuse_end(server.wait())
        say(f"join it with {where}; click on a guest to ask why, and type /instead, /pause or /resume")
        yield address
        if stay:
            say("the world stays open; Ctrl-C ends it")
            watch_server(server)


def watch_server(server: subprocess.Popen[str]) -> None:
    """Return once the command is terminated; KeyboardInterrupt after Ctrl-C, and an error where the server ends by itself."""
    with until_signalled() as stop:
        while server.poll() is None and not stop.wait(LONGEST_NAP):
            pass
    if not stop.is_set() and server.returncode:
        refuse_end(server.returncode)


def refuse_end(code: int) -> NoReturn:
    """Raise the error for a server that has ended by itself."""
    raise (InvalidInput if code == minestom.PORT_TAKEN else MissingPart).of(
        f"the server has ended with {code}",
        where="volition body minestom",
        expected="a server that runs until it is interrupted",
        remedy="read what it says above; where a port is taken, choose another",
    )
