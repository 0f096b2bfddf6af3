"""Inbox: questions of saved evaluations and of the registry, answered on the page, live, and by keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.studio.browser.looks import (
    LOOKS,
    assert_in_place,
    assert_usable,
    open_page,
    save_picture,
    wait_until,
)
from tests.studio.browser.test_govern import HOSTILE
from tests.studio.test_inbox import save_sample
from tests.studio.test_signed_answers import answer, change_saved
from tests.studio.test_team import history, registry
from tests.workflow.plans import PROJECT, document
from volition.core.signing import lock_key, own_signer
from volition.governance import Plan
from volition.workflow import NOTIFY_ALL, Flows, Store, Team, parse_store_address

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.studio.browser.conftest import Showing

__all__ = ["registry"]


def test_a_person_answers_on_the_page(
    showing: Showing, registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both kinds of questions are listed, with who waits for whom and the time left; each option shows what it approves and forbids;
    the bar counts what is mine. An answer says who gave it, with the key; the permit that follows appears by itself."""
    monkeypatch.setenv("VOLITION_HOLDER", "pat")
    with showing(tmp_path, registry) as (studio, page):
        save_sample(studio)
        open_page(page, f"http://127.0.0.1:{studio.port}/inbox")
        assert page.locator(".inbox-item").count() == 2
        first = page.locator(".inbox-item").first.inner_text()
        assert "ann, bob \u2192 pat" in first
        assert "6 days left" in first
        wait_until(page, "document.getElementById('inbox-count').textContent === '2 for you'")
        assert page.get_by_role("radio", name="Mine (2)").get_attribute("aria-checked") == "true"
        keep = page.locator("[data-option=option_0001]")
        assert "Approves 1 action" in keep.inner_text()
        assert "Plan of bbbbbb: change_it, left to the holder of the plan" in keep.locator(".forbids").inner_text()
        page.get_by_role("button", name="Answer").click()
        assert page.locator("#said").inner_text() == "Choose an option first"
        for scheme, width in LOOKS:
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 800})
            assert_usable(page)
            save_picture(page, f"inbox-{scheme}-{width}", whole=True)
        page.get_by_label("Keep \u201cPlan of aaaaaa\u201d").check()
        page.get_by_role("button", name="Answer").click()
        page.get_by_text("permit wanted").wait_for()
        page.get_by_role("radio", name="Answered (1)").click()
        facts = page.locator(".inbox-facts")
        facts.wait_for()
        wait_until(page, "document.querySelector('.inbox-facts').textContent.includes('key')")
        assert f"key {own_signer().public[:16]}" in facts.inner_text()
        assert "pat" in facts.inner_text()
        page.get_by_text("History").click()
        assert "started the flow" in page.locator(".inbox-history").inner_text()
        page.get_by_role("radio", name="Expired and closed (0)").click()
        assert page.locator(".inbox-detail").is_hidden()
        page.get_by_role("radio", name="Mine (2)").click()
        page.locator(".inbox-item", has_text="permit wanted").click()
        page.get_by_role("button", name="Approve exactly this").click()
        page.get_by_role("radio", name="Mine (1)").wait_for()
        assert [one.actor for one in history(registry, "answered", "approved")] == ["pat", "pat"]


