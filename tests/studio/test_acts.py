"""Acts: what was tried and refused is noted, bounded, and takes nothing from what was done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.studio.served import serving
from tests.studio.test_inbox import choice, items_of
from tests.studio.test_team import history, registry
from tests.workflow.plans import PROJECT
from volition.studio.acts import REFUSED, REFUSED_BYTES, ActLog

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

__all__ = ["registry"]


def test_what_a_person_may_not_do_is_listed(registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers, permits and claims that were refused with 403 are listed with who tried, what, about what, and why; requests that
    were wrong or too late are not, and the registry records none of it."""
    monkeypatch.setenv("VOLITION_HOLDER", "stranger")
    with serving(tmp_path, registry=str(registry)) as studio:
        before = len(studio.get("/acts")["acts"])
        item = items_of(studio)["team"]
        flow = item["flow"]
        body = {"project": PROJECT, "checksum": item["checksum"], "choices": choice(item)["choices"]}
        assert studio.refusal("POST", f"/inbox/items/{item['id']}/answer", choice(item))[0] == 403
        assert studio.refusal("POST", f"/team/flows/{flow}/answer", body)[0] == 403
        assert studio.refusal("POST", f"/team/flows/{flow}/answer", {**body, "who": "ann"})[0] == 400
        assert studio.refusal("POST", "/team/flows/nothing/answer", body)[0] in {400, 404, 409}
        acts = studio.get("/acts")["acts"]
        tried = [(one["who"], one["what"], one["about"]) for one in acts if one["refused"]]
        assert tried == [("stranger", "answer", flow), ("stranger", "answer", item["id"])]
        assert all("not a member" in one["refused"] and one["signer"] is None for one in acts if one["refused"])
        assert len(acts) == before + 2
    assert history(registry, "answered") == []


def test_refused_attempts_are_bounded_and_push_nothing_out(tmp_path: Path) -> None:
    """However often somebody tries, the file stays small, the newest attempts are kept whole, and acts that were done stay listed."""
    log = ActLog(tmp_path)
    log.add("pat", "fork", "evening", "branch")
    for number in range(3 * REFUSED_BYTES // 700):
        log.add_refused("mallory", "answer", f"item-{number}", "no" * 400)
        assert (tmp_path / REFUSED).stat().st_size <= REFUSED_BYTES
    kept = [act.about for act in log.read_refused()]
    assert kept == [f"item-{n}" for n in range(number - len(kept) + 1, number + 1)]
    assert len(kept) > 100
    assert max(len(act.refused or "") for act in log.read_refused()) == 500
    assert [act.who for act in log.read()] == ["pat"]
    assert (tmp_path / REFUSED).stat().st_mode & 0o077 == 0


def test_a_link_in_place_of_the_file_is_not_followed(tmp_path: Path) -> None:
    """A link that somebody put there is neither written through nor read, and the refusal stays a refusal."""
    target = tmp_path / "elsewhere.txt"
    target.write_text("mine", encoding="utf-8")
    (tmp_path / REFUSED).symlink_to(target)
    log = ActLog(tmp_path)
    log.add_refused("pat", "fork", "evening", "no")
    assert (target.read_text(encoding="utf-8"), log.read_refused()) == ("mine", [])
