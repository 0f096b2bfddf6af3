"""The versions of the tables, from the first one on. A version that was released never changes; a new one is added.

The statements are the same for SQLite and PostgreSQL.
"""

from __future__ import annotations

from typing import Final

NAME: Final = "volition"
"""What the version table says in a database of ours."""

_TEAM: Final = (
    (
        "CREATE TABLE project (project TEXT PRIMARY KEY, seq BIGINT NOT NULL, at BIGINT NOT NULL, head TEXT NOT NULL,"
        " policy TEXT NOT NULL, policy_hash TEXT NOT NULL, env TEXT NOT NULL)"
    ),
    (
        "CREATE TABLE plan (project TEXT NOT NULL, plan_id TEXT NOT NULL, checksum TEXT NOT NULL, holder TEXT NOT NULL,"
        " state TEXT NOT NULL, token BIGINT NOT NULL, seq BIGINT NOT NULL, lease_ms BIGINT NOT NULL,"
        " lease_until BIGINT NOT NULL, document TEXT NOT NULL, PRIMARY KEY (project, plan_id), UNIQUE (project, token))"
    ),
    "CREATE INDEX plan_seq ON plan (project, seq)",
    "CREATE INDEX plan_lease ON plan (project, lease_until) WHERE state IN ('active', 'waiting')",
    (
        "CREATE TABLE event (project TEXT NOT NULL, seq BIGINT NOT NULL, at BIGINT NOT NULL, actor TEXT NOT NULL,"
        " what TEXT NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (project, seq))"
    ),
    "CREATE INDEX event_subject ON event (project, subject, seq)",
)
_FLOW: Final = (
    (
        "CREATE TABLE flow (flow_id TEXT PRIMARY KEY, project TEXT NOT NULL, number BIGINT NOT NULL, state TEXT NOT NULL,"
        " holder TEXT NOT NULL, fence BIGINT NOT NULL, lease_until BIGINT NOT NULL, reason TEXT NOT NULL,"
        " set_document TEXT NOT NULL, merged TEXT NOT NULL, graph TEXT NOT NULL, graph_hash TEXT NOT NULL,"
        " bindings TEXT NOT NULL, policy TEXT NOT NULL, policy_hash TEXT NOT NULL, env TEXT NOT NULL,"
        " UNIQUE (project, number))"
    ),
    (
        "CREATE TABLE flow_plan (flow_id TEXT NOT NULL, plan_id TEXT NOT NULL, checksum TEXT NOT NULL,"
        " token BIGINT NOT NULL, fate TEXT NOT NULL, document TEXT NOT NULL, PRIMARY KEY (flow_id, plan_id))"
    ),
    "CREATE INDEX flow_plan_plan ON flow_plan (plan_id)",
    (
        "CREATE TABLE question (flow_id TEXT NOT NULL, checksum TEXT NOT NULL, round BIGINT NOT NULL, state TEXT NOT NULL,"
        " pack TEXT NOT NULL, asked_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, PRIMARY KEY (flow_id, checksum))"
    ),
    (
        "CREATE TABLE answer (flow_id TEXT NOT NULL, checksum TEXT NOT NULL, pack TEXT NOT NULL, actor TEXT NOT NULL,"
        " at BIGINT NOT NULL, PRIMARY KEY (flow_id, checksum))"
    ),
    (
        "CREATE TABLE permit (flow_id TEXT NOT NULL, graph_hash TEXT NOT NULL, actor TEXT NOT NULL, state TEXT NOT NULL,"
        " at BIGINT NOT NULL, expires_at BIGINT NOT NULL, PRIMARY KEY (flow_id, graph_hash))"
    ),
    (
        "CREATE TABLE node (flow_id TEXT NOT NULL, node_id TEXT NOT NULL, plan_id TEXT NOT NULL, place BIGINT NOT NULL,"
        " state TEXT NOT NULL, kind TEXT NOT NULL, binding TEXT NOT NULL, waits TEXT NOT NULL, attempt BIGINT NOT NULL,"
        " request TEXT NOT NULL UNIQUE, result TEXT NOT NULL, detail TEXT NOT NULL, PRIMARY KEY (flow_id, node_id))"
    ),
)
_SIGNATURES: Final = (
    "ALTER TABLE event ADD COLUMN signer TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE event ADD COLUMN signature TEXT NOT NULL DEFAULT ''",
    "CREATE INDEX event_actor ON event (project, actor, seq)",
)

MIGRATIONS: Final[tuple[tuple[str, ...], ...]] = (_TEAM, _FLOW, _SIGNATURES)
"""What leads from each version to the next: version 1 has plans and events, 2 has flows too, 3 has signatures."""

NEWEST: Final = len(MIGRATIONS)
