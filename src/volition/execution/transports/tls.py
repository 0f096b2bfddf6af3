"""TLS over TCP: for executors on other computers, where others on the way could read or change an intent.

The other side is checked as everywhere: by its certificate and its name. `connect` trusts what the system trusts (or what
SSL_CERT_FILE names) unless it is given another context; a context that asks for certificates of bridges makes an
executor know its bridges too.
"""

from __future__ import annotations

import socket
import ssl
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING

from volition.core.errors import refuse
from volition.execution.transports.sockets import connect_socket
from volition.execution.transports.stream import CHUNK, EndStream, LooseEnd
from volition.execution.wire.session.handshake import NothingListening

if TYPE_CHECKING:
    from pathlib import Path

    from volition.execution.transports.address import Address


class TlsEnd(LooseEnd):
    """A connected socket that is encrypted; of a server's, the handshake is made by the first reads.

    A read takes a whole record, which has at most `CHUNK` bytes, so that nothing waits unseen while the descriptor is
    not readable. One thread may read while another writes, which a connection of OpenSSL does not allow: hence the lock.
    """

    def __init__(self, connected: ssl.SSLSocket) -> None:
        connected.setblocking(False)
        super().__init__(connected.fileno(), connected.fileno(), connected.recv, connected.send)
        self._socket = connected
        self._lock = Lock()

    def read(self) -> bytes | None:
        try:
            with self._lock:
                return super().read()
        except ConnectionResetError as error:
            if isinstance(error.__cause__, ssl.SSLWantReadError | ssl.SSLWantWriteError):
                return None
            raise

    def write(self, data: bytes) -> int:
        try:
            with self._lock:
                return super().write(data[:CHUNK])
        except ConnectionResetError as error:
            if isinstance(error.__cause__, ssl.SSLWantReadError | ssl.SSLWantWriteError):
                return 0
            raise

    def finish(self) -> None:
        # The farewell of TLS; its answer is not waited for.
        with suppress(OSError, ValueError), self._lock:
            self._socket.unwrap()

    def close(self) -> None:
        self.finish()
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


def dial_tls(
    address: Address, *, timeout: float = 5.0, allow_remote: bool = False, tls: ssl.SSLContext | None = None
) -> EndStream:
    """Connect and check the other side; NothingListening if nothing is there, or something that cannot be trusted."""
    connected = connect_socket(address, timeout=timeout, allow_remote=allow_remote)
    try:
        secured = (tls or ssl.create_default_context()).wrap_socket(connected, server_hostname=address.host)
    except (OSError, ValueError) as error:
        connected.close()
        raise _tls_failure(address, error) from error
    return EndStream(TlsEnd(secured))


def _tls_failure(address: Address, error: Exception) -> NothingListening:
    if isinstance(error, ssl.SSLCertVerificationError):
        return NothingListening.of(
            f"the executor at {address} cannot be trusted: {error.verify_message}",
            where=str(address),
            expected="a certificate that this side trusts, of this very name",
            remedy="name a certificate to trust with SSL_CERT_FILE, or with a context as tls=...",
        )
    return NothingListening.of(
        f"what listens at {address} does not speak TLS: {error}",
        where=str(address),
        expected="an executor that encrypts its connections",
        remedy="use tcp:// if it does not, or start it with a certificate",
    )


def accept_tls(connected: socket.socket, tls: ssl.SSLContext) -> TlsEnd:
    """A bridge that has just connected."""
    return TlsEnd(tls.wrap_socket(connected, server_side=True, do_handshake_on_connect=False))


def make_server_context(certificate: str | Path, key: str | Path | None = None) -> ssl.SSLContext:
    """The context of an executor with this certificate, and its key if that is in another file."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(certificate, key)
    except OSError as error:
        refuse(
            f"the certificate cannot be used: {error.strerror or error}",
            where=str(certificate),
            expected="a certificate and its private key, in PEM",
            remedy="name the files that belong together, unencrypted and readable",
        )
    return context
