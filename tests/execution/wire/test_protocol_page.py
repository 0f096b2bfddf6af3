"""The page about the wire: its examples are frames, and its lists are the lists of the code."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.execution.wire.samples import WELCOME, of
from volition.execution import connect
from volition.execution.conformance.protocol.schemas import UNSAYABLE, frame_schema
from volition.execution.wire import frames as f
from volition.execution.wire.codec import MAX_DEPTH, MAX_FRAME, TYPES, FaultCode, FrameFault, decode, encode
from volition.execution.wire.declared import DeclaredIntents
from volition.execution.wire.intents import CANONICAL, intent_problems
from volition.execution.wire.results import FAILURE_REASONS, STATUSES, Label, interpret_result
from volition.execution.wire.session.executor import ExecutorSession
from volition.execution.wire.session.handshake import Offer
from volition.execution.wire.session.incoming import BridgeLost
from volition.execution.wire.session.link import MAX_FAULTS, Timing
from volition.execution.wire.session.phases import DRIVER_SENDS, EXECUTOR_SENDS

PAGE = (Path(__file__).parents[3] / "docs" / "protocol.md").read_text(encoding="utf-8")
EXAMPLES = [
    line for block in re.findall(r"^```json\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL) for line in block.splitlines()
]


DECLARED = DeclaredIntents(
    declaration
    for line in EXAMPLES
    if isinstance(frame := decode(line.encode()), f.Welcome)
    for declaration in frame.declares
)


@pytest.mark.parametrize("line", EXAMPLES)
def test_an_example_is_a_frame(line: str) -> None:
    """Each example is read, holds no field that the code does not know, and is written exactly so."""
    frame = decode(line.encode())
    assert json.loads(encode(frame)) == json.loads(line)
    if isinstance(frame, f.IntentFrame):
        assert intent_problems(frame.intent, frame.parameters, DECLARED) == ()
    if isinstance(frame, f.ResultFrame):
        assert interpret_result(frame.result)[2] == ()


def test_every_frame_has_an_example() -> None:
    """No type of frame is left without an example."""
    assert {type(decode(line.encode())) for line in EXAMPLES} == set(get_args(f.Frame))


def test_the_lists_are_complete() -> None:
    """Codes, labels, reasons, statuses, features and limits of the code are on the page."""
    words = [*get_args(FaultCode), *get_args(Label), *STATUSES, *FAILURE_REASONS, *get_args(f.RejectCode)]
    assert [word for word in [*words, *get_args(f.Feature)] if f"`{word}`" not in PAGE] == []
    assert all(f'"{name}"' in PAGE for name in CANONICAL)
    table = re.findall(r"^\| `(\w+)` \| [^|]*\|$", PAGE, re.MULTILINE)
    assert sorted(table) == sorted(get_args(Label))
    assert f"{MAX_FRAME:,} bytes".replace(",", " ") in PAGE.replace("\n", " ")
    assert f"at most {MAX_DEPTH} nested arrays" in PAGE
    assert f"{MAX_FAULTS} bad lines" in PAGE
    timing = Timing()
    assert (timing.handshake, timing.idle, timing.dead, timing.grace) == (5.0, 1.0, 3.0, 0.25)
    for words_of_time in ("Both sides wait 5 s", "pings after 1 s", "dead after 3 s", "plus 250 ms"):
        assert words_of_time in PAGE


ROWS = [
    [cell.strip() for cell in row.split("|")]
    for row in re.findall(r"^\| (`\w+` \| (?:bridge|executor|both) .*) \|$", PAGE, re.MULTILINE)
]


def quoted(text: str) -> list[str]:
    return re.findall(r"`(\w+)`", text)


def test_the_fields_are_those_of_the_schema() -> None:
    """For every frame the page lists what is needed and what may be left out, and which of these may not be null."""
    schema = frame_schema()["$defs"]
    tags = [tag for kind in get_args(f.Frame) if "." not in (tag := str(kind.__struct_config__.tag))]
    assert sorted(row[0].strip("`") for row in ROWS) == sorted(tags)
    never_null: set[str] = set()
    for name, _, needed, optional in ROWS:
        type = name.strip("`")
        required = schema[type]["required"][2:]
        assert quoted(needed) == required, type
        rest = {
            name: value for name, value in schema[type]["properties"].items() if name not in {"v", "type", *required}
        }
        assert sorted(quoted(optional)) == sorted(rest), type
        never_null |= {name for name, value in rest.items() if "null" not in str(value) and value != {"default": None}}
    (sentence,) = re.findall(r"Of the fields that may be left out,\s(.*?)may not be null", PAGE, re.DOTALL)
    assert set(quoted(sentence)) == never_null


@pytest.mark.parametrize(
    "line", [b'{"v":1,"type":"cancel","id":7.0}', b'{"v":1,"type":"cancel","id":7e0}', b'{"v":1,"type":"ping","n":-1}']
)
def test_what_looks_like_an_integer_is_none(line: bytes) -> None:
    """`7.0` and `7e0` are not ids, and a count is not below 0."""
    with pytest.raises(FrameFault) as raised:
        decode(line)
    assert raised.value.code == "bad_field"


def test_only_unreadable_lines_count_towards_the_limit() -> None:
    """A hundred frames out of order or with a stale id end nothing; a hundred lines that are no frames do."""
    assert "`out_of_order`, `stale_id`, `unknown_id`" in PAGE
    session = ExecutorSession(WELCOME, now=0)
    hello = encode(Offer().hello())
    session.receive(encode(f.Cancel(id=1)) * 150 + hello, 0)
    stale = encode(f.StateRequest(id=9, full=True)) + encode(f.IntentFrame(id=3, intent="JUMP", ttl_ms=1)) * 150
    session.receive(stale + encode(f.Cancel(id=99)) * 150 + hello * 150, 0)
    assert session.phase == "open"
    session.receive(b'{"v":1,"type":"cancel"}\n' * (MAX_FAULTS - 1), 0)
    assert session.phase == "open"
    (lost,) = of(BridgeLost, session.receive(b"?\n", 0))
    assert lost.reason == "faults"


def test_the_table_of_phases_is_that_of_the_code() -> None:
    """What the page lets each side send in a phase is what the sessions accept, but for what is always allowed."""
    always = {"ping", "pong", "error", "goodbye"}
    for phase, sends in EXECUTOR_SENDS.items():
        if phase == "closed":
            continue
        (bridge, executor) = re.findall(rf"^\| {phase} \| (.*) \| (.*) \|$", PAGE, re.MULTILINE)[0]
        drives = DRIVER_SENDS["waiting" if phase == "greeting" else "open"]
        assert {*quoted(bridge), *always} == {tag for tag, kind in TYPES.items() if kind in drives - {f.ProbeRead}}
        assert {*quoted(executor), *always} == {tag for tag, kind in TYPES.items() if kind in sends}


def test_an_agent_that_nobody_knows_is_the_one_actor() -> None:
    """The arena takes every name for its actor, as the page says."""
    with connect("embedded") as body:
        assert body.execute("JUMP", agent="nobody").status == "SUCCESS"


def test_the_python_on_the_page_runs() -> None:
    """The calls of the bridge on the page do what their comments say."""
    first, second = (
        compile(code, "page", "exec") for code in re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    )
    names: dict[str, Any] = {}
    exec(first, names)
    assert (names["outcome"].status, names["given_up"].status) == ("SUCCESS", "PARTIAL")
    assert [outcome.requested.intent for outcome in names["many"]] == ["JUMP", "HOLD", "MOVE"]
    exec(second, names)
    assert names["outcome"].status == "SUCCESS"


def test_the_unsayable_is_said() -> None:
    """The rules that no schema can hold are on the page, all of them and no other."""
    (said,) = re.findall(r"It cannot express the rules (.*?), nor that `7.0`", PAGE, re.DOTALL)
    assert tuple(quoted(said)) == UNSAYABLE
