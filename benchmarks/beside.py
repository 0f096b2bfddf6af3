"""Volition beside DBOS and LangGraph: the same flows over the same PostgreSQL and the same HTTP service, under the same kills.

Each engine is a process in its own environment, with its own database in the same cluster. A step orders one effect of ten
milliseconds from a service, under an idempotency key. The service remembers keys, or forgets them: then an engine that
does a step again does its effect again.
"""

from __future__ import annotations

import ast
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from engine import CHAIN, STEPS, Site
from peers import ROOT, python_with
from rows import Row, ratio

from tests.workflow.http_door import KeyMemory, make_server
from tests.workflow.killing import kill, start
from volition.workflow import Team

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.workflow.clusters import Cluster

EFFECT = 0.010
"""Seconds that an effect takes: it happens in the middle of them."""
PATIENCE = 180.0
STEP_BAR = 1.0
"""A step of Volition takes at most this many times as long as one of DBOS."""
LINES_BAR = 20
OWN = ["cryptography>=42", "sqlalchemy>=2.0.30", "psycopg[binary]>=3.2"]
PEERS = {
    "DBOS": ("dbos_peer.py", ["dbos>=3.3,<4", "psycopg[binary]"]),
    "LangGraph": ("langgraph_peer.py", ["langgraph", "langgraph-checkpoint-postgres", "psycopg[binary]"]),
}


@dataclass(frozen=True, slots=True)
class Contestant:
    """An engine, and how its process is started."""

    name: str
    python: str
    script: Path

    def begin(self, *arguments: str, talks: bool = False) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE if talks else subprocess.DEVNULL
        path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
        return subprocess.Popen(
            [self.python, str(self.script), *arguments],
            stdin=pipe, stdout=pipe, text=True, env={**os.environ, "PYTHONPATH": path},
        )  # fmt: skip


def contestants(*, quick: bool) -> list[Contestant]:
    """Volition, and the peers that can be had, on the same interpreter; a quick run installs nothing."""
    here = Path(__file__).parent
    ours = here / "volition_peer.py"
    found = [Contestant("Volition", python_with(OWN, str(ours), quick=quick) or sys.executable, ours)]
    for name, (script, packages) in PEERS.items():
        if python := python_with(packages, str(here / script), quick=quick):
            found.append(Contestant(name, python, here / script))
    return found


@contextmanager
def service(folder: Path, *, forgets: bool, effect: float = EFFECT) -> Iterator[tuple[str, Path]]:
    """A service in a process, at an address, with a durable log of its effects."""
    log = folder / "log"
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def act(what: str, _key: str) -> None:
        time.sleep(effect / 2)
        os.write(handle, f"{what}\n".encode())
        os.fsync(handle)
        time.sleep(effect / 2)

    server = make_server(KeyMemory(folder / "keys", forgets=forgets), act)
    process = start(server.serve_forever)
    server.socket.close()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", log
    finally:
        kill(process)
        os.close(handle)


# Kills.


def kill_rows(all: Sequence[Contestant], cluster: Cluster, kills: int, flows: int, targets: Sequence[str]) -> list[Row]:
    """The process of each engine is killed at random moments, and started again; all engines at the same time."""
    rows: list[Row] = []
    for target in targets:
        forgets = target == "forgets"
        with ExitStack() as stack:
            # All services are forked before there are threads: a fork would keep the pipes that another thread has just opened.
            places = [Path(stack.enter_context(TemporaryDirectory())) for _ in all]
            services = [stack.enter_context(service(place, forgets=forgets)) for place in places]
            sites = [Site(cluster.new_database(), *each, forgets) for each in services]
            pool = stack.enter_context(ThreadPoolExecutor(len(all)))
            found = [pool.submit(_kill, *trial, kills, flows) for trial in zip(all, sites, strict=True)]
            rows += [row for each in found for row in each.result()]
    return rows


def _kill(engine: Contestant, site: Site, kills: int, flows: int) -> list[Row]:
    chance, hits = Random(3), 0
    target = "forgets" if site.forgets else "remembers"
    work = ("work", site.database, site.service, str(site.log), target, str(flows))
    for _ in range(kills):
        wanted, victim = len(site.effects()) + chance.randrange(1, 3), engine.begin(*work)
        until = time.monotonic() + PATIENCE
        while victim.poll() is None and len(site.effects()) < wanted and time.monotonic() < until:
            time.sleep(0.002)
        time.sleep(chance.uniform(0.0, 0.03))
        hits += victim.poll() is None
        victim.send_signal(signal.SIGKILL)
        victim.wait()
    engine.begin(*work).wait(PATIENCE)
    done = site.effects()
    twice, missing = len(done) - len(set(done)), len(STEPS) * flows - len(set(done))
    ours = engine.name == "Volition"
    where = f"{engine.name}, a service that {target}"
    return [
        Row(f"{where}: SIGKILLs that hit, of {kills}", hits, "kills"),
        Row(
            f"{where}: effects twice, of {len(STEPS) * flows}", twice, "effects", *(("= 0", twice == 0) if ours else ())
        ),
        Row(f"{where}: effects missing", missing, "effects", *(("= 0", missing == 0) if ours else ())),
        *([Row(f"{where}: questions to a person", _settled(site.database), "questions")] if ours else []),
    ]


