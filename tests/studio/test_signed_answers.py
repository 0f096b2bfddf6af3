"""Answers in the studio's folder: signed by the person whose key it holds, and not counted once they were changed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.keys import key_text
from tests.studio.served import Served, serving
from tests.studio.test_inbox import choice, items_of, save_sample
from tests.studio.test_team import registry
from tests.workflow.plans import PROJECT
from volition.core.manifest import MANIFEST, write_manifest
from volition.core.signing import lock_key, own_signer
from volition.workflow import Members, Store, Team, parse_store_address

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.sentences import Told

__all__ = ["registry"]
OTHER = key_text(bytes(range(9, 41)))


@pytest.fixture
def studio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A studio that pat started, with a saved evaluation that asks."""
    monkeypatch.setenv("VOLITION_HOLDER", "pat")
    with serving(tmp_path) as one:
        save_sample(one)
        yield one


def answer(studio: Served, number: int = 0) -> dict[str, Any]:
    """Answer the saved question; the item after that."""
    item = items_of(studio)["evaluation"]
    answered: dict[str, Any] = studio.post(f"/inbox/items/{item['id']}/answer", choice(item, number))
    return answered


def change_saved(folder: Path, **changed: Any) -> None:
    """Rewrite the answer in a saved evaluation, and its manifest to match, as an attacker who knows the format would."""
    file = folder / "inputs" / "answers_1.json"
    data = json.loads(file.read_bytes()) | changed
    file.write_text(json.dumps({name: value for name, value in data.items() if value is not None}), encoding="utf-8")
    manifest = json.loads((folder / MANIFEST).read_bytes())
    files = {name: (folder / name).read_bytes() for name in manifest["files"]}
    write_manifest(folder, manifest["kind"], files, manifest["about"])


def test_an_answer_is_signed_by_the_person_of_the_studio(studio: Served, tmp_path: Path) -> None:
    """The answer is saved with its signature, shown with the key, and listed among the acts."""
    answered, public = answer(studio), own_signer().public
    assert (answered["answer"]["who"], answered["answer"]["key"], answered["not_counted"]) == ("pat", public, [])
    detail = studio.get(f"/records/{answered['led_to']}")
    assert detail["evaluation"]["signers"] == [{"by": "pat", "key": public, "fault": None}]
    act = studio.get("/acts")["acts"][0]
    assert (act["who"], act["what"], act["result"], act["signer"], act["fault"]) == (
        "pat", "answer", answered["led_to"], public, None,
    )  # fmt: skip
    assert len(studio.get("/acts")["acts"]) == 1
    (tmp_path / "volition-acts.jsonl").unlink()
    (alone,) = studio.get("/acts")["acts"]
    assert alone == act | {"at": alone["at"]}
    assert alone["at"] <= act["at"] < alone["at"] + 60


def test_an_answer_that_was_changed_does_not_count(studio: Served, tmp_path: Path, told: Told) -> None:
    """Its question is open again and says which answer does not count and why, its record does not verify, the acts say so, and
    answering again settles it."""
    led_to = answer(studio)["led_to"]
    change_saved(tmp_path / "volition-evaluations" / led_to, provided_at="2020-01-01T00:00:00Z")
    item = items_of(studio)["evaluation"]
    assert (item["state"], item["mine"], item["answer"]) == ("open", True, None)
    (given,) = item["not_counted"]
    assert (given["who"], given["record"]) == ("pat", led_to)
    told(given["fault"])
    told(studio.get(f"/inbox/items/{item['id']}")["history"][-1]["what"])
    told(studio.get(f"/records/{led_to}")["evaluation"]["signers"][0]["fault"])
    checked = studio.post(f"/records/{led_to}/verify")
    assert checked["intact"] is False
    told(checked["fault"])
    (act,) = [one for one in studio.get("/acts")["acts"] if one["fault"]]
    assert (act["who"], act["result"]) == ("pat", led_to)
    again = answer(studio, 1)
    assert (again["state"], again["led_to"] != led_to, len(again["not_counted"])) == ("answered", True, 1)


def test_a_changed_answer_cannot_be_sent_again(studio: Served, told: Told) -> None:
    """A request with an answer that is not as it was signed is refused with 409, and nothing is saved."""
    detail = studio.get(f"/records/{answer(studio)['led_to']}")
    asked = {name: value for name, value in detail["asked"].items() if value is not None}
    assert studio.post("/govern", asked)["question_pack"] is None
    (pack,) = asked["answers"]
    before = len(studio.get("/records?kind=evaluation")["records"])
    forged = asked | {"answers": [pack | {"signature": pack["signature"] | {"by": "kim"}}], "save": True}
    status, problem = studio.refusal("POST", "/govern", forged)
    assert status == 409
    told(problem["what"])
    assert len(studio.get("/records?kind=evaluation")["records"]) == before


