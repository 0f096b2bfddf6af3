"""Sentences for people, kept in one file for each package: a test asserts on data, and only shows what was said about it.

`told(text)` compares a text with the lines that `tests/<package>/sentences.toml` has for the test. Whoever rewords a sentence
runs the tests with `--write-sentences`, and reads what has changed in that file.
"""

from __future__ import annotations

import fcntl
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import pytest
import tomli_w

if TYPE_CHECKING:
    from collections.abc import Generator

TESTS: Final = Path(__file__).parent
NAME: Final = "sentences.toml"
OPTION: Final = "--write-sentences"
HEAD: Final = (
    f"# What tests were told, line by line. Reworded on purpose: run them with {OPTION}, and read what has changed.\n\n"
)


class Told(Protocol):
    """Takes texts for people, each of which may have several lines."""

    def __call__(self, *texts: object) -> None: ...


@cache
def read_sentences(file: Path) -> dict[str, list[str]]:
    """The lines that a file has for each test."""
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def write_sentences(file: Path, test: str, lines: list[str]) -> None:
    """Store the lines of one test; other processes may store those of others at the same time."""
    with file.open("a+", encoding="utf-8", newline="\n") as stored:
        fcntl.flock(stored, fcntl.LOCK_EX)
        stored.seek(0)
        kept = {**tomllib.loads(stored.read()), test: lines}
        stored.truncate(0)
        stored.write(HEAD + tomli_w.dumps(dict(sorted(kept.items()))))
    read_sentences.cache_clear()


class Telling:
    """What one test is told, beside what is stored for it; without anything stored to compare with, it only listens."""

    def __init__(self, stored: list[str] | None) -> None:
        self._stored, self.lines = stored, list[str]()

    def __call__(self, *texts: object) -> None:
        """Compare the next lines; a difference says how to accept it."""
        begun = len(self.lines)
        self.lines += [line for text in texts for line in str(text).splitlines()]
        if self._stored is not None:
            assert self.lines[begun:] == self._stored[begun : len(self.lines)], (
                f"if it is reworded on purpose: {OPTION}"
            )

    def check_end(self) -> None:
        """Nothing more is stored than was told."""
        assert (self._stored or [])[len(self.lines) :] == [], f"no longer told; if that is on purpose: {OPTION}"


def place_of(path: Path, name: str) -> tuple[Path, str]:
    """The file that has the sentences of a test, and the test's name in it."""
    package, *inside = path.relative_to(TESTS).parts
    return TESTS / package / NAME, f"{'/'.join(inside)}::{name}"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that stores sentences anew."""
    parser.addoption(
        OPTION, action="store_true", help="store the sentences that tests are told, instead of comparing them"
    )


@pytest.fixture
def told(request: pytest.FixtureRequest) -> Told:
    """Shows texts for people: they are compared with those that are stored for this test."""
    file, test = place_of(request.path, request.node.name)
    return Telling(None if request.config.getoption(OPTION) else read_sentences(file).get(test, []))


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """When a test has passed, look at what it was not told, or store what it was told."""
    done = yield
    telling = pyfuncitem.funcargs.get("told")
    if isinstance(telling, Telling):
        telling.check_end()
        if pyfuncitem.config.getoption(OPTION):
            write_sentences(*place_of(pyfuncitem.path, pyfuncitem.name), telling.lines)
    return done
