"""Sentences for people, kept in one file for each package: a test asserts on data, and only shows what was said about it.

`told(text)` compares a text with the lines that `tests/<package>/sentences.toml` has for the test, and `told.raises(SomeError)`
does so with what an error says. Whoever rewords a sentence runs the tests with `--write-sentences`, and reads what has
changed in that file. What differs from run to run, such as a temporary folder, has one name there.
"""

from __future__ import annotations

import fcntl
import re
import tempfile
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

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
VARYING: Final = (
    (rf"(?:{re.escape(tempfile.gettempdir())}|/dev/shm)/(?:volition-\w{{8}}/)?(?:tmp|volition-)\w{{8}}\b", "TMP"),
    (rf"{re.escape(str(Path.home()))}(?=/)", "~"),
    (r"\b(127\.0\.0\.1|localhost):\d{4,5}\b", r"\1:PORT"),
    (r"\btest_\d+\b", "DATABASE"),
    (r"(\d{4}-\d\d-\d\dT)?\d\d:\d\d:\d\d(\.\d+)?Z", "TIME"),
    (r"[\w.-]+, process \d+", "HOST, process N"),
    (r" at 0x[0-9a-f]+>", ">"),
)
"""What differs from run to run, and what is told instead."""
LONG_ID: Final = (
    r"(?<=[a-z]_)[0-9a-f]{8,}(?!\w)"
    r"|(?<![0-9A-Za-z.])(?:(?=[0-9]*[a-f])[0-9a-f]{12,}|[0-9]{16}(?=\.{3})|(?!0{12})[0-9]{12}(?!\w|\.\w))"
)
"""A hash, or what makes an id unique: which one it is says nothing to a reader, only which ones are the same. One of 2,000 keys
begins with sixteen digits, and one of 280 commits with twelve; nothing but zeros is written by hand."""
FRAGMENT: Final = re.compile(r"""\bmatch=r?"([^"\n]*)"|(?<!f)"([^"\n]*)" (?:not )?in |(?<!f)'([^'\n]*)' (?:not )?in """)
"""A constant text that a test looks for in another one; with a value filled in it would be data."""
E = TypeVar("E", bound=BaseException)


class Told(Protocol):
    """Takes texts for people, each of which may have several lines."""

    def __call__(self, *texts: object) -> None: ...

    def raises(self, kind: type[E] | tuple[type[E], ...]) -> pytest.RaisesExc[E]: ...


def steady(text: str, base: Path, ids: dict[str, str]) -> str:
    """A text in which all that differs from run to run, or with every change of a document, has a name; so has each folder right
    below the base. Ids are numbered in the order in which they are first seen."""
    for pattern, name in ((rf"{re.escape(str(base))}/[\w-]+", "TMP"), *VARYING):
        text = re.sub(pattern, name, text)
    return re.sub(LONG_ID, lambda match: ids.setdefault(match[0], f"ID{len(ids) + 1}"), text)


def lines_about(text: object, *words: str) -> list[str]:
    """The lines of a long text that have one of the words, to be told without the others."""
    return [line for line in str(text).splitlines() if any(word in line for word in words)]


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
        stored.write(HEAD + tomli_w.dumps({name: kept[name] for name in sorted(kept) if kept[name]}))
    read_sentences.cache_clear()


def fragments(text: str) -> list[str]:
    """The parts of sentences, three words or more, that the tests in a text look for instead of telling the whole."""
    found = ("".join(filter(None, groups)) for groups in FRAGMENT.findall(text))
    return [part for part in found if len(part.split()) >= 3 and part.lstrip()[0] not in "{[<-#"]


class Telling:
    """What one test is told, beside what is stored for it; without anything stored to compare with, it only listens."""

    def __init__(self, stored: list[str] | None, base: Path = TESTS) -> None:
        self._stored, self._base, self.lines = stored, base, list[str]()
        self._ids: dict[str, str] = {}

    def __call__(self, *texts: object) -> None:
        """Compare the next lines; a difference says how to accept it."""
        begun = len(self.lines)
        self.lines += [line for text in texts for line in steady(str(text), self._base, self._ids).splitlines()]
        if self._stored is not None:
            assert self.lines[begun:] == self._stored[begun : len(self.lines)], (
                f"if it is reworded on purpose: {OPTION}"
            )

    def raises(self, kind: type[E] | tuple[type[E], ...]) -> pytest.RaisesExc[E]:
        """Expect an error as `pytest.raises` does, and compare all that it says."""
        return pytest.raises(kind, check=self._hear)

    def _hear(self, error: BaseException) -> bool:
        self(error, *getattr(error, "__notes__", ()))
        return True

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
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Told:
    """Shows texts for people: they are compared with those that are stored for this test."""
    file, test = place_of(request.path, request.node.name)
    stored = None if request.config.getoption(OPTION) else read_sentences(file).get(test, [])
    return Telling(stored, tmp_path_factory.getbasetemp())


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
