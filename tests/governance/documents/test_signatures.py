"""Signed answers: what an attacker may change about one, and that none of it counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from msgspec.structs import replace

from tests.governance.plans import NOW, plan, set_of
from tests.keys import key_text
from volition.core.errors import BrokenRecord, InvalidInput, MissingPart
from volition.core.signing import Signer, own_signer
from volition.governance.documents.packs import AnswerPack
from volition.governance.documents.reading import parse_document
from volition.governance.documents.signatures import check_signature, sign_answers, signature_fault
from volition.governance.documents.validation import validate
from volition.governance.evaluator import evaluate
from volition.governance.settlement.questions import answer_questions

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.sentences import Told

TIED = [plan(name, ["x.py"], priority=5) for name in ("aaaaaa", "bbbbbb")]
OTHERS = [plan(name, ["y.py"], priority=5) for name in ("cccccc", "dddddd")]


def other_signer(monkeypatch: pytest.MonkeyPatch) -> Signer:
    """The key of somebody else."""
    with monkeypatch.context() as there:
        there.setenv("VOLITION_KEY", key_text(bytes(range(7, 39))))
        return own_signer()


def asked(plans: list[Any]) -> Any:
    pack = evaluate(set_of(plans), plans).question_pack
    assert pack is not None
    return pack


def answered(plans: list[Any] = TIED, *, by: str = "ann", signer: Signer | None = None) -> AnswerPack:
    """A signed answer to the question about these plans."""
    unsigned = answer_questions(asked(plans), {"question_0001": "option_0001"}, NOW)
    return sign_answers(unsigned, by, signer or own_signer())


def outcome_of(pack: AnswerPack, plans: list[Any] = TIED) -> str:
    return evaluate(set_of(plans), plans, answers=pack).strategy


def test_a_signed_answer_counts_and_names_its_signer() -> None:
    """A signed answer is a valid document that comes back to the byte, fits its signature, and settles its question."""
    pack = answered()
    content = msgspec.json.encode(pack)
    assert parse_document(content, AnswerPack) == pack
    assert validate("answer_pack", content) == []
    assert pack.signature is not None
    assert (pack.signature.by, pack.signature.key) == ("ann", own_signer().public)
    assert signature_fault(pack) == ""
    assert outcome_of(pack) != "reject"


def test_an_answer_without_a_signature_is_what_it_was() -> None:
    """Who has no key answers as before: the same bytes, no signature, and it counts."""
    unsigned = answer_questions(asked(TIED), {"question_0001": "option_0001"}, NOW)
    assert b"signature" not in msgspec.json.encode(unsigned)
    assert signature_fault(unsigned) == ""
    assert outcome_of(unsigned) != "reject"


def chosen(pack: AnswerPack, option: str) -> AnswerPack:
    (answer,) = pack.answers
    return replace(pack, answers=(replace(answer, answer_text=option),))


def resigned(pack: AnswerPack, **changed: str) -> AnswerPack:
    assert pack.signature is not None
    return replace(pack, signature=replace(pack.signature, **changed))


FORGERIES: dict[str, tuple[Callable[[AnswerPack], AnswerPack], str]] = {
    "another option": (lambda pack: chosen(pack, "option_0002"), "changed"),
    "another time": (lambda pack: replace(pack, provided_at="2020-01-01T00:00:00Z"), "changed"),
    "another question pack": (lambda pack: replace(pack, question_pack_checksum="0" * 64), "changed"),
    "another question": (lambda pack: replace(pack, answers=(replace(pack.answers[0], question_id="question_0002"),)), "changed"),
    "another id": (lambda pack: replace(pack, pack_id="apack_signed_another"), "changed"),
    "another name": (lambda pack: resigned(pack, by="bob"), "changed"),
    "the public key of another person": (lambda pack: resigned(pack, key="ab" * 32), "changed"),
    "no valid point as a key": (lambda pack: resigned(pack, key="ff" * 32), "changed"),
    "another signature": (lambda pack: resigned(pack, signature="00" * 64), "changed"),
    "a signature that was taken away": (lambda pack: replace(pack, signature=None), "taken away"),
    "a name that cannot be read": (lambda pack: resigned(pack, by="a\u200bnn"), "cannot be read"),
}  # fmt: skip


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_changed_answer_does_not_count(forgery: str, told: Told) -> None:
    """Whatever is changed about a signed answer, it says so in words, the document is not valid, and no evaluation takes it."""
    change, words = FORGERIES[forgery]
    forged = change(answered())
    assert words in signature_fault(forged)
    assert "checklist.signature" in [finding.code for finding in validate("answer_pack", msgspec.json.encode(forged))]
    with told.raises(BrokenRecord):
        check_signature(forged)
    with told.raises(BrokenRecord):
        outcome_of(forged)


def test_an_answer_counts_for_no_other_evaluation(told: Told) -> None:
    """A signed answer that is copied beside the questions of other plans is refused there, and one whose text is made to fit those
    questions no longer fits its signature."""
    mine, theirs = answered(TIED), asked(OTHERS)
    with told.raises(InvalidInput):
        outcome_of(mine, OTHERS)
    moved = replace(mine, question_pack_id=theirs.pack_id, question_pack_checksum=theirs.checksum)
    with told.raises(BrokenRecord):
        outcome_of(moved, OTHERS)


def test_an_answer_counts_for_no_other_version_of_a_plan(told: Told) -> None:
    """After a plan was changed, an answer that was signed before is refused."""
    changed = [TIED[0], plan("bbbbbb", ["x.py", "more.py"], priority=5)]
    with told.raises(InvalidInput):
        outcome_of(answered(TIED), changed)


def test_a_name_belongs_to_its_keys(monkeypatch: pytest.MonkeyPatch, told: Told) -> None:
    """Where the keys of a name are known, an answer in that name with another key does not count; names of which no key is known
    are not judged, unless only known ones count: then an unsigned answer does not count either."""
    other = other_signer(monkeypatch)
    keys = {"ann": {own_signer().public}}
    assert signature_fault(answered(), keys) == ""
    told(signature_fault(answered(signer=other), keys))
    assert signature_fault(answered(by="bob", signer=other), keys) == ""
    assert "nobody" in signature_fault(answered(by="bob", signer=other), keys, only=True)
    unsigned = answer_questions(asked(TIED), {"question_0001": "option_0001"}, NOW)
    assert signature_fault(unsigned, keys) == ""
    assert "not signed" in signature_fault(unsigned, keys, only=True)


def test_two_people_never_sign_the_same_pack(monkeypatch: pytest.MonkeyPatch) -> None:
    """The id of a signed pack follows from who signed it, so the evaluations that follow from two signers are told apart."""
    ids = {answered().pack_id, answered(by="bob").pack_id, answered(signer=other_signer(monkeypatch)).pack_id}
    assert len(ids) == 3
    assert all(id.startswith("apack_signed_") for id in ids)


def test_without_cryptography_a_signed_answer_is_not_believed(monkeypatch: pytest.MonkeyPatch, told: Told) -> None:
    """Where signatures cannot be checked, a signed answer is refused as something that is missing, and an unsigned one counts."""

    def nowhere(*modules: str) -> None:
        raise MissingPart.of(f"{modules[0]} is not installed", where="here", expected="it", remedy="install it")

    pack = answered()
    monkeypatch.setattr("volition.core.signing.require", nowhere)
    with told.raises(MissingPart):
        outcome_of(pack)
    assert outcome_of(answer_questions(asked(TIED), {"question_0001": "option_0001"}, NOW)) != "reject"
