"""Clients of the game for tests, in a page: they join, see bodies, read the chat, click, type commands, and misbehave.

The packets are those of protocol 775 (Minecraft 26.1), in offline mode. What a client does not need it does not read.
"""

from __future__ import annotations

import socket
import struct
import time
import zlib
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING, Any, Final, Self
from uuid import uuid4

from tests.processes import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable

PROTOCOL: Final = 775
LARGEST_READ: Final = 8192
"""Larger packets are chunks and registries, which are not unpacked."""
# Serverbound.
HANDSHAKE, LOGIN_START, LOGIN_ACKNOWLEDGED, KNOWN_PACKS, FINISH_CONFIGURATION = 0x00, 0x00, 0x03, 0x07, 0x03
CONFIRM_TELEPORT, ATTACK, COMMAND, INTERACT, KEEP_ALIVE, POSITION = 0x00, 0x01, 0x07, 0x1A, 0x1C, 0x1E
# Clientbound.
LOGIN_SUCCESS, COMPRESS = 0x02, 0x03
TOLD_KNOWN_PACKS, TOLD_FINISHED, TOLD_OFF = 0x0E, 0x03, 0x02
SPAWNED, TOLD_KEEP_ALIVE, TELEPORTED, CHAT = 0x01, 0x2C, 0x48, 0x79


def varint(number: int) -> bytes:
    """A number as the game writes it, seven bits at a time."""
    written = b""
    while number > 0x7F:
        written += bytes([number & 0x7F | 0x80])
        number >>= 7
    return written + bytes([number])


def text(words: str) -> bytes:
    data = words.encode()
    return varint(len(data)) + data


def handshake(port: int) -> bytes:
    """The packet with which a client says that it wants to join."""
    return framed(bytes([HANDSHAKE]) + varint(PROTOCOL) + text("127.0.0.1") + struct.pack(">H", port) + varint(2))


def login(name: str) -> bytes:
    return framed(bytes([LOGIN_START]) + text(name) + uuid4().bytes)


def framed(packet: bytes) -> bytes:
    return varint(len(packet)) + packet


class GameClient:
    """Somebody who has joined; `bodies` are those seen to appear, with where, and `chat` all that was read."""

    def __init__(self, port: int, name: str) -> None:
        self.bodies: dict[int, tuple[float, float, float]] = {}
        self.chat: list[str] = []
        self.state = "login"
        self._compresses = False
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self._file = self._socket.makefile("rb")
        self._socket.sendall(handshake(port) + login(name))
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    @property
    def has_joined(self) -> bool:
        return self.state == "play"

    @property
    def is_gone(self) -> bool:
        return self.state == "gone"

    def wait_for(self, what: Callable[[], Any]) -> None:
        ends = time.monotonic() + PATIENCE
        while not what():
            assert time.monotonic() < ends
            assert not self.is_gone, self.chat
            time.sleep(0.01)

    def join(self) -> Self:
        self.wait_for(lambda: self.has_joined)
        return self

    def read(self, words: str) -> str:
        """The first line of the chat with these words, once it is there."""
        self.wait_for(lambda: any(words in line for line in self.chat))
        return next(line for line in self.chat if words in line)

    def click(self, body: int) -> None:
        self.send(INTERACT, varint(body) + varint(0) + b"\0" + b"\0")

    def hit(self, body: int) -> None:
        """Click with the left button, as who attacks."""
        self.send(ATTACK, varint(body))

    def type(self, command: str) -> None:
        self.send(COMMAND, text(command))

    def go(self, x: float, y: float, z: float) -> None:
        self.send(POSITION, struct.pack(">dddB", x, y, z, 0))

    def send(self, id: int, payload: bytes = b"") -> None:
        packet = bytes([id]) + payload
        try:
            if self._compresses:
                large = len(packet) >= 256
                packet = varint(len(packet)) + zlib.compress(packet) if large else b"\0" + packet
            self._socket.sendall(framed(packet))
        except OSError:
            self.state = "gone"

    def leave(self) -> None:
        """Go without a word."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._reader.join()
        self._file.close()
        self._socket.close()

    def _read(self) -> None:
        stages = {"login": self._login, "configuration": self._configuration, "play": self._play}
        with suppress(OSError, ValueError, struct.error, zlib.error):
            while (packet := self._packet()) and (stage := stages.get(self.state)):
                stage(packet[0], packet[1:])
        self.state = "gone"

    def _packet(self) -> bytes | None:
        """The next packet; empty chunks and the like are one that nobody knows."""
        length = self._number()
        data = self._file.read(length)
        if len(data) < length:
            return None
        if not self._compresses:
            return data
        unpacked, rest = read_varint(data)
        if not unpacked:
            return rest
        return zlib.decompress(rest) if unpacked <= LARGEST_READ else b"\xff"

    def _number(self) -> int:
        number = shift = 0
        while True:
            byte = self._file.read(1)
            if not byte:
                raise OSError
            number |= (byte[0] & 0x7F) << shift
            shift += 7
            if byte[0] < 0x80:
                return number

    def _login(self, id: int, payload: bytes) -> None:
        if id == COMPRESS:
            self._compresses = True
        elif id == LOGIN_SUCCESS:
            self.send(LOGIN_ACKNOWLEDGED)
            self.state = "configuration"

    def _configuration(self, id: int, payload: bytes) -> None:
        if id == TOLD_KNOWN_PACKS:
            self.send(KNOWN_PACKS, varint(0))
        elif id == TOLD_OFF:
            self.chat.append(payload.decode(errors="replace"))
        elif id == TOLD_FINISHED:
            self.send(FINISH_CONFIGURATION)
            self.state = "play"

    def _play(self, id: int, payload: bytes) -> None:
        if id == TOLD_KEEP_ALIVE:
            self.send(KEEP_ALIVE, payload)
        elif id == TELEPORTED:
            self.send(CONFIRM_TELEPORT, varint(read_varint(payload)[0]))
        elif id == CHAT:
            self.chat.append(payload.decode(errors="replace"))
        elif id == SPAWNED:
            body, rest = read_varint(payload)
            _, rest = read_varint(rest[16:])
            self.bodies[body] = struct.unpack(">ddd", rest[:24])


def read_varint(data: bytes) -> tuple[int, bytes]:
    number = 0
    for place, byte in enumerate(data):
        number |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return number, data[place + 1 :]
    raise ValueError("half a number")
