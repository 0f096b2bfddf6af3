"""Approvals: a person signs a draft with their key, and a check takes the draft for approved.

An approval is a file beside the plan, `intent_add_logging.approval.json` for `intent_add_logging.json`. It signs the exact
bytes of the plan, so a plan that is changed afterwards is a draft again. It counts if it is in the base, and if the policy
of the base lists its key under `[check.approvers]`: a branch can neither bring an approval nor an approver.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from volition.core.document import dump_json, parse_json, write_atomically
from volition.core.errors import InvalidInput, refuse
from volition.governance import IntentDocument, parse_document
from volition.workflow.store.signing import is_signed, own_signer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ENDING: Final = ".approval.json"
FORMAT: Final = 1
OPEN: Final = ("draft", "proposed")
"""States of a plan in which it can be approved."""


class Approval(NamedTuple):
    """That the owner of a key approves a plan, by the digest of the plan's file."""

    plan: str
    sha256: str
    key: str
    signature: str

    def to_data(self) -> dict[str, Any]:
        return {"format": FORMAT, **self._asdict()}


class WrittenApproval(NamedTuple):
    """An approval, and the file that it was written to."""

    approval: Approval
    file: Path

    def __str__(self) -> str:
        return "\n".join((
            f"{self.approval.plan} is approved: {self.file}",
            "It counts when it is in the base, and the policy there lists your key:",
            "  [check.approvers]",
            f'  your_name = "{self.approval.key}"',
        ))  # fmt: skip

    def to_data(self) -> dict[str, Any]:
        return {**self.approval.to_data(), "file": str(self.file)}


def approval_name(plan_file: str) -> str:
    """The name of the file that approves a plan's file.

    >>> approval_name("plans/intent_add_logging.json")
    'plans/intent_add_logging.approval.json'
    """
    return plan_file.removesuffix(".json") + ENDING


def approve_plan(file: Path) -> WrittenApproval:
    """Sign a draft with the key of this user, and write the approval beside it. Approving is for people: the command refuses
    in the session of an agent.

    InvalidInput if the file holds no plan, or one that is not open.
    """
    if not file.name.endswith(".json") or file.name.endswith(ENDING):
        refuse("this is not the file of a plan", where=str(file), expected="intent_NAME.json", remedy="name the plan")
    try:
        content = file.read_bytes()
    except OSError as error:
        refuse(
            f"it cannot be read: {error.strerror}",
            where=str(file),
            expected="the file of a plan",
            remedy="check its name",
        )
    intent = parse_document(content, IntentDocument, where=str(file))
    if intent.status not in OPEN:
        refuse(
            f"{intent.id} is {intent.status}",
            where=str(file),
            expected=f"a plan that is {' or '.join(OPEN)}",
            remedy="an approved plan needs no approval; change the status of another one first",
        )
    signer = own_signer()
    digest = sha256(content).hexdigest()
    approval = Approval(intent.id, digest, signer.public, signer.sign(_statement(intent.id, digest)))
    place = file.with_name(approval_name(file.name))
    write_atomically(place, dump_json(approval.to_data()).encode())
    return WrittenApproval(approval, place)


def approval_fault(content: bytes, plan: str, document: bytes, approvers: Mapping[str, str]) -> str:
    """Why an approval does not approve a plan with this document; empty if it does."""
    try:
        approval = _read(content)
    except InvalidInput as error:
        return f"its approval cannot be read: {error.problems[0].what}"
    if approval.plan != plan or approval.sha256 != sha256(document).hexdigest():
        return "it was changed after it was approved"
    if approval.key not in approvers.values():
        return "it is approved with a key that the policy of the base does not list under [check.approvers]"
    if not is_signed(_statement(approval.plan, approval.sha256), approval.key, approval.signature):
        return "the signature of its approval is false"
    return ""


def _read(content: bytes) -> Approval:
    data = parse_json(content, where="approval")
    texts = [data.get(name) for name in Approval._fields] if isinstance(data, dict) else []
    if not texts or data.get("format") != FORMAT or not all(isinstance(text, str) for text in texts):
        refuse("it is no approval", where="approval", expected=f"an object of format {FORMAT}", remedy="approve again")
    return Approval(*map(str, texts))


def _statement(plan: str, digest: str) -> str:
    """What is signed. An event's hash has no spaces, so neither signature can be taken for the other."""
    return f"approval {plan} sha256:{digest}"
