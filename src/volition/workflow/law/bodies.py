"""The details of every kind of event: which fields they have, and of which type. Whatever else is in them is unlawful.

Rows follow from these fields, so what is missing, of another type or unknown is refused before any law reads it. The table of the law
(`volition.workflow.law.table`) says which kind of event has which details.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Moment = Annotated[int, Meta(ge=1 - 2**53, le=2**53 - 1)]
"""A time in milliseconds since 1970, which a clock that was set back may be before."""


class EventBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Details of an event."""


class NoBody(EventBody, frozen=True):
    """Everything is in the event itself."""


class WhyBody(EventBody, frozen=True):
    why: str


# People and rules.


class RoleBody(EventBody, frozen=True):
    role: str


class KeyBody(EventBody, frozen=True):
    key: str


class SettingsBody(EventBody, frozen=True):
    own_approval: str
    newcomers: str


class RulesBody(EventBody, frozen=True):
    policy: str
    env: str


class RestoredBody(EventBody, frozen=True):
    epoch: Count
    backup: str


class ArchivedBody(EventBody, frozen=True):
    through: Count
    head: str
    rows: str
    seal: str
    file: str


# Plans.


class CollisionBody(EventBody, frozen=True):
    rule: str
    severity: str
    resource: str
    plans: tuple[str, ...]
    in_order: bool | UnsetType = UNSET


class LeaseBody(EventBody, frozen=True):
    token: Count
    lease_ms: Count
    lease_until: Moment


class GrantFromLine(LeaseBody, frozen=True):
    """A waiting plan whose way is free."""

    checksum: str
    judgement: str
    collisions: tuple[CollisionBody, ...]


class RegisteredBody(GrantFromLine, frozen=True):
    """A plan that is registered, or revised under the token of its grant."""

    document: str
    revises: Count | UnsetType = UNSET


class GrantByFlow(EventBody, frozen=True):
    """A waiting plan whose collisions a person has settled."""

    flow: str
    checksum: str
    token: Count


class RefusedBody(EventBody, frozen=True):
    checksum: str
    collisions: tuple[CollisionBody, ...]


class TokenBody(EventBody, frozen=True):
    token: Count


class WithdrawnBody(TokenBody, frozen=True):
    why: str


class SupersededBody(EventBody, frozen=True):
    flow: str


# Flows.


class StartedBody(EventBody, frozen=True):
    plans: dict[str, str]
    number: Count
    bindings: str
    set_document: str


class AskedBody(EventBody, frozen=True):
    pack: str
    expires_at: Moment
    judgement: str


class AnsweredBody(EventBody, frozen=True):
    question: str
    answer: str
    choices: dict[str, str]


class JudgedBody(EventBody, frozen=True):
    plans: dict[str, str]
    graph: str
    merged: str
    graph_hash: str
    judgement: str


class NothingToDoBody(WhyBody, frozen=True):
    judgement: str


class RewordedBody(EventBody, frozen=True):
    plan: str
    graph: str
    merged: str
    judgement: str


class ApprovedBody(EventBody, frozen=True):
    graph_hash: str
    expires_at: Moment


# Driving.


class FenceBody(EventBody, frozen=True):
    fence: Count


class ClaimedBody(FenceBody, frozen=True):
    driver: str
    lease_until: Moment


class NodeBody(EventBody, frozen=True):
    node: str


class RequestBody(NodeBody, frozen=True):
    """What happens to the request that the node has."""

    request: str


class SentBody(RequestBody, frozen=True):
    fence: Count
    lease_until: Moment


class UnansweredBody(RequestBody, frozen=True):
    fence: Count
    detail: str


class AnswerBody(UnansweredBody, frozen=True):
    result: str
    retry: bool


class AttemptBody(NodeBody, frozen=True):
    request: str
    """That of the new attempt."""
    attempt: Count
    fence: Count | UnsetType = UNSET


class SettledBody(RequestBody, frozen=True):
    outcome: str
    detail: str


class ReportedBody(SettledBody, frozen=True):
    token: Count


class SkippedBody(NodeBody, frozen=True):
    why: str