def test_questions_appear_by_themselves(showing: Showing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty inbox says what would appear and how; a question that is saved or asked elsewhere appears without a reload, and takes
    nothing from an answer that is being chosen; so does an answer that is given elsewhere. j and k go through the list."""
    monkeypatch.setenv("VOLITION_HOLDER", "pat")
    registry = tmp_path / "team.db"
    with Store(parse_store_address(registry)) as store:
        Team(store, PROJECT).register(document("aaaaaa", "a.py"), "ann")
    with showing(tmp_path, registry) as (studio, page):
        open_page(page, f"http://127.0.0.1:{studio.port}/inbox")
        empty = page.locator(".empty").inner_text()
        assert "Nobody is asked anything" in empty
        assert "volition govern evaluate SET.json --out FOLDER" in empty
        assert_usable(page, within=".empty")
        save_sample(studio)
        page.locator(".inbox-item", has_text="Deploy checkout").wait_for()
        page.get_by_label("Keep \u201cDeploy checkout 2.0\u201d").check()
        with Store(parse_store_address(registry)) as store:
            flows = Flows(Team(store, PROJECT))
            flows.team.register(document("bbbbbb", "a.py"), "bob", wait=True)
            flow = flows.start(NOTIFY_ALL, "pat")
        page.locator(".inbox-item", has_text="Plan of aaaaaa").wait_for()
        assert page.get_by_label("Keep \u201cDeploy checkout 2.0\u201d").is_checked()
        page.keyboard.press("k")
        wait_until(page, "document.querySelector('.inbox-head').textContent.startsWith('Plan of')")
        page.keyboard.press("j")
        wait_until(page, "document.querySelector('.inbox-head').textContent.startsWith('Deploy')")
        with Store(parse_store_address(registry)) as store:
            Flows(Team(store, PROJECT)).answer(flow.flow_id, {"question_0001": "option_0001"}, "pat")
        page.get_by_role("radio", name="Answered (1)").wait_for()


def test_what_is_not_mine_or_over_is_shown_with_the_reason(
    showing: Showing, registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A holder of a plan sees the question with its options, may choose none, and is told why and whom to ask; once its time is over
    it is shown as expired, with what happened then."""
    monkeypatch.setenv("VOLITION_HOLDER", "ann")
    with showing(tmp_path, registry) as (studio, page):
        open_page(page, f"http://127.0.0.1:{studio.port}/inbox")
        why = page.locator(".inbox-why").inner_text()
        assert "ann holds a plan of this question" in why
        assert "pat" in why
        assert page.locator(".question input").first.is_disabled()
        assert page.get_by_role("button", name="Answer").count() == 0
        assert page.get_by_role("radio", name="Mine (0)").count() == 1
        assert page.locator("#inbox-count").is_hidden()
        assert_usable(page, within=".inbox-detail")
        with Store(parse_store_address(registry)) as store:
            with store.write() as connection:
                connection.exec_driver_sql("UPDATE question SET expires_at = 1000")
            Team(store, PROJECT).register(document("cccccc", "c.py"), "cat")
        page.get_by_role("radio", name="Expired and closed (1)").click()
        wait_until(page, "document.querySelector('.inbox-facts')?.textContent.includes('nobody answered in time')")
        assert "expired" in page.locator(".inbox-item").inner_text()
        assert_usable(page, within=".inbox-item, .inbox-detail")


def test_a_registry_that_cannot_be_read_is_told_in_words(showing: Showing, tmp_path: Path) -> None:
    """The saved questions are listed; above them is what is wrong with the registry, and what to do about it."""
    with showing(tmp_path, tmp_path / "nowhere.db") as (studio, page):
        save_sample(studio)
        problem = studio.get("/inbox")["problem"]
        open_page(page, f"http://127.0.0.1:{studio.port}/inbox")
        told = page.locator(".problem strong").all_inner_texts()
        assert told == [f"{problem['what']}: {problem['remedy']}"]
        assert page.locator(".inbox-item").count() == 1


def test_a_problem_of_the_registry_that_comes_late_is_told(
    showing: Showing, tmp_path: Path, complaints: list[str]
) -> None:
    """Where the registry goes away while the page Inbox or Team is open, and no item changes, the page says so once, by itself, and
    takes it back once the registry is there again; looking makes none meanwhile."""
    registry = tmp_path / "team.db"
    with Store(parse_store_address(registry)) as store:
        Team(store, PROJECT).register(document("aaaaaa", "a.py"), "ann")
    with showing(tmp_path, registry) as (studio, page):
        save_sample(studio)
        open_page(page, f"http://127.0.0.1:{studio.port}/inbox")
        page.locator(".inbox-item").wait_for()
        assert page.locator(".problem").count() == 0
        registry.rename(tmp_path / "away.db")
        page.locator(".problem", has_text="there is no registry").wait_for()
        assert page.locator(".inbox-item").count() == 1
        assert not registry.exists()
        (tmp_path / "away.db").rename(registry)
        page.locator(".problem").wait_for(state="detached")
        open_page(page, f"http://127.0.0.1:{studio.port}/team")
        page.get_by_text("Plan of aaaaaa").wait_for()
        registry.rename(tmp_path / "away.db")
        page.locator(".problem").wait_for()
        assert page.locator(".problem").count() == 1
        (tmp_path / "away.db").rename(registry)
        page.get_by_text("Plan of aaaaaa").wait_for()
        assert page.locator(".problem").count() == 0
        complaints.clear()


def test_what_does_not_count_or_was_refused_is_shown(
    showing: Showing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, complaints: list[str]
) -> None:
    """A signed answer is shown with its key, and its record with who answered; once it was changed, its question is open again and
    says why; the list of acts has it, and an attempt of somebody who may not answer, with the reason."""
    key = tmp_path / "key.pem"
    monkeypatch.setenv("VOLITION_KEY", str(key))
    monkeypatch.setenv("VOLITION_HOLDER", "pat")
    public = own_signer().public
    with showing(tmp_path) as (studio, page):
        save_sample(studio)
        led_to = answer(studio)["led_to"]
        here = f"http://127.0.0.1:{studio.port}"
        open_page(page, f"{here}/govern?evaluation={led_to}")
        assert f"Answers 1: pat key {public[:16]}" in page.locator(".signers").inner_text()
        change_saved(tmp_path / "volition-evaluations" / led_to, provided_at="2020-01-01T00:00:00Z")
        open_page(page, f"{here}/govern?evaluation={led_to}")
        assert "does not count" in page.locator(".signers").inner_text()
        open_page(page, f"{here}/inbox")
        facts = page.locator(".inbox-facts")
        facts.wait_for()
        assert "in the name of pat" in facts.inner_text()
        assert "it was changed after it was signed" in facts.inner_text()
        lock_key(key, "four words of hers")
        studio.studio.actor._signer = None
        page.get_by_label("Keep \u201cDeploy checkout 2.0\u201d").check()
        page.get_by_text("What people did").click()
        page.locator("[data-act=answer]").first.wait_for()
        page.get_by_role("button", name="Answer", exact=True).click()
        page.locator(".problem", has_text="locked").wait_for()
        page.locator("[data-act=answer]", has_text="refused").wait_for()
        assert [("403" in one) for one in complaints] == [True]
        complaints.clear()
        acts = page.locator(".acts li").all_inner_texts()
        assert "pat tried to answer" in acts[0]
        assert "the key of this user is locked" in acts[0]
        assert "does not count" in acts[1]
        for scheme, width in LOOKS:
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 800})
            assert_usable(page, within=".acts, .inbox-detail")
            save_picture(page, f"acts-{scheme}-{width}", whole=True)


