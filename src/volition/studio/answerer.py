"""Who answers in the studio's folder: the name and the key that sign answers to evaluations, and whether given answers count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from volition.governance.documents.signatures import check_signature, sign_answers, signature_fault

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from volition.core.signing import Signer
    from volition.governance.documents.packs import AnswerPack

    KeysOf = Callable[[Collection[str]], Mapping[str, Collection[str]]]


class AnswerSigner(Struct, frozen=True):
    """Who gave an answer, by its signature, and whether it counts."""

    by: str
    """The name that signed it; empty where nothing is signed."""
    key: str | None
    """The public key that signed it; null where nothing is signed."""
    fault: str | None
    """Why it does not count; null where it does."""


class Answerer(Struct, frozen=True):
    """Who answers, with which key if there is one, and which keys names have."""

    by: str
    signer: Signer | None
    keys_of: KeysOf

    def sign(self, pack: AnswerPack) -> AnswerPack:
        """An answer as this person gives it: signed, if they have a key."""
        return pack if self.signer is None else sign_answers(pack, self.by, self.signer)

    def check(self, packs: Sequence[AnswerPack]) -> None:
        """Refuse answers that do not count."""
        keys = self.keys_of(signers_of(packs))
        for number, pack in enumerate(packs):
            check_signature(pack, keys, where=f"answers[{number}]")


def signers_of(packs: Sequence[AnswerPack]) -> set[str]:
    """The names that signed some answers."""
    return {pack.signature.by for pack in packs if pack.signature is not None}


def answer_signers(packs: Sequence[AnswerPack], keys: Mapping[str, Collection[str]]) -> list[AnswerSigner]:
    """Who gave each of some answers, and whether it counts."""
    return [
        AnswerSigner(
            "" if pack.signature is None else pack.signature.by,
            None if pack.signature is None else pack.signature.key,
            signature_fault(pack, keys) or None,
        )
        for pack in packs
    ]
