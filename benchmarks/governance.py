"""What an evaluation costs, from JSON bytes to result bytes, and its parts, beside the naive evaluator.

Each intent has four files and a module, three commands of which one writes, and four references; one file in 500 is
among the few that everybody wants, one intent in ten holds a lock, one in three cites a file that may be another's.
Sets beyond 20 are evaluated without the limit. With --quick the sizes end at 10 000. Bars in seconds are held against
the rounds in which the machine was free.

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
from rows import Moment, Pace, Row, options, ratio, show, timed

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


class Case:
    """Something that is timed in rounds, and the most that it may take."""

    def __init__(self, name: str, work: Callable[[], object], most: float | None, times: int = 1) -> None:
        self.name, self.most = name, most
        self._work, self._times = work, times
        self._moments: list[Moment] = []

    def measured(self, rounds: int, pace: Pace, patience: float) -> Case:
        """This case, after so many rounds on a free machine and one before them that does not count."""
        self._work()
        self._moments = pace.waited(lambda: pace.timed(self._work, self._times), rounds, patience)
        return self

    def seconds(self, pace: Pace) -> list[float]:
        return [moment.seconds for moment in pace.free(self._moments)]

    def row(self, pace: Pace) -> Row:
        return within(self.name, self.seconds(pace), self.most)


def whole_path(size: int) -> Case:
    files = Files(size)
    return Case(f"bytes to result bytes, {size:,} intents", files.evaluated, WHOLE[size], max(1, 40 // size))


def detection(size: int) -> Case:
    intents = Files(size).intents()
    intents.sort(key=lambda intent: intent.id)
    return Case(f"detection alone, {size:,} intents", lambda: find(intents, "local", BUILT_IN), DETECTION.get(size))


def growth(one: tuple[int, float], other: tuple[int, float]) -> Row:
    """By which power of the number of intents detection grows."""
    power = log(other[1] / one[1]) / log(other[0] / one[0])
    name = f"growth of detection from {one[0]:,} to {other[0]:,}"
    return Row(name, round(power, 3), "as a power of n", f"<= {GROWTH}", power <= GROWTH)


def adding(size: int, pace: Pace, patience: float) -> list[Row]:
    """What adding one plan to an index of `size` and somewhat more costs, one after another.

    Making the plans and looking at the yardstick fill the processor's caches with other things, so the first plans of
    a round are added and do not count.
    """
    index, content = ConflictIndex(), content_of(size, more=900_000)
    last, first, together = min(size // 2, 10_000), 10, 100
    for text in islice(content, size):
        index.add(read_intent(text).document)
    parts: dict[Moment, list[float]] = {}

    def some() -> Moment:
        texts, taken = list(islice(content, first + together)), list[float]()

        def added() -> float:
            for text in texts:
                intent = read_intent(text).document
                start = perf_counter()
                index.add(intent)
                taken.append(perf_counter() - start)
            return sum(taken)

        moment = pace.around(added)
        parts[moment] = taken[first:]
        return moment

    moments = pace.waited(some, last // together, patience)
    seconds = sorted(second for moment in pace.free(moments) for second in parts[moment])
    late = seconds[int(len(seconds) * 0.99)]
    return [
        timed(f"adding one to {size:,}, p50", [median(seconds)]),
        Row(f"adding one to {size:,}, p99", round(late * 1e6, 3), "us", f"<= {ADD * 1e6:g} us", late <= ADD),
    ]


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


class Largest:
    """The whole path at 100 000, in processes of its own, so that its memory can be told."""

    def __init__(self, pace: Pace, rounds: int, patience: float) -> None:
        self._megabytes: list[float] = []
        self._moments = pace.waited(lambda: pace.around(self._run), rounds, patience)

    def rows(self, pace: Pace) -> list[Row]:
        seconds, most = [moment.seconds for moment in pace.free(self._moments)], max(self._megabytes)
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
    size = 10_000 if given.quick else 100_000
    pace, patience = Pace(), 5.0 if given.quick else 30.0
    # The largest comes first: a process starts with the most memory that the one before it ever had.
    most = None if given.quick else Largest(pace, 3, 5 * patience)
    rounds = 30 if given.quick else 100
    whole = [whole_path(n).measured(rounds, pace, patience) for n in (2, 20, 1_000)]
    whole.append(whole_path(10_000).measured(3, pace, 2 * patience))
    found = detection(1_000).measured(rounds, pace, patience)
    found_large = detection(size).measured(3, pace, patience)
    added = adding(size, pace, patience)
    power = growth((1_000, median(found.seconds(pace))), (size, median(found_large.seconds(pace))))
    rows = [case.row(pace) for case in (*whole, found, found_large)]
    rows += [power, *added, *beside_naive(150 if given.quick else 300, bar=False)]
    if most:
        rows += [*beside_naive(1_000, bar=True), *most.rows(pace)]
    return show("Governance", rows, as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