def test_hostile_titles_are_only_text(showing: Showing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Titles with markup, from right to left, and too long for any line are shown as they are, in the inbox and on the page of the team;
    nothing of them is carried out, none leaves its place, and the words after one that runs the other way keep their order."""
    monkeypatch.setenv("VOLITION_HOLDER", "pat")
    registry = tmp_path / "team.db"
    plans = [
        Plan(title, id=f"intent_hostile_{n}", files=["a.py"], commands=["change_it: write: change it"], project=PROJECT)
        for n, title in enumerate(HOSTILE)
    ]
    with Store(parse_store_address(registry)) as store:
        flows = Flows(Team(store, PROJECT))
        for plan in plans:
            flows.team.register(plan, f"holder-{'x' * 60}", wait=True)
        flows.start(NOTIFY_ALL, "pat")
    with showing(tmp_path, registry) as (studio, page):
        page.set_viewport_size({"width": 320, "height": 800})
        for name, place in (("inbox", ".inbox-head bdi"), ("team", ".team-plan strong[dir=auto]")):
            open_page(page, f"http://127.0.0.1:{studio.port}/{name}")
            assert page.locator(place).all_text_contents() == list(HOSTILE)
            assert page.locator("main img").count() == 0
            assert_in_place(page)
            save_picture(page, f"{name}-hostile", whole=True)
