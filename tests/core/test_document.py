"""Documents: whatever the bytes, either plain data or an error that says where and what to do."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.work import calls
from volition.core.canonical import MAX_INTEGER, canonical
from volition.core.document import (
    dump_json,
    dump_toml,
    first_json_fault,
    parse_json,
    parse_toml,
    read_document,
    write_atomically,
)
from volition.core.errors import InvalidInput, Problem

if TYPE_CHECKING:
    from tests.sentences import Told

texts = st.text(st.characters(codec="utf-8"), max_size=8)
numbers = st.integers(-MAX_INTEGER, MAX_INTEGER) | st.floats(allow_nan=False, allow_infinity=False)
toml_leaves = st.booleans() | numbers | texts
documents = st.recursive(
    st.none() | toml_leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4)
)
toml_documents = st.dictionaries(
    texts,
    st.recursive(
        toml_leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=8
    ),
    max_size=4,
)
FRAGMENTS = [
    '{"a":', '"a"', "[", "]", "{", "}", ",", ":", "1", "-", "1e999", "NaN", "Infinity", "-Infinity", "null", '"\\ud800"',
    "9" * 17, "9" * 5000, "\n", "a=", "a.b=", "[a]\n", "[[a]]\n", "'", '"""', "1979-05-27", "#", "\\", "0x", "inf",
]  # fmt: skip
fragments = st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join)


def problem_of(parse: Any, data: bytes | str) -> Problem:
    with pytest.raises(InvalidInput) as caught:
        parse(data, where="file")
    (problem,) = caught.value.problems
    assert problem.where.startswith("file")
    assert problem.what
    assert problem.expected
    assert problem.remedy
    return problem


def same(left: Any, right: Any) -> bool:
    """Equality that tells 1 from 1.0 and from True."""
    return repr(left) == repr(right)


@given(documents)
@example([1e-4, 1e16, -0.0])
@example({"a": -9.9e-5})
@example({"a": 1.5e-9, "b": "2e5"})
@example([-1.5e300])
@example({"\x00 \x1f \x7f \u2028 \U0001f600 \\": [{}, [], [[]]]})
def test_json_round_trip(data: Any) -> None:
    """What is dumped as JSON is what the standard library writes, and is read back the same, types, signs and key order
    included."""
    text = dump_json(data)
    assert text == json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    assert same(parse_json(text), data)
    assert same(parse_json(text.encode()), data)


@given(toml_documents)
def test_toml_round_trip(data: dict[str, Any]) -> None:
    """What is dumped as TOML is read back equal."""
    assert canonical(parse_toml(dump_toml(data))) == canonical(data)


@pytest.mark.parametrize("parse", [parse_json, parse_toml])
@given(data=st.binary(max_size=40) | fragments.map(str.encode) | fragments | documents.map(json.dumps))
@example(data=b"\xef\xbb\xbf{}")
@example(data="\ud800")
@example(data="a=9" + "9" * 5000)
@example(data="a=1e999")
def test_any_input_gives_data_or_an_explained_refusal(parse: Any, data: bytes | str) -> None:
    """No input raises anything but InvalidInput, and whatever is accepted is plain data."""
    try:
        value = parse(data)
    except InvalidInput:
        return
    canonical(value)


@given(fragments)
def test_every_json_refusal_beyond_syntax_has_a_line(text: str) -> None:
    """Text that is JSON is refused exactly when the fault finder finds a fault, so the line is always known."""
    try:
        json.loads(text)
    except json.JSONDecodeError:
        return
    except ValueError:
        pass
    found = first_json_fault(text, "document")
    if found is None:
        parse_json(text)
    else:
        with pytest.raises(InvalidInput) as caught:
            parse_json(text)
        assert caught.value.problems == found.problems


@pytest.mark.parametrize(
    ("text", "what", "where"),
    [
        ('{"a": 1,\n "b": {"c": 1, "c": 2}}', 'the key "c" is duplicated', "file, line 2, column 16"),
        ('{"a": 1, "\\u0061": 2}', "is duplicated", "file, line 1, column 10"),
        ('{"a": {"a": {"a": 1}}, "b": [{"a": 1}, {"a": 2}], "a": 0}', "is duplicated", "file, line 1, column 51"),
        ("[1,\n NaN]", "NaN is not a finite number", "file, line 2, column 2"),
        ("[-Infinity]", "not a finite number", "file, line 1, column 2"),
        ("[1e999]", "1e999 is not a finite number", "file, line 1, column 2"),
        ("[9007199254740992]", "too large", "file, line 1, column 2"),
        ('{"a":-' + "9" * 6000 + "}", "too large", "file, line 1, column 6"),
        ('["\\ud800"]', "half a character", "file, line 1, column 2"),
        ("{} x", "text after the value", "file, line 1, column 4"),
        ("", "not JSON", "file, line 1, column 1"),
        ('{"a": 1 "b"}', "not JSON", "file, line 1, column 9"),
        ("'a'", "not JSON", "file, line 1, column 1"),
        ("[" * 65 + "]" * 65, "nested deeper than 64", "file, line 1, column 65"),
    ],
)
def test_json_faults_are_named_with_line_and_column(text: str, what: str, where: str) -> None:
    """Each fault says what it is, with its line and column."""
    problem = problem_of(parse_json, text)
    assert what in problem.what
    assert problem.where == where


