"""The address of an executor: one short text, checked before anything is opened."""

from __future__ import annotations

import ipaddress
import re
import shlex
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from volition.core.errors import InvalidInput, Problem, format_value, refuse

Kind: TypeAlias = Literal["embedded", "java", "tcp", "tls", "unix", "stdio"]

FORMS: Final = ("embedded", "java", "tcp://HOST:PORT", "tls://HOST:PORT", "unix:PATH", "stdio:COMMAND")
"""The forms of an address."""

LARGEST_PORT: Final = 65535

_MADE: Final[dict[str, Kind]] = {"embedded": "embedded", "java": "java"}
_INTERNET: Final[tuple[Kind, ...]] = ("tcp", "tls")
_TCP: Final = re.compile(
    r"(?P<kind>tcp|tls)://(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<host>[^\s:/\[\]]+)):(?P<port>[0-9]{1,5})"
)
_BARE: Final = re.compile(r"(?:(?P<host>[^\s:/]+):)?(?P<port>[0-9]{1,5})")


class Address(Struct, frozen=True):
    """Where an executor listens, or how to start one; `str` gives the text that `parse_address` reads.

    `host` and `port` are those of tcp and tls, `path` that of unix, `command` that of stdio. A server may listen at port 0,
    which means any free port.
    """

    kind: Kind
    host: str = ""
    port: int = 0
    path: str = ""
    command: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.kind in _INTERNET:
            host = f"[{self.host}]" if ":" in self.host else self.host
            return f"{self.kind}://{host}:{self.port}"
        if self.kind == "unix":
            return f"unix:{self.path}"
        return f"stdio:{shlex.join(self.command)}" if self.kind == "stdio" else self.kind

    @property
    def is_near(self) -> bool:
        """Whether the address can only be on this computer."""
        if self.kind not in _INTERNET or self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def parse_address(text: str | Address) -> Address:
    """Parse an address; InvalidInput if it is not one.

    >>> parse_address("tcp://127.0.0.1:5001").port
    5001
    >>> parse_address("stdio:java -jar arena.jar").command
    ('java', '-jar', 'arena.jar')
    """
    if isinstance(text, Address):
        return text
    if text in _MADE:
        return Address(_MADE[text])
    if match := _TCP.fullmatch(text):
        port = int(match["port"])
        if port > LARGEST_PORT:
            raise _no_address(f"the port {port} of {text!r}", f"a port up to {LARGEST_PORT}", "choose another port")
        kind: Kind = "tls" if match["kind"] == "tls" else "tcp"
        return Address(kind, host=match["six"] or match["host"], port=port)
    scheme, colon, rest = text.partition(":")
    if scheme == "unix" and colon and rest and "\0" not in rest:
        return Address("unix", path=rest)
    if scheme == "stdio" and colon:
        return Address("stdio", command=_words(rest))
    remedy = "start the executor, and write down where it says that it listens"
    if bare := _BARE.fullmatch(text):
        remedy = f"did you mean 'tcp://{bare['host'] or '127.0.0.1'}:{bare['port']}'?"
    raise _no_address(f"{format_value(text)} is not an address", f"one of: {', '.join(FORMS)}", remedy)


def check_near(address: Address, *, allow_remote: bool) -> None:
    """Refuse an address on another computer, unless that was explicitly allowed."""
    if allow_remote or address.is_near:
        return
    refuse(
        f"{address.host!r} is not this computer",
        where=str(address),
        expected="a loopback address, such as 127.0.0.1",
        remedy="allow remote addresses on purpose, with a token; only tls:// is encrypted",
    )


def _words(command: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        problem = f"the command {command!r} cannot be read: {error}"
        raise _no_address(problem, "words as in a shell", "close the quotes") from error
    if not words or not words[0]:
        raise _no_address(
            "there is no command", "stdio:COMMAND", "name the program, for instance 'stdio:java -jar arena.jar'"
        )
    return words


def _no_address(what: str, expected: str, remedy: str) -> InvalidInput:
    return InvalidInput(Problem(what, "address", expected, remedy))
