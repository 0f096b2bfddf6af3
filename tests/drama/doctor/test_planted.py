"""The doctor on scenarios with a planted fault: it names the fault, and the tuning guide's remedy for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.drama.doctor.records import PARTY
from volition.drama.doctor import examine
from volition.drama.doctor.cure import measure_evenings
from volition.drama.world.rulebook import default_rules
from volition.drama.world.settings import Setting, apply_settings

if TYPE_CHECKING:
    from volition.drama.doctor.report import DoctorReport

pytestmark = pytest.mark.req("DE-14")
EVENINGS = 24

_PUSHES = (
    "overweight_status", "avoid_confrontation", "flee", "deny_observe", "deny_lie", "escalate", "validation",
    "sacrifice", "fixate", "overcommit",
)  # fmt: skip


def report(**planted: object) -> DoctorReport:
    """The report on the dinner party with other values at these paths, "__" for each dot."""
    changes = [Setting(path.replace("__", "."), None, value) for path, value in planted.items()]
    scenario = apply_settings(PARTY, changes)
    return examine(measure_evenings(scenario, range(1, EVENINGS + 1)), scenario)


GUIDE = [
    (
        "never_dramatic",
        {"rules__pacing__masking": 3.0, "rules__pacing__masking_composure": 0.0},
        ["rules.pacing.masking", "people.marcus.flaws[0].strength"],
    ),
    ("same_act", {"rules__noise__sigma": 0.0}, ["rules.noise.sigma"]),
    (
        "ignore_bonds",
        {f"rules__bonds__{rule}": 0.0 for rule in default_rules()["bonds"]},
        [f"rules.bonds.{rule}" for rule in default_rules()["bonds"]],
    ),
    (
        "always_flee",
        {"rules__departures__move_cost": 0.0, "rules__departures__manners": 0.0},
        [
            "rules.movement.stress_privacy",
            "rules.movement.pending_privacy",
            "rules.effects.SOCIAL_MOVE[1]",
            "rules.departures.move_cost",
            "rules.departures.manners",
        ],
    ),
    (
        "flaws_dominate",
        {f"rules__flaws__{push}": 5.0 * default_rules()["flaws"][push] for push in _PUSHES},
        ["rules.flaws.cap", "people.victor.flaws[0].strength"],
    ),
    (
        "too_few_catastrophes",
        {"evening__events": []},
        ["evening.events[wine]", "rules.departures.manners"],
    ),
    ("unmoved", {"rules__departures__hush": False}, ["rules.departures.hush", "rules.departures.unrest"]),
]


@pytest.mark.parametrize(("symptom", "planted", "remedies"), GUIDE, ids=[row[0] for row in GUIDE])
def test_planted(symptom: str, planted: dict[str, object], remedies: list[str]) -> None:
    """A planted fault is named, and the proposals include what the tuning guide would change."""
    found = {one.id: one for one in report(**planted).symptoms}
    assert symptom in found
    assert set(remedies) <= {setting.path for setting in found[symptom].settings}


def test_nothing_planted() -> None:
    """The shipped evening has none of the guide's symptoms."""
    assert {row[0] for row in GUIDE} & {found.id for found in report().symptoms} == set()
