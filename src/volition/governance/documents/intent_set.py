"""The intent set: which intents are evaluated together, and in which environment."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta

from volition.governance.documents.strict import (
    DistinctStruct,
    IntentId,
    Maybe,
    Moment,
    Semver,
    SetId,
    Sha,
    StrictStruct,
)

SET_LIMIT: Final = 20
"""How many intents can be merged at once; a larger set is evaluated without a merge, and without questions."""
Env = Literal["local", "dev", "staging", "prod"]


class TimeWindow(StrictStruct, frozen=True):
    """When it may happen."""

    start: Moment
    end: Moment


class Context(StrictStruct, frozen=True):
    """The project and environment that all intents share."""

    project_id: Annotated[str, Meta(min_length=1, max_length=128)]
    env: Env
    time_window: Maybe[TimeWindow] = None
    tags: Maybe[Annotated[tuple[Annotated[str, Meta(min_length=1, max_length=64)], ...], Meta(max_length=20)]] = None


class SetLineage(DistinctStruct, frozen=True):
    """Where a set comes from."""

    distinct = ("derived_from",)

    introduced_in: Semver
    derived_from: Annotated[tuple[SetId, ...], Meta(max_length=16)]


class MergeHints(StrictStruct, frozen=True):
    """What somebody who knows the plans says about them."""

    complementary: Annotated[tuple[tuple[IntentId, IntentId], ...], Meta(max_length=190)] = ()
    """Pairs of intents whose writes complement each other."""
    done: Annotated[tuple[IntentId, ...], Meta(max_length=200)] = ()
    """Intents outside of the set on which others depend, and which are done already."""


class SetMetadata(StrictStruct, frozen=True):
    """What an author may add."""

    created_by: Maybe[Annotated[str, Meta(min_length=1, max_length=128)]] = None
    purpose: Maybe[Annotated[str, Meta(max_length=500)]] = None
    merge_hints: Maybe[MergeHints] = None


class IntentSet(DistinctStruct, frozen=True):
    """The intents to be evaluated together."""

    distinct = ("intent_ids",)

    id: SetId
    type: Literal["intent_set"]
    schema_version: Literal["0.9.3"]
    created_at: Moment
    intent_ids: Annotated[tuple[IntentId, ...], Meta(min_length=2, max_length=SET_LIMIT)]
    context: Context
    lineage: SetLineage
    checksum: Sha
    metadata: Maybe[SetMetadata] = None


class LargeIntentSet(IntentSet, frozen=True):
    """A set of any size, for evaluations without the limit."""

    intent_ids: Annotated[tuple[IntentId, ...], Meta(min_length=2)]
