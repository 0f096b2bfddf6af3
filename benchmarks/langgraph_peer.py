"""The same flow on LangGraph, in a separate environment: registered, approved by a person, then three steps in order.

LangGraph keeps checkpoints in SQLite, written before each step goes on (`durability="sync"`). Nothing in it names a request,
so a step whose effect happened before its checkpoint did is done again. `benchmarks/workflow.py` runs this.

    python benchmarks/langgraph_peer.py --quick
"""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
import time
from multiprocessing import get_context
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, TypedDict

from rows import Row, options, show

STEPS = ("look", "jump", "strike")
PAUSE = 0.004
"""Seconds that a step takes, as those of the flows beside it do."""
PATIENCE = 120.0


class State(TypedDict, total=False):
    """What LangGraph keeps of a flow."""

    number: int
    approved: str
    passed: str


def append(file: Path, line: str) -> None:
    """Something that happens in the world, and is written down durably."""
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(handle, f"{line}\n".encode())
    os.fsync(handle)
    os.close(handle)


def lines(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []


def build(folder: Path, pause: float) -> Any:
    """The graph, with its checkpoints in a file."""
    from langgraph.checkpoint.sqlite import SqliteSaver
    from langgraph.graph import END, START, StateGraph
    from langgraph.types import interrupt

    def register(state: State) -> State:
        append(folder / "registered", str(state["number"]))
        return {}

    def approve(state: State) -> State:
        return {"approved": interrupt("may it act?")}

    def step(name: str) -> Any:
        def act(state: State) -> State:
            append(folder / "log", f"{state['number']} {name}")
            time.sleep(pause)
            return {"passed": name}

        return act

    graph = StateGraph(State)
    order = ["register", "approve", *STEPS]
    graph.add_node("register", register)
    graph.add_node("approve", approve)
    for name in STEPS:
        graph.add_node(name, step(name))
    for before, after in zip([START, *order], [*order, END], strict=True):
        graph.add_edge(before, after)
    connection = sqlite3.connect(folder / "checkpoints.db", check_same_thread=False, timeout=30)
    return graph.compile(checkpointer=SqliteSaver(connection))


def work(folder: Path, flows: int, pause: float = PAUSE) -> None:
    """Bring every flow to its end, from wherever it is."""
    from langgraph.types import Command

    graph = build(folder, pause)
    for number in range(flows):
        config = {"configurable": {"thread_id": str(number)}}
        while True:
            state = graph.get_state(config)
            if state.values.get("passed") == STEPS[-1] and not state.next:
                break
            begin: Any = None if state.next or state.values else {"number": number}
            waiting = any(task.interrupts for task in state.tasks)
            graph.invoke(Command(resume="yes") if waiting else begin, config, durability="sync")


def kill_rows(folder: Path, flows: int, kills: int) -> list[Row]:
    """Kill the process at random points of its work, then let the last one finish; what happened twice, or not at all."""
    chance, fork, hits = Random(3), get_context("fork"), 0
    for _ in range(kills):
        victim = fork.Process(target=work, args=(folder, flows))
        victim.start()
        wanted, until = len(lines(folder / "log")) + chance.randrange(3), time.monotonic() + PATIENCE
        while victim.is_alive() and len(lines(folder / "log")) < wanted and time.monotonic() < until:
            time.sleep(0.002)
        victim.join(chance.uniform(0.0, 0.02))
        hits += victim.is_alive()
        if victim.is_alive() and victim.pid is not None:
            os.kill(victim.pid, signal.SIGKILL)
        victim.join()
    work(folder, flows)
    done, registered = lines(folder / "log"), lines(folder / "registered")
    wanted_effects = {f"{number} {name}" for number in range(flows) for name in STEPS}
    return [
        Row(f"LangGraph: SIGKILLs that hit, of {kills}", hits, "kills"),
        Row(f"LangGraph: effects twice, of {len(wanted_effects)}", len(done) - len(set(done)), "effects"),
        Row("LangGraph: effects missing", len(wanted_effects - set(done)), "effects"),
        Row(f"LangGraph: registrations twice, of {flows}", len(registered) - len(set(registered)), "registrations"),
    ]


def main() -> int:
    given = options(__doc__)
    try:
        import langgraph.checkpoint.sqlite  # noqa: F401
    except ImportError:
        print("LangGraph cannot be had here: it is NOT compared", file=sys.stderr)
        return show("LangGraph", [Row("LangGraph: not installed, so not compared", 0, "rows")], as_json=given.json)
    flows, kills = (6, 4) if given.quick else (25, 50)
    with TemporaryDirectory() as folder:
        rows = kill_rows(Path(folder), flows, kills)
    with TemporaryDirectory() as folder:
        work(Path(folder), 1, 0.0)
        start = time.perf_counter()
        work(Path(folder), flows, 0.0)
        taken = (time.perf_counter() - start) / ((flows - 1) * (len(STEPS) + 2))
    rows.append(Row("LangGraph: a node of a flow, with its effect", round(taken * 1000, 2), "ms"))
    return show("LangGraph", rows, as_json=given.json)


if __name__ == "__main__":
    raise SystemExit(main())