@pytest.mark.parametrize(
    ("text", "what", "where"),
    [
        ("a = 1\nb = 2\na = 3", "a = 3", "file, line 3, column 6"),
        ("[a]\n[b]\n[a]", "'a'", "file, line 3, column 3"),
        ("a = nan", "nan is not a JSON number", "file, $.a"),
        ("a = [1, 1e999]", "inf is not a JSON number", "file, $.a[1]"),
        ("a = 9007199254740992", "an integer", "file, $.a"),
        ("a = " + "9" * 6000, "4300", "file"),
        ("day = 1979-05-27", "datetime.date", "file, $.day"),
        ("a = ", "not TOML", "file, line 1, column 5"),
        ("a = " + "[" * 65 + "]" * 65, "nested deeper than 64", "file"),
        ("x = 1\n" + "a." * 64 + "a = 1", "nested deeper than 64", "file, line 2, column 1"),
        ("t = {" + "a . 'b'." * 40 + "a = 1}", "nested deeper than 64", "file, line 1, column 5"),
    ],
)
def test_toml_faults_are_named_with_their_place(text: str, what: str, where: str) -> None:
    """Each fault says what it is and where: a line and column from the reader, else the path of the value."""
    problem = problem_of(parse_toml, text)
    assert what in problem.what
    assert problem.where == where


@pytest.mark.parametrize("parse", [parse_json, parse_toml])
def test_bytes_that_are_not_plain_utf8_are_refused(parse: Any, told: Told) -> None:
    """Invalid UTF-8 is refused at its byte, a byte order mark with the way to remove it."""
    problem = problem_of(parse, b"\n \xff")
    told(problem.what)
    assert problem.where == "file, line 2, column 2"
    assert "without BOM" in problem_of(parse, b"\xef\xbb\xbf{}").remedy


@pytest.mark.parametrize(
    ("parse", "bomb"),
    [
        (parse_json, "[" * 100_000),
        (parse_json, "[" * 100_000 + "]" * 100_000),
        (parse_json, '{"a":' * 100_000 + "1" + "}" * 100_000),
        (parse_json, "9" * 1_000_000),
        (parse_json, '"' + "\U0001f600" * 1_000_000 + '"x'),
        (parse_toml, "a = " + "[" * 100_000),
        (parse_toml, "a = " + "{a = " * 100_000),
        (parse_toml, "a." * 100_000 + "a = 1"),
        (parse_toml, "[" + "a." * 100_000 + "a]"),
        (parse_toml, "a" * 1_000_000),
        (parse_toml, "a, " * 300_000),
        (parse_toml, "'" * 300_001),
    ],
    ids=lambda value: value[:6] if isinstance(value, str) else None,
)
def test_bombs_neither_crash_nor_hang(parse: Any, bomb: str) -> None:
    """A hostile document is refused on a stack of ordinary size, in a number of steps that does not grow with its depth."""
    assert calls(lambda: problem_of(parse, bomb)) < 10 * len(bomb)


def test_the_deepest_allowed_document_is_read() -> None:
    """Sixty-four levels are allowed in both languages."""
    nested = "[" * 64 + "]" * 64
    assert dump_json(parse_json(nested)).count("[") == 64
    assert str(parse_toml(f"a = {nested[1:-1]}")).count("[") == 63
    assert parse_toml("a." * 63 + "a = 1")


def test_files_are_read_by_their_suffix(tmp_path: Path, told: Told) -> None:
    """The suffix chooses the language, whatever its case; the error of a file names the file."""
    (tmp_path / "a.json").write_bytes(b'{"a": 1}')
    (tmp_path / "b.TOML").write_bytes(b"a = 1\r\n")
    assert read_document(tmp_path / "a.json") == read_document(str(tmp_path / "b.TOML")) == {"a": 1}
    (tmp_path / "c.json").write_bytes(b"{")
    with told.raises(InvalidInput):
        read_document(tmp_path / "c.json")


