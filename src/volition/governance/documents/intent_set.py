"""The intent set: which intents are evaluated together, and in which environment."""

from __future__ import annotations

from typing import Final, Literal

from volition.governance.documents.intent import StrictStruct

SET_LIMIT: Final = 20
"""How many intents can be merged at once; a larger set is evaluated without a merge, and without questions."""
Env = Literal["local", "dev", "staging", "prod"]


class TimeWindow(StrictStruct, frozen=True):
    """When it may happen."""

    start: str
    end: str


class Context(StrictStruct, frozen=True):
    """The project and environment that all intents share."""

    project_id: str
    env: Env
    time_window: TimeWindow | None = None
    tags: tuple[str, ...] | None = None


class SetLineage(StrictStruct, frozen=True):
    """Where a set comes from."""

    introduced_in: str
    derived_from: tuple[str, ...]


class MergeHints(StrictStruct, frozen=True):
    """What somebody who knows the plans says about them."""

    complementary: tuple[tuple[str, str], ...] = ()
    """Pairs of intents whose writes complement each other."""
    done: tuple[str, ...] = ()
    """Intents outside of the set on which others depend, and which are done already."""


class SetMetadata(StrictStruct, frozen=True):
    """What an author may add."""

    created_by: str | None = None
    purpose: str | None = None
    merge_hints: MergeHints | None = None


class IntentSet(StrictStruct, frozen=True):
    """The intents to be evaluated together."""

    id: str
    type: Literal["intent_set"]
    schema_version: Literal["0.9.3"]
    created_at: str
    intent_ids: tuple[str, ...]
    context: Context
    lineage: SetLineage
    checksum: str
    metadata: SetMetadata | None = None


class LargeIntentSet(IntentSet, frozen=True):
    """A set of any size, for evaluations without the limit."""

    intent_ids: tuple[str, ...]
