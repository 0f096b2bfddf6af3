"""Experience: what a journal holds comes out as episodes, as a Minari dataset and as a Parquet file, whole or not at all."""

from __future__ import annotations

import importlib.util
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.execution.journal.journals import CONNECTED, LOST, answered, intercepted, of_every_label, play, silent
from tests.execution.wire.samples import state
from volition.core.errors import InvalidInput, MissingPart
from volition.execution import Stop, make_result
from volition.execution.door.events import Connected, DoorEvent
from volition.execution.journal.entries import read_transitions
from volition.execution.journal.experience.episodes import read_episodes
from volition.execution.journal.experience.minari_export import INTENTS, export_minari
from volition.execution.journal.experience.observations import Columns
from volition.execution.journal.experience.parquet_export import export_parquet
from volition.execution.journal.journal import Journal
from volition.execution.journal.reward import LABELS
from volition.execution.wire.request import Request
from volition.execution.wire.session.events import LateAnswer

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tests.sentences import Told

DEAD = make_result("PARTIAL", "INVALID_STATE", is_alive=False)


def kept(folder: Path, events: Iterable[DoorEvent], **terms: Any) -> Path:
    with Journal(folder, **terms) as journal:
        for event in events:
            journal.tell(event)
    return folder


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a play in the arena."""
    folder = tmp_path_factory.mktemp("arena") / "journal"
    with Journal(folder, meta={"policy": "random"}) as journal:
        play(journal.tell, 150, seed=1)
    return folder


# Episodes.


def test_an_episode_is_what_one_agent_did_in_order(tmp_path: Path) -> None:
    """Attempts are grouped by connection, agent and episode, and ordered by ticket, however late their answers came."""
    first, second = state(1), state(2)
    other = answered(3, at=second, requested=Request("MOVE"), agent="squire")
    events: list[DoorEvent] = [CONNECTED, answered(2, at=second), other, answered(1, at=first), LOST]
    hero, squire = read_episodes(kept(tmp_path, events))
    assert [[step.attempt.ticket for step in episode.steps] for episode in (hero, squire)] == [[1, 2], [3]]
    assert (hero.final.key, hero.terminated) == ((1, 2), False)


def test_a_death_ends_an_episode(tmp_path: Path) -> None:
    """Attempts that end with the actor's death end together; what is tried while dead is a separate episode."""
    while_dead = make_result("FAILURE", "INVALID_STATE", is_alive=False, invalid_environment=True)
    events: list[DoorEvent] = [
        CONNECTED,
        answered(1),
        answered(2, DEAD),
        answered(3, DEAD),
        answered(4, while_dead),
        LOST,
    ]
    first, second = read_episodes(kept(tmp_path, events))
    assert ([s.attempt.ticket for s in first.steps], first.terminated) == ([1, 2, 3], True)
    assert ([s.attempt.ticket for s in second.steps], second.terminated) == ([4], False)


def test_connections_runs_and_resets_cut_episodes(tmp_path: Path) -> None:
    """An episode never spans a reset, a lost connection or two runs."""
    again = Connected(connection=2, welcome=CONNECTED.welcome)
    events: list[DoorEvent] = [
        CONNECTED,
        answered(1),
        state(5, episode=1),
        answered(2, at=state(5, episode=1)),
        LOST,
        again,
        answered(3, connection=2),
    ]
    kept(tmp_path, events)
    kept(tmp_path, [CONNECTED, answered(1)])
    found = list(read_episodes(tmp_path))
    assert [(e.run, [s.attempt.ticket for s in e.steps]) for e in found] == [(1, [1]), (1, [2]), (1, [3]), (2, [1])]


def test_the_bridges_own_stops_are_no_experience(tmp_path: Path) -> None:
    """STOPs of an opening or a fallback, and attempts without a state, are not the policy's; its failures are."""
    stop = answered(1, sent=Stop(), purpose="opening")
    blind = silent(2, "unknown", state=None)
    found = read_episodes(kept(tmp_path, [CONNECTED, stop, blind, intercepted(3, "DANCE"), silent(4, "timeout")]))
    assert [[step.attempt.ticket for step in episode.steps] for episode in found] == [[3], [4]]


# Rows of numbers.


