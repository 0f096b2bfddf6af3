"""TLS: what is said is encrypted, who says it is checked, and whoever cannot be trusted is refused by name."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import ipaddress
import socket
import ssl
from typing import TYPE_CHECKING

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.execution.transports.stream_bridge import PATIENT, Toy
from volition.core.errors import InvalidInput
from volition.execution import ExecutorServer, aio, connect
from volition.execution.transports.address import parse_address
from volition.execution.transports.endpoint import dial
from volition.execution.transports.tls import make_server_context
from volition.execution.wire.session.handshake import NothingListening

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.sentences import Told

LARGE = 3 * 2**14 + 7
"""More than three records of TLS."""


class Wordy(Toy):
    """A game whose states are long."""

    def state(self, *, full: bool) -> object:
        return super().state(full=full) | {"long": "z" * LARGE}


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate of 127.0.0.1 that signs itself, and its key."""
    folder, key = tmp_path_factory.mktemp("tls"), ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "arena")])
    today = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(7)
        .not_valid_before(dt.datetime(2020, 1, 1, tzinfo=dt.UTC))
        .not_valid_after(today.replace(year=2120))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    (folder / "certificate.pem").write_bytes(made.public_bytes(pem))
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "key.pem").write_bytes(private)
    return folder / "certificate.pem", folder / "key.pem"


@pytest.fixture
def address(certificate: tuple[Path, Path]) -> Iterator[str]:
    context = make_server_context(*certificate)
    with ExecutorServer.listen("tls://127.0.0.1:0", Wordy(), tls=context, timing=PATIENT).running() as at:
        yield str(at)


@pytest.fixture
def trusting(certificate: tuple[Path, Path]) -> ssl.SSLContext:
    """The context of a bridge that trusts this certificate, and no other."""
    return ssl.create_default_context(cafile=certificate[0])


def test_a_bridge_drives_over_tls(address: str, trusting: ssl.SSLContext) -> None:
    """Intents, results and states of several records go both ways, and the connection is encrypted."""
    with connect(address, tls=trusting, timing=PATIENT) as body:
        assert len(body.refresh(60.0).data["long"]) == LARGE
        assert [outcome.status for outcome in body.execute_many(["JUMP"] * 20, deadline=60.0)] == ["SUCCESS"] * 20

    async def drive() -> str:
        async with await aio.connect(address, tls=trusting, timing=PATIENT) as body:
            return (await body.execute("JUMP", deadline=60.0)).status

    assert asyncio.run(drive()) == "SUCCESS"


def test_who_cannot_be_trusted_is_refused(address: str, trusting: ssl.SSLContext) -> None:
    """A certificate that nobody vouches for, and one of another name, are no executor; the reason is said."""
    with pytest.raises(NothingListening, match="self-signed certificate"):
        dial(address)
    elsewhere = address.replace("127.0.0.1", "localhost")
    with pytest.raises(NothingListening, match=r"cannot be trusted: (Hostname mismatch|.*not valid for)"):
        dial(elsewhere, tls=trusting)
    with (
        ExecutorServer.listen("tcp://127.0.0.1:0", Toy()).running() as plain,
        pytest.raises(NothingListening, match="does not speak TLS"),
    ):
        dial(f"tls://127.0.0.1:{plain.port}", tls=trusting, timeout=60.0)


def test_plain_bridges_and_noise_disturb_nobody(address: str, trusting: ssl.SSLContext) -> None:
    """Whoever does not speak TLS gets no word, and the others go on."""
    place = parse_address(address)
    with socket.create_connection((place.host, place.port)) as plain:
        plain.sendall(b'{"v":1,"type":"hello"}\n')
        with connect(address, tls=trusting, timing=PATIENT) as body:
            assert body.execute("JUMP", deadline=60.0).status == "SUCCESS"
        plain.settimeout(60.0)
        with contextlib.suppress(ConnectionResetError):
            assert b'"v"' not in plain.recv(4096)


def test_a_context_is_for_tls_alone(
    certificate: tuple[Path, Path], trusting: ssl.SSLContext, tmp_path: Path, told: Told
) -> None:
    """An address without TLS takes no context, one with it needs one to listen, and a file that is no key is refused."""
    context = make_server_context(*certificate)
    with told.raises(InvalidInput):
        ExecutorServer.listen("tcp://127.0.0.1:0", Toy(), tls=context)
    with told.raises(InvalidInput):
        ExecutorServer.listen("tls://127.0.0.1:0", Toy())
    with told.raises(InvalidInput):
        connect("tcp://127.0.0.1:1", tls=trusting)
    (tmp_path / "nonsense.pem").write_text("nonsense")
    for wrong in (tmp_path / "nonsense.pem", tmp_path / "missing.pem"):
        with pytest.raises(InvalidInput, match="the certificate cannot be used"):
            make_server_context(wrong)


def test_another_computer_is_still_allowed_on_purpose(trusting: ssl.SSLContext, told: Told) -> None:
    """Encryption does not make a remote address a near one."""
    with told.raises(InvalidInput):
        connect("tls://203.0.113.7:7777", tls=trusting)
