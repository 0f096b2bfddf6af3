"""Experience as one Parquet file: a row for every attempt, flat columns, dictionary types where values repeat."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import UNSET

from volition.core.errors import refuse
from volition.core.extras import require
from volition.execution.journal.entries import Transition, read_journal, read_transitions
from volition.execution.journal.records import Attempt, LateAnswer, RunStart
from volition.execution.wire.intents import CANONICAL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    import pyarrow as pa

ROWS_AT_ONCE: Final = 8192

_WORD, _TEXT, _WHOLE, _NUMBER, _TRUTH = "word", "text", "whole", "number", "truth"

COLUMNS: Final[dict[str, str]] = {
    "run": _WHOLE, "policy": _WORD, "ticket": _WHOLE, "count": _WHOLE, "purpose": _WORD, "body": _WORD, "agent": _WORD,
    "connection": _WHOLE, "executor": _WORD, "executor_version": _WORD, "contract": _WORD, "id": _WHOLE,
    "intent": _WORD, "x": _NUMBER, "y": _NUMBER, "z": _NUMBER, "requested": _TEXT, "sent": _WORD,
    "status": _WORD, "failure_reason": _WORD, "label": _WORD, "answered": _TRUTH, "partial_execution": _TRUTH,
    "is_blocked": _TRUTH, "on_cooldown": _TRUTH, "invalid_environment": _TRUTH,
    "damage_dealt": _NUMBER, "damage_received": _NUMBER, "is_alive": _TRUTH, "action_wasted": _TRUTH,
    "engine_timestamp": _WHOLE, "execution_time_ms": _NUMBER, "elapsed_us": _WHOLE, "late": _TRUTH,
    "violations": _WHOLE, "detail": _WORD, "payload": _TEXT,
    "reward": _NUMBER, "terminated": _TRUTH, "truncated": _TRUTH, "episode": _WHOLE,
    "state_seq": _WHOLE, "state_tick": _WHOLE, "state": _WORD,
    "next_seq": _WHOLE, "next_tick": _WHOLE, "next_state": _WORD,
}  # fmt: skip
"""Every column except the parts of the reward, which follow as `reward_NAME`. Objects are JSON text."""


def export_parquet(
    journal: str | PathLike[str], file: str | PathLike[str], *, progress: Callable[[int], None] | None = None
) -> int:
    """Write every attempt as a row, completely or not at all, never over another file; returns the number of rows.

    All purposes and labels are included, in the order of the journal. `progress` gets the number of rows after each batch.
    """
    require("pyarrow")
    import pyarrow as pa  # noqa: PLC0415  an extra
    import pyarrow.parquet as pq  # noqa: PLC0415

    target = Path(file)
    if target.exists():
        refuse("the file already exists", where=str(target), expected="a new name", remedy="name another, or move it")
    parts, late = _first_look(journal)
    schema = _schema(pa, parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".volition-{secrets.token_hex(8)}.tmp")
    rows = 0
    try:
        with pq.ParquetWriter(draft, schema, compression="zstd") as writer:
            for batch in _batches(journal, late, parts):
                arrays = [pa.array([row.get(field.name) for row in batch], type=field.type) for field in schema]
                writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
                rows += len(batch)
                if progress is not None:
                    progress(rows)
        with draft.open("rb+") as written:
            os.fsync(written.fileno())
        draft.rename(target)
    finally:
        draft.unlink(missing_ok=True)
    return rows


def _first_look(journal: str | PathLike[str]) -> tuple[list[str], set[tuple[int, int]]]:
    """The names of all reward parts, and the tickets that were answered late."""
    parts: set[str] = set()
    late: set[tuple[int, int]] = set()
    for _, run, record in read_journal(journal):
        if type(record) is Attempt:
            parts.update(record.parts)
        elif type(record) is LateAnswer:
            late.add((run, record.ticket))
    return sorted(parts), late


def _schema(pa: Any, parts: list[str]) -> pa.Schema:
    kinds = {
        _WORD: pa.dictionary(pa.int32(), pa.string()),
        _TEXT: pa.string(),
        _WHOLE: pa.int64(),
        _NUMBER: pa.float64(),
        _TRUTH: pa.bool_(),
    }
    named = COLUMNS | {f"reward_{part}": _NUMBER for part in parts}
    return pa.schema([(name, kinds[kind]) for name, kind in named.items()])


def _batches(
    journal: str | PathLike[str], late: set[tuple[int, int]], parts: list[str]
) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    for step in read_transitions(journal):
        batch.append(_row(step, late) | {f"reward_{part}": step.attempt.parts.get(part, 0.0) for part in parts})
        if len(batch) == ROWS_AT_ONCE:
            yield batch
            batch = []
    yield batch


def _row(step: Transition, late: set[tuple[int, int]]) -> dict[str, Any]:
    attempt, state, following = step.attempt, step.state, step.next_state
    result, asked = attempt.result, attempt.requested
    welcome = step.connection.welcome if step.connection else None
    vector = (attempt.sent.parameters or {}).get("vector") if attempt.sent else None
    return {
        "run": step.run.run,
        "policy": _policy(step.run),
        "ticket": attempt.ticket,
        "count": attempt.count,
        "purpose": attempt.purpose,
        "body": attempt.body or None,
        "agent": attempt.agent,
        "connection": attempt.connection,
        "executor": welcome and welcome.executor.name,
        "executor_version": welcome and welcome.executor.version,
        "contract": welcome and welcome.spec,
        "id": attempt.id,
        "intent": asked.intent,
        **dict(zip("xyz", vector or (None, None, None), strict=True)),
        # What was sent is enough; only where the request differed from it is the request recorded too.
        "requested": _json(asked) if attempt.sent is None or asked.intent not in CANONICAL else None,
        "sent": attempt.sent and attempt.sent.intent,
        "status": result.status,
        "failure_reason": result.failure_reason,
        "label": attempt.label,
        "answered": attempt.answered,
        "partial_execution": result.partial_execution,
        **msgspec.to_builtins(result.safety_flags),
        **msgspec.to_builtins(result.outcomes),
        **msgspec.to_builtins(result.metadata),
        "elapsed_us": attempt.elapsed_us,
        "late": (step.run.run, attempt.ticket) in late,
        "violations": len(attempt.violations),
        "detail": attempt.detail,
        "payload": None if attempt.payload is UNSET else _json(attempt.payload),
        "reward": attempt.reward,
        "terminated": attempt.terminated,
        "truncated": attempt.truncated,
        "episode": attempt.episode,
        "state_seq": state and state.key[1],
        "state_tick": state and state.tick,
        "state": state and _json(state.data),
        "next_seq": following and following.key[1],
        "next_tick": following and following.tick,
        "next_state": following and _json(following.data),
    }


def _policy(run: RunStart) -> str | None:
    policy = run.meta.get("policy")
    return policy if policy is None or isinstance(policy, str) else _json(policy)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