def test_numbers_truths_and_texts_become_columns() -> None:
    """Numbers are taken as they are, strings by their index, missing values are marked, everything else is left out."""
    columns = Columns.of(
        [
            {"x": 1, "up": True, "mode": "walk", "name": "ada", "at": [1, 2], "mixed": 1},
            {"x": 2.5, "up": False, "mode": "idle", "name": "ada", "at": [3], "mixed": "one"},
        ]
    )
    assert columns.names == ("at[0]", "at[1]", "at[1]?", "mode", "up", "x")
    assert columns.texts == {"mode": ("idle", "walk")}
    assert columns.left_out == ("mixed", "name")
    assert columns.row({"x": 2, "mode": "walk", "at": [5]}).tolist() == [5.0, 0.0, 0.0, 1.0, 0.0, 2.0]


@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.integers(-9, 9) | st.booleans() | st.sampled_from("xy"))))
def test_columns_do_not_depend_on_the_order_of_states(states: list[dict[str, Any]]) -> None:
    """The same states give the same columns in any order, and every row has one finite number for each."""
    columns = Columns.of(states)
    assert Columns.of(reversed(states)) == columns
    assert all(np.isfinite(columns.row(data)).all() for data in states)
    assert all(columns.row(data).shape == (len(columns.names),) for data in states)


# Minari.


def test_a_folder_is_named_from_where_one_stands(arena: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dataset is written into a folder that is named relatively as well."""
    monkeypatch.chdir(tmp_path)
    made = export_minari(arena, "sets", id="arena-v0")
    assert made.steps
    assert (tmp_path / "sets" / "arena-v0" / "data").is_dir()


@pytest.mark.req("EX-09")
def test_a_minari_dataset_reads_back(arena: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `minari.load_dataset` gives is what the journal holds: every step of the policy, its reward, its states."""
    import minari

    made = export_minari(arena, tmp_path / "sets", id="arena/first-v0")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "sets"))
    dataset = minari.load_dataset("arena/first-v0")
    expected = list(read_episodes(arena))
    assert dataset.total_episodes == made.episodes == len(expected) > 1
    assert dataset.total_steps == made.steps == sum(len(episode.steps) for episode in expected)
    names = dataset.storage.metadata["volition"]["observations"]
    health, labels = names.index("actor.health"), []
    for read, meant in zip(dataset.iterate_episodes(), expected, strict=True):
        attempts = [step.attempt for step in meant.steps]
        assert read.rewards.tolist() == [attempt.reward for attempt in attempts]
        assert read.observations.shape == (len(attempts) + 1, len(made.observations))
        assert read.observations[:-1, health].tolist() == [
            s.state.data["actor"]["health"] for s in meant.steps if s.state
        ]
        assert [INTENTS[code] for code in read.actions["intent"]] == [
            name if (name := attempt.requested.intent) in INTENTS else "OTHER" for attempt in attempts
        ]
        assert read.actions["vector"].tolist() == [
            (attempt.requested.parameters or {}).get("vector", [0.0, 0.0, 0.0]) for attempt in attempts
        ]
        assert read.infos["ticket"].tolist() == [attempt.ticket for attempt in attempts]
        ends = (read.terminations | read.truncations).tolist()
        assert ends == [False] * (len(attempts) - 1) + [True]
        assert (read.terminations[-1], read.truncations[-1]) == (meant.terminated, not meant.terminated)
        labels += [LABELS[code] for code in read.infos["label"]]
        assert dataset.observation_space.contains(read.observations[0])
    assert {"positive", "intercepted", "out_of_sync"} <= set(labels)


