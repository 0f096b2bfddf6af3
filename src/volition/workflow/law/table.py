"""The table of transitions: every kind of event with its details and the law that it falls under.

Theory of operation. A project is a list of events and the rows that follow from them. An event happens in five steps, and the first
that fails leaves everything as it was:

1. its kind is in this table;
2. its details have one of the forms that the table names, and nothing else in them;
3. an event about the project as a whole names this project;
4. its actor is a member, or joins with it, and its key is the one that signs in this name. The clock is no member: it may only end
   what is over by time, grant a waiting plan whose way is free then, and say that it was set back;
5. the law of its kind checks role, state and content, and puts the rows that follow.

Who may: members register, renew, revise, finish and withdraw their own plans, report on them, and drive; approvers also answer,
approve, settle, skip, try again and abandon, though not for their own plans unless the project allows it; keepers also appoint,
release the plans of others, change rules and keys, archive and restore. `volition.workflow.law.states` says which state may follow
which.

What can never happen: a row without an event; a state that the tables of states do not allow; a token or a request that is given
twice; an answer to a question, or a permit, for something else than what was asked or is stored; and a node that is sent without a
valid permit, out of order, or by two drivers at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from volition.core.errors import BrokenRecord
from volition.core.typed import convert
from volition.workflow.law import bodies, driving, flows, judgement, members, plans
from volition.workflow.store.events import CLOCK

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.workflow.store.events import RecordedEvent
    from volition.workflow.store.rows import Rows


class Law:
    """What a kind of event does to the rows, and the forms that its details may have."""

    def __init__(self, apply: Callable[[Rows, RecordedEvent, Any], None], *forms: type[bodies.EventBody]) -> None:
        self.apply, self.forms = apply, forms

    def read_body(self, event: RecordedEvent) -> bodies.EventBody:
        """The details of an event; BrokenRecord if they are not those of such an event."""
        wrong = ""
        for form in self.forms:
            try:
                return convert(event.body, form)
            except msgspec.ValidationError as error:
                wrong = wrong or str(error)
        raise BrokenRecord.of(
            f"its details cannot be read: {wrong}",
            where=event.subject,
            expected=f"the details of an event {event.what!r}, each of its type",
            remedy="find out who wrote it, or use a newer program",
        )


LAW: Final[dict[str, Law]] = {
    # people and rules
    "role": Law(members.give_role, bodies.RoleBody),
    "key": Law(members.change_key, bodies.KeyBody),
    "key revoked": Law(members.revoke_key, bodies.NoBody),
    "settings": Law(members.change_settings, bodies.SettingsBody),
    "rules": Law(judgement.change_rules, bodies.RulesBody),
    "restored": Law(members.begin_epoch, bodies.RestoredBody),
    "archived": Law(members.archive_events, bodies.ArchivedBody),
    # plans
    "granted": Law(plans.grant, bodies.RegisteredBody, bodies.GrantFromLine, bodies.GrantByFlow),
    "waiting": Law(plans.put_in_line, bodies.RegisteredBody),
    "refused": Law(plans.refuse_plan, bodies.RefusedBody),
    "renewed": Law(plans.renew, bodies.LeaseBody),
    "finished": Law(plans.finish, bodies.TokenBody),
    "withdrawn": Law(plans.withdraw, bodies.WithdrawnBody),
    "released": Law(plans.release, bodies.WhyBody),
    "expired": Law(plans.expire, bodies.NoBody),
    "superseded": Law(plans.supersede, bodies.SupersededBody),
    "set back": Law(plans.set_back, bodies.NoBody),
    # flows
    "started": Law(flows.start, bodies.StartedBody),
    "asked": Law(flows.ask, bodies.AskedBody),
    "answered": Law(flows.answer_question, bodies.AnsweredBody),
    "judged": Law(flows.judge, bodies.JudgedBody),
    "nothing to do": Law(flows.refuse_flow, bodies.NothingToDoBody),
    "reworded": Law(flows.reword, bodies.RewordedBody),
    "approved": Law(flows.approve, bodies.ApprovedBody),
    "running": Law(flows.run, bodies.NoBody),
    "held": Law(flows.hold, bodies.WhyBody),
    "done": Law(flows.end, bodies.NoBody),
    "void": Law(flows.void, bodies.WhyBody),
    "abandoned": Law(flows.abandon, bodies.WhyBody),
    # driving
    "claimed": Law(driving.claim, bodies.ClaimedBody),
    "left": Law(driving.leave, bodies.FenceBody),
    "node notified": Law(driving.notify, bodies.RequestBody),
    "node sent": Law(driving.send, bodies.SentBody),
    "node asked": Law(driving.ask, bodies.SentBody),
    "node unsent": Law(driving.unsend, bodies.UnansweredBody),
    "node done": Law(driving.answer, bodies.AnswerBody),
    "node failed": Law(driving.answer, bodies.AnswerBody),
    "node unknown": Law(driving.doubt, bodies.UnansweredBody),
    "node ready": Law(driving.retry, bodies.AttemptBody),
    "node reported": Law(driving.report, bodies.ReportedBody),
    "node settled": Law(driving.settle, bodies.SettledBody),
    "node skipped": Law(driving.skip, bodies.SkippedBody),
}
"""What happened -> its law."""
BY_CLOCK: Final = frozenset({"expired", "void", "set back", "granted"})
"""All that the clock does: it ends what is over, and a waiting plan whose way is free then moves up."""
ABOUT_PROJECT: Final = frozenset({"settings", "rules", "restored", "archived", "set back"})
"""What happens to the project as a whole."""


def apply_law(rows: Rows, event: RecordedEvent) -> None:
    """Let an event happen: the rows follow from it. An error says why that would be unlawful, and then nothing may be kept."""
    law = LAW.get(event.what)
    if law is None:
        raise BrokenRecord.of(
            f"{event.what!r} is not a kind of event",
            where=event.subject,
            expected="an event of the table",
            remedy="find out who wrote it, or use a newer program",
        )
    body = law.read_body(event)
    if event.what in ABOUT_PROJECT and event.subject != rows.project:
        raise BrokenRecord.of(
            f"{event.what!r} of {event.subject!r}",
            where=rows.project,
            expected=f"an event about the project {rows.project!r}",
            remedy="find out who wrote it",
        )
    if event.actor != CLOCK or event.what not in BY_CLOCK:
        members.check_actor(rows, event)
    law.apply(rows, event, body)
