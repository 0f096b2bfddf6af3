"""Stored sentences: a reworded one is noticed, none is kept that nobody is told, and storing is on purpose."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.sentences import NAME, TESTS, Telling, read_sentences, write_sentences

if TYPE_CHECKING:
    from pathlib import Path


def test_a_sentence_is_compared_line_by_line() -> None:
    """What is stored passes, in one text or in several; another word, and one line too many or too few, do not."""
    telling = Telling(["one", "two", "three"])
    telling("one\ntwo\n")
    with pytest.raises(AssertionError):
        telling.check_end()
    telling()
    telling("three")
    telling.check_end()
    for text in ("once", "one\ntoo", "one\ntwo\nthree\nfour"):
        with pytest.raises(AssertionError):
            Telling(["one", "two", "three"])(text)


def test_sentences_are_stored_and_read(tmp_path: Path) -> None:
    """Each test has its own lines, whatever they contain, and storing one leaves the others alone."""
    file = tmp_path / NAME
    write_sentences(file, "test_b.py::test_it[1]", ['He said "no".', "", "\\ end"])
    write_sentences(file, "test_a.py::test_it", ["old"])
    write_sentences(file, "test_a.py::test_it", ["new"])
    assert list(read_sentences(file).items()) == [
        ("test_a.py::test_it", ["new"]),
        ("test_b.py::test_it[1]", ['He said "no".', "", "\\ end"]),
    ]


@pytest.mark.parametrize("file", sorted(TESTS.rglob(NAME)), ids=lambda file: file.parent.name)
def test_every_stored_sentence_has_its_test(file: Path) -> None:
    """A test that was renamed or removed leaves no sentences behind."""
    for test in read_sentences(file):
        path, _, name = test.partition("::")
        taken = rf"def {re.escape(name.partition('[')[0])}\([^)]*\btold: Told\b"
        assert re.search(taken, (file.parent / path).read_text(encoding="utf-8")), f"remove it: {test}"
