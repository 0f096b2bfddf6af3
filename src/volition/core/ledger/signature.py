"""Who made a ledger: a signed file beside its segments that says who did what, bound to its records by an anchor.

The ledger itself stays as it is: no byte of it depends on who made it. Records that are appended later are not signed, and break
nothing. Whoever may write the folder can take the file away; then nobody is said to have made the ledger.
"""

from __future__ import annotations

import os
from hashlib import sha256
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from volition.core.canonical import canonical
from volition.core.errors import InvalidInput
from volition.core.folder import OPEN_UNTRUSTED, replace_file, sync_folder
from volition.core.ledger.fault import BrokenLedger, Fault, FaultKind
from volition.core.ledger.segment import Anchor, read_closed
from volition.core.names import is_readable_name
from volition.core.signing import is_signed
from volition.core.typed import decoder

if TYPE_CHECKING:
    from pathlib import Path

    from volition.core.signing import Signer

SIGNED: Final = "signed.json"
"""The file in which it is signed who made a ledger."""
_LARGEST: Final = 2**14


class LedgerSignature(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who made a ledger, and how."""

    what: str
    """What was done, in a word: `fork`."""
    of: str
    """The name of the ledger that it was done to."""
    where: str
    """At which place of that ledger."""
    by: str
    """Who did it."""
    time: str
    """When, by the clock of that person's machine."""
    anchor: str = ""
    """The records that are signed: their number, and the hash of the last one."""
    key: str = ""
    """The public key that signed it."""
    signature: str = ""
    """The signature, over everything else."""

    def __str__(self) -> str:
        return f"signed by {self.by} with the key {self.key[:16]}...: {self.what} of {self.of} at {self.where}"


def sign_ledger(folder: Path, made: LedgerSignature, signer: Signer) -> LedgerSignature:
    """Sign who made a ledger that is closed; an earlier signature is replaced."""
    anchor = read_closed(folder)
    assert anchor is not None, "only a ledger that was closed is signed"
    unsigned = replace(made, anchor=str(anchor), key=signer.public)
    signed = replace(unsigned, signature=signer.sign(_statement(unsigned)))
    replace_file(folder / SIGNED, msgspec.json.encode(signed) + b"\n")
    sync_folder(folder)
    return signed


class FoundSignature:
    """What is signed beside a ledger, if something is, and how many records it is for; whether it fits is not known yet."""

    def __init__(self, folder: Path, content: bytes | None, fault: str = "") -> None:
        self.folder = folder
        self.exists = content is not None
        self.signed: LedgerSignature | None = None
        self._fault = fault
        self._anchor: Anchor | None = None
        if content is not None and not fault:
            try:
                self.signed = decoder(LedgerSignature).decode(content)
                self._anchor = Anchor.parse(self.signed.anchor)
            except (msgspec.MsgspecError, UnicodeDecodeError, InvalidInput):
                self._fault = "it is not a signature as it was written"

    @property
    def count(self) -> int:
        """The number of the last record that is signed; -1 if none is."""
        return -1 if self._anchor is None else self._anchor.count

    def check(self, hash: str) -> LedgerSignature:
        """Who signed, if the last signed record has this hash; BrokenLedger if that is false, MissingPart if it cannot be checked."""
        signed, anchor, fault = self.signed, self._anchor, self._fault
        if signed is None or anchor is None:
            raise self._false(fault)
        if hash != anchor.hash:
            raise self._false(f"it is not for these records: the {anchor.count} that were signed are not here")
        if not is_readable_name(signed.by):
            raise self._false("the name of the signer cannot be read")
        if not is_signed(_statement(signed), signed.key, signed.signature):
            raise self._false(f"it is not what the key that it names for {signed.by} has signed")
        return signed

    def _false(self, detail: str) -> BrokenLedger:
        return BrokenLedger(self.folder, Fault(FaultKind.FALSE_SIGNATURE, SIGNED, 1, 1, detail))


def read_signature(folder: Path) -> FoundSignature:
    """What is signed beside a ledger."""
    try:
        with open(os.open(folder / SIGNED, OPEN_UNTRUSTED), "rb") as file:  # noqa: PTH123  Path.open takes no flags
            content = file.read(_LARGEST + 1)
    except FileNotFoundError:
        return FoundSignature(folder, None)
    except OSError as error:
        return FoundSignature(folder, b"", f"it cannot be read: {error.strerror}")
    return FoundSignature(folder, content)


def _statement(made: LedgerSignature) -> str:
    """What is signed. The hash of an event has no spaces, so neither signature can be taken for the other."""
    content = msgspec.to_builtins(replace(made, signature=""))
    return f"ledger sha256:{sha256(canonical(content)).hexdigest()}"
