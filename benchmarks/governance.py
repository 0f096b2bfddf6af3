"""What an evaluation costs, from JSON bytes to result bytes, and its parts, beside the naive evaluator.

Each intent has four files and a module, three commands of which one writes, and four references; one file in 500 is
among the few that everybody wants, one intent in ten holds a lock, one in three cites a file that may be another's.
Sets beyond 20 are evaluated without the limit. With --quick the sizes end at 10 000. The cases are measured in turn,
and bars in seconds are held against the rounds in which the machine was free.

    python benchmarks/governance.py --quick
"""

from __future__ import annotations

import gc
import json
import os
import resource
import subprocess
import sys
from itertools import islice
from math import log
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any

import msgspec
from rows import Pace, Row, Timed, options, ratio, show, timed

from volition.governance import ConflictIndex, evaluate
from volition.governance.checksums import sealed
from volition.governance.conflicts import find
from volition.governance.loading import load_from
from volition.governance.policy import BUILT_IN
from volition.governance.reading import read_intent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from volition.governance.documents import Intent

WHOLE = {2: 400e-6, 20: 3e-3, 1_000: 90e-3, 10_000: 1.0, 100_000: 12.0}
DETECTION = {1_000: 25e-3, 100_000: 5.0}
MOST_MEGABYTES = 800
GROWTH = 1.15
ADD = 50e-6
NAIVE = 30


def intent_data(number: int, size: int, chance: Random) -> dict[str, Any]:
    """One intent of a set of `size`, as plain data, sealed."""

    def file() -> str:
        n = chance.randrange(size * 8) if chance.random() > 0.002 else chance.randrange(5)
        return f"src/part{n % max(1, size // 20)}/area{n % 7}/file{n}.py"

    files = [file() for _ in range(4)]
    refs = [f"factpack://file_scan/{name}" for name in files[:3]]
    refs.append(f"factpack://file_scan/{file()}" if chance.random() < 0.33 else f"note://meeting/{number}")
    commands = [
        {
            "command_id": f"{verb}_part_{place}",
            "intent": f"{verb.capitalize()} what stands in {files[place]}",
            "effects": [effect],
            "risk_level": "low",
            "evidence_refs": [refs[place]],
        }
        for place, (verb, effect) in enumerate((("improve", "write"), ("analyze", "read"), ("inspect", "read")))
    ]
    locked = chance.random() < 0.1
    data = {
        "id": f"intent_number_{number:06d}",
        "type": "execution_intent",
        "title": f"Plan number {number}",
        "version": "1.0.0",
        "status": "proposed",
        "created_at": "2026-01-25T10:00:00Z",
        "lineage": {"introduced_in": "0.9.1", "derived_from": [], "supersedes": []},
        "scope": {
            "project_id": "shop",
            "repo_root": ".",
            "targets": {"files": files, "modules": [f"part{number % max(1, size // 3)}.core"], "areas": ["backend"]},
        },
        "objective": {"goal": "Make it better", "success_criteria": ["It is better"], "non_goals": []},
        "selected_workflows": [{"workflow_id": "general_work", "phases": ["analysis", "review"]}],
        "selected_agents": [{"agent_id": "worker", "role": "worker", "responsibilities": ["Do the work"]}],
        "planned_commands": commands,
        "interaction": {"mode": "interactive", "question_budget": 3, "question_policy": "blockers_only"},
        "risk": {"overall": "medium", "drivers": ["It changes things"], "requires_review": ["release"]},
        "budgets": {"max_files": 4, "max_commits": 1, "max_tokens": 1000, "max_cost_usd": 1},
        "evidence_refs": refs,
        "constraints": {
            "execution": "forbidden",
            "no_fabrication": True,
            "registry_only": True,
            "lock_scope": {"mode": "files" if locked else "task", "paths": files[:1] if locked else []},
        },
        "audit": {"created_by": "somebody", "source": "human", "checksum": ""},
    }
    return sealed("intent", data)


def content_of(size: int, more: int = 0) -> Iterator[bytes]:
    """The intents of a set as the bytes of their files, and so many more that are like them."""
    chance = Random(size)
    for number in range(size + more):
        yield json.dumps(intent_data(number, size, chance)).encode()


