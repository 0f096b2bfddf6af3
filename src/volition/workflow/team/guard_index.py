"""The index that a guard reads: the open plans of a registry with what each may write, as one small file.

It is written after a transaction that changed something, while a lock on it is held, from what was committed by then: the
last writer has seen everything. It is updated only where it exists: the first guard makes it. The registry is the truth;
a reader that finds the registry newer than the index compares the number of the last event.
"""

from __future__ import annotations

import contextlib
import os
import time
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson
from sqlalchemy import Connection, Row, bindparam, select

from volition.governance import IntentDocument, Policy, parse_document
from volition.governance.claims.extract import claims_of
from volition.governance.claims.footprint import footprint_of
from volition.governance.claims.spelling import spell_file, spelling_of
from volition.governance.documents.effects import LOCK, WRITES
from volition.governance.documents.policy import BUILT_IN, parse_policy
from volition.governance.paths.names import SERVICE, UNKNOWN, clean_path
from volition.governance.paths.patterns import WHOLE_PROJECT
from volition.workflow.store.database import StoreUnavailable
from volition.workflow.store.tables import PLAN, PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.workflow.store.address import StoreAddress
    from volition.workflow.store.database import Store

FORMAT: Final = 1
_CHANGED: Final = (
    select(PLAN).where(PLAN.c.project == bindparam("of"), PLAN.c.seq > bindparam("known")).order_by(PLAN.c.plan_id)
)


def index_file(address: StoreAddress) -> Path:
    """Where the index of a registry is: beside its file or, for a server, in the user's cache."""
    if address.kind == "sqlite":
        return Path(f"{address.place}.guard.json")
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "volition" / f"{sha256(str(address).encode()).hexdigest()[:24]}.guard.json"


def keep_index(store: Store, project: str) -> None:
    """Bring the index up to date where there is one. A transaction that was committed does not fail because of it: a guard
    notices that the index is old."""
    if index_file(store.address).exists():
        with contextlib.suppress(OSError, StoreUnavailable):
            write_index(store, project)


def write_index(store: Store, project: str) -> None:
    """Write the index of a project, and keep what the file says about others."""
    place = index_file(store.address)
    place.parent.mkdir(parents=True, exist_ok=True)
    with _hold_lock(place):
        start = time.time_ns()
        made = start // 1_000_000
        known = _read(place)
        projects = known.get("projects", {}) if known.get("made", 0) <= made else {}
        with store.read() as connection:
            now = store.clock(connection)
            _bring_up_to_date(connection, project, projects, now)
        data = {
            "format": FORMAT,
            "registry": str(store.address),
            "made": made,
            "ahead": now - made,
            "projects": projects,
        }
        draft = place.with_name(f"{place.name}.{os.getpid()}")
        draft.write_bytes(orjson.dumps(data))
        # It is as old as what it shows: a commit during the reading makes the registry the newer one.
        os.utime(draft, ns=(start, start))
        draft.replace(place)


def _bring_up_to_date(connection: Connection, project: str, projects: dict[str, Any], now: int) -> None:
    row = connection.execute(select(PROJECT).where(PROJECT.c.project == project)).first()
    if row is None:
        projects.pop(project, None)
        return
    before = projects.get(project, {})
    same = before.get("policy_hash") == row.policy_hash and before.get("seq", row.seq + 1) <= row.seq
    plans: dict[str, Any] = before["plans"] if same else {}
    policy = parse_policy(row.policy) if row.policy else BUILT_IN
    for plan in connection.execute(_CHANGED, {"of": project, "known": before["seq"] if same else 0}):
        plans.pop(plan.plan_id, None)
        if plan.state in {"active", "waiting"}:
            plans[plan.plan_id] = _entry(plan, policy, now)
    projects[project] = {
        "seq": row.seq, "policy_hash": row.policy_hash, "ignore_case": policy.ignore_case, "plans": plans,
        "generated": [spell_file(clean_path(claim), ignore_case=policy.ignore_case) for claim in policy.check.generated],
    }  # fmt: skip


def _entry(row: Row[Any], policy: Policy, now: int) -> dict[str, Any]:
    intent = parse_document(row.document.encode(), IntentDocument, where=row.plan_id)
    writes, locks = extent_of(intent, policy)
    # If the clock went back, no lease lasts longer than its length from now on.
    until = min(row.lease_until, now + row.lease_ms)
    return {
        "title": intent.title, "holder": row.holder, "state": row.state, "until": until,
        "writes": writes, "locks": locks,
    }  # fmt: skip


def extent_of(intent: IntentDocument, policy: Policy = BUILT_IN) -> tuple[list[str], list[str]]:
    """The paths, patterns and parts of files that a plan may write, each with all below it, and those that it locks.

    They are its claims, as plans are compared by them; a module is where its files may lie, and a plan that writes and
    does not say what may write anything.
    """
    spelling = spelling_of(policy)
    writes: dict[str, None] = {}
    locks: dict[str, None] = {}
    for resource, claim in sorted(claims_of(footprint_of(intent, policy), policy).items()):
        if resource.startswith(SERVICE):
            continue
        paths = (WHOLE_PROJECT,) if resource == UNKNOWN else spelling.paths_of(resource)
        if claim & WRITES:
            writes |= dict.fromkeys(paths)
        if claim & LOCK:
            locks |= dict.fromkeys(paths)
    return list(writes), list(locks)


def _read(place: Path) -> dict[str, Any]:
    """What the file says; nothing if it is missing, broken or of another version."""
    try:
        data = orjson.loads(place.read_bytes())
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) and data.get("format") == FORMAT else {}


@contextlib.contextmanager
def _hold_lock(place: Path) -> Iterator[None]:
    """Be the only writer; Windows has no such lock, and no guard that reads the index."""
    if find_spec("fcntl") is None:
        yield
        return
    import fcntl  # noqa: PLC0415  not there on every system

    with place.with_name(f"{place.name}.lock").open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
