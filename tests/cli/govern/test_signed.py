"""Answers at the command line are signed with the key of whoever types them, and what was changed afterwards does not count."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.govern.desk import content_of, govern, govern_json, lay_out, situation
from volition.core.manifest import MANIFEST, write_manifest
from volition.core.signing import lock_key, own_signer

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told

CHOOSE = ("answer", "out/question_pack.json", "--choose", "question_0001=option_0002")
AGAIN = ("evaluate", "set.json", "--answers", "out/answer_pack.json", "--out", "out")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A folder in which plans were evaluated, with a question, by ann."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VOLITION_HOLDER", "ann")
    intent_set, intents = situation("same_target")
    lay_out(tmp_path, [intent_set, *intents])
    assert govern(capsys, "evaluate", "set.json", "--out", "out")[0] == 3
    return tmp_path


def change_answer(file: Path, **changed: Any) -> None:
    """Change some fields of an answer pack in a file."""
    file.write_text(json.dumps(json.loads(file.read_bytes()) | changed), encoding="utf-8")


def test_an_answer_is_signed_and_said_to_be(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`answer` signs with the key of this user and says so; `evaluate` and `verify` say who answered and with which key."""
    public = own_signer().public
    code, out, _ = govern(capsys, *CHOOSE)
    assert (code, f"signed by ann with the key {public[:16]}" in out) == (0, True), out
    pack = json.loads((desk / "out" / "answer_pack.json").read_bytes())
    assert (pack["signature"]["by"], pack["signature"]["key"]) == ("ann", public)
    code, out, _ = govern(capsys, *AGAIN)
    assert (code, f"signed by ann with the key {public[:16]}" in out) == (0, True), out
    code, out, _ = govern(capsys, "verify", "out")
    assert (code, f"signed by ann with the key {public[:16]}" in out) == (0, True), out
    code, verified = govern_json(capsys, "verify", "out")
    assert verified["answers"] == [{"pack_id": pack["pack_id"], "by": "ann", "key": public}]


def test_somebody_without_a_key_answers_as_before(
    desk: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """Without a key, and with --unsigned, an answer is not signed, counts, and is said to be not signed wherever it is read; and no
    key is made."""
    code, out, _ = govern(capsys, *CHOOSE, "--unsigned", "--out", "plain.json")
    assert code == 0, out
    told(out)
    assert "signature" not in json.loads((desk / "plain.json").read_bytes())
    monkeypatch.setenv("VOLITION_KEY", str(desk / "keys" / "key.pem"))
    code, out, _ = govern(capsys, *CHOOSE)
    assert code == 0, out
    told(out)
    assert "signature" not in json.loads((desk / "out" / "answer_pack.json").read_bytes())
    assert not (desk / "keys").exists()
    code, out, _ = govern(capsys, *AGAIN)
    assert code == 0, out
    told(out)
    code, verified = govern_json(capsys, "verify", "out")
    assert (code, verified["answers"][0]["by"], verified["answers"][0]["key"]) == (0, None, None)


def test_a_changed_answer_does_not_count(desk: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """An answer that was changed after it was signed, or lost its signature, ends `evaluate` with 3 in words, and nothing is
    written; `validate` calls it invalid."""
    govern(capsys, *CHOOSE)
    file = desk / "out" / "answer_pack.json"
    signed = file.read_bytes()
    answers = json.loads(signed)["answers"]
    for changed, words in (
        ({"answers": [answers[0] | {"answer_text": "option_0001"}]}, "it was changed after it was signed"),
        ({"signature": json.loads(signed)["signature"] | {"by": "bob"}}, "it was changed after it was signed"),
    ):
        file.write_bytes(signed)
        change_answer(file, **changed)
        before = content_of(desk)
        code, _, err = govern(capsys, *AGAIN)
        assert (code, "does not count" in err, words in err) == (3, True, True), err
        assert content_of(desk) == before
        assert govern(capsys, "validate", "--kind", "answer_pack", "out/answer_pack.json")[0] == 2
    stripped = {name: value for name, value in json.loads(signed).items() if name != "signature"}
    file.write_text(json.dumps(stripped), encoding="utf-8")
    code, _, err = govern(capsys, *AGAIN)
    assert code == 3, err
    told(err)


def test_a_saved_evaluation_with_a_changed_answer_is_broken(
    desk: Path, capsys: pytest.CaptureFixture[str], told: Told
) -> None:
    """`verify` exits with 3 if a saved answer was changed, even where the manifest was rewritten to match."""
    govern(capsys, *CHOOSE)
    govern(capsys, *AGAIN)
    out = desk / "out"
    change_answer(out / "inputs" / "answers_1.json", provided_at="2020-01-01T00:00:00Z")
    manifest = json.loads((out / MANIFEST).read_bytes())
    write_manifest(
        out, manifest["kind"], {name: (out / name).read_bytes() for name in manifest["files"]}, manifest["about"]
    )
    code, _, err = govern(capsys, "verify", "out")
    assert code == 3, err
    told(err)


def test_only_known_keys_count_where_they_are_named(
    desk: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """With --key, answers of those names and keys count, and no others: not with another key in the name, and not unsigned."""
    govern(capsys, *CHOOSE)
    mine = ("--key", "ann", own_signer().public)
    assert govern(capsys, *AGAIN, *mine)[0] == 0
    assert govern(capsys, "verify", "out", *mine)[0] == 0
    for given, words in (
        (("--key", "ann", "ab" * 32), "belongs to another key"),
        (("--key", "bob", "ab" * 32), "nobody said"),
    ):
        code, _, err = govern(capsys, *AGAIN, *given)
        assert (code, words in err) == (3, True), err
        code, _, err = govern(capsys, "verify", "out", *given)
        assert (code, words in err) == (3, True), err
    assert govern(capsys, "evaluate", "set.json", "--out", "out")[0] == 3
    govern(capsys, *CHOOSE, "--unsigned", "--out", "plain.json")
    code, _, err = govern(capsys, "evaluate", "set.json", "--answers", "plain.json", *mine)
    assert code == 3, err
    told(err)


def test_a_locked_key_signs_nothing_by_itself(
    desk: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """Where the key is locked and nobody can type, nothing is answered: who has a key does not answer unsigned by accident."""
    file = desk / "key.pem"
    monkeypatch.setenv("VOLITION_KEY", str(file))
    own_signer()
    lock_key(file, "a passphrase")
    monkeypatch.setattr("volition.core.signing.getpass", lambda _: (_ for _ in ()).throw(EOFError))
    before = content_of(desk)
    code, _, err = govern(capsys, *CHOOSE)
    assert code == 3, err
    told(err)
    assert content_of(desk) == before


def test_the_session_of_an_agent_does_not_sign_as_a_person(
    desk: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the session of an agent an answer is signed with the key of this user's agents, in the name of the session."""
    monkeypatch.setenv("VOLITION_SESSION", "s-77")
    code, out, _ = govern(capsys, *CHOOSE)
    pack = json.loads((desk / "out" / "answer_pack.json").read_bytes())
    assert (code, pack["signature"]["by"]) == (0, "ann@s-77"), out
    assert pack["signature"]["key"] != own_signer().public
