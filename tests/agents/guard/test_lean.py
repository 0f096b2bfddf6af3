"""A hook starts fast: what it has instead of slow imports is the same as what they have."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.agents.desks import Desk, event
from tests.processes import PATIENCE
from volition.agents.guard.index import is_claimed
from volition.agents.guard.lean import LeanTuple, read_json, write_json
from volition.governance.claims.algebra import claims_file

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
SLOW = ("typing", "re", "json", "enum", "subprocess", "pathlib", "inspect", "dataclasses", "volition.workflow")


@given(VALUES)
def test_json_is_that_of_the_standard_library(value: Any) -> None:
    """Every value is written to the same text as by `json`, and read back from either."""
    text = json.dumps(value)
    assert write_json(value) == text
    assert read_json(text.encode()) == value
    assert read_json(json.dumps(value, ensure_ascii=False, indent=1).encode(errors="surrogatepass")) == value


@given(st.binary(max_size=12) | st.text(alphabet='{}[]",:0123 eE+-.\\untrfalsNI\n', max_size=20).map(str.encode))
def test_what_is_no_json_is_refused(content: bytes) -> None:
    """What `json` refuses is refused, and nothing else."""
    try:
        expected = json.loads(content)
    except ValueError:
        with pytest.raises(ValueError):
            read_json(content)
        return
    got = read_json(content)
    assert got == expected or (isinstance(got, float) and math.isnan(got))


class Plain(NamedTuple):
    """The original."""

    a: str
    b: int = 2
    c: tuple[int, ...] = ()


class Lean(LeanTuple):
    """The same with fast ones."""

    a: str
    b: int = 2
    c: tuple[int, ...] = ()


@given(st.lists(st.sampled_from(["x", 1, ()]), max_size=4), st.dictionaries(st.sampled_from("abcd"), st.just(5)))
def test_a_record_is_a_named_tuple(values: list[Any], named: dict[str, Any]) -> None:
    """What makes a NamedTuple makes an equal record, and what does not make one does not make the other."""
    try:
        plain = Plain(*values, **named)
    except TypeError:
        with pytest.raises(TypeError):
            Lean(*values, **named)
        return
    lean = Lean(*values, **named)
    assert tuple(lean) == tuple(plain)
    assert (lean.a, lean.b, lean.c, hash(lean)) == (plain.a, plain.b, plain.c, hash(plain))
    assert tuple(lean._replace(b=9)) == tuple(plain._replace(b=9))
    assert repr(lean).removeprefix("Lean") == repr(plain).removeprefix("Plain")


NAMES = st.lists(st.sampled_from(["a", "b", "src", "a.py", "*", "*.py", "[a]", "{a,b}", "a#b"]), min_size=1, max_size=3)


@given(NAMES.map("/".join) | st.just("."), NAMES.map("/".join))
def test_a_plain_claim_means_what_the_algebra_says(claim: str, path: str) -> None:
    """Whether a file is claimed does not depend on the way in which it was found out."""
    assert is_claimed([claim], path) == claims_file(claim, path)


def test_a_hook_imports_nothing_slow(desk: Desk) -> None:
    """The verdict on a write to a named file, and the look after it, import none of what takes longest."""
    line = "import sys; from volition.agents.guard.hook import main; code = main(sys.argv[1:]); "
    line += f"print([name for name in {SLOW!r} if name in sys.modules]); sys.exit(code)"
    desk.hook("claude")
    for moment in ("before", "after"):
        said = json.dumps(event("claude", desk.repo, moment)).encode()
        words = [sys.executable, "-I", "-c", line, desk.setting.home, "claude"]
        done = subprocess.run(words, input=said, capture_output=True, check=False, timeout=PATIENCE)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"[]\n", b"")
