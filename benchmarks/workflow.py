"""What a team's registry and its flows cost, and whether they hold: races, kills, registrations, and a node's overhead.

Bars are ratios to a case of the same run, or counts that must be exact. On PostgreSQL too, where the system has its
package; the cluster is private and does not force writes to the disk.

    python benchmarks/workflow.py --quick
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING

from rows import Row, options, show

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.workflow.bodies import Body
from tests.workflow.clusters import binaries, make_cluster
from tests.workflow.killing import Site
from tests.workflow.plans import PROJECT, document
from tests.workflow.racing import race, register, register_without_a_turn, winners
from tests.workflow.scenes import BINDINGS
from volition.execution import connect
from volition.workflow import FlowDriver, Flows, Store, Team, parse_store_address

if TYPE_CHECKING:
    from collections.abc import Callable

FLAT_BAR = 3.0
"""A registration with ten times as many active plans takes at most this many times as long."""


def emptied(place: str) -> str:
    """The same address, with nothing at it."""
    with Store(parse_store_address(place)) as store, store.write() as connection:
        for table in ("project", "plan", "event", "flow", "flow_plan", "question", "answer", "permit", "node"):
            connection.exec_driver_sql(f"DELETE FROM {table}")
    return place


def race_rows(kind: str, place: str, processes: int, files: int) -> list[Row]:
    """Every process wants every file: exactly one winner each; and what happens without a turn."""
    start = perf_counter()
    won = race(register, emptied(place), processes, files)
    taken = perf_counter() - start
    counts = winners(won, files)
    tokens = {token for each in won for _, token in each}
    right = counts == [1] * files and len(tokens) == files
    control = winners(race(register_without_a_turn, emptied(place), processes, min(files, 60)), min(files, 60))
    doubled = sum(count > 1 for count in control)
    return [
        Row(f"{kind}: race of {processes} x {files}, files with one winner", sum(n == 1 for n in counts), "files", f"= {files}", right),
        Row(f"{kind}: attempts", round(processes * files / taken, 1), "/s"),
        Row(f"{kind}: control without a turn, files with several winners", doubled, "files", "> 0", doubled > 0),
    ]  # fmt: skip


def registration_rows(kind: str, place: str, sizes: tuple[int, ...]) -> list[Row]:
    """The time of a registration among more and more active plans, each touching another file."""
    emptied(place)
    made, rows, taken = 0, list[Row](), list[float]()
    with Store(parse_store_address(place)) as store:
        team = Team(store, PROJECT)
        for size in sizes:
            documents = [document(f"number_{n}", f"x/{n}.py") for n in range(made, size)]
            made = size
            for each in documents:
                team.register(each, "ann", lease=10**6)
            rounds = []
            for content in (document(f"extra_{size}_{n}", f"y/{size}_{n}.py") for n in range(30)):
                start = perf_counter()
                team.register(content, "ann", lease=10**6)
                rounds.append(perf_counter() - start)
            taken.append(median(rounds))
            rows.append(Row(f"{kind}: registrations with {size} active plans", round(1 / taken[-1], 1), "/s"))
    slower = taken[-1] / taken[0]
    rows.append(
        Row(
            f"{kind}: the last of these to the first", round(slower, 2), "times", f"<= {FLAT_BAR:g}", slower <= FLAT_BAR
        )
    )
    return rows


def kill_rows(kind: str, place: str, folder: Path, kills: int) -> list[Row]:
    """Drivers and the executor are killed at random moments."""
    site = Site(emptied(place), folder)
    site.prepare(max(6, kills // 4))
    hits = site.run(kills, seed=3, kill_executor=True)
    done, wanted = site.effects(), site.requests()
    twice, missing = len(done) - len(set(done)), len(set(wanted) - set(done))
    return [
        Row(f"{kind}: SIGKILLs that hit, of {kills}", hits, "kills"),
        Row(
            f"{kind}: effects twice or missing, of {len(wanted)}",
            twice + missing,
            "effects",
            "= 0",
            twice + missing == 0,
        ),
    ]


def node_rows(kind: str, place: str, nodes: int) -> list[Row]:
    """What a flow adds to a node: three transitions, against the bare door and against a bare durable write."""
    emptied(place)
    commands = tuple(f"jump_{number:03d}: write: jump" for number in range(nodes))
    with Store(parse_store_address(place)) as store:
        flows = Flows(Team(store, PROJECT))
        flows.team.register(document("walker", "a.py", commands=commands), "ann", lease=10**6)
        flow = flows.approve(flows.start(BINDINGS, "pat").flow_id, "pat")
        with_flow = seconds(lambda: FlowDriver(flows, "driver", open_door=Body().door, at_once=1).drive(flow.flow_id))
    with connect("embedded") as bridge:
        bare = seconds(lambda: [bridge.execute("STOP") for _ in range(nodes)])
    return [
        Row(f"{kind}: a node of a flow, beside its executor", round(with_flow / nodes * 1000, 2), "ms"),
        Row(f"{kind}: the bare door to the embedded arena", round(bare / nodes * 1000, 3), "ms"),
    ]


def seconds(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def all_rows(kind: str, place: str, folder: Path, *, quick: bool) -> list[Row]:
    processes, files, kills, nodes = (4, 15, 4, 10) if quick else (8, 1000, 50, 60)
    return [
        *race_rows(kind, place, processes, files),
        *registration_rows(kind, place, (20, 200) if quick else (100, 1000, 10_000)),
        *node_rows(kind, place, nodes),
        *kill_rows(kind, place, folder, kills),
    ]


def main() -> int:
    given = options(__doc__)
    with TemporaryDirectory() as folder:
        rows = all_rows("SQLite", f"{folder}/team.db", Path(folder), quick=given.quick)
    if binaries() is None:
        print("PostgreSQL is not installed: it is NOT measured", file=sys.stderr)
        return show("Workflow", rows, as_json=given.json)
    cluster = make_cluster()
    try:
        with TemporaryDirectory() as folder:
            rows += all_rows("PostgreSQL", cluster.new_database(), Path(folder), quick=given.quick)
    finally:
        cluster.stop()
        shutil.rmtree(cluster.folder, ignore_errors=True)
    return show("Workflow", rows, as_json=given.json)


if __name__ == "__main__":
    raise SystemExit(main())
