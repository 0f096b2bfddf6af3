"""Keys and signatures: what people do is signed with the key of the user whose process did it, or with that of the user's
agents, which is another one.

A person's key may be locked with a passphrase: then no program signs with it unless the person types it. Which key belongs to
which name is for others to say: in a registry, its law. Where keys are can be asked without `cryptography`, which is optional.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import lru_cache
from getpass import getpass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Final, NoReturn

from volition.core.errors import MissingPart, NotPossible, Problem, refuse
from volition.core.extras import require
from volition.core.folder import sync_folder

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

VARIABLE: Final = "VOLITION_KEY"
"""The environment variable that names the file of the private key, or holds the key itself."""
AGENTS_VARIABLE: Final = "VOLITION_AGENT_KEY"
"""The same for the key with which the sessions of this user's agents sign."""
PASSPHRASE_VARIABLE: Final = "VOLITION_KEY_PASSPHRASE"  # noqa: S105  the name of a variable
"""The environment variable with the passphrase of a locked key, where nobody can type it: in CI."""
_BEGIN: Final = "-----BEGIN"
_LOCKED: Final = b"-----BEGIN ENCRYPTED"
_PURPOSE: Final = b"volition event "
"""What a signature begins with, so that it cannot be taken for one of something else."""


class Signer:
    """A private key; `public` is what everybody may know of it."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public = key.public_key().public_bytes_raw().hex()

    def sign(self, statement: str) -> str:
        """The signature of a statement: the hash of an event, or words that no such hash can be taken for."""
        return self._key.sign(_PURPOSE + statement.encode()).hex()

    def to_file(self, passphrase: str = "") -> bytes:
        """The private key as a file holds it, locked if there is a passphrase."""
        from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415  it is optional
            BestAvailableEncryption,
            Encoding,
            NoEncryption,
            PrivateFormat,
        )

        how = BestAvailableEncryption(passphrase.encode()) if passphrase else NoEncryption()
        return self._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, how)


def is_signed(statement: str, public: str, signature: str) -> bool:
    """Whether a statement was signed with the key of which this is the public part."""
    require("cryptography")
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415  it is optional
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415

    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
        key.verify(bytes.fromhex(signature), _PURPOSE + statement.encode())
    except (ValueError, InvalidSignature):
        return False
    return True


def name_fault(by: str, key: str, keys: Mapping[str, Collection[str]]) -> str:
    """Why a key is not that of a name; empty if it is, or nobody knows the keys of the name.

    >>> name_fault("ann", "ab" * 32, {"ann": ["ab" * 32]}), name_fault("ann", "ab" * 32, {"ann": []})[:35]
    ('', 'the name ann belongs to another key')
    """
    if by not in keys or key in keys[by]:
        return ""
    return f"the name {by} belongs to another key than {key[:16]}..., which signed it"


def own_signer() -> Signer:
    """The key of this user; it is made when it is first needed, readable by nobody else."""
    return _signer_at(VARIABLE, key_place())


def agents_signer() -> Signer:
    """The key of this user's agents, which is made likewise. Whoever knows its public part knows which acts were theirs."""
    return _signer_at(AGENTS_VARIABLE, _agents_place())


def has_key() -> bool:
    """Whether this user has a key already."""
    return (place := key_place()) == VARIABLE or Path(place).exists()


def has_agents_key() -> bool:
    """Whether the agents of this user have a key already."""
    return (place := _agents_place()) == AGENTS_VARIABLE or Path(place).exists()


def key_place() -> str:
    """Where the private key of this user is: the path of a file, or the environment variable that holds it."""
    return _place(VARIABLE, "key.pem")


def _agents_place() -> str:
    return _place(AGENTS_VARIABLE, "agents.pem")


def _place(variable: str, name: str) -> str:
    if place := os.environ.get(variable):
        return variable if place.startswith(_BEGIN) else place
    home = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return str(Path(home) / "volition" / name)


def _signer_at(variable: str, place: str) -> Signer:
    return _parse_key(os.environ[variable].encode(), variable) if place == variable else _read(Path(place))


def key_file() -> Path:
    """The file of this user's private key, to replace it; MissingPart where the environment holds the key itself."""
    place = key_place()
    if place == VARIABLE:
        _refuse(
            "the private key is in the environment", VARIABLE, "a file, which can be replaced",
            "make another key there, and tell its public part: volition team key rotate --name NAME --public KEY",
        )  # fmt: skip
    return Path(place)


