"""What an evaluation costs, from JSON bytes to result bytes, beside reading the same bytes with the standard library.

Each intent has four files and a module, three commands of which one writes, and four references; one file in 500 is
among the few that everybody wants, one intent in ten holds a lock, one in three cites a file that may be another's.
Sets beyond 20 are evaluated without the limit. Every bar is a ratio between two cases of the same run, in CPU seconds of
this process. The bytes are read as many times in a round as the bar allows, so that both cases last about as long and a
busy machine hits both.

    python benchmarks/governance.py --quick
"""

from __future__ import annotations

import json
import sys
from functools import cache, partial
from math import log
from random import Random
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Any

import msgspec
from rows import Rounds, Row, interleaved, options, ratio, show, timed

from volition.governance import ConflictIndex, evaluate
from volition.governance.claims.extract import claims_of
from volition.governance.claims.footprint import footprint_of
from volition.governance.claims.index import chain_of
from volition.governance.conflicts.contests import add_claims
from volition.governance.conflicts.detection import find
from volition.governance.documents.checksums import seal
from volition.governance.documents.intent import IntentDocument
from volition.governance.documents.loading import load_from
from volition.governance.documents.policy import BUILT_IN
from volition.governance.documents.reading import parse_document
from volition.governance.paths.patterns import covers_path, matches_path, paths_meet

if TYPE_CHECKING:
    from collections.abc import Sequence


WHOLE = {2: 52, 20: 42, 1_000: 30, 10_000: 42}
"""Intents -> how many times as long as reading their bytes the evaluation may take, with room for a busy machine."""
ADDING = 24
"""How many times as long as reading its bytes adding one plan to a live index may take, likewise."""
GROWTH = 1.15
ROUNDS = {2: 60, 20: 60, 1_000: 12, 10_000: 4}


def intent_data(number: int, size: int, chance: Random, *, patterns: bool = False) -> dict[str, Any]:
    """One intent of a set of `size`, as plain data, sealed; with `patterns`, a fifth of them claims patterns and parts."""

    def file() -> str:
        n = chance.randrange(size * 8) if chance.random() > 0.002 else chance.randrange(5)
        return f"src/part{n % max(1, size // 20)}/area{n % 7}/file{n}.py"

    files = [file() for _ in range(4)]
    if patterns and number % 5 == 0:
        area, _, name = files[2].rpartition("/")
        part = area.rpartition("/")[0]
        files[2] = (f"{area}/{name[:-3]}*.py", f"{part}/**/{name}", f"{area}/{{test_,}}{name}")[number // 5 % 3]
        files[3] = f"{files[3]}#Part{number % 3}.method"
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
    return seal("intent", data)


def content_of(size: int, more: int = 0, *, patterns: bool = False) -> list[bytes]:
    """The intents of a set as the bytes of their files, and this many more that are like them."""
    chance = Random(size)
    numbers = range(size + more)
    return [json.dumps(intent_data(number, size, chance, patterns=patterns)).encode() for number in numbers]


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
    return json.dumps(seal("intent_set", {**data, "checksum": ""})).encode()


class Files:
    """A set and its intents as bytes."""

    def __init__(self, size: int, *, patterns: bool = False) -> None:
        contents = content_of(size, patterns=patterns)
        self.members = {f"intent_number_{n:06d}": content for n, content in enumerate(contents)}
        self.set = set_content(list(self.members))
        self.limit = size <= 20

    def contents(self) -> list[bytes]:
        return [self.set, *self.members.values()]

    def evaluate(self) -> bytes:
        loaded = load_from(self.set, self.members.__getitem__, limit=self.limit)
        return msgspec.json.encode(evaluate(loaded.intent_set, loaded.intents, limit=self.limit).result)

    def intents(self) -> list[IntentDocument]:
        return [parse_document(content, IntentDocument) for content in self.members.values()]


def read_often(contents: Sequence[bytes], times: int) -> None:
    """Read bytes with the standard library this many times, and do nothing with them."""
    for _ in range(times):
        for content in contents:
            json.loads(content)


def beside_reading(name: str, taken: Rounds, bar: int) -> list[Row]:
    """How long a case took, and how many times as long as reading its bytes once, which were read `bar` times."""
    once = [seconds / bar for seconds in taken["read"]]
    return [timed(name, taken["case"]), ratio(f"{name} / json", taken["case"], once, at_most=bar)]


def whole_path(size: int, rounds: int) -> list[Row]:
    files, bar = files_of(size), WHOLE[size]
    read = partial(read_often, files.contents(), bar)
    taken = interleaved({"read": read, "case": files.evaluate}, rounds, max(1, 40 // size), process_time)
    return beside_reading(f"bytes to result bytes, {size:,} intents", taken, bar)


@cache
def files_of(size: int) -> Files:
    return Files(size)


def detect(intents: Sequence[IntentDocument]) -> None:
    index: dict[str, list[int]] = {}
    for number, intent in enumerate(intents):
        add_claims(index, number, claims_of(footprint_of(intent), BUILT_IN))
    find(intents, index, "local", BUILT_IN)


def detect_anew(intents: Sequence[IntentDocument]) -> None:
    """Detect without what is remembered of pairs."""
    for remembered in (paths_meet, covers_path, matches_path, chain_of):
        remembered.cache_clear()
    detect(intents)


def detection(few: int, many: int, rounds: int, *, patterns: bool) -> list[Row]:
    """Detection alone, and by which power of the number of intents it grows; no pair is remembered from an earlier round."""
    cases = {size: partial(detect_anew, Files(size, patterns=patterns).intents()) for size in (few, many)}
    taken = interleaved({str(size): case for size, case in cases.items()}, rounds, clock=process_time)
    power = log(median(taken[str(many)]) / median(taken[str(few)])) / log(many / few)
    what = "detection with patterns and parts" if patterns else "detection"
    name = f"growth of {what} from {few:,} to {many:,}"
    return [
        *(timed(f"{what} alone, {size:,} intents", taken[str(size)]) for size in cases),
        Row(name, round(power, 3), "as a power of n", f"<= {GROWTH}", power <= GROWTH),
    ]


def adding(size: int, rounds: int, together: int = 100) -> list[Row]:
    """Adding plans that were read to an index of `size` and somewhat more, beside reading their bytes."""
    index = ConflictIndex()
    content = content_of(size, more=(rounds + 1) * together)
    for text in content[:size]:
        index.add(parse_document(text, IntentDocument))
    waiting = [content[start : start + together] for start in range(size, len(content), together)]
    ready = [[parse_document(text, IntentDocument) for text in some] for some in waiting]

    def read() -> None:
        read_often(waiting[-1], ADDING)

    def add() -> None:
        for intent in ready.pop():
            index.add(intent)

    taken = interleaved({"read": read, "case": add}, rounds, clock=process_time)
    each = {name: [second / together for second in seconds] for name, seconds in taken.items()}
    return beside_reading(f"adding one to {size:,}", each, ADDING)


def main() -> int:
    given = options(__doc__)
    fewer = 4 if given.quick else 1
    sizes = [size for size in WHOLE if size <= 1_000 or not given.quick]  # one round of the largest takes ten seconds
    rows = [row for size in sizes for row in whole_path(size, max(3, ROUNDS[size] // fewer))]
    for patterns in (False, True):
        rows += detection(1_000, 10_000, max(1, 6 // fewer), patterns=patterns)
    rows += adding(10_000, 20 // fewer)
    return show("Governance", rows, as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
