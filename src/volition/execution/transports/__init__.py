"""Transports: addresses, and blocking streams over TCP, Unix sockets, pipes and memory."""

from __future__ import annotations

from volition.execution.transports.address import FORMS, Address, check_near, parse_address
from volition.execution.transports.child import StdioStream
from volition.execution.transports.endpoint import dial
from volition.execution.transports.memory import MemoryStream, Peer
from volition.execution.transports.sockets import dial_tcp, dial_unix, listen_tcp, listen_unix
from volition.execution.transports.stream import EndStream, Stream, nothing_listening

__all__ = [  # noqa: RUF022  grouped as a reader meets them
    # where
    "Address", "parse_address", "check_near", "FORMS",
    # how
    "Stream", "dial", "nothing_listening",
    "EndStream", "dial_tcp", "listen_tcp", "dial_unix", "listen_unix", "StdioStream", "MemoryStream", "Peer",
]  # fmt: skip
