"""Loading a set with its intents: nothing leaves the folder, and every fault of every document is reported."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from tests.governance.scenarios import EXAMPLES, SCENARIOS
from volition.core.errors import InvalidInput
from volition.governance.documents.checksums import seal
from volition.governance.documents.loading import load_from, load_set
from volition.governance.drafts.sets import new_intent, new_set

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told

NOW = "2026-01-25T10:00:00Z"


def write(folder: Path, *documents: dict[str, Any]) -> Path:
    """Put documents into a folder as they are called; the path of the set."""
    folder.mkdir(parents=True, exist_ok=True)
    for document in documents:
        name = "set" if document["type"] == "intent_set" else document["id"]
        (folder / f"{name}.json").write_bytes(orjson.dumps(document))
    return folder / "set.json"


def intent(name: str, project: str = "shop", **more: Any) -> dict[str, Any]:
    return new_intent(name, project=project, created_at=NOW, files=["a.py"], commands=["look_here: read: look"], **more)


def intent_set(*intents: dict[str, Any], **more: Any) -> dict[str, Any]:
    return new_set("a batch", [one["id"] for one in intents], project="shop", created_at=NOW, **more)


def faults(path: Path, **how: Any) -> str:
    with pytest.raises(InvalidInput) as caught:
        load_set(path, **how)
    return str(caught.value)


@pytest.mark.req("GV-01")
@pytest.mark.parametrize("name", SCENARIOS)
def test_the_examples_load(name: str) -> None:
    """The examples are valid sets whose intents are next to them."""
    loaded = load_set(EXAMPLES / name / "set.json")
    assert [one.id for one in loaded.intents] == list(loaded.intent_set.intent_ids)


@pytest.mark.req("GV-01")
def test_all_faults_of_all_documents(tmp_path: Path) -> None:
    """Missing, foreign, dead, unsealed and misnamed intents are all reported, together with the faults of the set."""
    good, foreign = intent("A good one"), intent("A foreign one", project="bank")
    dead, old = intent("A dead one", status="rejected"), intent("An old one", status="superseded")
    wrong = {**intent("A wrong one"), "title": "Changed since"}
    other = intent("Another one")
    missing = intent("A missing one")
    members = (good, foreign, dead, old, wrong, other, missing)
    document = intent_set(*members)
    document["context"]["env"] = "moon"
    path = write(tmp_path, document, good, foreign, dead, old, wrong)
    (tmp_path / f"{other['id']}.json").write_bytes(orjson.dumps(intent("Somebody else")))
    text = faults(path)
    for expected in (
        "$.context.env",
        "belongs to the project 'bank'",
        "the intent is rejected",
        "the intent is superseded",
        "$.audit.checksum",
        "the document is 'intent_somebody_else'",
        "there is no such file",
    ):
        assert expected in text
    assert good["id"] not in text.replace(good["id"] + ".json", "").replace(f"'{good['id']}'", "")


@pytest.mark.req("GV-01")
@pytest.mark.parametrize(
    ("ids", "what"),
    [
        (["intent_number_1"], "too few"),
        ([f"intent_number_{n}" for n in range(21)], "21 items are too many"),
        (["intent_number_1", "intent_number_1"], "duplicated: 'intent_number_1'"),
    ],
)
def test_the_number_of_intents(tmp_path: Path, ids: list[str], what: str) -> None:
    """A set names 2 to 20 intents, each once."""
    document = seal("intent_set", {**intent_set(intent("One of them"), intent("Two of them")), "intent_ids": ids})
    assert what in faults(write(tmp_path, document))


@pytest.mark.req("GV-02")
@pytest.mark.parametrize(
    "name",
    [
        "../secret",
        "/etc/passwd",
        "intent_../../secret",
        "intent_abc\u0000def",
        "intent_\u0430bcdef",
        "..",
        "intent_ABCDEF",
    ],
)
def test_ids_never_reach_the_file_system_unchecked(name: str) -> None:
    """An id that is no id is refused before anything is fetched by it."""
    fetched: list[str] = []

    def fetch(asked: str) -> bytes:
        fetched.append(asked)
        return orjson.dumps(intent("A good one"))

    document = seal(
        "intent_set",
        {**intent_set(intent("A good one"), intent("Another one")), "intent_ids": ["intent_a_good_one", name]},
    )
    with pytest.raises(InvalidInput, match=r"intent_ids\[1\]"):
        load_from(orjson.dumps(document), fetch)
    assert fetched == ["intent_a_good_one"]


@pytest.mark.req("GV-02")
@pytest.mark.parametrize(
    ("field", "name", "what"),
    [
        ("files", "../secret", "leads out of the project"),
        ("files", "src/../../secret", "leads out of the project"),
        ("files", "/../secret", "leads out of the project"),
        ("files", "notes.", "ends in a dot"),
        ("modules", "shop..cart", "has an empty part"),
        ("paths", "../secret", "leads out of the project"),
    ],
)
def test_targets_stay_in_the_project(tmp_path: Path, field: str, name: str, what: str) -> None:
    """A target or a lock that names nothing in the project is refused where the set is loaded, with its place."""
    good, bad = intent("A good one"), intent("A bad one")
    if field == "paths":
        bad["constraints"]["lock_scope"] = {"mode": "files", "paths": ["a.py", name]}
    else:
        bad["scope"]["targets"][field] = ["a.py" if field == "files" else "shop", name]
    told = faults(write(tmp_path, intent_set(good, bad), good, seal("intent", bad)))
    assert what in told
    assert f"{field}[1]" in told


@pytest.mark.req("GV-02")
def test_every_target_of_a_large_set_is_looked_at() -> None:
    """However many intents there are, each invalid target is reported with the index of its intent."""
    odd = {0, 7, 29}
    many = [intent(f"Plan number {number}") for number in range(30)]
    for number in odd:
        many[number]["scope"]["targets"]["files"] = [f"../outside{number}.py"]
    found = {one["id"]: orjson.dumps(seal("intent", one)) for one in many}
    whole = {**intent_set(*many[:2]), "intent_ids": list(found)}
    with pytest.raises(InvalidInput) as caught:
        load_from(orjson.dumps(seal("intent_set", whole)), found.__getitem__, limit=False)
    told = [problem.where for problem in caught.value.problems]
    assert [where.partition("[")[2].partition("]")[0] for where in told] == [str(number) for number in sorted(odd)]


def test_links_do_not_leave_the_folder(tmp_path: Path, told: Told) -> None:
    """A link out of the folder is refused; one inside it is followed."""
    one, two = intent("One of them"), intent("Two of them")
    path = write(tmp_path / "in", intent_set(one, two), one)
    write(tmp_path / "out", two)
    link = tmp_path / "in" / f"{two['id']}.json"
    link.symlink_to(tmp_path / "out" / f"{two['id']}.json")
    told(faults(path))
    link.unlink()
    link.symlink_to(link)
    told(faults(path))
    link.unlink()
    (tmp_path / "in" / "kept.json").write_bytes(orjson.dumps(two))
    link.symlink_to("kept.json")
    assert [found.id for found in load_set(path).intents] == [one["id"], two["id"]]


@pytest.mark.req("GV-02")
def test_only_files_are_read(tmp_path: Path, told: Told) -> None:
    """A folder or a pipe in the place of an intent is refused, and reading does not wait for a writer."""
    one, two = intent("One of them"), intent("Two of them")
    path = write(tmp_path, intent_set(one, two))
    (tmp_path / f"{one['id']}.json").mkdir()
    os.mkfifo(tmp_path / f"{two['id']}.json")
    assert faults(path).count("not a regular file") == 2
    told(faults(tmp_path / "other.json"))


def test_ten_megabytes_of_evidence(tmp_path: Path, told: Told) -> None:
    """A file that is too large is refused by its size, before it is read."""
    one, two = intent("One of them"), intent("Two of them")
    path = write(tmp_path, intent_set(one, two), one, {**two, "evidence_refs": ["x" * 100] * 100_000})
    told(faults(path))


def test_intents_may_stand_elsewhere(tmp_path: Path) -> None:
    """The folder of the intents can be named."""
    one, two = intent("One of them"), intent("Two of them")
    path = write(tmp_path / "sets", intent_set(one, two))
    write(tmp_path / "intents", one, two)
    assert len(load_set(path, tmp_path / "intents").intents) == 2
    assert faults(path).count("no such file") == 2


@pytest.mark.req("GV-21")
def test_a_window_that_ends_before_it_starts(tmp_path: Path, told: Told) -> None:
    """A time window is checked for its order, across time zones."""
    one, two = intent("One of them"), intent("Two of them")
    window = {"start": "2026-01-25T10:00:00+02:00", "end": "2026-01-25T09:00:00Z"}
    document = intent_set(one, two)
    document["context"]["time_window"] = window
    path = write(tmp_path, seal("intent_set", document), one, two)
    assert load_set(path).intent_set.context.time_window is not None
    document["context"]["time_window"] = {"start": window["end"], "end": window["start"]}
    write(tmp_path, seal("intent_set", document))
    told(faults(path))