def test_files_that_cannot_be_read_are_refused_with_a_remedy(tmp_path: Path, told: Told) -> None:
    """Missing, misnamed, too large, a directory, a pipe: each is refused in its own words."""
    (tmp_path / "scenario.json").write_bytes(b"[1, 2]")
    (tmp_path / "folder.json").mkdir()
    os.mkfifo(tmp_path / "pipe.json")
    for name, said in {
        "scenaro.json": "did you mean 'scenario.json'?",
        "nowhere/a.json": "no such file",
        "scenario.json/a.json": "no such file",
        "scenario.yaml": r"ends in .json or .toml",
        "scenario": r"ends in .json or .toml",
        "folder.json": "a directory is not a document",
        "pipe.json": "a pipe or a device",
        "nul\0.json": "null",
        "long" * 100 + ".json": "too long",
    }.items():
        with pytest.raises(InvalidInput) as caught:
            read_document(tmp_path / name)
        assert said in str(caught.value)
    with told.raises(InvalidInput):
        read_document(tmp_path / "scenario.json", limit_bytes=5)
    assert read_document(tmp_path / "scenario.json", limit_bytes=6) == [1, 2]


def test_a_file_without_permission_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that exists and may not be read says so."""
    file = tmp_path / "secret.json"
    file.write_bytes(b"{}")

    def deny(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied", str(file))

    monkeypatch.setattr(Path, "open", deny)
    with pytest.raises(InvalidInput, match="permission denied"):
        read_document(file)


@pytest.mark.parametrize(
    "data",
    [{"a": float("nan")}, {1: 2}, [object()], 2**60, "\ud800"],
    ids=["nan", "int key", "object", "large int", "surrogate"],
)
def test_what_cannot_be_read_back_is_not_written(data: Any) -> None:
    """Dumping refuses what parsing would refuse."""
    with pytest.raises(InvalidInput):
        dump_json(data)
    with pytest.raises(InvalidInput):
        dump_toml({"a": data})


def test_documents_too_deep_to_read_are_not_written() -> None:
    """Sixty-five levels and cycles are refused by both writers, also where the inner parts are shared."""
    deep: list[Any] = []
    for _ in range(64):
        deep = [deep]
    loop: dict[str, Any] = {}
    loop["a"] = loop["b"] = loop
    for data in (deep, loop):
        with pytest.raises(InvalidInput):
            dump_json(data)
        with pytest.raises(InvalidInput):
            dump_toml({"a": data})


@pytest.mark.parametrize("data", [{"a": None}, {"a": [None]}, [1], "text"], ids=repr)
def test_toml_without_form_is_refused(data: Any, told: Told) -> None:
    """TOML has no null and its top is a table: the error says so."""
    with told.raises(InvalidInput):
        dump_toml(data)


def test_writing_replaces_the_file_and_keeps_its_mode(tmp_path: Path) -> None:
    """The new bytes are there, the old mode too, a link still points to its file, and nothing else was left."""
    file, link = tmp_path / "a.json", tmp_path / "link.json"
    write_atomically(file, b"one")
    assert file.stat().st_mode & 0o600 == 0o600
    file.chmod(0o640)
    link.symlink_to(file)
    write_atomically(link, b"two")
    assert file.read_bytes() == b"two"
    assert link.is_symlink()
    assert file.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "link.json"]


@pytest.mark.parametrize("step", ["fsync", "open"])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, told: Told
) -> None:
    """When the disk fails, the old bytes stay and no temporary file remains."""
    file = tmp_path / "a.json"
    write_atomically(file, b"old")

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, fail)
    with told.raises(InvalidInput):
        write_atomically(file, b"new")
    monkeypatch.undo()
    assert file.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_places_that_cannot_be_written_are_refused(tmp_path: Path) -> None:
    """A directory in the way or a missing folder is reported in words, and nothing is left behind."""
    (tmp_path / "folder").mkdir()
    for target in (tmp_path / "folder", tmp_path / "missing" / "a.json", tmp_path / "nul\0"):
        with pytest.raises(InvalidInput):
            write_atomically(target, b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_an_open_reader_keeps_the_version_that_it_opened(tmp_path: Path) -> None:
    """The old file is replaced, never written into: a reader that has it open still reads the old bytes."""
    file = tmp_path / "a.json"
    write_atomically(file, b"old")
    with file.open("rb") as reader:
        write_atomically(file, b"new")
        assert reader.read() == b"old"
    assert file.read_bytes() == b"new"


def test_a_reader_never_sees_a_half_written_file(tmp_path: Path) -> None:
    """A writer killed at any moment leaves one complete version, never a mixture."""
    file = tmp_path / "a.bin"
    versions = {letter: letter.encode() * 300_000 for letter in "ab"}
    program = (
        "import sys; from volition.core.document import write_atomically\n"
        "write_atomically(sys.argv[1], b'a' * 300_000); print(flush=True)\n"
        "while True:\n    for letter in (b'b', b'a'): write_atomically(sys.argv[1], letter * 300_000)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(file)], stdout=subprocess.PIPE) as writer:
        assert writer.stdout
        writer.stdout.readline()
        for _ in range(50):
            assert file.read_bytes() in versions.values()
        writer.send_signal(signal.SIGKILL)
    assert file.read_bytes() in versions.values()
