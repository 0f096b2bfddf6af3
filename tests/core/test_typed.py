"""Types: however many threads are the first to read one, all read it, and nothing crashes."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from msgspec import Struct, ValidationError

from tests.processes import ROOT
from volition.core.typed import convert, decoder

READ_AT_ONCE = """
import sys
from threading import Barrier, Thread
from typing import NamedTuple

from volition.core.typed import convert

sys.setswitchinterval(1e-6)
for number in range(60):
    class Inner(NamedTuple):
        a: int
        b: str

    class Outer(NamedTuple):
        one: Inner
        more: dict[str, Inner]

    start, found = Barrier(8), []

    def read():
        start.wait()
        found.append(convert([[1, "x"], {"k": [2, "y"]}], Outer))

    threads = [Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [Outer(Inner(1, "x"), {"k": Inner(2, "y")})] * 8
"""


class Point(Struct):
    x: int


def test_threads_may_be_the_first_to_read_a_type() -> None:
    """Eight threads at once are the first to read a type, sixty times: each reads it."""
    subprocess.run([sys.executable, "-c", READ_AT_ONCE], check=True)


def test_what_does_not_fit_is_refused() -> None:
    """Data that is not of the type is refused as msgspec does, the first time and later."""
    for _ in range(2):
        with pytest.raises(ValidationError, match=r"\$\.x"):
            convert({"x": "much"}, Point)
    assert decoder(Point).decode(b'{"x": 3}') == convert({"x": 3}, Point) == Point(3)


def test_nobody_reads_types_otherwise() -> None:
    """No other module lets msgspec meet a type."""
    otherwise = re.compile(
        r"msgspec\.convert|from msgspec import [^\n]*\bconvert\b|json\.Decoder\(|json\.decode\([^)\n]*type="
    )
    source = ROOT / "src" / "volition"
    found = [str(file.relative_to(source)) for file in source.rglob("*.py") if otherwise.search(file.read_text())]
    assert found == ["core/typed.py"]
