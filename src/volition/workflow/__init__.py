"""From plan to act: a team's registry, approvals bound to content, and dispatch that happens once."""

from volition.workflow.flow.bindings import NOTIFY_ALL, Binding, Bindings, parse_bindings
from volition.workflow.flow.dispatch import (
    BridgeDoor,
    WorkDoor,
    WorkOrder,
    WorkResult,
    journaled_doors,
    open_bridge_door,
)
from volition.workflow.flow.driver import FlowDriver, LostFlow
from volition.workflow.flow.flows import Flows
from volition.workflow.flow.status import FlowStatus, NodeStatus
from volition.workflow.flow.transitions import WorldMoved
from volition.workflow.store.address import StoreAddress, chosen_address, parse_store_address
from volition.workflow.store.database import Store
from volition.workflow.store.failures import StoreUnavailable
from volition.workflow.store.signing import Signer, WrongSigner, own_signer
from volition.workflow.store.turn import RecordedEvent
from volition.workflow.team.registration import Grant, NotHeld, Obstacle, RegisteredPlan, Registration
from volition.workflow.team.team import LEASE, Team
from volition.workflow.verification import RegistryVerification, verify_registry

__all__ = [  # noqa: RUF022  grouped as a reader meets them
    # the database
    "Store", "StoreAddress", "parse_store_address", "chosen_address", "StoreUnavailable", "RecordedEvent",
    "Signer", "own_signer", "WrongSigner",
    # the team's registry
    "Team", "Registration", "Grant", "Obstacle", "RegisteredPlan", "NotHeld", "LEASE",
    # flows
    "Flows", "FlowStatus", "NodeStatus", "WorldMoved", "parse_bindings", "Bindings", "Binding", "NOTIFY_ALL",
    # carrying them out
    "FlowDriver", "LostFlow", "WorkDoor", "WorkOrder", "WorkResult", "BridgeDoor", "open_bridge_door", "journaled_doors",
    # checking the record
    "verify_registry", "RegistryVerification",
]  # fmt: skip
