"""Keys and signatures: every event is signed with the key of the user whose process recorded it.

Which key belongs to which name is the law's to say (`volition.workflow.law.members`).
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final, NoReturn

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key

from volition.core.errors import MissingPart, Problem
from volition.core.folder import sync_folder

VARIABLE: Final = "VOLITION_KEY"
"""The environment variable that names the file of the private key, or holds the key itself."""
_BEGIN: Final = "-----BEGIN"
_PURPOSE: Final = b"volition event "
"""What a signature begins with, so that it cannot be taken for one of something else."""


class Signer:
    """A private key; `public` is what everybody may know of it."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public = key.public_key().public_bytes_raw().hex()

    def sign(self, hash: str) -> str:
        """The signature of the event with this hash."""
        return self._key.sign(_PURPOSE + hash.encode()).hex()


def is_signed(hash: str, public: str, signature: str) -> bool:
    """Whether the event with this hash was signed with the key of which this is the public part."""
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
        key.verify(bytes.fromhex(signature), _PURPOSE + hash.encode())
    except (ValueError, InvalidSignature):
        return False
    return True


def own_signer() -> Signer:
    """The key of this user; it is made when it is first needed, readable by nobody else."""
    given = os.environ.get(VARIABLE, "")
    return _parse_key(given.encode(), VARIABLE) if given.startswith(_BEGIN) else _read(Path(key_place()))


def key_place() -> str:
    """Where the private key of this user is: the path of a file, or the environment variable that holds it."""
    if given := os.environ.get(VARIABLE):
        return VARIABLE if given.startswith(_BEGIN) else given
    home = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return str(Path(home) / "volition" / "key.pem")


def key_file() -> Path:
    """The file of this user's private key, to replace it; MissingPart where the environment holds the key itself."""
    place = key_place()
    if place == VARIABLE:
        _refuse(
            "the private key is in the environment", VARIABLE, "a file, which can be replaced",
            "make another key there, and tell its public part: volition team key rotate --name NAME --public KEY",
        )  # fmt: skip
    return Path(place)


def next_key(file: Path) -> Signer:
    """The key that is to follow the one in a file; it is made once, beside it, and used once it is adopted."""
    return _read(_next_to(file))


def adopt_next(file: Path) -> Path:
    """Put the next key in place of the one in a file, which is kept; where it is kept.

    There is a key in the file at every moment, so a crash here loses none: the next call finishes.
    """
    kept = file.with_name(f"{file.name}.{_read(file).public[:16]}.old")
    with suppress(FileExistsError):
        os.link(file, kept)
    _next_to(file).replace(file)
    sync_folder(file.parent)
    return kept


def _next_to(file: Path) -> Path:
    return file.with_name(f"{file.name}.new")


def new_key() -> bytes:
    """A new private key, as a file holds it."""
    return Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


@lru_cache(maxsize=8)
def _parse_key(content: bytes, where: str) -> Signer:
    try:
        key = load_pem_private_key(content, None)
    except (ValueError, TypeError):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        _refuse("this is not a private key", where, "an Ed25519 key in PEM")
    return Signer(key)


def _read(file: Path) -> Signer:
    try:
        if not file.exists():
            _make(file)
        if file.stat().st_mode & 0o077:
            _refuse("others may read this private key", str(file), "mode 600", f"chmod 600 {file}, or make a new key")
        return _parse_key(file.read_bytes(), str(file))
    except OSError as error:
        _refuse(f"the private key cannot be kept: {error.strerror}", str(file), "a file that may be read and written")


def _make(file: Path) -> None:
    """Make a key, unless another process does so now: the first link wins."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with NamedTemporaryFile(dir=file.parent) as draft:  # readable by nobody else from the beginning
        draft.write(new_key())
        draft.flush()
        os.fsync(draft.fileno())
        try:
            os.link(draft.name, file)
        except FileExistsError:
            return


def _refuse(what: str, where: str, expected: str, remedy: str = f"name another file in {VARIABLE}") -> NoReturn:
    raise MissingPart(Problem(what, where, expected, remedy))
