"""How long the guard takes for one call of a tool, compared with a bare interpreter that does nothing.

Every round starts new processes, as a client does: a write that is judged and a command line that is read and judged, in a
worktree of 200 files, against a registry with 2 active plans and against one with 1000; and the same in a worktree of
20,000 files, there also the look after a write, and a write after somebody else made a file.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import quantiles
from typing import TYPE_CHECKING

import msgspec
from rows import Row, interleaved, options, ratio, show, timed

from volition.agents.guard.sessions import Identity, bind_session
from volition.agents.guard.setting import FILE, GuardSetting, write_object
from volition.agents.install.clients import guard_line
from volition.governance import Plan
from volition.workflow import Store, Team, parse_store_address
from volition.workflow.team.guard_index import index_file, write_index

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

BAR_WRITE = 2.75
"""At most this many times the start of a bare interpreter for the verdict on a write, whatever the number of plans or files."""
BAR_LINE = 4.5
"""The same for a command line, which has to be parsed."""
BAR_CROWD = 4.75
"""The same for a command line with 1000 active plans."""
BAR_LOOK = 5.5
"""The same where all of a worktree of 20,000 files is read: `git status` alone takes the time of three bare interpreters."""
PROJECT = "shop"


def guarded_repository(folder: Path, plans: int, files: int = 200) -> GuardSetting:
    """A repository with a guard, and a registry with this many active plans."""
    repo = folder / "repo"
    (repo / "src").mkdir(parents=True)
    for number in range(files):
        place = repo / "src" / (f"file_{number}.py" if number < 1000 else f"part_{number // 200}/file_{number}.py")
        place.parent.mkdir(exist_ok=True)
        place.write_text("x\n")
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=repo, check=True)
    with Store(parse_store_address(folder / "team.db")) as store:
        team = Team(store, PROJECT)
        for number in range(plans):
            claims = [f"src/file_{number}.py", f"docs/page_{number}.md"]
            name = f"intent_plan_{number:04}"
            plan = Plan(f"Plan {number}", id=name, files=claims, commands=["do_it: write: do it"], project=PROJECT)
            assert team.register(msgspec.json.encode(plan.intent), f"agent {number}", lease=86400).grant
        write_index(store, PROJECT)
        index = index_file(store.address)
    setting = GuardSetting(str(repo / ".git" / "volition"), str(folder / "team.db"), PROJECT, str(index), strict=False)
    write_object(f"{setting.home}/{FILE}", setting.to_data())
    bind_session(setting, Identity("s"), ["intent_plan_0000"], str(repo))
    return setting


def call(setting: GuardSetting, tool: str, given: dict[str, str], moment: str = "PreToolUse") -> None:
    """One event of Claude Code, answered by a new process; it must pass."""
    event = {"session_id": "s", "cwd": str(Path(setting.common).parent), "hook_event_name": moment}
    said = json.dumps({**event, "tool_name": tool, "tool_input": given}).encode()
    subprocess.run(shlex.split(guard_line(setting, "claude")), input=said, check=True)


def change(setting: GuardSetting) -> None:
    """Write the file of the plan in place, as the tool did before its second event."""
    (Path(setting.common).parent / "src" / "file_0.py").write_text(str(time.time_ns()))


def make_and_remove(setting: GuardSetting) -> None:
    """Write a folder of the worktree, so that all of it is read before the next call."""
    place = Path(setting.common).parent / "src" / "made.py"
    place.touch()
    place.unlink()


def slowest(name: str, seconds: Iterable[float]) -> Row:
    """The time that 95 of 100 calls do not exceed."""
    return Row(name, round(quantiles(seconds, n=20)[-1] * 1000, 1), "ms")


def main() -> int:
    given = options(__doc__)
    with tempfile.TemporaryDirectory() as place:
        os.environ["VOLITION_KEY"] = f"{place}/key.pem"
        few = guarded_repository(Path(place) / "few", 2)
        many = guarded_repository(Path(place) / "many", 1000)
        large = guarded_repository(Path(place) / "large", 2, 20_000)
        write, shell = {"file_path": "src/file_0.py", "content": "x"}, {"command": "cat src/file_1.py > src/file_0.py"}
        cases: dict[str, Callable[[], object]] = {
            "python -c pass": partial(subprocess.run, [sys.executable, "-c", "pass"], check=True),
            "guard, a write, 2 plans": partial(call, few, "Write", write),
            "guard, a command line, 2 plans": partial(call, few, "Bash", shell),
            "guard, a write, 1000 plans": partial(call, many, "Write", write),
            "guard, a command line, 1000 plans": partial(call, many, "Bash", shell),
            "guard, a write, 20000 files": partial(call, large, "Write", write),
            "guard, a command line, 20000 files": partial(call, large, "Bash", shell),
            "a file is written": partial(change, large),
            "guard, after a write, 20000 files": partial(call, large, "Write", write, "PostToolUse"),
            "guard, after a command line, 20000 files": partial(call, large, "Bash", shell, "PostToolUse"),
            "a folder is written": partial(make_and_remove, large),
            "guard, a write after a change of a folder, 20000 files": partial(call, large, "Write", write),
        }
        rounds = interleaved(cases, 9 if given.quick else 60)
    bare = rounds.pop("python -c pass")
    rounds = {name: seconds for name, seconds in rounds.items() if name.startswith("guard")}
    rows = [timed("python -c pass", bare)]
    for name, seconds in rounds.items():
        is_look, is_line = "after a c" in name or "after a change" in name, "command line" in name
        bar = (
            BAR_LOOK
            if is_look
            else BAR_CROWD
            if is_line and "1000 plans" in name
            else BAR_LINE
            if is_line
            else BAR_WRITE
        )
        rows += [timed(name, seconds), slowest(f"{name}, p95", seconds)]
        rows.append(ratio(f"{name} / python -c pass", seconds, bare, at_most=bar))
    return show("Guard", rows, as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
