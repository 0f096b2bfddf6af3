"""The bin: what is removed can be restored as it was, what is erased is gone, and nothing else is ever moved."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from importlib import util
from typing import TYPE_CHECKING, Any

import pytest

from tests.studio.served import serving
from tests.studio.test_inbox import choice, save_sample
from volition.core.signing import own_signer
from volition.drama import play, scenario
from volition.studio.bin import FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.sentences import Told
    from tests.studio.served import Served

HOME = "volition-runs"


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Served]:
    """A studio with two runs and an evaluation."""
    for seed in (1, 2):
        play(scenario("dinner-party"), seed, ticks=3).save(tmp_path / HOME / f"run-{seed}")
    with serving(tmp_path) as served:
        save_sample(served)
        yield served


def names(studio: Served, **query: Any) -> list[str]:
    """The names of the records in the list, sorted."""
    return sorted(one["name"] for one in studio.get("/records", params=query)["records"])


def remove(studio: Served, path: str) -> Any:
    """What the API answers to DELETE."""
    answer = studio.client.delete(f"/api/v1{path}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_a_removed_record_comes_back_as_it_was(studio: Served, tmp_path: Path) -> None:
    """A removed record is in no list, cannot be opened, and is in the bin with its size; restored, it has its id and its bytes, and
    is still verified; all of it is listed among what people did."""
    before = contents(tmp_path / HOME / "run-1")
    assert studio.post("/records/run-1/verify")["checked"] == "whole"
    removed = remove(studio, "/records/run-1")
    assert names(studio, kind="run") == ["run-2"]
    assert studio.refusal("GET", "/records/run-1")[0] == 404
    assert studio.refusal("GET", "/runs/run-1")[0] == 404
    assert studio.get("/removed")["removed"] == [removed]
    assert (removed["name"], removed["place"], removed["what"]) == ("run-1", f"{HOME}/run-1", "ledger")
    assert removed["bytes"] == sum(map(len, before.values()))
    restored = studio.post(f"/removed/{removed['id']}/restore")
    assert (restored["id"], restored["checked"]) == ("run-1", "whole")
    assert contents(tmp_path / HOME / "run-1") == before
    assert studio.get("/removed")["removed"] == []
    acts = [(one["what"], one["about"], one["result"]) for one in studio.get("/acts")["acts"]]
    assert acts[:2] == [("restore", removed["id"], "run-1"), ("remove", "run-1", removed["id"])]


def test_a_name_may_be_taken_by_then(studio: Served, tmp_path: Path) -> None:
    """Two records of one name are both in the bin; restored, neither takes the place of another, and each has its own bytes."""
    first = remove(studio, "/records/run-1")
    shutil.copytree(tmp_path / HOME / "run-2", tmp_path / HOME / "run-1")
    second = remove(studio, "/records/run-1")
    assert len({one["id"] for one in studio.get("/removed")["removed"]} | {first["id"], second["id"]}) == 2
    shutil.copytree(tmp_path / HOME / "run-2", tmp_path / HOME / "run-1")
    seeds = {studio.post(f"/removed/{one['id']}/restore")["run"]["seed"] for one in (first, second)}
    assert seeds == {1, 2}
    assert len(names(studio, kind="run")) == 4


def test_an_erased_record_is_gone(studio: Served, tmp_path: Path) -> None:
    """What is erased is on the disk no more, and cannot be restored; the others in the bin stay."""
    gone, kept = remove(studio, "/records/run-1"), remove(studio, "/records/run-2")
    assert remove(studio, f"/removed/{gone['id']}")["id"] == gone["id"]
    assert studio.get("/removed")["removed"] == [kept]
    assert [folder.name for folder in (tmp_path / FOLDER / HOME).iterdir()] == ["run-2"]
    for method, path in (("POST", f"/removed/{gone['id']}/restore"), ("DELETE", f"/removed/{gone['id']}")):
        assert studio.refusal(method, path)[0] == 404
    assert studio.get("/acts")["acts"][0]["what"] == "erase"


def test_what_is_written_or_belongs_to_others_stays(studio: Served, tmp_path: Path, told: Told) -> None:
    """A game that is being played is not removed before it ends; nor is a record that lies outside of the folders that studio and
    commands write to; an unknown id is 404, and an id of the one list is none of the other."""
    shutil.copytree(tmp_path / HOME / "run-1", tmp_path / "mine" / "kept")
    kept = next(one for one in studio.get("/records")["records"] if one["place"] == "mine/kept")
    game = studio.post("/games", {"guest": "victor", "seed": 1})["id"]
    removed = remove(studio, "/records/run-2")
    refused = {id: studio.refusal("DELETE", f"/records/{id}") for id in (kept["id"], game, "nothing", removed["id"])}
    assert [status for status, _ in refused.values()] == [409, 409, 404, 404]
    assert studio.refusal("DELETE", "/removed/run-1")[0] == 404
    told(refused[kept["id"]][1]["what"], refused[kept["id"]][1]["remedy"])
    assert (tmp_path / "mine" / "kept").is_dir()
    assert [one["removable"] for one in (kept, studio.get("/records/run-1")["record"])] == [False, True]


def test_a_bin_that_is_a_link_is_not_followed(studio: Served, tmp_path: Path) -> None:
    """Whoever can put a link into the folder cannot have records moved elsewhere, nor others' files listed or erased."""
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    shutil.copytree(tmp_path / HOME, outside / HOME)
    (tmp_path / FOLDER).symlink_to(outside)
    assert studio.get("/removed")["removed"] == []
    assert studio.refusal("DELETE", "/records/run-1")[0] == 409
    (tmp_path / FOLDER).unlink()
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / HOME).symlink_to(outside / HOME)
    assert studio.get("/removed")["removed"] == []
    assert studio.refusal("DELETE", "/records/run-1")[0] == 409
    assert names(studio, kind="run") == ["run-1", "run-2"]
    assert sorted(folder.name for folder in (outside / HOME).iterdir()) == ["run-1", "run-2"]


