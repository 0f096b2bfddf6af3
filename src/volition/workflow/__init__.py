"""From plan to act: a team's registry, approvals bound to content, and dispatch that happens once.

The names below are imported when first used: a command that only looks needs neither executors nor drivers.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from volition.workflow.flow.dispatch import (
        BridgeDoor,
        WorkDoor,
        WorkOrder,
        WorkResult,
        journaled_doors,
        open_bridge_door,
    )
    from volition.workflow.flow.driver import FlowDriver
    from volition.workflow.flow.flows import Flows
    from volition.workflow.flow.status import FlowStatus, NodeStatus
    from volition.workflow.flow.worker import BackOff, Worker
    from volition.workflow.law.bindings import NOTIFY_ALL, Binding, Bindings, call_bindings, parse_bindings
    from volition.workflow.law.driving import LostFlow
    from volition.workflow.law.members import NotEntitled, WrongSigner
    from volition.workflow.law.permit import WorldMoved
    from volition.workflow.law.plans import NotHeld
    from volition.workflow.store.address import StoreAddress, chosen_address, parse_store_address
    from volition.workflow.store.database import Store, StoreUnavailable
    from volition.workflow.store.events import RecordedEvent
    from volition.workflow.store.rows import RegisteredPlan
    from volition.workflow.store.signing import Signer, own_signer
    from volition.workflow.team.members import Members
    from volition.workflow.team.registration import Grant, Obstacle, Registration
    from volition.workflow.team.team import LEASE, Team
    from volition.workflow.verification.archiving import archive_events
    from volition.workflow.verification.backup import read_backup, restore_backup, write_backup
    from volition.workflow.verification.verify import RegistryVerification, verify_archives, verify_registry

__all__ = [  # noqa: RUF022  grouped as a reader meets them
    # the database
    "Store", "StoreAddress", "parse_store_address", "chosen_address", "StoreUnavailable", "RecordedEvent",
    "Signer", "own_signer",
    # the team's registry
    "Team", "Registration", "Grant", "Obstacle", "RegisteredPlan", "NotHeld", "LEASE",
    "Members", "NotEntitled", "WrongSigner",
    # flows
    "Flows", "FlowStatus", "NodeStatus", "WorldMoved", "parse_bindings", "Bindings", "Binding", "NOTIFY_ALL", "call_bindings",
    # carrying them out
    "FlowDriver", "LostFlow", "WorkDoor", "WorkOrder", "WorkResult", "BridgeDoor", "open_bridge_door", "journaled_doors",
    "Worker", "BackOff",
    # checking and keeping the record
    "verify_registry", "RegistryVerification", "write_backup", "read_backup", "restore_backup",
    "archive_events", "verify_archives",
]  # fmt: skip

_FROM = {
    "BridgeDoor": "flow.dispatch",
    "WorkDoor": "flow.dispatch",
    "WorkOrder": "flow.dispatch",
    "WorkResult": "flow.dispatch",
    "journaled_doors": "flow.dispatch",
    "open_bridge_door": "flow.dispatch",
    "FlowDriver": "flow.driver",
    "Flows": "flow.flows",
    "FlowStatus": "flow.status",
    "NodeStatus": "flow.status",
    "BackOff": "flow.worker",
    "Worker": "flow.worker",
    "Binding": "law.bindings",
    "Bindings": "law.bindings",
    "NOTIFY_ALL": "law.bindings",
    "call_bindings": "law.bindings",
    "parse_bindings": "law.bindings",
    "LostFlow": "law.driving",
    "NotEntitled": "law.members",
    "WrongSigner": "law.members",
    "WorldMoved": "law.permit",
    "NotHeld": "law.plans",
    "StoreAddress": "store.address",
    "chosen_address": "store.address",
    "parse_store_address": "store.address",
    "Store": "store.database",
    "RecordedEvent": "store.events",
    "StoreUnavailable": "store.database",
    "Signer": "store.signing",
    "own_signer": "store.signing",
    "archive_events": "verification.archiving",
    "read_backup": "verification.backup",
    "write_backup": "verification.backup",
    "Members": "team.members",
    "Grant": "team.registration",
    "Obstacle": "team.registration",
    "RegisteredPlan": "store.rows",
    "Registration": "team.registration",
    "restore_backup": "verification.backup",
    "LEASE": "team.team",
    "Team": "team.team",
    "RegistryVerification": "verification.verify",
    "verify_archives": "verification.verify",
    "verify_registry": "verification.verify",
}


def __getattr__(name: str) -> Any:
    if name not in _FROM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_FROM[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
