"""Signed answers: who answered, by a key, and whether an answer is still what was signed.

What is signed is the whole answer pack, with the name and the public key. So a signature fits no other option, question, pack,
time, name or key; and a pack carries the checksum of its questions, which follow from the plans, the policy and the earlier
answers. The id of a signed pack says that it is signed: a signature that is taken away is missed. Somebody who takes away both
is left with an unsigned answer, which anybody may write: where that matters, only the answers of known keys count.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from volition.core.errors import BrokenRecord
from volition.core.names import is_readable_name
from volition.core.signing import is_signed, name_fault
from volition.governance.documents.checksums import whole_checksum
from volition.governance.documents.packs import AnswerPack, PackSignature

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from volition.core.signing import Signer

SIGNED: Final = "apack_signed_"
"""What the id of a signed pack begins with."""
NOBODY: Final[Mapping[str, Collection[str]]] = {}


def sign_answers(pack: AnswerPack, by: str, signer: Signer) -> AnswerPack:
    """Answers as this person gives them, signed with this key."""
    id = f"{SIGNED}{sha256(f'{pack.pack_id} {signer.public} {by}'.encode()).hexdigest()[:32]}"
    unsigned = replace(pack, pack_id=id, signature=PackSignature(by, signer.public, ""))
    return replace(unsigned, signature=PackSignature(by, signer.public, signer.sign(_statement(unsigned))))


def signature_fault(pack: AnswerPack, keys: Mapping[str, Collection[str]] = NOBODY, *, only: bool = False) -> str:
    """Why an answer does not count; empty if it does. An answer without a signature counts, unless `only` those of known names do.

    `keys` are the public keys of names; a name whose keys are not known may have any. MissingPart where signatures cannot be
    checked.
    """
    signature = pack.signature
    if signature is None:
        return "its signature was taken away" if pack.pack_id.startswith(SIGNED) else "it is not signed" if only else ""
    if not is_readable_name(signature.by):
        return "the name of its signer cannot be read"
    if not is_signed(_statement(pack), signature.key, signature.signature):
        return f"it was changed after it was signed, or was not signed with the key that it names for {signature.by}"
    if only and signature.by not in keys:
        return f"nobody said which key {signature.by} has"
    return name_fault(signature.by, signature.key, keys)


def check_signature(
    pack: AnswerPack, keys: Mapping[str, Collection[str]] = NOBODY, *, only: bool = False, where: str = "answers"
) -> None:
    """Refuse an answer that does not count, as a record that was changed."""
    if fault := signature_fault(pack, keys, only=only):
        raise BrokenRecord.of(
            f"the answer {pack.pack_id} does not count: {fault}",
            where=where,
            expected="an answer as it was given, from the person whom it names",
            remedy="answer the questions again: volition govern answer PACK --choose QUESTION=OPTION",
        )


def _statement(pack: AnswerPack) -> str:
    """What is signed. The hash of an event has no spaces, so neither signature can be taken for the other."""
    assert pack.signature is not None
    return f"answers sha256:{whole_checksum(replace(pack, signature=replace(pack.signature, signature='')))}"
