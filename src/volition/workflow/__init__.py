"""From plan to act: a team's registry, approvals bound to content, and dispatch that happens once.

The names below are imported when first used: a command that only looks needs neither executors nor drivers.

The team's registry:
    Store                a database: SQLite here, PostgreSQL for a team
    parse_store_address  where a store is
    Team                 the plans of a project: registered, granted, waiting, done
    Registration         what became of a plan that was registered
    Members              who may do what, and by which key
    Signer               signs what a person does

Flows:
    Flows                evaluated, answered, approved: plans on their way to being done
    WorldMoved           what was approved is not what would be done now
    Bindings             which planned command becomes which intent
    parse_bindings       reads bindings
    NOTIFY_ALL           bindings by which holders do their own work
    call_bindings        bindings to functions of yours

Carrying them out:
    FlowDriver           carries out a flow, each node once
    Worker               drives flows until it is stopped
    LostFlow             another driver has the flow
    WorkOrder            one node that is to be done
    WorkResult           what became of it
    open_bridge_door     work that an executor does
    journaled_doors      the same, with a journal

Checking and keeping the record:
    verify_registry      replays the whole record, and names what does not follow
    write_backup         writes a backup
    restore_backup       restores one
    archive_events       moves old events into an archive
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.core.lazy import lazy_names

if TYPE_CHECKING:
    from volition.core.signing import Signer
    from volition.workflow.flow.dispatch import WorkOrder, WorkResult, journaled_doors, open_bridge_door
    from volition.workflow.flow.driver import FlowDriver
    from volition.workflow.flow.flows import Flows
    from volition.workflow.flow.worker import Worker
    from volition.workflow.law.bindings import NOTIFY_ALL, Bindings, call_bindings, parse_bindings
    from volition.workflow.law.driving import LostFlow
    from volition.workflow.law.permit import WorldMoved
    from volition.workflow.store.address import parse_store_address
    from volition.workflow.store.database import Store
    from volition.workflow.team.members import Members
    from volition.workflow.team.registration import Registration
    from volition.workflow.team.team import Team
    from volition.workflow.verification.archiving import archive_events
    from volition.workflow.verification.backup import restore_backup, write_backup
    from volition.workflow.verification.verify import verify_registry

__all__ = [  # noqa: RUF022  in the order of the page above
    "Store",
    "parse_store_address",
    "Team",
    "Registration",
    "Members",
    "Signer",
    "Flows",
    "WorldMoved",
    "Bindings",
    "parse_bindings",
    "NOTIFY_ALL",
    "call_bindings",
    "FlowDriver",
    "Worker",
    "LostFlow",
    "WorkOrder",
    "WorkResult",
    "open_bridge_door",
    "journaled_doors",
    "verify_registry",
    "write_backup",
    "restore_backup",
    "archive_events",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "volition.workflow.store.database": "Store",
        "volition.workflow.store.address": "parse_store_address",
        "volition.workflow.team.team": "Team",
        "volition.workflow.team.registration": "Registration",
        "volition.workflow.team.members": "Members",
        "volition.core.signing": "Signer",
        "volition.workflow.flow.flows": "Flows",
        "volition.workflow.law.permit": "WorldMoved",
        "volition.workflow.law.bindings": "Bindings parse_bindings NOTIFY_ALL call_bindings",
        "volition.workflow.flow.driver": "FlowDriver",
        "volition.workflow.flow.worker": "Worker",
        "volition.workflow.law.driving": "LostFlow",
        "volition.workflow.flow.dispatch": "WorkOrder WorkResult open_bridge_door journaled_doors",
        "volition.workflow.verification.verify": "verify_registry",
        "volition.workflow.verification.backup": "write_backup restore_backup",
        "volition.workflow.verification.archiving": "archive_events",
    },
)
