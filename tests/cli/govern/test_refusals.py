"""Bad input to `volition govern evaluate`: each has its own clear error, ends with 2, and nothing is written."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.govern.desk import content_of, govern, govern_json, lay_out, situation
from volition.core.document import dump_json
from volition.governance.documents.checksums import seal
from volition.governance.drafts.sets import new_intent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.sentences import Told

    Data = dict[str, Any]

ONE, TWO = "intent_refactor_the_api_version_1", "intent_refactor_the_api_version_2"
DEEP = b'{"a":' * 100_000 + b"1" + b"}" * 100_000


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a set, its two intents, and a secret beside it."""
    folder = tmp_path / "desk"
    lay_out(folder, [situation("clear_priority")[0], *situation("clear_priority")[1]])
    lay_out(tmp_path / "elsewhere", situation("read_only")[1])
    monkeypatch.chdir(folder)
    return folder


def refused(desk: Path, capsys: pytest.CaptureFixture[str], *more: str) -> list[dict[str, str]]:
    """The problems of a refused evaluation; it writes nothing."""
    before = content_of(desk.parent)
    code, data = govern_json(capsys, "evaluate", "set.json", "--out", "out", *more)
    assert (code, data.get("error")) == (2, "InvalidInput")
    assert not (desk / "out").exists()
    assert content_of(desk.parent) == before
    problems: list[dict[str, str]] = data["problems"]
    assert all(problem[part] for problem in problems for part in ("what", "where", "expected", "remedy"))
    code, out, err = govern(capsys, "evaluate", "set.json", "--out", "out", *more)
    assert (code, out, problems[0]["what"] in err) == (2, "", True)
    return problems


def edited(desk: Path, name: str, *path: str | int, value: Any, reseal: bool = True) -> None:
    """Put a value into a document on the desk, and seal it, so that nothing else is wrong."""
    file = desk / f"{name}.json"
    data: Any = json.loads(file.read_bytes())
    inner = data
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    kind = "intent_set" if name == "set" else "intent"
    file.write_text(dump_json(seal(kind, data) if reseal else data), encoding="utf-8")


def the_one(problems: list[dict[str, str]]) -> tuple[str, str]:
    """What the only problem is, and where."""
    (problem,) = problems
    return problem["what"], problem["where"]


@pytest.mark.req("GV-01", "GV-02")
@pytest.mark.parametrize("id", ["../elsewhere/intent_secret", "/etc/intent_passwd", "intent_..", "intent_a/../../b", "C:\\intent_x", "intent_abcdef\n", "intent_abcdef.json", "intent_%2e%2e%2fx"])  # fmt: skip
def test_ids_are_no_paths(desk: Path, capsys: pytest.CaptureFixture[str], id: str) -> None:
    """An id that is a path, in any spelling, is refused as an id and never becomes a file name."""
    edited(desk, "set", "intent_ids", 0, value=id)
    what, where = the_one(refused(desk, capsys))
    assert (repr(id) in what, where) == (True, "set.json, $.intent_ids[0]")


