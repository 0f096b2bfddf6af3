"""The details of every kind of event: which fields they have, and of which type. Whatever else is in them is unlawful.

Rows follow from these fields, so what is missing, of another type or unknown is refused before any law reads it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from volition.core.errors import BrokenRecord
from volition.core.typed import convert

if TYPE_CHECKING:
    from volition.workflow.store.events import RecordedEvent

Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Moment = Annotated[int, Meta(ge=1 - 2**53, le=2**53 - 1)]
"""A time in milliseconds since 1970, which a clock that was set back may be before."""


class _Body(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Details of an event."""


class _Nothing(_Body, frozen=True, kw_only=True):
    """Everything is in the event itself."""


class _Why(_Body, frozen=True, kw_only=True):
    why: str


# People and rules.


class _Role(_Body, frozen=True, kw_only=True):
    role: str


class _Key(_Body, frozen=True, kw_only=True):
    key: str


class _Settings(_Body, frozen=True, kw_only=True):
    own_approval: str
    newcomers: str


class _Rules(_Body, frozen=True, kw_only=True):
    policy: str
    env: str


class _Restored(_Body, frozen=True, kw_only=True):
    epoch: Count
    backup: str


class _Archived(_Body, frozen=True, kw_only=True):
    through: Count
    head: str
    rows: str
    seal: str
    file: str


# Plans.


class _Collision(_Body, frozen=True, kw_only=True):
    rule: str
    severity: str
    resource: str
    plans: tuple[str, ...]
    in_order: bool | UnsetType = UNSET


class _Lease(_Body, frozen=True, kw_only=True):
    token: Count
    lease_ms: Count
    lease_until: Moment


class _FromLine(_Lease, frozen=True, kw_only=True):
    """A waiting plan whose way is free."""

    checksum: str
    judgement: str
    collisions: tuple[_Collision, ...]


class _Registered(_FromLine, frozen=True, kw_only=True):
    """A plan that is registered, or revised under the token of its grant."""

    document: str
    revises: Count | UnsetType = UNSET


class _ByFlow(_Body, frozen=True, kw_only=True):
    """A waiting plan whose collisions a person has settled."""

    flow: str
    checksum: str
    token: Count


class _Refused(_Body, frozen=True, kw_only=True):
    checksum: str
    collisions: tuple[_Collision, ...]


class _Token(_Body, frozen=True, kw_only=True):
    token: Count


class _Withdrawn(_Token, frozen=True, kw_only=True):
    why: str


class _Superseded(_Body, frozen=True, kw_only=True):
    flow: str


# Flows.


class _Started(_Body, frozen=True, kw_only=True):
    plans: dict[str, str]
    number: Count
    bindings: str
    set_document: str


class _Asked(_Body, frozen=True, kw_only=True):
    pack: str
    expires_at: Moment
    judgement: str


class _Answered(_Body, frozen=True, kw_only=True):
    question: str
    answer: str
    choices: dict[str, str]


class _Judged(_Body, frozen=True, kw_only=True):
    plans: dict[str, str]
    graph: str
    merged: str
    graph_hash: str
    judgement: str


class _NothingToDo(_Why, frozen=True, kw_only=True):
    judgement: str


class _Reworded(_Body, frozen=True, kw_only=True):
    plan: str
    graph: str
    merged: str
    judgement: str


class _Approved(_Body, frozen=True, kw_only=True):
    graph_hash: str
    expires_at: Moment


# Driving.


class _Left(_Body, frozen=True, kw_only=True):
    fence: Count


class _Claimed(_Left, frozen=True, kw_only=True):
    driver: str
    lease_until: Moment


class _Node(_Body, frozen=True, kw_only=True):
    node: str


class _Request(_Node, frozen=True, kw_only=True):
    request: str


class _Sent(_Request, frozen=True, kw_only=True):
    fence: Count
    lease_until: Moment


class _Unanswered(_Request, frozen=True, kw_only=True):
    fence: Count
    detail: str


class _Answer(_Unanswered, frozen=True, kw_only=True):
    result: str
    retry: bool


class _Attempt(_Request, frozen=True, kw_only=True):
    attempt: Count
    fence: Count | UnsetType = UNSET


class _Settled(_Request, frozen=True, kw_only=True):
    outcome: str
    detail: str


class _Reported(_Settled, frozen=True, kw_only=True):
    token: Count


class _Skipped(_Node, frozen=True, kw_only=True):
    why: str


BODIES: Final[dict[str, tuple[type[_Body], ...]]] = {
    "role": (_Role,),
    "key": (_Key,),
    "key revoked": (_Nothing,),
    "settings": (_Settings,),
    "rules": (_Rules,),
    "restored": (_Restored,),
    "archived": (_Archived,),
    "granted": (_Registered, _FromLine, _ByFlow),
    "waiting": (_Registered,),
    "refused": (_Refused,),
    "renewed": (_Lease,),
    "finished": (_Token,),
    "withdrawn": (_Withdrawn,),
    "released": (_Why,),
    "expired": (_Nothing,),
    "superseded": (_Superseded,),
    "set back": (_Nothing,),
    "started": (_Started,),
    "asked": (_Asked,),
    "answered": (_Answered,),
    "judged": (_Judged,),
    "nothing to do": (_NothingToDo,),
    "reworded": (_Reworded,),
    "approved": (_Approved,),
    "running": (_Nothing,),
    "held": (_Why,),
    "done": (_Nothing,),
    "void": (_Why,),
    "abandoned": (_Why,),
    "claimed": (_Claimed,),
    "left": (_Left,),
    "node notified": (_Request,),
    "node sent": (_Sent,),
    "node asked": (_Sent,),
    "node unsent": (_Unanswered,),
    "node done": (_Answer,),
    "node failed": (_Answer,),
    "node unknown": (_Unanswered,),
    "node ready": (_Attempt,),
    "node reported": (_Reported,),
    "node settled": (_Settled,),
    "node skipped": (_Skipped,),
}
"""What happened -> the forms that its details may have."""


def check_body(event: RecordedEvent) -> None:
    """Refuse details that are not those of such an event."""
    wrong = ""
    for form in BODIES[event.what]:
        try:
            convert(event.body, form)
        except msgspec.ValidationError as error:
            wrong = wrong or str(error)
        else:
            return
    raise BrokenRecord.of(
        f"its details cannot be read: {wrong}",
        where=event.subject,
        expected=f"the details of an event {event.what!r}, each of its type",
        remedy="find out who wrote it, or use a newer program",
    )