def test_nobody_in_particular_removes_nothing(studio: Served) -> None:
    """In the session of an agent nothing is removed, restored or erased, and each attempt is listed."""
    removed = remove(studio, "/records/run-2")
    studio.studio.actor.be_nobody()
    attempts = [("DELETE", "/records/run-1"), ("POST", f"/removed/{removed['id']}/restore"), ("DELETE", f"/removed/{removed['id']}")]  # fmt: skip
    assert [studio.refusal(*attempt)[0] for attempt in attempts] == [403, 403, 403]
    tried = [one["what"] for one in studio.get("/acts")["acts"] if one["refused"]]
    assert sorted(tried) == ["erase", "remove", "restore"]
    assert names(studio, kind="run") == ["run-1"]


def test_a_key_that_no_library_can_read_says_what_to_install(
    studio: Served, monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """Whoever has a key, and not the library that reads it, is told which part is missing, and not that the key is broken."""
    own_signer()
    real = util.find_spec
    monkeypatch.setattr("volition.core.extras.find_spec", lambda name: None if name == "cryptography" else real(name))
    status, problem = studio.refusal("DELETE", "/records/run-1")
    assert status == 403
    told(problem["what"], problem["remedy"])


def test_many_at_once_remove_it_once(studio: Served) -> None:
    """Of several requests to remove the same record one does, and the others are told that it is not there; so for restoring."""
    with ThreadPoolExecutor(8) as pool:
        answers = sorted(pool.map(lambda _: studio.client.delete("/api/v1/records/run-1").status_code, range(8)))
        assert answers[0] == 200
        assert set(answers[1:]) <= {404, 409}
        (removed,) = studio.get("/removed")["removed"]
        path = f"/api/v1/removed/{removed['id']}/restore"
        again = list(pool.map(lambda _: studio.client.post(path).status_code, range(8)))
        assert sorted(again) == [200, *[404] * 7]
    assert names(studio, kind="run") == ["run-1", "run-2"]


def test_the_inbox_follows_the_bin(studio: Served) -> None:
    """Without its evaluation a question is not asked. Without the evaluation that has its answer it is open again, and once that is
    restored it is answered as before."""
    (item,) = studio.get("/inbox")["items"]
    removed = remove(studio, f"/records/{item['record']}")
    assert studio.get("/inbox")["items"] == []
    studio.post(f"/removed/{removed['id']}/restore")
    assert [one["id"] for one in studio.get("/inbox")["items"]] == [item["id"]]
    answered = studio.post(f"/inbox/items/{item['id']}/answer", choice(item))
    removed = remove(studio, f"/records/{answered['led_to']}")
    assert [one["state"] for one in studio.get("/inbox")["items"]] == ["open"]
    studio.post(f"/removed/{removed['id']}/restore")
    assert studio.get("/inbox")["items"] == [answered]


def test_a_name_that_is_no_plain_word_is_kept(studio: Served, tmp_path: Path) -> None:
    """A record whose folder has spaces, signs and letters of any language has the same folder and the same id once it is restored."""
    shutil.copytree(tmp_path / HOME / "run-1", tmp_path / HOME / "K\u00e4te's evening (2)")
    before = next(one for one in studio.get("/records")["records"] if one["name"].startswith("K"))
    removed = remove(studio, f"/records/{before['id']}")
    assert removed["name"] == before["name"]
    assert studio.post(f"/removed/{removed['id']}/restore")["id"] == before["id"]
    assert (tmp_path / before["place"]).is_dir()


def test_a_bin_that_cannot_be_made_is_told(studio: Served, tmp_path: Path, told: Told) -> None:
    """Where the folder takes no bin the refusal says so, and the record is still in its place."""
    (tmp_path / FOLDER).write_text("in the way", encoding="utf-8")
    status, problem = studio.refusal("DELETE", "/records/run-1")
    assert (status, studio.get("/removed")["removed"]) == (409, [])
    told(problem["what"], problem["remedy"])
    assert names(studio, kind="run") == ["run-1", "run-2"]


@pytest.mark.parametrize("kind", [None, "run", "evaluation"])
def test_pages_have_every_record_once(studio: Served, tmp_path: Path, kind: str | None) -> None:
    """Page after page every record of a kind comes once, the newest first, and each page says how many follow; a limit that no page
    may have is refused."""
    for number in range(5):
        folder = tmp_path / HOME / f"copy-{number}"
        shutil.copytree(tmp_path / HOME / "run-1", folder)
        os.utime(folder / "000001.jsonl", (number, number))
    query = {} if kind is None else {"kind": kind}
    whole = studio.get("/records", params=query)
    assert whole["left_out"] == 0
    pages, offset = [], 0
    while True:
        page = studio.get("/records", params={**query, "limit": 3, "offset": offset})
        pages += page["records"]
        assert page["left_out"] == len(whole["records"]) - len(pages)
        offset += 3
        if not page["left_out"]:
            break
    assert pages == whole["records"]
    assert studio.get("/records", params={**query, "offset": 100})["records"] == []
    for wrong in ({"limit": 0}, {"limit": 501}, {"offset": -1}, {"limit": "many"}):
        assert studio.refusal("GET", "/records", params=wrong)[0] == 400