@pytest.mark.req("GV-02")
def test_links_lead_nowhere_else(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A link that leads out of the folder of the intents is refused; one inside it is followed."""
    target = next((desk.parent / "elsewhere").iterdir())
    (desk / f"{ONE}.json").rename(desk / "kept.json")
    (desk / f"{ONE}.json").symlink_to(target)
    what, where = the_one(refused(desk, capsys))
    assert (what, f"{ONE}.json" in where) == ("the file is a link that leads out of the folder", True)
    (desk / f"{ONE}.json").unlink()
    (desk / f"{ONE}.json").symlink_to("kept.json")
    assert govern(capsys, "evaluate", "set.json")[0] == 0


@pytest.mark.req("GV-01")
@pytest.mark.parametrize(("name", "place"), [("set", ("checksum",)), (ONE, ("audit", "checksum"))])
@pytest.mark.parametrize("digit", [0, 31, 63])
def test_a_checksum_off_by_one_digit(
    desk: Path, capsys: pytest.CaptureFixture[str], name: str, place: tuple[str, ...], digit: int, told: Told
) -> None:
    """One digit that is not right is found, and the right checksum is named."""
    data = json.loads((desk / f"{name}.json").read_bytes())
    right = data[place[0]] if len(place) == 1 else data[place[0]][place[1]]
    wrong = right[:digit] + ("0" if right[digit] != "0" else "1") + right[digit + 1 :]
    edited(desk, name, *place, value=wrong, reseal=False)
    (problem,) = refused(desk, capsys)
    told(problem["what"])
    assert problem["where"].endswith(f"$.{'.'.join(place)}")
    assert problem["expected"] == right


@pytest.mark.req("GV-01")
def test_twenty_one_intents(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A set of 21 is refused, and so are one of one and one of none."""
    ids = [f"intent_number_{n}" for n in range(21)]
    lay_out(desk, [new_intent("Number", project="shop", created_at="2026-01-25T10:00:00Z", id=id, files=["a"]) for id in ids])  # fmt: skip
    for some, what in ((ids, "21 items are too many"), (ids[:1], "1 items are too few"), ([], "0 items are too few")):
        edited(desk, "set", "intent_ids", value=some)
        assert the_one(refused(desk, capsys)) == (what, "set.json, $.intent_ids")


@pytest.mark.req("GV-01")
def test_the_same_intent_twice(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An intent that the set names twice, or that is stored under another's name, is refused."""
    edited(desk, "set", "intent_ids", value=[ONE, TWO, ONE])
    assert the_one(refused(desk, capsys)) == (f"duplicated: '{ONE}'", "set.json, $.intent_ids")
    edited(desk, "set", "intent_ids", value=[ONE, TWO])
    (desk / f"{TWO}.json").write_bytes((desk / f"{ONE}.json").read_bytes())
    what, where = the_one(refused(desk, capsys))
    assert (what, where) == (f"the document is {ONE!r}", f"set.json, $.intent_ids[1] {TWO}, $.id")


@pytest.mark.req("GV-01", "GV-02")
def test_who_does_not_belong_to_the_set(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Another project, a rejected intent and a missing one are each their own error, and all come at once."""
    edited(desk, ONE, "scope", "project_id", value="bank")
    assert the_one(refused(desk, capsys))[0] == "the intent belongs to the project 'bank'"
    edited(desk, TWO, "status", value="superseded")
    edited(desk, "set", "intent_ids", value=[ONE, TWO, "intent_missing"])
    edited(desk, "set", "context", "env", value="production")
    found = {problem["what"]: problem["where"] for problem in refused(desk, capsys)}
    assert set(found) == {
        "'production' is unknown",
        "the intent belongs to the project 'bank'",
        "the intent is superseded",
        "there is no such file",
    }
    assert found["'production' is unknown"] == "set.json, $.context.env"
    assert found["the intent is superseded"].endswith(f"{TWO}, $.status")


def test_a_cyclic_registry(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A policy whose commands need each other in a circle is refused, and so is one that cannot be read."""
    text = "[registry]\ncommands = ['one', 'two']\nproduces = {one = ['a'], two = ['b']}\nrequires = {one = ['b'], two = ['a']}\n"  # fmt: skip
    (desk / "policy.toml").write_text(text, encoding="utf-8")
    what, where = the_one(refused(desk, capsys, "--policy", "policy.toml"))
    assert what.startswith("the registry is cyclic: ")
    assert where == "policy.toml, $.registry.requires"
    (desk / "policy.toml").write_text("[limits]\nmax_files = 501\n", encoding="utf-8")
    assert the_one(refused(desk, capsys, "--policy", "policy.toml"))[1] == "policy.toml, $.limits.max_files"
    (desk / "policy.toml").write_bytes(b"[limits")
    assert "not TOML" in the_one(refused(desk, capsys, "--policy", "policy.toml"))[0]
    assert the_one(refused(desk, capsys, "--policy", "missing.toml"))[1] == "missing.toml"


def _places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Every value of plain data, with the way to it."""
    yield path, value
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _places(inner, (*path, name))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _places(inner, (*path, place))


def _each_spoilt(
    documents: list[Data], spoil: Callable[[Data, tuple[str | int, ...], Any], bool]
) -> Iterator[tuple[str, Data, tuple[str | int, ...]]]:
    """The documents, spoilt in one place each."""
    for data in documents:
        for path, value in list(_places(data)):
            copy = deepcopy(data)
            if spoil(copy, path, value):
                yield "set" if data["type"] == "intent_set" else data["id"], copy, path


def _at(data: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        data = data[step]
    return data


def _add_key(data: Data, path: tuple[str | int, ...], value: Any) -> bool:
    if isinstance(value, dict):
        _at(data, path)["execute"] = "rm -rf ."
    return isinstance(value, dict)


def _add_symbol(data: Data, path: tuple[str | int, ...], value: Any) -> bool:
    if isinstance(value, str):
        _at(data, path[:-1])[path[-1]] = f"{value} os.system('x')"
    return isinstance(value, str)


@pytest.mark.req("GV-13")
@pytest.mark.parametrize("spoil", [_add_key, _add_symbol], ids=["execute", "os.system"])
def test_nothing_to_execute_anywhere(
    desk: Path, capsys: pytest.CaptureFixture[str], spoil: Callable[[Data, tuple[str | int, ...], Any], bool]
) -> None:
    """An `execute` key in any object and `os.system` in any text of a set or an intent are refused with their path."""
    intent_set, intents = situation("clear_priority")
    count = 0
    for name, data, path in _each_spoilt([intent_set, intents[0]], spoil):
        original = (desk / f"{name}.json").read_bytes()
        (desk / f"{name}.json").write_text(dump_json(data), encoding="utf-8")
        code, told = govern_json(capsys, "evaluate", "set.json", "--out", "out")
        crossed = [p for p in told["problems"] if "execute" in p["expected"]]
        spot = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
        assert (code, (desk / "out").exists()) == (2, False), path
        assert any(f"${spot}" in problem["where"] for problem in crossed), (path, told)
        (desk / f"{name}.json").write_bytes(original)
        count += 1
    assert count > 15


@pytest.mark.req("GV-01", "GV-02")
def test_letters_that_only_look_right(desk: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """A homoglyph in an id is named with its code point, in the set and in the intent."""
    strange = ONE.replace("a", "\u0430", 1)
    edited(desk, "set", "intent_ids", 0, value=strange)
    what, where = the_one(refused(desk, capsys))
    assert where == "set.json, $.intent_ids[0]"
    told(what)
    edited(desk, "set", "intent_ids", 0, value=ONE)
    edited(desk, ONE, "id", value=strange)
    what, where = the_one(refused(desk, capsys))
    assert where.endswith("$.id")
    told(what)


def test_ten_megabytes_of_evidence(desk: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """A list of evidence that is too long is counted; a file that is too large is not even read."""
    edited(desk, ONE, "evidence_refs", value=["file://x"] * 100_000)
    what, where = the_one(refused(desk, capsys))
    assert where.endswith("$.evidence_refs")
    told(what)
    edited(desk, ONE, "evidence_refs", value=["file://" + "x" * 200] * 50_000)
    what, where = the_one(refused(desk, capsys))
    assert (what.startswith("the file has 1"), where.endswith(f"{ONE}.json")) == (True, True)


@pytest.mark.parametrize("name", ["set", ONE])
@pytest.mark.parametrize(
    ("spoil", "named"),
    [
        (lambda content: DEEP, "deep"),
        (lambda content: content.replace(b"shop", b"sh\xffp", 1), "not UTF-8"),
        (lambda content: content.replace(b'"type":', b'"id": "intent_abcdef", "type":', 1), 'the key "id" is duplicated'),
        (lambda content: content[:-3], "not JSON"),
        (lambda content: b"", "not JSON"),
        (lambda content: b"[]", "[] does not fit"),
        (lambda content: content.replace(b'"created_at": "2026', b'"created_at": NaN, "x": "2026', 1), "NaN is not a finite number"),
    ],
    ids=["deep nesting", "invalid UTF-8", "duplicate key", "cut short", "empty", "no object", "NaN"],
)  # fmt: skip
def test_what_is_no_document(
    desk: Path, capsys: pytest.CaptureFixture[str], name: str, spoil: Callable[[bytes], bytes], named: str
) -> None:
    """Deep nesting, bytes that are not text, duplicate keys and broken JSON are each reported as what they are."""
    file = desk / f"{name}.json"
    file.write_bytes(spoil(file.read_bytes()))
    what, where = the_one(refused(desk, capsys))
    assert named in what, what
    assert ("set.json" if name == "set" else ONE) in where
