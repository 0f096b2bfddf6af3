"""Whether agents in many processes can be granted the same thing, and what a call of the server costs.

The race: 8 and 32 processes want one path, a folder and a file, or a pattern and a file at the same moment, under one
name, several names and one session. Exactly one is granted it, in every round. Other registries are put to the
same test in a separate environment. A call is measured against a tool that does nothing, over the same transport. A check of
5 000 files and an overview of 100 branches are measured against git.

    python benchmarks/agents.py --quick
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections import Counter
from contextlib import AsyncExitStack
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any

from peers import inside, rows_beside
from rows import Row, interleaved, options, ratio, show, timed

sys.path.insert(0, str(Path(__file__).parents[1]))

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

PEER = "agent-lease-mcp==0.2.0"
LEFT_OUT = {
    "mcp_agent_mail": "130 packages, half a gigabyte",
    "swarm-mail": "needs Node.js",
    "beads": "its installation fetches a program from elsewhere",
    "FlightPlan": "a hosted service",
}
"""Peers that are not raced here, and why; docs/agents.md says what others saw of them."""
CALL_BAR = 8.0
"""A call that reads the registry takes at most this many times as long as one that does nothing."""

CHECK_BAR = 60.0
"""A check of 5000 files takes at most this many times as long as git takes to list them."""
OVERVIEW_BAR = 16.0
"""An overview of 100 branches takes at most this many times as long as one look of git at each."""


def race_rows(folder: Path, processes: int, count: int) -> list[Row]:
    """Rounds with exactly one winner, and whether every other agent was told that it has not won."""
    from tests.agents.mcp.cases import all_rounds, race
    from tests.agents.mcp.racing import prepare, volition_agent

    place, rounds = str(folder / f"race_{processes}.db"), all_rounds(count)
    prepare(place)
    start = perf_counter()
    ended = race(volition_agent, place, processes, rounds)
    taken = perf_counter() - start
    winners = [each.count("granted") for each in ended]
    right = winners == [1] * count
    told = sum(
        Counter(each) == {"granted": 1, "held" if names == "one session" else "refused": processes - 1}
        for (_, names), each in zip(rounds, ended, strict=True)
    )
    name = f"race of {processes} processes"
    return [
        Row(f"{name}: rounds with exactly one winner, of {count}", winners.count(1), "rounds", f"= {count}", right),
        Row(f"{name}: most winners of a round", max(winners), "agents", "= 1", max(winners) == 1),
        Row(f"{name}: rounds in which all others were told so", told, "rounds", f"= {count}", told == count),
        Row(f"{name}: claims", round(processes * count / taken, 1), "/s"),
    ]


def server_rows(folder: Path, servers: int, count: int) -> list[Row]:
    """The same through the protocol: one server process for each agent, as its client starts it."""
    from mcp import Client, StdioServerParameters

    command = ["-m", "volition.cli", "mcp", "--project", "shop", "--holder", "agent"]
    start = StdioServerParameters(
        command=sys.executable, args=[*command, "--registry", str(folder / "served.db")], env=dict(os.environ)
    )

    async def play() -> list[list[str]]:
        async with AsyncExitStack() as stack:
            clients = [await stack.enter_async_context(Client(start)) for _ in range(servers)]

            async def claim(client: Any, number: int) -> str:
                said = {"title": f"Work of round {number}", "files": [f"round_{number}/a.py"]}
                return str((await client.call_tool("propose_plan", said)).structured_content["outcome"])

            return [await asyncio.gather(*(claim(client, number) for client in clients)) for number in range(count)]

    winners = [each.count("granted") for each in asyncio.run(play())]
    name = f"race of {servers} servers: rounds with exactly one winner, of {count}"
    return [Row(name, winners.count(1), "rounds", f"= {count}", winners == [1] * count)]


def call_rows(folder: Path, count: int) -> list[Row]:
    """The median call over each transport, to one of a tool that does nothing, in memory, in the same rounds."""
    from mcp import Client, StdioServerParameters
    from mcp.server.mcpserver import MCPServer

    from tests.agents.mcp.talking import make_server

    registry = folder / "calls.db"
    bare = MCPServer("bare", log_level="WARNING")
    bare.add_tool(lambda: "done", name="nothing", description="Do nothing.")
    command = ["-m", "volition.cli", "mcp", "--project", "shop", "--registry", str(registry)]
    taken: dict[str, list[float]] = {}

    async def play() -> None:
        async with AsyncExitStack() as stack:
            enter: Callable[[Any], Awaitable[Any]] = stack.enter_async_context
            nothing = await enter(Client(bare))
            here = await enter(Client(make_server(registry, "one")))
            made = await here.call_tool("propose_plan", {"title": "Add rate limits", "files": ["a.py"]})
            plan = {"plan_id": made.structured_content["plan_id"]}
            renewed = {**plan, "token": made.structured_content["token"]}
            pipes = await enter(
                Client(StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ)))
            )
            cases = {
                "a tool that does nothing, in memory": (nothing, "nothing", {}),
                "show_plan, in memory": (here, "show_plan", plan),
                "show_plan, over pipes": (pipes, "show_plan", plan),
                "renew_plan, in memory": (here, "renew_plan", renewed),
            }
            for number in range(count + 3):
                for name, (client, tool, arguments) in cases.items():
                    start = perf_counter()
                    await client.call_tool(tool, arguments)
                    if number >= 3:
                        taken.setdefault(name, []).append(perf_counter() - start)

    asyncio.run(play())
    rows = [timed(f"{name}, p50", seconds) for name, seconds in taken.items()]
    floor, shown = (median(taken[name]) for name in ("a tool that does nothing, in memory", "show_plan, in memory"))
    times = shown / floor
    rows.append(
        Row("show_plan to a tool that does nothing", round(times, 2), "times", f"<= {CALL_BAR:g}", times <= CALL_BAR)
    )
    return rows


def start_rows(folder: Path, rounds: int) -> list[Row]:
    """From starting the server to its first answer, against a bare Python that imports the SDK."""
    from subprocess import run

    asked = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}\n'
    command = [sys.executable, "-m", "volition.cli", "mcp", "--project", "shop", "--registry", str(folder / "start.db")]
    taken = interleaved(
        {
            "server": lambda: run(command, input=asked, capture_output=True, check=True),
            "import": lambda: run([sys.executable, "-c", "import mcp.server.mcpserver"], check=True),
        },
        rounds,
    )
    times = median(one / other for one, other in zip(taken["server"], taken["import"], strict=True))
    return [
        timed("start, first answer and end of a server", taken["server"]),
        Row("that to importing the SDK alone", round(times, 2), "times", "<= 3", times <= 3),
    ]


def check_rows(folder: Path, rounds: int, branches: int) -> list[Row]:
    """A check of 5 000 changed files against 100 plans of the base, and an overview of branches that all change one file,
    beside what git alone takes for the same: the list of the files, and one look at each branch."""
    from msgspec.json import encode

    from volition.agents.check.approval import check_with_base
    from volition.agents.check.changes import changes_between
    from volition.governance import Plan

    repo = folder / "changed"
    _git(folder, "init", "-q", "-b", "main", str(repo))
    (repo / "plans").mkdir()
    for number in range(100):
        name = f"intent_plan_{number:03}"
        files = [f"src/{number}/*.py", f"docs/{number}.md"]
        plan = Plan(f"Plan {number}", id=name, files=files, commands=["do_it: write: do it"], status="approved")
        (repo / "plans" / f"{name}.json").write_bytes(encode(plan.intent))
    _write(repo, {"app.py": "".join(f"def f{line}():\n    return {line}\n" for line in range(100))}, "begin")
    for number in range(branches):
        _git(repo, "checkout", "-qb", f"b{number}", "main")
        text = (repo / "app.py").read_text().replace(f"return {number}\n", f"return {number + 1000}\n")
        _write(repo, {"app.py": text, f"own_{number}.py": f"X = {number}\n"}, "work")
    _git(repo, "checkout", "-qb", "work", "main")
    _write(repo, {f"src/{number % 101}/file_{number}.py": f"{number}\n" for number in range(5000)}, "many")

    def check() -> None:
        found = check_with_base(changes_between(str(repo), "main..work"), str(repo), "plans", ())
        assert (found.changed, len(found.unplanned)) == (5000, 49)

    def overview() -> None:
        line = [sys.executable, "-m", "volition.cli", "worktrees", "--base", "main"]
        done = subprocess.run(line, cwd=repo, check=False, capture_output=True, text=True)
        assert len(done.stdout.splitlines()) > branches, done.stderr

    def look_at_each() -> None:
        for number in range(branches):
            _git(repo, "diff", "--stat", f"main...b{number}")

    cases: dict[str, Callable[[], object]] = {
        "git diff --name-only, 5000 files": lambda: _git(repo, "diff", "--name-only", "main...work"),
        "a check of 5000 files against 100 plans": check,
        f"git diff --stat of {branches} branches": look_at_each,
        f"volition worktrees, {branches} branches, {branches * (branches - 1) // 2} merges": overview,
    }
    taken = interleaved(cases, rounds)
    listed, checked, looked, compared = taken.values()
    return [
        *(timed(name, seconds) for name, seconds in taken.items()),
        ratio("check / git diff --name-only", checked, listed, at_most=CHECK_BAR),
        ratio("volition worktrees / git diff --stat of each", compared, looked, at_most=OVERVIEW_BAR),
    ]


def _git(folder: Path, *words: str) -> str:
    line = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words]
    return subprocess.run(line, cwd=folder, check=True, capture_output=True, text=True).stdout


def _write(repo: Path, files: dict[str, str], message: str) -> None:
    for name, text in files.items():
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text(text)
    _git(repo, "add", "-A")
    _git(repo, "commit", "-qm", message)


def lease_agent(place: str, number: int, names: str) -> Callable[[str, int], str]:
    """An agent of agent-lease-mcp: its identity is its name."""
    from agent_lease_mcp.store import Store

    store = Store(Path(place))
    name = f"agent-{number}" if names == "several names" else "agent"

    def claim(path: str, _round: int) -> str:
        return "granted" if store.claim([f"/repository/{path}"], name, "work").granted else "refused"

    return claim


def peer_rows(folder: Path, processes: int, count: int) -> list[Row]:
    """What the nearest peer grants, case by case. No bar: it is theirs."""
    if find_spec("agent_lease_mcp") is None:
        return [Row(f"{PEER}: not raced, it cannot be installed here", 0, "rounds")]
    from tests.agents.mcp.cases import CASES, race

    rows = []
    for case in CASES:
        for names in ("several names", "one name"):
            place = folder / f"{case}_{names}.db".replace(" ", "_")
            lease_agent(str(place), 0, names)
            winners = [
                each.count("granted") for each in race(lease_agent, str(place), processes, [(case, names)] * count)
            ]
            rows.append(
                Row(f"{PEER}, {case}, {names}: winners of {processes}, in the middle", median(winners), "agents")
            )
    return rows


def main() -> int:
    given = options(__doc__)
    with TemporaryDirectory() as place:
        folder = Path(place)
        os.environ["VOLITION_KEY"] = f"{place}/key.pem"
        if inside():
            return show("Peers", peer_rows(folder, 8, 3 if given.quick else 20), as_json=given.json)
        rows = [
            *race_rows(folder, 8, 9 if given.quick else 1000),
            *race_rows(folder, 32, 3 if given.quick else 1000),
            *server_rows(folder, 4 if given.quick else 8, 5 if given.quick else 100),
            *call_rows(folder, 30 if given.quick else 300),
            *start_rows(folder, 2 if given.quick else 7),
            *check_rows(folder, 1 if given.quick else 5, 40 if given.quick else 100),
            *rows_beside([PEER], __file__, quick=given.quick),
            *(Row(f"{name}: not raced, {why}", 0, "rounds") for name, why in LEFT_OUT.items()),
        ]
    return show("Agents", rows, as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
