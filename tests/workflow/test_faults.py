"""Random faults, a few of each kind: no effect happens twice, none is missing, no flow is stuck, and the record is intact.

benchmarks/faults.py runs hundreds of cases, and prints the timeline of each that fails.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.sentences import lines_about
from tests.workflow.fault_cases import COMBINATIONS, FAULTS, STORES, TARGETS, can_happen, make_case
from tests.workflow.fault_runs import FaultRun

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told
    from tests.workflow.clusters import Cluster

SEEDS = (7, 12, 23, 24, 43, 45, 105, 111, 113)
"""Seeds of cases that together have every kind of fault, every target and both stores."""


@pytest.mark.req("WF-07")
@pytest.mark.parametrize(("seed", "store"), [(seed, make_case(seed).store) for seed in SEEDS])
def test_a_fault_at_a_random_moment(seed: int, store: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Over kills, pauses, slow effects, lost connections and full disks, every effect happens once, and every flow comes to
    its end, though a person may be asked; the person looks only at what is unknown, and believes what is called failed."""
    cluster: Cluster | None = request.getfixturevalue("cluster") if store == "postgresql" else None
    place = cluster.address("test_1") if cluster else str(tmp_path / "team.db")
    verdict = FaultRun(make_case(seed), place, tmp_path, cluster).run()
    assert verdict.holds, str(verdict)
    assert not verdict.crashes, str(verdict)
    assert verdict.effects == 3


def test_a_service_that_forgets_is_seen(tmp_path: Path, told: Told) -> None:
    """The control: if a service promises to remember keys and does not, an answer that is lost makes an effect happen twice,
    and the matrix says which."""
    case = replace(
        make_case(0), store="sqlite", target="http", fault="lost connection", loss="after the effect", node="first",
        slow=False, rival=False,
    )  # fmt: skip
    verdict = FaultRun(case, str(tmp_path / "team.db"), tmp_path, forgets=True).run()
    assert not verdict.holds
    assert verdict.twice == ("first",)
    told(*lines_about(verdict, "once too often"))


def test_the_matrix_is_whole() -> None:
    """Cases in a row have every combination that can happen, and a seed always gives the same case."""
    cases = [make_case(seed) for seed in range(len(COMBINATIONS))]
    met = {(case.store, case.target, case.fault) for case in cases}
    assert met == {(s, t, f) for s in STORES for t in TARGETS for f in FAULTS if can_happen(s, t, f)}
    assert cases == [make_case(case.seed) for case in cases]
    chosen = [make_case(seed) for seed in SEEDS]
    assert {case.fault for case in chosen} == set(FAULTS)
    assert {case.target for case in chosen} == set(TARGETS)
    assert {case.store for case in chosen} == set(STORES)
