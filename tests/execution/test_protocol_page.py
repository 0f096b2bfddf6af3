"""The page about the wire: its examples are frames, and its lists are the lists of the code."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest

from volition.execution import CANONICAL, MAX_DEPTH, MAX_FRAME, FaultCode, Label, decode, encode, read_result
from volition.execution import frames as f
from volition.execution.intents import intent_problems
from volition.execution.results import FAILURE_REASONS, STATUSES
from volition.execution.session.link import MAX_FAULTS, Timing

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
EXAMPLES = [
    line for block in re.findall(r"^```json\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL) for line in block.splitlines()
]


@pytest.mark.parametrize("line", EXAMPLES)
def test_an_example_is_a_frame(line: str) -> None:
    """Each example is read, holds no field that the code does not know, and is written as it stands."""
    frame = decode(line.encode())
    assert json.loads(encode(frame)) == json.loads(line)
    if isinstance(frame, f.IntentFrame):
        assert intent_problems(frame.intent, frame.parameters) == ()
    if isinstance(frame, f.ResultFrame):
        assert read_result(frame.result).violations == ()


def test_every_frame_has_an_example() -> None:
    """No type of frame is left without an example."""
    assert {type(decode(line.encode())) for line in EXAMPLES} == set(get_args(f.Frame))


def test_the_lists_are_complete() -> None:
    """Codes, labels, reasons, statuses, features and limits of the code stand on the page."""
    words = [*get_args(FaultCode), *get_args(Label), *STATUSES, *FAILURE_REASONS, *get_args(f.RejectCode)]
    assert [word for word in [*words, *get_args(f.Feature)] if f"`{word}`" not in PAGE] == []
    assert all(f'"{name}"' in PAGE for name in CANONICAL)
    table = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    assert sorted(table) == sorted(get_args(Label))
    assert f"{MAX_FRAME:,} bytes".replace(",", " ") in PAGE.replace("\n", " ")
    assert f"at most {MAX_DEPTH} arrays" in PAGE
    assert f"{MAX_FAULTS} bad lines" in PAGE
    timing = Timing()
    assert (timing.handshake, timing.idle, timing.dead, timing.grace) == (5.0, 1.0, 3.0, 0.25)
    for words_of_time in ("Both wait 5 s", "pings after 1 s", "dead after 3 s", "250 ms more"):
        assert words_of_time in PAGE
