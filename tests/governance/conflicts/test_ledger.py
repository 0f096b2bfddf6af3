"""Clusters: grave conflicts connect, others do not, and each cluster is settled on its own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.governance.plans import judged, plan, reader
from volition.governance.conflicts.ledger import Clusters

JOINS = st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=4), max_size=8)


@given(JOINS)
def test_clusters_are_those_of_brute_force(joins: list[list[int]]) -> None:
    """Two numbers are in one cluster exactly if a chain of joins connects them."""
    clusters = Clusters(10)
    parts = [{n} for n in range(10)]
    for some in joins:
        clusters.join(some)
        touched = [part for part in parts if part & set(some)]
        parts = [part for part in parts if part not in touched] + [set().union(*touched)]
    assert clusters.groups() == sorted(sorted(part) for part in parts if len(part) > 1)


@given(JOINS, st.randoms(use_true_random=False))
def test_the_order_of_joining_does_not_matter(joins: list[list[int]], chance: object) -> None:
    """The same joins in any order give the same clusters."""
    one, other = Clusters(10), Clusters(10)
    for some in joins:
        one.join(some)
    shuffled = list(joins)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    for some in shuffled:
        other.join(reversed(some))
    assert one.groups() == other.groups()


@pytest.mark.req("GV-07")
def test_medium_conflicts_connect_nobody() -> None:
    """A reader and a writer are in no cluster, and are united."""
    outcome = judged(plan("aaaaaa", ["x"]), plan("bbbbbb", ["x"], commands=[reader()]))
    assert (outcome.clusters, outcome.strategy) == ((), "merge_union")


@pytest.mark.req("GV-07")
def test_each_cluster_by_itself() -> None:
    """Two pairs that contest different things are two clusters, each with its own winner; who contests nothing stays."""
    four = [
        plan(f"{name}{name}aaaa", [file], priority=p)
        for name, file, p in (("a", "x", 1), ("b", "x", 2), ("c", "y", 2), ("d", "y", 1))
    ]
    outcome = judged(*four, plan("unrelated", ["z"]))
    assert outcome.clusters == (("intent_aaaaaa", "intent_bbaaaa"), ("intent_ccaaaa", "intent_ddaaaa"))
    merged = outcome.merged_intent
    assert merged is not None
    assert merged.lineage.supersedes == ("intent_aaaaaa", "intent_ddaaaa")
    assert merged.lineage.derived_from == ("intent_bbaaaa", "intent_ccaaaa", "intent_unrelated")


@pytest.mark.req("GV-07")
def test_one_open_cluster_rejects_the_set() -> None:
    """Where one cluster is unclear nothing is merged, though another cluster is clear."""
    four = [
        plan(f"{name}{name}aaaa", [file], priority=p)
        for name, file, p in (("a", "x", 1), ("b", "x", 2), ("c", "y", 5), ("d", "y", 5))
    ]
    outcome = judged(*four)
    assert (outcome.strategy, outcome.merged_intent, len(outcome.questions)) == ("reject", None, 1)