def set_content(ids: Sequence[str]) -> bytes:
    data = {
        "id": "intent_set_benchmark",
        "type": "intent_set",
        "schema_version": "0.9.3",
        "created_at": "2026-01-25T10:00:00Z",
        "intent_ids": list(ids),
        "context": {"project_id": "shop", "env": "local"},
        "lineage": {"introduced_in": "0.9.3", "derived_from": []},
    }
    return json.dumps(sealed("intent_set", {**data, "checksum": ""})).encode()


class Files:
    """A set and its intents as bytes."""

    def __init__(self, size: int) -> None:
        self.members = {f"intent_number_{n:06d}": content for n, content in enumerate(content_of(size))}
        self.set = set_content(list(self.members))
        self.limit = size <= 20

    def evaluated(self) -> bytes:
        loaded = load_from(self.set, self.members.__getitem__, limit=self.limit)
        return msgspec.json.encode(evaluate(loaded.intent_set, loaded.intents, limit=self.limit).result)

    def intents(self) -> list[Intent]:
        return [read_intent(content).document for content in self.members.values()]


def within(name: str, seconds: Sequence[float], most: float | None) -> Row:
    """The median time of a case, held against what it may take."""
    row = timed(name, seconds)
    if most is None:
        return row
    bar = timed("", [most])
    return Row(row.name, row.value, row.unit, f"<= {bar.value:g} {bar.unit}", median(seconds) <= most)


class Case(Timed):
    """Something that is timed in rounds of so many calls, and the most that one of them may take."""

    def __init__(self, name: str, work: Callable[[], object], most: float | None, wanted: int, times: int = 1) -> None:
        self.name, self.most = name, most
        work()

        def round_() -> float:
            start = perf_counter()
            for _ in range(times):
                work()
            return (perf_counter() - start) / times

        super().__init__(round_, wanted)

    def seconds(self, pace: Pace) -> list[float]:
        return [moment.seconds for moment in pace.counted(self)]

    def row(self, pace: Pace) -> Row:
        return within(self.name, self.seconds(pace), self.most)


