"""Stored sentences: a reworded one is noticed, none is kept that nobody is told, and storing is on purpose."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.sentences import NAME, TESTS, Telling, fragments, lines_about, read_sentences, write_sentences

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


def test_an_error_is_told_whole() -> None:
    """All that an error says is compared, with its notes; one of another kind, and none, fail as with `pytest.raises`."""
    error = KeyError("one")
    error.add_note("two\nthree")
    telling = Telling(["'one'", "two", "three"])
    with telling.raises(LookupError) as caught:
        raise error
    telling.check_end()
    assert caught.value is error
    with pytest.raises(AssertionError), Telling(["'one'", "too", "three"]).raises(KeyError):
        raise error
    with pytest.raises(KeyError), Telling(["'one'", "two", "three"]).raises(ValueError):
        raise error
    with pytest.raises(pytest.fail.Exception), Telling([]).raises(KeyError):
        pass


def test_what_differs_from_run_to_run_has_one_name(tmp_path: Path) -> None:
    """A temporary folder, a port, a time and an address in memory are told by a name, long ids by their number, also where they
    happen to have no letter, and all else as it is."""
    telling = Telling(None, tmp_path)
    telling(f"{tmp_path}/test_it0/a.json: 'x', not {tmp_path / 'other-1'}.", "/etc/passwd")
    telling("tcp://127.0.0.1:40123: <function f at 0x7f00>", "127.0.0.1 at 0x7f00, 1.0000000000000002")
    telling("flow_0123456789abcdef at 2026-01-25T10:00:00Z", "0123456789ab and 0123456789abcdef")
    telling("the key 0123456789012345... of 1234567890123456 numbers", "0123456789abcdef...")
    telling("the commits 567761322791 and 0123456789ab, 12345678901 and 0.123456789012 numbers", "000000000000...")
    assert telling.lines == [
        "TMP/a.json: 'x', not TMP.",
        "/etc/passwd",
        "tcp://127.0.0.1:PORT: <function f>",
        "127.0.0.1 at 0x7f00, 1.0000000000000002",
        "flow_ID1 at TIME",
        "ID2 and ID1",
        "the key ID3... of 1234567890123456 numbers",
        "ID1...",
        "the commits ID4 and ID2, 12345678901 and 0.123456789012 numbers",
        "000000000000...",
    ]


def test_lines_about_something() -> None:
    """Of a long text the lines with any of the words are told, in their order."""
    assert lines_about("a b\nc\nb d\na", "b", "c") == ["a b", "c", "b d"]


def test_a_fragment_of_a_sentence_is_found() -> None:
    """Three constant words are a fragment, whether they are looked for in an error or in a text; a name, a document, and a
    text with a value filled in are not."""
    text = """
    with pytest.raises(InvalidInput, match=r"is not a \\w+"), pytest.raises(KeyError, match="ann"):
    assert (code, "said by 'ann' today" in said) == (2, True), 'not a "name" here' not in said
    assert "src/mine.py" in said and '{"a": 1, "b": 2}' in said and f"said by {who} today" in said
    """
    assert fragments(text) == [r"is not a \w+", "said by 'ann' today", 'not a "name" here']


FRAGMENTS = {
    "agents": 25, "arbitration": 7, "cli": 10, "drama": 15, "execution": 7, "governance": 7, "gym": 1, "minds": 1,
    "staging": 5, "studio": 41, "workflow": 7,
}  # fmt: skip
"""How many each package has for a reason: what readers see on a page, words of a story, sentences that another program ends,
what is said to agents that are not installed everywhere, and what must never be said."""


def test_sentences_are_told_and_not_searched() -> None:
    """No package looks for more fragments of sentences than it has a reason for: `told` has the whole ones."""
    found = Counter(
        file.relative_to(TESTS).parts[0]
        for file in TESTS.rglob("*.py")
        if file.name != "test_sentences.py"
        for _ in fragments(file.read_text(encoding="utf-8"))
    )
    assert {package: count for package, count in found.items() if count > FRAGMENTS.get(package, 0)} == {}


def test_sentences_are_stored_and_read(tmp_path: Path) -> None:
    """Each test has its own lines, whatever they contain, and storing one leaves the others alone; without any it is left out."""
    file = tmp_path / NAME
    write_sentences(file, "test_b.py::test_it[1]", ['He said "no".', "", "\\ end"])
    write_sentences(file, "test_a.py::test_it", ["old"])
    write_sentences(file, "test_a.py::test_it", ["new"])
    write_sentences(file, "test_a.py::test_silent", [])
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