@pytest.mark.parametrize("more", [{}, {"pack_id": "apack_another_one"}])
def test_a_signature_that_was_taken_away_is_missed(studio: Served, tmp_path: Path, more: dict[str, str]) -> None:
    """A signed answer without its signature does not count; nor with another id, because the studio noted the key that signed it."""
    change_saved(tmp_path / "volition-evaluations" / answer(studio)["led_to"], signature=None, **more)
    item = items_of(studio)["evaluation"]
    assert (item["state"], item["not_counted"][0]["fault"]) == ("open", "its signature was taken away")


def test_somebody_without_a_key_answers_unsigned(
    studio: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer counts, with the name that was noted and no key."""
    monkeypatch.setenv("VOLITION_KEY", str(tmp_path / "no.pem"))
    answered = answer(studio)
    assert (answered["state"], answered["answer"]["who"], answered["answer"]["key"]) == ("answered", "pat", None)
    assert studio.get("/acts")["acts"][0]["signer"] is None
    assert not (tmp_path / "no.pem").exists()


def test_who_has_a_key_does_not_answer_unsigned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a key that is locked, the question is shown with the reason, answering is 403, and the attempt is listed."""
    file = tmp_path / "key.pem"
    monkeypatch.setenv("VOLITION_KEY", str(file))
    monkeypatch.setenv("VOLITION_HOLDER", "pat")
    own_signer()
    lock_key(file, "four words of hers")
    with serving(tmp_path) as studio:
        save_sample(studio)
        item = items_of(studio)["evaluation"]
        assert (item["mine"], item["why_not"]["what"]) == (False, "the key of this user is locked")
        assert studio.refusal("POST", f"/inbox/items/{item['id']}/answer", choice(item))[0] == 403
        batch = {"choices": [choice(item)["choices"]]}
        assert studio.post("/govern", sample_of(studio) | batch)["saved"] is None
        assert studio.refusal("POST", "/govern", sample_of(studio) | batch | {"save": True})[0] == 403
        acts = studio.get("/acts")["acts"]
        assert [(one["who"], one["what"], one["refused"]) for one in acts] == [
            ("pat", "answer", "the key of this user is locked")
        ] * 2
        assert item["id"] in {one["about"] for one in acts}


def sample_of(studio: Served) -> dict[str, Any]:
    """What the saved evaluation was made from."""
    saved = studio.get("/records?kind=evaluation")["records"][0]
    asked = studio.get(f"/records/{saved['id']}")["asked"]
    return {name: value for name, value in asked.items() if value is not None}


def test_a_name_of_the_registry_belongs_to_its_key(
    tmp_path: Path, registry: Path, monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """Where the registry knows a name with another key, an answer in that name does not count, and a studio with that other key
    may not give one; a key that was replaced is still the name's, and one that was revoked is not."""
    monkeypatch.setenv("VOLITION_HOLDER", "pat")
    mine = own_signer().public
    with monkeypatch.context() as forger, serving(tmp_path) as studio:
        forger.setenv("VOLITION_KEY", OTHER)
        save_sample(studio)
        assert answer(studio)["state"] == "answered"
    with serving(tmp_path, registry=str(registry)) as studio:
        item = items_of(studio)["evaluation"]
        assert item["state"] == "open"
        told(item["not_counted"][0]["fault"])
        assert answer(studio)["answer"]["key"] == mine
        with Store(parse_store_address(registry)) as store:
            Members(Team(store, PROJECT)).change_key("pat", "cd" * 32, "pat")
        assert items_of(studio)["evaluation"]["state"] == "answered"
        with Store(parse_store_address(registry)) as store:
            Members(Team(store, PROJECT)).revoke_key("pat", "ann")
        assert items_of(studio)["evaluation"]["state"] == "open"
    with monkeypatch.context() as forger, serving(tmp_path, registry=str(registry)) as studio:
        forger.setenv("VOLITION_KEY", OTHER)
        forger.setenv("VOLITION_HOLDER", "bob")
        item = items_of(studio)["evaluation"]
        assert studio.get("/inbox")["me"] == "pat"
        assert item["mine"] is False
        told(item["why_not"]["what"])
        assert studio.refusal("POST", f"/inbox/items/{item['id']}/answer", choice(item))[0] == 403


def test_a_studio_of_an_agent_acts_as_nobody(studio: Served, told: Told) -> None:
    """A studio that was started in the session of an agent signs nothing with the key of the person: it answers nothing, and says
    why; a fork there has neither a name nor a key."""
    studio.studio.actor.be_nobody()
    studio.studio.actor.open_key()
    item = items_of(studio)["evaluation"]
    assert item["mine"] is False
    told(item["why_not"]["what"])
    assert studio.refusal("POST", f"/inbox/items/{item['id']}/answer", choice(item))[0] == 403
    assert (studio.studio.actor.own_signer(), studio.studio.actor.name) == (None, "")
    assert [one["refused"] is not None for one in studio.get("/acts")["acts"]] == [True]