def whole_path(size: int, wanted: int) -> Case:
    files = Files(size)
    name = f"bytes to result bytes, {size:,} intents"
    return Case(name, files.evaluated, WHOLE[size], wanted, max(1, 40 // size))


def detection(size: int, wanted: int) -> Case:
    intents = Files(size).intents()
    intents.sort(key=lambda intent: intent.id)
    name = f"detection alone, {size:,} intents"
    return Case(name, lambda: find(intents, "local", BUILT_IN), DETECTION.get(size), wanted)


def growth(pace: Pace, one: tuple[int, Case], other: tuple[int, Case]) -> Row:
    """By which power of the number of intents detection grows."""
    (few, small), (many, large) = one, other
    power = log(median(large.seconds(pace)) / median(small.seconds(pace))) / log(many / few)
    name = f"growth of detection from {few:,} to {many:,}"
    return Row(name, round(power, 3), "as a power of n", f"<= {GROWTH}", power <= GROWTH)


class Adding(Timed):
    """What adding one loaded plan to an index of `size` and somewhat more costs, one after another.

    To load plans and to look at the yardstick fills the processor's caches with other things, so the first plans of a
    round do not count.
    """

    FIRST, TOGETHER = 10, 40

    def __init__(self, size: int, wanted: int) -> None:
        self._size, self._index, self._content = size, ConflictIndex(), content_of(size, more=900_000)
        for text in islice(self._content, size):
            self._index.add(read_intent(text).document)
        self._ready = list(islice(self._content, 2 * wanted * (self.FIRST + self.TOGETHER)))
        self._taken: dict[float, list[float]] = {}
        super().__init__(self._added, wanted)

    def rows(self, pace: Pace) -> list[Row]:
        seconds = sorted(second for moment in pace.counted(self) for second in self._taken[moment.seconds])
        late = seconds[int(len(seconds) * 0.99)]
        return [
            timed(f"adding one to {self._size:,}, p50", [median(seconds)]),
            Row(f"adding one to {self._size:,}, p99", round(late * 1e6, 3), "us", f"<= {ADD * 1e6:g} us", late <= ADD),
        ]

    def _added(self) -> float:
        taken = []
        if not self._ready:
            self._ready.extend(islice(self._content, self.FIRST + self.TOGETHER))
        for intent in [read_intent(self._ready.pop()).document for _ in range(self.FIRST + self.TOGETHER)]:
            start = perf_counter()
            self._index.add(intent)
            taken.append(perf_counter() - start)
        total = sum(taken)
        self._taken[total] = taken[self.FIRST :]
        return total


def beside_naive(size: int, *, bar: bool) -> list[Row]:
    """The evaluation of loaded intents, beside the executable specification."""
    from volition.governance import reference_merge

    files = Files(size)
    loaded = load_from(files.set, files.members.__getitem__, limit=files.limit)
    given = loaded.intent_set, loaded.intents
    cases: dict[str, Callable[[], object]] = {
        "naive": lambda: reference_merge.evaluate(*given, BUILT_IN),
        "ours": lambda: evaluate(*given, limit=files.limit),
    }
    taken: dict[str, list[float]] = {}
    for name, case in cases.items():
        gc.collect()
        start = perf_counter()
        case()
        taken[name] = [perf_counter() - start]
    return [
        timed(f"naive evaluator, {size:,} intents", taken["naive"]),
        ratio(f"naive / ours, {size:,} intents", taken["naive"], taken["ours"], at_least=NAIVE if bar else None),
    ]


class Largest(Timed):
    """The whole path at 100 000, in processes of its own, so that its memory can be told."""

    def __init__(self, wanted: int) -> None:
        self._megabytes: list[float] = []
        super().__init__(self._run, wanted)

    def rows(self, pace: Pace) -> list[Row]:
        seconds, most = [moment.seconds for moment in pace.counted(self)], max(self._megabytes)
        return [
            within("bytes to result bytes, 100,000 intents", seconds, WHOLE[100_000]),
            Row("its memory", round(most), "MB", f"<= {MOST_MEGABYTES} MB", most <= MOST_MEGABYTES),
        ]

    def _run(self) -> float:
        program = "import governance; governance.largest_here()"
        env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
        told = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, check=True)
        seconds, megabytes = json.loads(told.stdout)
        self._megabytes.append(megabytes)
        return float(seconds)


def largest_here(size: int = 100_000, together: int = 500) -> None:
    """Print the seconds and megabytes of one evaluation of `size` intents; making their bytes does not count.

    They are made some at a time: all at once they would be more memory than the evaluation needs, and one by one the
    maker would push out of the processor's caches what the reader has just put there.
    """
    content = content_of(size)
    ready: list[bytes] = []
    made = 0.0

    def fetch(_: str) -> bytes:
        nonlocal made
        if not ready:
            start = perf_counter()
            ready.extend(islice(content, together))
            ready.reverse()
            made += perf_counter() - start
        return ready.pop()

    start = perf_counter()
    loaded = load_from(set_content([f"intent_number_{n:06d}" for n in range(size)]), fetch, limit=False)
    msgspec.json.encode(evaluate(loaded.intent_set, loaded.intents, limit=False).result)
    seconds = perf_counter() - start - made
    print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))


def main() -> int:
    given = options(__doc__)
    return show("Governance", quick() if given.quick else full(), as_json=given.json)


def quick() -> list[Row]:
    pace = Pace()
    whole = [whole_path(n, 30) for n in (2, 20, 1_000)] + [whole_path(10_000, 6)]
    small, large, added = detection(1_000, 30), detection(10_000, 12), Adding(10_000, 125)
    pace.wait([*whole, small, large, added], 30.0)
    rows = [case.row(pace) for case in (*whole, small, large)]
    return [*rows, growth(pace, (1_000, small), (10_000, large)), *added.rows(pace), *beside_naive(150, bar=False)]


def full() -> list[Row]:
    pace = Pace()
    # The largest comes first: a process starts with the most memory that the one before it ever had.
    largest = Largest(3)
    pace.wait([largest], 120.0)
    whole = [whole_path(n, 100) for n in (2, 20, 1_000)] + [whole_path(10_000, 20)]
    small, added = detection(1_000, 100), Adding(100_000, 250)
    pace.wait([*whole, small, added], 120.0)
    large = detection(100_000, 3)
    pace.wait([large], 60.0)
    rows = [case.row(pace) for case in (*whole, small, large)]
    rows += [growth(pace, (1_000, small), (100_000, large)), *added.rows(pace)]
    return [*rows, *beside_naive(300, bar=False), *beside_naive(1_000, bar=True), *largest.rows(pace)]


if __name__ == "__main__":
    sys.exit(main())
