"""Records: what is written is read again, and a replay is strict."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from volition.core.errors import BrokenRecord
from volition.minds import FALLBACKS, Asked, MindRecord, NotRecorded
from volition.minds.record import MindReplay

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told

pytestmark = pytest.mark.req("DE-35")

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
ASKED = st.builds(
    Asked,
    who=st.sampled_from(["ada", "ben"]),
    question=st.sampled_from(["q1", "q2"]),
    kind=st.sampled_from(["vote", "choice", ""]),
    choice=TEXT,
    reason=TEXT,
    words=TEXT,
    tokens=st.integers(0, 1000),
    seconds=st.floats(0, 100),
    fallback=st.sampled_from(["", *FALLBACKS]),
    fault=TEXT,
)


@given(asked=st.lists(ASKED))
def test_a_record_is_read_as_it_was_written(asked: list[Asked], tmp_path_factory: pytest.TempPathFactory) -> None:
    """Everything comes back, in order and with the same bytes."""
    path = tmp_path_factory.mktemp("record") / "asked.jsonl"
    MindRecord(asked).write(path)
    read = MindRecord.read(path)
    assert list(read) == asked
    assert read.to_bytes() == path.read_bytes()


@given(asked=st.lists(ASKED))
def test_a_replay_gives_each_answer_once_and_in_order(asked: list[Asked]) -> None:
    """The nth time a question is asked gets its nth answer; after the last there is none, and nobody else's."""
    replay = MindReplay(MindRecord(asked))
    assert [replay.answer(one.who, one.question) for one in asked] == asked
    for who, question in {(one.who, one.question) for one in asked} | {("ada", "q3")}:
        with pytest.raises(NotRecorded, match=f"question {question}"):
            replay.answer(who, question)


@pytest.mark.parametrize("line", [b"{", b"[]", b'{"who": "ada"}', b'{"who": 1, "question": "q"}', b"\xff", b"[" * 9999])
def test_a_broken_record_is_refused(line: bytes, tmp_path: Path, told: Told) -> None:
    """A line that is no record is named by its number."""
    path = tmp_path / "asked.jsonl"
    path.write_bytes(MindRecord([Asked("ada", "q")]).to_bytes() + line + b"\n")
    with told.raises(BrokenRecord):
        MindRecord.read(path)
