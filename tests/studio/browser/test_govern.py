"""Govern: plans dropped on the page, evaluated, questions answered, and evaluated again."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from tests.studio.browser.looks import assert_in_place, assert_usable, open_page, save_picture, wait_until
from volition.governance.documents.reading import seal_document
from volition.governance.drafts.sets import new_intent, new_set

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

DROP = """
([files, name]) => {
  const carried = new DataTransfer();
  for (const [name, text] of files) carried.items.add(new File([text], name, { type: "application/json" }));
  document.querySelector(".drop").dispatchEvent(new DragEvent(name, { dataTransfer: carried, bubbles: true, cancelable: true }));
}
"""


def test_an_answer_leads_to_a_new_evaluation(page: Page) -> None:
    """Two deployments raise a question; a person answers; the plans are merged and have an execution graph."""
    open_page(page, "/govern?sample=same_target")
    page.wait_for_selector(".govern")
    assert "Nothing is merged until somebody decides" in page.locator(".govern-verdict").inner_text()
    assert page.locator(".conflict").count() == 2
    assert page.locator(".clusters > li").count() == 1
    assert page.locator(".clusters .settled").inner_text() == "a person decides"
    assert page.locator(".clusters .severity").inner_text() == "high"
    assert page.locator(".matrix tbody td").all_inner_texts() == ["deploy\n, high resource and effect conflict"] * 2
    assert page.locator(".radar-shape").count() == 2
    assert page.locator(".intent-name").all_text_contents() == ["Deploy checkout 1.9", "Deploy checkout 2.0"]
    page.get_by_label("Keep \u201cDeploy checkout 2.0\u201d").check()
    page.get_by_role("button", name="Answer, and evaluate again").click()
    page.wait_for_selector(".order-node")
    assert "All answered: 1 question." in page.locator(".govern-inbox").inner_text()
    assert page.locator(".govern-verdict .chip").first.inner_text() != "reject"
    lost = page.locator(".losses li").inner_text()
    assert "Deploy checkout 1.9 gives way to \u201cDeploy checkout 2.0\u201d" in " ".join(lost.split())
    assert "dropped: deploy_checkout_1" in lost
    assert page.locator(".order-plan").all_text_contents() == ["B: Deploy checkout 2.0"]
    assert "by author" in (page.locator(".order-node title").text_content() or "")
    assert page.locator(".radar-unknown").count() == 0
    save_picture(page, "govern-answered", whole=True)
    assert_usable(page)
    page.get_by_role("button", name="Undo the last answers").click()
    page.wait_for_selector(".question")


def test_files_are_taken(page: Page, tmp_path: Path) -> None:
    """A set and its intents, chosen as files, are evaluated together; without a set the page says what is missing."""
    open_page(page, "/govern")
    samples = page.evaluate("fetch('/api/v1/govern/samples').then((answer) => answer.json())")
    one = next(sample for sample in samples if sample["name"] == "dependency")
    paths = []
    for number, document in enumerate([one["set"], *one["intents"]]):
        paths.append(tmp_path / f"{number}.json")
        paths[-1].write_text(json.dumps(document), encoding="utf-8")
    page.locator("#govern-files").set_input_files(paths[1:])
    page.wait_for_selector("[role=alert]")
    assert "no intent set is among these files" in page.locator("[role=alert]").inner_text()
    page.locator("#govern-files").set_input_files(paths)
    page.wait_for_selector(".order-edge", state="attached")
    assert "All of it can be merged" in page.locator(".govern-verdict").inner_text()
    assert "order conflict" in page.locator(".conflicts").inner_text()


def test_a_saved_evaluation_is_answered(page: Page) -> None:
    """A saved evaluation opens from the records with its plans and questions; the questions can be answered, and the new
    evaluation can be saved and opened in turn."""
    open_page(page, "/govern?sample=same_target")
    page.wait_for_selector(".govern")
    page.get_by_role("button", name="Save the evaluation").click()
    page.get_by_role("button", name="Saved").wait_for()
    open_page(page, "/records?kind=evaluation")
    row = page.locator("tr[data-kind=evaluation]").first
    assert "reject: 2 plans, 2 conflicts, 1 question" in row.inner_text()
    row.get_by_role("link", name="Answer").click()
    page.wait_for_selector(".question")
    assert "intent_set_same_target, saved" in page.locator(".loaded").inner_text()
    assert "1 open question" in page.locator(".govern-verdict").inner_text()
    assert page.locator(".intent-name").all_text_contents() == ["Deploy checkout 1.9", "Deploy checkout 2.0"]
    page.get_by_label("Keep \u201cDeploy checkout 2.0\u201d").check()
    page.get_by_role("button", name="Answer, and evaluate again").click()
    page.wait_for_selector(".order-node")
    page.get_by_role("button", name="Save the evaluation").click()
    page.get_by_role("button", name="Saved").wait_for()
    saved = page.locator(".drop").inner_text().partition("Saved as ")[2].partition(".\n")[0]
    wait_until(page, f"new URLSearchParams(location.search).get('evaluation') === {saved!r}")
    page.reload()
    page.wait_for_selector(".order-node")
    assert "0 open questions" in page.locator(".govern-verdict").inner_text()
    assert "All answered: 1 question." in page.locator(".govern-inbox").inner_text()
    assert_in_place(page)


def test_files_are_dropped(page: Page) -> None:
    """Files dropped on the page are evaluated together; while they hover, the page shows the drop zone."""
    open_page(page, "/govern")
    samples = page.evaluate("fetch('/api/v1/govern/samples').then((answer) => answer.json())")
    one = next(sample for sample in samples if sample["name"] == "dependency")
    files = [[f"{number}.json", json.dumps(document)] for number, document in enumerate([*one["intents"], one["set"]])]
    page.evaluate(DROP, [files, "dragover"])
    assert page.locator(".drop.over").count() == 1
    page.evaluate(DROP, [files, "drop"])
    page.wait_for_selector(".order-edge", state="attached")
    assert page.locator(".loaded").inner_text() == f"Shown: your files, 2 plans of {one['set']['id']}"
    assert page.get_by_label("Plans").locator("option:checked").inner_text() == "your files"
    assert not any(sample["about"] in page.locator("main").inner_text() for sample in samples)
    assert "All of it can be merged" in page.locator(".govern-verdict").inner_text()
    assert page.locator(".drop.over").count() == 0
    page.evaluate(DROP, [[["broken.json", "{"]], "drop"])
    page.wait_for_selector("[role=alert]")
    assert "broken.json" in page.locator("[role=alert]").inner_text()


def change_parts(count: int, **more: Any) -> list[dict[str, Any]]:
    """Plans that change a part each."""
    return [
        new_intent(
            f"Change part {number}",
            project="shop",
            created_at="2026-01-25T10:00:00Z",
            commands=[f"change_part_{number}: write: change part {number}"],
            files=[f"src/part{number}.py"],
            status="approved",
            **more,
        )
        for number in range(1, count + 1)
    ]


def drop_plans(page: Page, intents: list[dict[str, Any]]) -> None:
    """Drop plans and their set on the page."""
    ids = [intent["id"] for intent in intents]
    few = new_set("several", ids[:20], project="shop", created_at="2026-01-25T10:05:00Z")
    batch = seal_document({**few, "intent_ids": ids})
    open_page(page, "/govern")
    page.evaluate(DROP, [[[f"{n}.json", json.dumps(one)] for n, one in enumerate([batch, *intents])], "drop"])


LETTERED = """(all) => all.map((one) => [one.querySelector(".token-letter").textContent, (one.querySelector("title, .plan-title")).textContent])"""


def test_a_conflict_of_all_is_one_knot(page: Page) -> None:
    """Twelve plans that exceed a budget together: one knot tied to each, and every plan has one letter and its title everywhere, in
    natural order."""
    drop_plans(page, change_parts(12, budgets={"max_tokens": 500_000, "max_commits": 1, "max_cost_usd": 1}))
    wait_until(page, "document.querySelectorAll('.graph .intent').length === 12")
    assert page.locator(".graph .conflict").count() == 1
    assert page.locator(".conflict-knot").count() == 1
    assert len(re.findall("M", page.locator(".spokes").get_attribute("d") or "")) == 12
    expected = [[chr(64 + number), f"Change part {number}"] for number in range(1, 13)]
    assert sorted(page.locator(".graph .intent").evaluate_all(LETTERED)) == expected
    for place in (".risks .who", ".clusters .who", ".matrix .who", ".conflicts .who"):
        assert page.locator(place).evaluate_all(LETTERED) == expected
    save_picture(page, "govern-twelve", whole=True)


def test_a_cluster_that_no_picture_can_show_is_a_matrix(page: Page) -> None:
    """Of thirteen plans in a cluster there is no picture, and a matrix with every title."""
    drop_plans(page, change_parts(13, budgets={"max_tokens": 500_000, "max_commits": 1, "max_cost_usd": 1}))
    wait_until(page, "document.querySelectorAll('.matrix tbody tr').length === 13")
    assert page.locator(".graph").count() == 0
    assert page.locator(".radar").count() == 0


def test_questions_are_asked_one_at_a_time(page: Page) -> None:
    """Of several questions one is shown; Next and Previous, and the keys n and p, lead to the others and keep what was chosen; what is
    missing is shown and not sent."""
    intents = [
        new_intent(
            f"Deploy {service} {number}",
            project="shop",
            created_at="2026-01-25T10:00:00Z",
            commands=[f"deploy_{service}_{number}: deploy: deploy it"],
            modules=[f"service:{service}"],
        )
        for service in ("bank", "shop")
        for number in (1, 2)
    ]
    drop_plans(page, intents)
    page.get_by_text("Question 1 of 2").wait_for()
    shown = page.locator(".question:not([hidden])")
    assert shown.count() == 1
    assert page.get_by_role("button", name="Previous").is_disabled()
    page.get_by_label("Keep \u201cDeploy bank 2\u201d").check()
    page.get_by_role("button", name="Answer all 2, and evaluate again").click()
    assert page.get_by_text("Question 2 of 2, 1 answered").count() == 1
    page.keyboard.press("p")
    assert page.get_by_label("Keep \u201cDeploy bank 2\u201d").is_checked()
    page.keyboard.press("n")
    page.get_by_label("Keep \u201cDeploy shop 1\u201d").check()
    assert_usable(page, within=".govern-inbox")
    page.get_by_role("button", name="Answer all 2, and evaluate again").click()
    page.wait_for_selector(".order-node")
    assert sorted(page.locator(".losses li .plan-title").all_inner_texts()) == ["Deploy bank 1", "Deploy shop 2"]


def test_what_is_unknown_is_drawn_as_unknown(page: Page) -> None:
    """A plan that writes without naming targets has unknown risks: a question mark in the picture, a word in the table."""
    intents = [
        new_intent(
            title,
            project="shop",
            created_at="2026-01-25T10:00:00Z",
            commands=["change: write: change it"],
            files=files,
            evidence=["a wish"],
        )
        for title, files in (("Change something", []), ("Change one file", ["src/one.py"]))
    ]
    batch = new_set("unknown", [one["id"] for one in intents], project="shop", created_at="2026-01-25T10:05:00Z")
    open_page(page, "/govern")
    page.evaluate(DROP, [[[f"{n}.json", json.dumps(one)] for n, one in enumerate([batch, *intents])], "drop"])
    page.wait_for_selector(".radar-unknown")
    told = page.locator(".radar-unknown title").all_text_contents()
    assert told == ["scope: unknown for Change something", "blast radius: unknown for Change something"]
    row = page.locator(".risks tbody tr", has_text="Change something")
    assert row.locator("td").all_inner_texts()[1:3] == ["unknown", "unknown"]
    assert page.locator(".risks tbody tr", has_text="Change one file").get_by_text("unknown").count() == 0
    save_picture(page, "govern-unknown", whole=True)


def test_long_names_stay_in_their_places(page: Page) -> None:
    """Plans, resources and conflicts with names of the greatest length, without spaces, fit the page."""
    long = "Reorganise" * 15
    intents = [
        new_intent(
            f"{long} {number}",
            id=f"intent_{'x' * 60}_{number}",
            project="shop",
            created_at="2026-01-25T10:00:00Z",
            commands=[f"{'change_everything_' * 6}{number}: deploy: {long}"],
            files=[f"src/{'deep/' * 30}{long[:40]}.py"],
            status="approved",
        )
        for number in range(2)
    ]
    batch = new_set("y" * 40, [intent["id"] for intent in intents], project="shop", created_at="2026-01-25T10:05:00Z")
    files = [[f"{number}.json", json.dumps(document)] for number, document in enumerate([batch, *intents])]
    open_page(page, "/govern")
    page.evaluate(DROP, [files, "drop"])
    wait_until(page, "document.querySelector('.loaded').textContent.includes('your files')")
    page.wait_for_selector(".conflicts li")
    for width in (1280, 320):
        page.set_viewport_size({"width": width, "height": 800})
        assert_in_place(page)


def test_a_wide_matrix_widens_no_page(page: Page) -> None:
    """Eight plans that contest seven files make a matrix that scrolls in its place, at 320 pixels too; which plan is riskier is said
    in words."""
    intents = [
        new_intent(
            f"Change part {number} and everything that depends on it",
            id=f"intent_part_{number}",
            project="shop",
            created_at="2026-01-25T10:00:00Z",
            commands=[f"change_{number}: {'deploy' if number else 'write'}: change it"],
            files=[f"src/shared{place}.py" for place in (number, number + 1)],
            status="approved",
        )
        for number in range(8)
    ]
    page.set_viewport_size({"width": 320, "height": 800})
    drop_plans(page, intents)
    wait_until(page, "document.querySelectorAll('.matrix thead th').length === 8")
    assert_usable(page, within=".matrix, .dominance")
    told = page.locator(".dominance").inner_text()
    assert "is riskier than" in told
    assert "dominates" not in told


HOSTILE = ("<img src=x onerror=alert(1)>", "\u05ea\u05db\u05e0\u05d9\u05ea \u05d7\u05d3\u05e9\u05d4", "Reorganise" * 12)
"""Titles with markup, from right to left, and too long for any line."""


SHORTEN = """
() => {
  for (const more of document.querySelectorAll(".clusters > li:nth-child(n + 4), .risks tbody tr:nth-child(n + 17)")) more.remove();
}
"""
"""Takes out most clusters, and the risks of their plans: axe-core takes five seconds for all of them, and they are all made alike."""


def test_two_hundred_plans_keep_their_titles(page: Page, complaints: list[str]) -> None:
    """A set of 200 plans, accepted only without the limit, is shown as clusters with every title, hostile ones too; the chosen cluster is
    a matrix, the keys j and k choose another one, nothing scrolls sideways at 320 pixels, and axe finds nothing."""
    titles = [*HOSTILE, *(f"Change part {number}" for number in range(197))]
    intents = [
        new_intent(
            title,
            id=f"intent_part_{number:04d}",
            project="shop",
            created_at="2026-01-25T10:00:00Z",
            commands=[f"change_part_{number}: write: change part {number}"],
            files=[f"src/part{number}.py", f"src/shared{0 if number < 16 else number // 8}.py"],
        )
        for number, title in enumerate(titles)
    ]
    drop_plans(page, intents)
    page.wait_for_selector("[role=alert]")
    assert all("400" in text for text in complaints)
    complaints.clear()
    page.get_by_label("More than 20 plans").check()
    wait_until(page, "document.querySelectorAll('.clusters .plan-title').length >= 200")
    shown = [text.strip("\u2068\u2069") for text in page.locator(".clusters .plan-title").all_text_contents()]
    assert sorted(shown) == sorted(titles)
    assert page.locator("main img").count() == 0
    assert page.locator(".clusters > li").count() == 25
    assert (page.locator(".matrix tbody tr").count(), page.locator(".graph").count()) == (16, 0)
    assert page.locator(".matrix .contested").count() == 16
    assert page.locator(".clusters [aria-current]").inner_text().startswith("Cluster 1")
    page.keyboard.press("j")
    assert page.locator(".clusters [aria-current]").inner_text().startswith("Cluster 2")
    assert (page.locator(".matrix tbody tr").count(), page.locator(".graph .intent").count()) == (8, 8)
    page.keyboard.press("k")
    page.set_viewport_size({"width": 320, "height": 800})
    assert_in_place(page)
    save_picture(page, "govern-many", whole=True)
    page.evaluate(SHORTEN)
    assert_usable(page)
