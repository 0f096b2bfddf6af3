"""Rows in a database: whatever is read ahead, kept or written late, they are those of a table in memory."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

import hypothesis.strategies as st
from hypothesis import given, settings
from sqlalchemy import create_engine

from volition.workflow.store.rows import (
    FlowPlanRow,
    FlowRow,
    MemberRow,
    MemoryRows,
    NodeRow,
    PermitRow,
    RegisteredPlan,
    StoredRow,
)
from volition.workflow.store.sql_rows import SqlRows
from volition.workflow.store.tables import METADATA

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, Engine

NAMES = ("one", "two")
KINDS: tuple[type[StoredRow], ...] = (FlowRow, NodeRow, PermitRow, FlowPlanRow, RegisteredPlan, MemberRow)
PROJECT = "shop"


def make_row(kind: type[StoredRow], key: list[str], number: int) -> StoredRow:
    """A row with a key, and a number in every column of its own kind; a row of a flow belongs to it."""
    values: dict[str, Any] = {
        name: number if annotation in {int, "int"} else f"{name} {number}"
        for name, annotation in kind.__annotations__.items()
        if not str(annotation).startswith("ClassVar")
    }
    if "project" in values:
        values["project"] = PROJECT
    if kind is NodeRow:
        values["request"] = " ".join(key)
    # Unique in their tables.
    values |= {
        name: NAMES.index(key[0])
        for name in ("number", "token")
        if kind in {FlowRow, RegisteredPlan} and name in values
    }
    return kind(**values | dict(zip(kind.KEY, key, strict=True)))


names = st.sampled_from(NAMES)
kinds = st.sampled_from(KINDS)
deeds = st.one_of(
    st.tuples(st.just("put"), kinds, names, names, st.integers(0, 3)),
    st.tuples(st.just("find"), kinds, names, names),
    st.tuples(st.just("all of a flow"), st.sampled_from([NodeRow, FlowPlanRow]), names),
    st.tuples(st.just("all with a value"), st.sampled_from([FlowRow, RegisteredPlan]), st.integers(0, 3)),
    st.tuples(st.just("all"), kinds),
    st.tuples(st.just("read a flow"), names, names),
    st.tuples(st.just("flush")),
    st.tuples(st.just("another transaction")),
)


@contextmanager
def empty_tables() -> Iterator[Connection]:
    """A connection to tables without a row; what is written is undone at the end."""
    with _engine().connect() as connection:
        yield connection
        connection.rollback()


@cache
def _engine() -> Engine:
    engine = create_engine("sqlite://")
    METADATA.create_all(engine)
    return engine


@given(st.lists(deeds, max_size=40))
@settings(max_examples=80, deadline=None)
def test_rows_in_a_database_are_those_in_memory(script: list[tuple[Any, ...]]) -> None:
    """Every question has the same answer as in memory, at any moment, and after a transaction everything is stored."""
    with empty_tables() as connection:
        rows, oracle = SqlRows(connection, PROJECT), MemoryRows(PROJECT)
        for what, *about in script:
            if what == "put":
                kind, *key, number = about
                row = make_row(kind, key[: len(kind.KEY)], number)
                rows.put(row)
                oracle.put(row)
            elif what == "find":
                kind, *key = about
                key = key[: len(kind.KEY)]
                assert rows.find(kind, *key) == oracle.find(kind, *key)
            elif what == "all of a flow":
                assert rows.all(about[0], flow_id=about[1]) == oracle.all(about[0], flow_id=about[1])
            elif what == "all with a value":
                state = f"state {about[1]}"
                assert rows.all(about[0], state=state) == oracle.all(about[0], state=state)
            elif what == "all":
                assert rows.all(about[0]) == oracle.all(about[0])
            elif what == "read a flow":
                rows.read_flow(*about)
            elif what == "flush":
                rows.flush()
            else:
                rows.flush()
                rows = SqlRows(connection, PROJECT)
        rows.flush()
        stored = SqlRows(connection, PROJECT)
        for kind in KINDS:
            assert stored.all(kind) == oracle.all(kind)


def test_rows_of_another_project_are_not_read_with_a_flow() -> None:
    """A flow, a plan and a member of the same names in another project stay there."""
    with empty_tables() as connection:
        theirs = SqlRows(connection, PROJECT)
        for kind in KINDS:
            theirs.put(make_row(kind, ["one", "one"][: len(kind.KEY)], 1))
        theirs.flush()
        ours = SqlRows(connection, "another")
        ours.read_flow("one", "one")
        assert [ours.find(kind, "one") for kind in (FlowRow, RegisteredPlan, MemberRow)] == [None, None, None]
