"""The intent set: which intents are judged together, and where they would act."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from volition.governance.documents.closed import Closed, IntentId, Maybe, Moment, Semver, SetId, Sha, each_once

Env = Literal["local", "dev", "staging", "prod"]


class TimeWindow(Closed, frozen=True):
    """When it may happen."""

    start: Moment
    end: Moment


class Context(Closed, frozen=True):
    """The project and environment that all intents share."""

    project_id: Annotated[str, Meta(min_length=1, max_length=128)]
    env: Env
    time_window: Maybe[TimeWindow] = None
    tags: Maybe[Annotated[tuple[Annotated[str, Meta(min_length=1, max_length=64)], ...], Meta(max_length=20)]] = None


class SetLineage(Closed, frozen=True):
    """Where a set comes from."""

    introduced_in: Semver
    derived_from: Annotated[tuple[SetId, ...], Meta(max_length=16)]

    def __post_init__(self) -> None:
        each_once("derived_from", self.derived_from)


class MergeHints(Closed, frozen=True):
    """Pairs of intents whose writes complement each other, as somebody who knows both says."""

    complementary: Annotated[tuple[tuple[IntentId, IntentId], ...], Meta(max_length=190)] = ()


class SetMetadata(Closed, frozen=True):
    """What an author may add."""

    created_by: Maybe[Annotated[str, Meta(min_length=1, max_length=128)]] = None
    purpose: Maybe[Annotated[str, Meta(max_length=500)]] = None
    merge_hints: Maybe[MergeHints] = None


class IntentSet(Closed, frozen=True):
    """The intents to be evaluated together."""

    id: SetId
    type: Literal["intent_set"]
    schema_version: Literal["0.9.3"]
    created_at: Moment
    intent_ids: Annotated[tuple[IntentId, ...], Meta(min_length=2, max_length=20)]
    context: Context
    lineage: SetLineage
    checksum: Sha
    metadata: Maybe[SetMetadata] = None

    def __post_init__(self) -> None:
        each_once("intent_ids", self.intent_ids)
