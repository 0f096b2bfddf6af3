"""The table of transitions: every kind of event, with the law that it falls under."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.core.errors import BrokenRecord
from volition.workflow.law import driving, flows, members, plans, rules
from volition.workflow.law.bodies import check_body
from volition.workflow.store.events import CLOCK

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.workflow.store.events import RecordedEvent
    from volition.workflow.store.rows import Rows

LAW: Final[dict[str, Callable[[Rows, RecordedEvent], None]]] = {
    # people and rules
    "role": members.give_role,
    "key": members.change_key,
    "key revoked": members.revoke_key,
    "settings": members.change_settings,
    "rules": rules.change_rules,
    "restored": members.begin_epoch,
    "archived": members.archive_events,
    # plans
    "granted": plans.grant,
    "waiting": plans.put_in_line,
    "refused": plans.refuse_plan,
    "renewed": plans.renew,
    "finished": plans.finish,
    "withdrawn": plans.withdraw,
    "released": plans.release,
    "expired": plans.expire,
    "superseded": plans.supersede,
    "set back": plans.set_back,
    # flows
    "started": flows.start,
    "asked": flows.ask,
    "answered": flows.answer_question,
    "judged": flows.judge,
    "nothing to do": flows.refuse_flow,
    "reworded": flows.reword,
    "approved": flows.approve,
    "running": flows.run,
    "held": flows.hold,
    "done": flows.end,
    "void": flows.void,
    "abandoned": flows.abandon,
    # driving
    "claimed": driving.claim,
    "left": driving.leave,
    "node notified": driving.notify,
    "node sent": driving.send,
    "node asked": driving.ask,
    "node unsent": driving.unsend,
    "node done": driving.answer,
    "node failed": driving.answer,
    "node unknown": driving.doubt,
    "node ready": driving.retry,
    "node reported": driving.report,
    "node settled": driving.settle,
    "node skipped": driving.skip,
}
"""What happened -> its law."""
BY_CLOCK: Final = frozenset({"expired", "void", "set back", "granted"})
"""All that the clock does: it ends what is over, and a waiting plan whose way is free then moves up."""
ABOUT_PROJECT: Final = frozenset({"settings", "rules", "restored", "archived", "set back"})
"""What happens to the project as a whole."""


def apply_law(rows: Rows, event: RecordedEvent) -> None:
    """Let an event happen: the rows follow from it. An error says why that would be unlawful, and then nothing may be kept."""
    transition = LAW.get(event.what)
    if transition is None:
        raise BrokenRecord.of(
            f"{event.what!r} is not a kind of event",
            where=event.subject,
            expected="an event of the table",
            remedy="find out who wrote it, or use a newer program",
        )
    check_body(event)
    if event.what in ABOUT_PROJECT and event.subject != rows.project:
        raise BrokenRecord.of(
            f"{event.what!r} of {event.subject!r}",
            where=rows.project,
            expected=f"an event about the project {rows.project!r}",
            remedy="find out who wrote it",
        )
    if event.actor != CLOCK or event.what not in BY_CLOCK:
        members.check_actor(rows, event)
    transition(rows, event)
