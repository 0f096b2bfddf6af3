"""What a team's registry and its flows cost, and whether they hold: races, crashes, kills, registrations, cold starts, nodes.

Bars are ratios to a case of the same run, or counts that must be exact. On PostgreSQL too, where the system has its
package; the cluster is private and does not force writes to the disk. The same flows run on DBOS and LangGraph
(`benchmarks/beside.py`), on the same server and under the same kills, each in a separate environment; a quick run includes
those whose environments already exist.

    python benchmarks/workflow.py --quick
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory, mkdtemp
from time import perf_counter

from rows import Row, interleaved, options, show

sys.path.insert(0, str(Path(__file__).parents[1]))

from beside import rows_of_engines

from tests.keys import use_test_key
from tests.workflow.clusters import binaries, make_cluster
from tests.workflow.cold import register_cold
from tests.workflow.crashing import MortalStore, World, approved_moment, crash_everywhere, crash_twice
from tests.workflow.killing import Site, Worker
from tests.workflow.plans import PROJECT, document
from tests.workflow.racing import race, register, register_without_locking, winners
from tests.workflow.scenes import HandClock
from volition.execution import ExecutorServer, RequestMark, RequestMemory, connect
from volition.execution.wire.request import REQUESTS
from volition.execution.wire.session.handshake import FEATURES
from volition.workflow import FlowDriver, Flows, Store, Team, parse_store_address

FLAT_BAR = 3.0
"""A registration with a hundred times as many active plans takes at most this many times as long."""
GRAVE = {"rule": "write_write", "severity": "high", "resource": "a.py", "plans": ["intent_other"]}
"""A collision for which a plan is refused."""
NODE_BAR = 12.0
"""What a flow adds to the door for a node, in bare transactions, which record one event each."""


def emptied(place: str) -> str:
    """The same address, with nothing at it."""
    with Store(parse_store_address(place)) as store, store.write() as connection:
        for table in (
            "project",
            "member",
            "plan",
            "event",
            "flow",
            "flow_plan",
            "question",
            "answer",
            "permit",
            "node",
        ):
            connection.exec_driver_sql(f"DELETE FROM {table}")
    return place


def race_rows(kind: str, place: str, processes: int, files: int) -> list[Row]:
    """Every process wants every file: exactly one winner each; and what happens where nobody locks the project."""
    start = perf_counter()
    won = race(register, emptied(place), processes, files)
    taken = perf_counter() - start
    counts = winners(won, files)
    tokens = {token for each in won for _, token in each}
    right = counts == [1] * files and len(tokens) == files
    control = winners(race(register_without_locking, emptied(place), processes, min(files, 60)), min(files, 60))
    doubled = sum(count > 1 for count in control)
    return [
        Row(f"{kind}: race of {processes} x {files}, files with one winner", sum(n == 1 for n in counts), "files", f"= {files}", right),
        Row(f"{kind}: attempts", round(processes * files / taken, 1), "/s"),
        Row(f"{kind}: control without locking, files with several winners", doubled, "files", "> 0", doubled > 0),
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


def cold_rows(kind: str, place: str, processes: int) -> list[Row]:
    """Processes that were just started register at the same moment, among the plans that are there already."""
    start = perf_counter()
    granted = register_cold(place, processes).count("granted")
    taken = perf_counter() - start
    name = f"{kind}: {processes} cold command lines at once"
    return [
        Row(f"{name}, granted", granted, "processes", f"= {processes}", granted == processes),
        Row(f"{name}, until the last one", round(taken, 2), "s"),
    ]


def crash_rows(kind: str, place: str) -> list[Row]:
    """A crash at every boundary of a flow from its first registration on, and at every pair of an approved one."""
    clock = HandClock()
    with MortalStore(parse_store_address(emptied(place)), clock=clock) as store:
        world = World(store, clock=clock)
        empty = world.photograph()
        boundaries = crash_everywhere(world, empty)
        pairs = crash_twice(world, approved_moment(world, empty))
    # Each life is checked: an effect that is missing or happened twice, or a lost answer, ends this program.
    return [
        Row(f"{kind}: boundaries at which a crash leaves every effect once", boundaries, "boundaries"),
        Row(f"{kind}: pairs of moments likewise", pairs, "pairs"),
    ]


def kill_rows(kind: str, place: str, folder: Path, kills: int) -> list[Row]:
    """Drivers and the executor are killed at random moments."""
    site = Site(emptied(place), folder)
    site.prepare(max(4, kills // 2))
    hits = site.run(kills, seed=3, kill_executor=True)
    done, wanted = site.effects(), site.requests()
    twice, missing = len(done) - len(set(done)), len(set(wanted) - set(done))
    return [
        Row(f"{kind}: SIGKILLs that hit, of {kills}, and half as many of the executor", hits, "kills"),
        Row(f"{kind}: effects twice, of {len(wanted)}", twice, "effects", "= 0", twice == 0),
        Row(f"{kind}: effects missing", missing, "effects", "= 0", missing == 0),
    ]


def node_rows(kind: str, place: str, folder: Path, nodes: int, rounds: int) -> list[Row]:
    """What a flow adds to a node, beside the bare door to the same executor, and in units of a bare transaction."""
    folder = Path(mkdtemp(dir=folder))
    site = Site(emptied(place), folder)
    with (
        Store(parse_store_address(place)) as store,
        RequestMemory(folder / "requests") as memory,
        ExecutorServer.listen(site.address, Worker(folder / "log", 0.0), requests=memory).running() as address,
    ):
        flows = Flows(Team(store, PROJECT))
        number = 0

        def mark() -> RequestMark:
            nonlocal number
            number += 1
            return RequestMark(request=f"bare {number}", digest="d", token=0, resource="bare")

        def bare_door() -> None:
            with connect(address, features=(*FEATURES, REQUESTS)) as bridge:
                for _ in range(nodes):
                    bridge.execute("JUMP", mark=mark())

        def bare_transactions() -> None:
            for _ in range(nodes):
                with flows.team.transaction() as transaction:
                    transaction.record("refused", "intent_nothing", "ann", checksum="", collisions=[GRAVE])

        def prepared() -> str:
            nonlocal number
            number += 1
            commands = tuple(f"jump_{each:03d}: write: jump" for each in range(nodes))
            flows.team.register(document(f"walker_{number}", f"{number}.py", commands=commands), "ann", lease=10**6)
            flow = flows.start(site.bindings(), "pat", plans=[f"intent_walker_{number}"])
            return flows.approve(flow.flow_id, "pat").flow_id

        ready = [prepared() for _ in range(rounds + 1)]
        taken = interleaved(
            {
                "flow": lambda: FlowDriver(flows, "driver", at_once=1).drive(ready.pop()),
                "door": bare_door,
                "transaction": bare_transactions,
            },
            rounds,
        )
    flow, door, transaction = (median(taken[name]) / nodes for name in ("flow", "door", "transaction"))
    added = median((f - d) / t for f, d, t in zip(taken["flow"], taken["door"], taken["transaction"], strict=True))
    return [
        Row(f"{kind}: a node of a flow, with its executor", round(flow * 1000, 2), "ms"),
        Row(f"{kind}: the bare door to the same executor", round(door * 1000, 2), "ms"),
        Row(f"{kind}: a bare transaction", round(transaction * 1000, 2), "ms"),
        Row(
            f"{kind}: what a flow adds to a node",
            round(added, 2),
            "transactions",
            f"<= {NODE_BAR:g}",
            added <= NODE_BAR,
        ),
    ]


def all_rows(kind: str, place: str, folder: Path, *, quick: bool) -> list[Row]:
    processes, files, kills, nodes = (4, 12, 3, 8) if quick else (8, 1000, 50, 40)
    return [
        *race_rows(kind, place, processes, files),
        *registration_rows(kind, place, (20, 120) if quick else (100, 1000, 10_000)),
        *cold_rows(kind, place, 4 if quick else 15),
        *node_rows(kind, place, folder, nodes, rounds=3 if quick else 7),
        *([] if quick else crash_rows(kind, place)),
        *kill_rows(kind, place, folder, kills),
    ]


def main() -> int:
    given = options(__doc__)
    use_test_key()
    with TemporaryDirectory() as folder:
        rows = all_rows("SQLite", f"{folder}/team.db", Path(folder), quick=given.quick)
    if binaries() is None:
        print("PostgreSQL is not installed: it is NOT measured", file=sys.stderr)
    else:
        rows += on_postgresql(quick=given.quick)
    return show("Workflow", rows, as_json=given.json)


def on_postgresql(*, quick: bool) -> list[Row]:
    """The same rows with a private cluster, and the comparison with other engines."""
    cluster = make_cluster()
    try:
        with TemporaryDirectory() as folder:
            rows = all_rows("PostgreSQL", cluster.new_database(), Path(folder), quick=quick)
        return [*rows, *rows_of_engines(cluster, quick=quick)]
    finally:
        cluster.stop()
        shutil.rmtree(cluster.folder, ignore_errors=True)


if __name__ == "__main__":
    raise SystemExit(main())