def test_a_dataset_is_written_whole_or_not_at_all(
    arena: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """An export that fails leaves nothing behind; a dataset that is there is never written over."""
    from volition.execution.journal.experience import minari_export

    def fail(*_: Any) -> Any:
        raise OSError("no")

    with monkeypatch.context() as patch:
        patch.setattr(minari_export, "_buffer", fail)
        with pytest.raises(OSError, match="no"):
            export_minari(arena, tmp_path)
    assert list(tmp_path.iterdir()) == []
    export_minari(arena, tmp_path)
    with told.raises(InvalidInput):
        export_minari(arena, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["volition"]


@pytest.mark.parametrize("id", ["", "../up-v0", "/abs-v0", "name", "a b-v0", "x/../y-v0", "v0"])
def test_a_bad_id_is_refused(arena: Path, tmp_path: Path, id: str, told: Told) -> None:
    """An id names a dataset under the folder and nothing else."""
    with told.raises(InvalidInput):
        export_minari(arena, tmp_path, id=id)


def test_a_journal_without_experience_makes_no_dataset(tmp_path: Path, told: Told) -> None:
    """Where a policy asked for nothing there is nothing to learn, and no file."""
    journal = kept(tmp_path / "j", [CONNECTED, LOST])
    with told.raises(InvalidInput):
        export_minari(journal, tmp_path / "sets")
    assert list((tmp_path / "sets").iterdir()) == []


# Parquet.


@pytest.mark.req("EX-09", "EX-19")
def test_a_parquet_file_has_a_row_for_every_attempt(tmp_path: Path) -> None:
    """All labels and purposes are rows; words are dictionaries; reward parts, states and odd requests are columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    told = of_every_label()
    late = LateAnswer(
        connection=1, ticket=8, id=18, intent="STOP", result=make_result(), label="positive", elapsed_us=1_000_000
    )
    journal = kept(tmp_path / "j", [CONNECTED, *told, late, LOST], meta={"policy": "v3"})
    done: list[int] = []
    assert export_parquet(journal, tmp_path / "x.parquet", progress=done.append) == len(told) == done[-1]
    table = pq.read_table(tmp_path / "x.parquet")
    rows = table.to_pylist()
    assert pa.types.is_dictionary(table.schema.field("label").type)
    assert [row["label"] for row in rows] == [outcome.label for outcome in told]
    assert [row["purpose"] for row in rows] == [outcome.purpose for outcome in told]
    assert [row["reward"] for row in rows] == [step.attempt.reward for step in read_transitions(journal)]
    for row, step in zip(rows, read_transitions(journal), strict=True):
        parts = {name.removeprefix("reward_"): value for name, value in row.items() if name.startswith("reward_")}
        assert {name: value for name, value in parts.items() if value} == step.attempt.parts
    assert {(row["policy"], row["executor"], row["contract"]) for row in rows} == {("v3", "test", "1.0.0")}
    assert [row["ticket"] for row in rows if row["late"]] == [8]
    assert json.loads(rows[10]["requested"]) == {"intent": "DANCE", "parameters": {"if": "health > 10"}}
    assert json.loads(rows[8]["payload"]) == {"status": "DONE"}
    assert (rows[0]["x"], rows[0]["state_seq"], json.loads(rows[0]["state"])) == (1.0, 1, {"health": 10})


def test_the_arena_exports_to_parquet(arena: Path, tmp_path: Path) -> None:
    """A real play is written row by row, in small batches too, and read back with its next states."""
    import pyarrow.parquet as pq

    from volition.execution.journal.experience import parquet_export

    rows = export_parquet(arena, tmp_path / "one.parquet")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parquet_export, "ROWS_AT_ONCE", 7)
        assert export_parquet(arena, tmp_path / "many.parquet") == rows
    one, many = (pq.read_table(tmp_path / f"{name}.parquet").to_pylist() for name in ("one", "many"))
    assert one == many
    assert any(row["next_state"] for row in one)


def test_a_parquet_file_is_written_whole_or_not_at_all(
    arena: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """An export that fails leaves nothing behind; a file that is there is never written over."""
    from volition.execution.journal.experience import parquet_export

    def fail(*_: Any) -> Any:
        raise OSError("no")

    with monkeypatch.context() as patch:
        patch.setattr(parquet_export, "_row", fail)
        with pytest.raises(OSError, match="no"):
            export_parquet(arena, tmp_path / "x.parquet")
    assert list(tmp_path.iterdir()) == []
    export_parquet(arena, tmp_path / "x.parquet")
    with told.raises(InvalidInput):
        export_parquet(arena, tmp_path / "x.parquet")


@pytest.mark.parametrize(("export", "module"), [(export_minari, "minari"), (export_parquet, "pyarrow")])
def test_a_missing_extra_is_named(
    arena: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, export: Any, module: str
) -> None:
    """Without the extra the error says which line installs it, and nothing is written."""
    real = importlib.util.find_spec
    monkeypatch.setattr("volition.core.extras.find_spec", lambda name: None if name == module else real(name))
    with pytest.raises(MissingPart, match=f"{module} is not installed") as caught:
        export(arena, tmp_path / "out")
    assert (
        caught.value.problems[0].remedy
        == "pip install '.[learn]' in volition's repository, or its wheel file in place of the dot"
    )
    assert list(tmp_path.iterdir()) == []