def _settled(database: str) -> int:
    """How often a person had to say what became of a step."""
    with Team.open(database, "shop") as team:
        return sum(event.what == "node settled" for event in team.history())


# Time.


def step_rows(all: Sequence[Contestant], cluster: Cluster, rounds: int) -> list[Row]:
    """A chain of steps on each engine in turn, and the bare orders to the service, in interleaved rounds."""
    taken: dict[str, list[float]] = {name: [] for name in (*(each.name for each in all), "bare")}
    with TemporaryDirectory() as name, service(Path(name), forgets=False) as (address, log):
        site = Site("", address, log, forgets=False)
        running = {
            each.name: each.begin("chain", cluster.new_database(), address, str(log), "remembers", talks=True)
            for each in all
        }
        try:
            for number in range(rounds + 1):
                for each, process in running.items():
                    taken[each].append(_answer(process, f"{number}\n") / CHAIN)
                begun = time.perf_counter()
                for step in range(CHAIN):
                    site.order("bare", f"bare {number} {step}")
                taken["bare"].append((time.perf_counter() - begun) / CHAIN)
        finally:
            for process in running.values():
                process.kill()
                process.wait()
    return _compared({each: seconds[1:] for each, seconds in taken.items()})


def _answer(process: subprocess.Popen[str], line: str) -> float:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line)
    process.stdin.flush()
    return float(process.stdout.readline())


def _compared(taken: dict[str, list[float]]) -> list[Row]:
    bare = taken.pop("bare")
    added = {name: [all - alone for all, alone in zip(seconds, bare, strict=True)] for name, seconds in taken.items()}
    rows = [Row("the bare order to the service", round(median(bare) * 1000, 2), "ms")]
    for name, seconds in taken.items():
        rows.append(Row(f"{name}: a step on PostgreSQL", round(median(seconds) * 1000, 2), "ms"))
        rows.append(Row(f"{name}: what it adds to the bare order", round(median(added[name]) * 1000, 2), "ms"))
    for peer in (name for name in PEERS if name in taken):
        bar = STEP_BAR if peer == "DBOS" else None
        rows.append(ratio(f"a step of Volition to one of {peer}", taken["Volition"], taken[peer], at_most=bar))
        rows.append(ratio(f"what Volition adds to what {peer} adds", added["Volition"], added[peer], at_most=bar))
    return rows


# Lines.


def line_rows(all: Sequence[Contestant], cluster: Cluster) -> list[Row]:
    """How many lines three steps with an approval take; each program is run."""
    rows = []
    for each in all:
        process = each.begin("program", cluster.new_database(), talks=True)
        said = process.communicate(timeout=PATIENCE)[0]
        count = program_lines(each.script)
        ran = json.loads(said or "[]") == ["build", "test", "ship"]
        bar = (f"<= {LINES_BAR}", ran and count <= LINES_BAR) if each.name == "Volition" else ("runs", ran)
        rows.append(Row(f"{each.name}: lines to write for three steps with an approval", count, "lines", *bar))
    return rows


def program_lines(script: Path) -> int:
    """The lines of a script's program that are neither blank nor comments, without its head, its docstring and its return."""
    text = script.read_text()
    (function,) = (
        node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name == "program"
    )
    body = function.body[1:-1]
    lines = text.splitlines()[body[0].lineno - 1 : body[-1].end_lineno]
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in lines)


def rows_of_engines(cluster: Cluster, *, quick: bool) -> list[Row]:
    """Everything that is compared."""
    found = contestants(quick=quick)
    known = {each.name for each in found}
    missing = [Row(f"{name}: not installed, so not compared", 0, "rows") for name in PEERS if name not in known]
    kills, flows, targets = (2, 3, ("forgets",)) if quick else (16, 17, ("forgets", "remembers"))
    return [
        *step_rows(found, cluster, 5 if quick else 31),
        *line_rows(found, cluster),
        *kill_rows(found, cluster, kills, flows, targets),
        *missing,
    ]