def lock_key(file: Path, passphrase: str) -> str:
    """Lock the key in a file with a passphrase, which replaces an earlier one; its public part, which stays the same."""
    if not passphrase:
        refuse("the passphrase is empty", where=str(file), expected="a passphrase", remedy="think of one")
    signer = _read(file)
    _replace(file, signer.to_file(passphrase))
    return signer.public


def unlock_key(file: Path) -> str:
    """Store the key in a file without a passphrase; its public part."""
    signer = _read(file)
    _replace(file, signer.to_file())
    return signer.public


def is_locked(file: Path) -> bool:
    """Whether the key in a file is locked."""
    return file.exists() and file.read_bytes().startswith(_LOCKED)


def is_own_key_locked() -> bool:
    """Whether the key of this user is locked, wherever it is."""
    place = key_place()
    return os.environ[VARIABLE].encode().startswith(_LOCKED) if place == VARIABLE else is_locked(Path(place))


def next_key(file: Path) -> Signer:
    """The key that is to follow the one in a file; it is made once, beside it, and used once it is adopted. That of a locked
    key is locked too, with the same passphrase."""
    following = _next_to(file)
    if is_locked(file) and not following.exists():
        _make(following, ask_passphrase(str(file)))
    return _read(following)


def adopt_next(file: Path) -> Path:
    """Put the next key in place of the one in a file, which is kept; where it is kept.

    There is a key in the file at every moment, so a crash here loses none: the next call finishes.
    """
    backup = file.with_name(f"{file.name}.{_read(file).public[:16]}.old")
    with suppress(FileExistsError):
        os.link(file, backup)
    _next_to(file).replace(file)
    sync_folder(file.parent)
    return backup


def _next_to(file: Path) -> Path:
    return file.with_name(f"{file.name}.new")


def new_key(passphrase: str = "") -> bytes:
    """A new private key, as a file holds it."""
    require("cryptography")
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415  it is optional

    return Signer(Ed25519PrivateKey.generate()).to_file(passphrase)


@lru_cache(maxsize=8)
def ask_passphrase(where: str) -> str:
    """The passphrase of a locked key: from the environment, or typed at the terminal, once in a process; NotPossible where
    nobody can type."""
    if passphrase := os.environ.get(PASSPHRASE_VARIABLE):
        return passphrase
    return type_passphrase(f"Passphrase of {where}: ", where)


def type_passphrase(prompt: str, where: str) -> str:
    """What a person types at the terminal, unseen; NotPossible where there is none."""
    try:
        with open("/dev/tty"):  # noqa: PTH123  without one, getpass would read what was piped in
            return getpass(prompt)
    except (OSError, EOFError):
        raise NotPossible.of(
            "the key is locked, and nobody can type its passphrase here",
            where=where,
            expected="a person at a terminal",
            remedy=f"run this in a person's terminal; in CI, set {PASSPHRASE_VARIABLE}",
        ) from None


@lru_cache(maxsize=8)
def _parse_key(content: bytes, where: str) -> Signer:
    require("cryptography")
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415  it is optional
    from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: PLC0415

    passphrase = ask_passphrase(where).encode() if content.startswith(_LOCKED) else None
    try:
        key = load_pem_private_key(content, passphrase)
    except (ValueError, TypeError):
        key = None
    if key is None and passphrase is not None:
        ask_passphrase.cache_clear()
        refuse("the passphrase is wrong", where=where, expected="that of this key", remedy="type it again")
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


def _make(file: Path, passphrase: str = "") -> None:
    """Make a key, unless another process does so now: the first link wins."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with NamedTemporaryFile(dir=file.parent) as draft:  # readable by nobody else from the beginning
        draft.write(new_key(passphrase))
        draft.flush()
        os.fsync(draft.fileno())
        try:
            os.link(draft.name, file)
        except FileExistsError:
            return


def _replace(file: Path, content: bytes) -> None:
    """Replace the file of a key as a whole."""
    with NamedTemporaryFile(dir=file.parent, delete=False) as draft:  # readable by nobody else from the beginning
        draft.write(content)
        draft.flush()
        os.fsync(draft.fileno())
    Path(draft.name).replace(file)
    sync_folder(file.parent)


def _refuse(what: str, where: str, expected: str, remedy: str = f"name another file in {VARIABLE}") -> NoReturn:
    raise MissingPart(Problem(what, where, expected, remedy))
