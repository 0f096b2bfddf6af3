"""A guest is played and recorded answer by answer, and goes on from the record."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from volition.core.errors import VolitionError
from volition.drama import Evening, scenario
from volition.drama.playing.game import GuestGame
from volition.drama.stage.archive import Recorder
from volition.drama.world.settings import Setting, apply_settings
from volition.minds.contract import MindChoice

if TYPE_CHECKING:
    from pathlib import Path

PARTY = apply_settings(scenario("dinner-party"), [Setting("evening.ticks", None, 6)])


def begin(path: Path) -> GuestGame:
    return GuestGame.begin(Evening.begin(PARTY, 3, "victor"), Recorder(path))


def test_the_record_is_the_evening(tmp_path: Path) -> None:
    """After every answer the record holds exactly what was played, and it ends as an evening that was chosen step by step."""
    game, chosen = begin(tmp_path / "game"), Evening.begin(PARTY, 3, "victor")
    while game.offer is not None:
        last = game.offer.choices[-1]
        question = game.question()
        assert question is not None
        assert last in [option.id for option in question.options]
        game.answer(MindChoice(last))
        chosen = chosen.choose(last)
        assert Evening.load(tmp_path / "game").run.ticks == chosen.run.ticks
    game.end()
    assert Evening.load(tmp_path / "game").run == chosen.run
    assert chosen.is_over


def test_a_game_goes_on_where_its_record_ends(tmp_path: Path) -> None:
    """A game whose process died, even in the midst of a step, is asked the question that follows the last recorded tick; the
    bytes are those of a game that never stopped."""
    whole, cut = begin(tmp_path / "whole"), begin(tmp_path / "cut")
    for number in range(3):
        assert whole.offer is not None
        whole.answer(None)
        cut.answer(None)
        cut.end()
        cut = GuestGame.resume(tmp_path / "cut")
        assert [tick.heard for tick in cut.since_choice] == [tick.heard for tick in whole.since_choice], number
        assert cut.offer == whole.offer
    for game in (whole, cut):
        game.rest()
        game.end()
    one, two = ((tmp_path / name / "000001.jsonl").read_bytes() for name in ("whole", "cut"))
    assert one == two


def test_only_a_record_is_resumed(tmp_path: Path) -> None:
    """Where there is no record nothing is begun, and one that is being written is refused."""
    with pytest.raises(VolitionError):
        GuestGame.resume(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()
    game = begin(tmp_path / "game")
    with pytest.raises(VolitionError):
        GuestGame.resume(tmp_path / "game")
    game.end()
    assert GuestGame.resume(tmp_path / "game").offer is not None


def test_looking_back_asks_nothing(tmp_path: Path) -> None:
    """An evening that was ended early is told as its guest lived through it, and asks nothing."""
    game = begin(tmp_path / "game")
    game.answer(None)
    game.rest(len(game.evening.run.ticks))
    game.end()
    past = GuestGame.look_back(tmp_path / "game")
    assert (past.offer, past.question()) == (None, None)
    assert len(past.lived) == len(game.lived)
