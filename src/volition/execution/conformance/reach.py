"""How the kit connects to an executor: by an address, or by a command whose first line of output says how."""

from __future__ import annotations

import shlex
import subprocess
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from volition import __version__
from volition.core.errors import InvalidInput, MissingPart
from volition.execution.connecting.connect import find_endpoint
from volition.execution.transports.address import parse_address
from volition.execution.transports.child import StdioStream, not_launched
from volition.execution.wire.codec import encode
from volition.execution.wire.frames import SPEC, Hello, Party

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from volition.core.clock import Clock
    from volition.execution.transports.endpoint import Endpoint
    from volition.execution.transports.stream import Stream

START: Final = 15.0
"""How long, in seconds, a launched executor may take until its first line."""
RESTART: Final = 30.0
"""How long, in seconds, a command may take to restart an executor."""
_DIAL: Final = 5.0


class Connector(Struct, frozen=True):
    """What `check` needs: how to dial the executor, its clock, whether all dials reach the same one, and what restarts it."""

    dial: Callable[[], Stream]
    clock: Clock
    shared: bool
    restart: Callable[[], None] | None


@contextmanager
def reach(
    address: str = "embedded",
    *,
    launch: str | None = None,
    restart: str | None = None,
    token: str | None = None,
    map: str | None = None,
    seed: int = 0,
    allow_remote: bool = False,
) -> Iterator[Connector]:
    """A connector to an executor while the block runs; what was launched for it is ended afterwards.

    `address` is one that `connect` takes. A program to launch gets a greeting on its standard input: if its first line is
    a frame, the kit talks to it over its pipes and starts it again for every connection; otherwise the line is the
    address at which it listens. `restart` is a command that ends the executor and starts it again; what was launched, the
    kit restarts itself.
    """
    if launch is not None and _speaks_over_pipes(launch, token):
        address, launch = f"stdio:{launch}", None
    way = find_endpoint(address, map=map, seed=seed, token=token, allow_remote=allow_remote, launch=launch)
    wait = START if way.launched is not None else _DIAL
    try:
        yield Connector(
            lambda: way.dial(wait), way.clock, way.address.kind != "stdio", _find_restart(way, restart)
        )  # fmt: skip
    finally:
        way.end()


def _find_restart(way: Endpoint, command: str | None) -> Callable[[], None] | None:
    """What restarts the executor: a command, or its end where the next dial launches it again; None where nothing does."""
    if command is not None:
        words = shlex.split(command)
        return lambda: run_restart(words)
    return None if way.launched is None else way.launched.end


def run_restart(words: list[str]) -> None:
    """Run a command that restarts the executor, until it ends; MissingPart where it fails."""
    try:
        # Nobody reads its output: a program that it starts in the background may keep that open.
        process = subprocess.run(  # noqa: S603  the caller's
            words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=RESTART, check=False
        )
        why = f"ended with the code {process.returncode}" if process.returncode else ""
    except OSError as error:
        why = f"cannot be started: {error.strerror or error}"
    except subprocess.TimeoutExpired:
        why = f"was still running after {RESTART:g} s"
    if why:
        raise MissingPart.of(
            f"{shlex.join(words)!r} {why}",
            where="--restart",
            expected="a command that ends the executor, starts it again in the background, and ends with 0",
            remedy="run it by hand and see what it prints",
        )


def _speaks_over_pipes(command: str, token: str | None) -> bool:
    """Start the program once, to read its first line."""
    words = parse_address(f"stdio:{command}").command
    stream = StdioStream(words)
    try:
        hello = Hello(spec=SPEC, client=Party(name="volition-conformance", version=__version__), token=token)
        with suppress(OSError):
            stream.send(encode(hello))
        first = _first_line(stream)
    finally:
        stream.close(patience=0.0)  # a program that listens at an address does not end with its input
    if first.lstrip().startswith("{"):
        return True
    try:
        parse_address(first)
    except InvalidInput as error:
        raise not_launched(words, f"says {first!r}" if first else "says nothing") from error
    return False


def _first_line(stream: StdioStream) -> str:
    heard, until = b"", time.monotonic() + START
    while b"\n" not in heard:
        data = stream.receive(max(0.0, until - time.monotonic()))
        if not data:
            break
        heard += data
    return heard.partition(b"\n")[0].decode("utf-8", "replace").strip()
