"""Forks in the studio's folder: signed by the person whose key it holds, listed, and checked like any other record."""

from __future__ import annotations

import json
from shutil import copytree, rmtree
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.lines import run
from tests.keys import key_text
from tests.studio.served import Served, serving
from volition.core.ledger.signature import SIGNED, LedgerSignature, sign_ledger
from volition.core.signing import lock_key, own_signer
from volition.drama import play, scenario
from volition.drama.world.settings import Setting, apply_settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.sentences import Told

OTHER = key_text(bytes(range(9, 41)))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an evening that was broken off; its forks end soon after."""
    folder = tmp_path_factory.mktemp("recorded")
    short = apply_settings(scenario("dinner-party"), [Setting("evening.ticks", None, 16)])
    play(short, 8, ticks=12).save(folder / "volition-runs" / "evening")
    return folder


@pytest.fixture
def studio(recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A studio that pat started over a copy of that folder."""
    monkeypatch.setenv("VOLITION_HOLDER", "pat")
    with serving(copytree(recorded, tmp_path / "home")) as one:
        yield one


def fork(studio: Served) -> dict[str, Any]:
    chosen = studio.get("/runs/evening/decisions/11/victor")["decision"]["candidate"]
    forked: dict[str, Any] = studio.post("/runs/evening/forks", {"at": 11, "agent": "victor", "veto": chosen})
    return forked


def folder_of(studio: Served, run: str) -> Path:
    return studio.studio.store.find(run).path


def forks(studio: Served) -> list[dict[str, Any]]:
    return [act for act in studio.get("/acts")["acts"] if act["what"] == "fork"]


def test_a_fork_is_signed_and_listed(studio: Served, capsys: pytest.CaptureFixture[str]) -> None:
    """A fork carries the name and the key of the person, its record says so, the acts list it once, the command line verifies it,
    and no byte of the branch depends on it."""
    made, public = fork(studio), own_signer().public
    assert (made["by"], made["key"]) == ("pat", public)
    entry = studio.get(f"/records/{made['run']}")["record"]
    signed = entry["run"]["signed"]
    assert (entry["intact"], signed["by"], signed["key"], signed["of"], signed["where"]) == (
        True, "pat", public, "evening", "tick 11",
    )  # fmt: skip
    (act,) = forks(studio)
    assert (act["who"], act["about"], act["result"], act["signer"], act["fault"]) == (
        "pat", "evening", made["run"], public, None,
    )  # fmt: skip
    folder = folder_of(studio, made["run"])
    code, out, _ = run(capsys, "ledger", "verify", folder)
    assert (code, f"signed by pat with the key {public[:16]}...: fork of evening at tick 11" in out) == (0, True), out
    assert run(capsys, "replay", folder, "--verify")[0] == 0
    (folder / SIGNED).unlink()
    assert run(capsys, "replay", folder, "--verify")[0] == 0
    assert studio.post(f"/records/{made['run']}/verify")["intact"]


def test_a_changed_signature_breaks_the_record_everywhere(studio: Served, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the name of who forked was changed, page, `ledger verify` and `replay --verify` call the record broken, and the acts
    say why it does not count."""
    made = fork(studio)
    file = folder_of(studio, made["run"]) / SIGNED
    file.write_text(json.dumps(json.loads(file.read_bytes()) | {"by": "kim"}), encoding="utf-8")
    for command in (["ledger", "verify", file.parent], ["replay", file.parent, "--verify"]):
        code, out, err = run(capsys, *command)
        assert (code, "false signature" in out + err) == (3, True), out + err
    for entry in (studio.get(f"/records/{made['run']}")["record"], studio.post(f"/records/{made['run']}/verify")):
        assert (entry["intact"], "false signature" in entry["fault"], entry["run"]["signed"]) == (False, True, None)
    (act,) = forks(studio)
    assert (act["who"], "false signature" in act["fault"]) == ("kim", True)


def test_a_signature_that_was_taken_away_or_replaced_is_noticed(
    studio: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The studio noted the key that signed: a branch without a signature, or with one of another key, does not count as it was;
    where the record is gone, the act is still listed."""
    made = fork(studio)
    folder = folder_of(studio, made["run"])
    signed = (folder / SIGNED).read_bytes()
    (folder / SIGNED).unlink()
    assert [act["fault"] for act in forks(studio)] == ["its signature was taken away"]
    (folder / SIGNED).write_bytes(signed)
    assert [act["fault"] for act in forks(studio)] == [None]
    with monkeypatch.context() as forger:
        forger.setenv("VOLITION_KEY", OTHER)
        sign_ledger(
            folder, LedgerSignature("fork", "evening", "tick 11", "mallory", "2026-01-25T10:00:00Z"), own_signer()
        )
    assert ["another key signed it" in act["fault"] for act in forks(studio)] == [True]
    rmtree(folder)
    assert [(act["who"], act["result"]) for act in forks(studio)] == [("pat", made["run"])]


def test_a_fork_at_the_command_line_is_listed_too(
    studio: Served, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], told: Told
) -> None:
    """What `volition fork` signs in the studio's folder is an act of whoever typed it; without a key it is not signed, and listed
    as an act of nobody by name that counts like any other."""
    monkeypatch.chdir(studio.studio.store.folder)
    rmtree("volition-runs/evening")
    play(scenario("dinner-party"), 8, ticks=12).save("volition-runs/evening")  # what is told compares whole evenings
    chosen = studio.get("/runs/evening/decisions/11/victor")["decision"]["candidate"]
    given = ("fork", "evening", "--at", 11, "--agent", "victor", "--veto", chosen, "--by", "ann")
    code, out, _ = run(capsys, *given)
    assert (code, f"signed by ann with the key {own_signer().public[:16]}..." in out) == (0, True), out
    assert [(act["who"], act["signer"]) for act in forks(studio)] == [("ann", own_signer().public)]
    told(run(capsys, "runs")[1])
    monkeypatch.setenv("VOLITION_KEY", str(studio.studio.store.folder / "no.pem"))
    code, out, _ = run(capsys, *given)
    assert code == 0, out
    told(out)
    unsigned, signed = forks(studio)
    assert signed["who"] == "ann"
    assert [unsigned[part] for part in ("who", "signer", "fault", "about")] == ["", None, None, "dinner-party"]


def test_who_has_a_key_does_not_fork_unsigned(recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a locked key a fork is 403, nothing is recorded, and the attempt is listed; without a key it is not signed."""
    file = tmp_path / "key.pem"
    monkeypatch.setenv("VOLITION_KEY", str(file))
    monkeypatch.setenv("VOLITION_HOLDER", "pat")
    with serving(copytree(recorded, tmp_path / "home")) as studio:
        made = fork(studio)
        assert (made["by"], made["key"], [act["signer"] for act in forks(studio)]) == ("pat", None, [None])
        own_signer()
        lock_key(file, "four words of hers")
        before = len(studio.get("/records")["records"])
        body = {"at": 11, "agent": "victor", "veto": "internal"}
        status, problem = studio.refusal("POST", "/runs/evening/forks", body)
        assert (status, problem["what"]) == (403, "the key of this user is locked")
        assert len(studio.get("/records")["records"]) == before
        assert [(act["about"], act["refused"]) for act in forks(studio) if act["refused"]] == [
            ("evening", "the key of this user is locked")
        ]
