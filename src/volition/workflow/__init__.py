"""From plan to act: a team's registry, approvals bound to content, and dispatch that happens once."""

from volition.workflow.store.address import StoreAddress, chosen_address, parse_store_address
from volition.workflow.store.database import Store
from volition.workflow.store.failures import StoreUnavailable
from volition.workflow.store.turn import RecordedEvent
from volition.workflow.team.registration import Grant, NotHeld, Obstacle, RegisteredPlan, Registration
from volition.workflow.team.team import LEASE, Team

__all__ = [  # noqa: RUF022  grouped as a reader meets them
    # the database
    "Store", "StoreAddress", "parse_store_address", "chosen_address", "StoreUnavailable", "RecordedEvent",
    # the team's registry
    "Team", "Registration", "Grant", "Obstacle", "RegisteredPlan", "NotHeld", "LEASE",
]  # fmt: skip
