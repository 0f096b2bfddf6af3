"""Govern: plans dropped on the page, evaluated, questions answered, and evaluated again."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from tests.studio.browser.looks import assert_usable, open_page, save_picture, wait_until
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
APART = """
() => {
  const all = [...document.querySelectorAll(".graph .intent .token-shape")].map((one) => one.getBoundingClientRect());
  const wrong = [];
  for (const [at, one] of all.entries()) {
    if (one.right > innerWidth || one.left < 0) wrong.push(`${at} is beyond the page`);
    for (const [more, other] of all.slice(at + 1).entries()) {
      if (Math.hypot(one.x + one.width / 2 - other.x - other.width / 2, one.y + one.height / 2 - other.y - other.height / 2) < one.width * 0.95) wrong.push(`${at} covers ${at + 1 + more}`);
    }
  }
  return wrong;
}
"""


def test_an_answer_leads_to_a_new_evaluation(page: Page) -> None:
    """Two deployments raise a question; a person answers; the plans are merged and have an execution graph."""
    open_page(page, "/govern?sample=same_target")
    page.wait_for_selector(".govern")
    assert "Nothing is merged until somebody decides" in page.locator(".govern-verdict").inner_text()
    assert page.locator(".conflict").count() == 2
    assert page.locator(".clusters > li").count() == 1
    assert page.locator(".clusters .chip").inner_text() == "a person decides"
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
    assert_usable(page)


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


def test_a_conflict_of_all_is_one_knot(page: Page) -> None:
    """Sixteen plans that exceed a budget together: one knot tied to each, and every plan has one letter and its title
    everywhere, in natural order."""
    intents = [
        new_intent(
            f"Change part {number}",
            project="shop",
            created_at="2026-01-25T10:00:00Z",
            commands=[f"change_part_{number}: write: change part {number}"],
            files=[f"src/part{number}.py"],
            status="approved",
            budgets={"max_tokens": 500_000, "max_commits": 1, "max_cost_usd": 1},
        )
        for number in range(1, 17)
    ]
    batch = new_set("sixteen", [intent["id"] for intent in intents], project="shop", created_at="2026-01-25T10:05:00Z")
    files = [[f"{intent['id']}.json", json.dumps(intent)] for intent in sorted(intents, key=lambda one: str(one["id"]))]
    open_page(page, "/govern")
    page.evaluate(DROP, [[*files, ["set.json", json.dumps(batch)]], "drop"])
    wait_until(page, "document.querySelectorAll('.graph .intent').length === 16")
    assert page.locator(".graph .conflict").count() == 1
    assert page.locator(".conflict-knot").count() == 1
    assert len(re.findall("M", page.locator(".spokes").get_attribute("d") or "")) == 16
    lettered = """(all) => all.map((one) => [one.querySelector(".token-letter").textContent, (one.querySelector("title, .plan-title")).textContent])"""
    expected = [[chr(64 + number), f"Change part {number}"] for number in range(1, 17)]
    assert sorted(page.locator(".graph .intent").evaluate_all(lettered)) == expected
    assert page.locator(".risks .who").evaluate_all(lettered) == expected
    page.get_by_role("button", name="Show 4 more").first.click()
    assert page.locator(".conflicts .tags .who").evaluate_all(lettered) == expected
    save_picture(page, "govern-sixteen", whole=True)


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
        assert_usable(page)


def test_many_plans_are_drawn(page: Page, complaints: list[str]) -> None:
    """A set of 64 plans, which is accepted only without the limit, is evaluated and drawn, and fits."""
    intents = [
        new_intent(
            f"Change part {number}",
            project="shop",
            created_at="2026-01-25T10:00:00Z",
            commands=[f"change_part_{number}: write: change part {number}"],
            files=[f"src/part{number}.py", f"src/part{(number + 1) % 64}.py", f"src/part{(number + 20) % 64}.py"],
            status="approved",
        )
        for number in range(64)
    ]
    ids = [intent["id"] for intent in intents]
    few = new_set("many", ids[:20], project="shop", created_at="2026-01-25T10:05:00Z")
    batch = seal_document({**few, "intent_ids": ids})
    files = [[f"{number}.json", json.dumps(document)] for number, document in enumerate([batch, *intents])]
    open_page(page, "/govern")
    page.evaluate(DROP, [files, "drop"])
    page.wait_for_selector("[role=alert]")
    assert all("400" in text for text in complaints)
    complaints.clear()
    page.get_by_label("More than 20 plans").check()
    wait_until(page, "document.querySelectorAll('.graph .intent').length === 64")
    assert page.locator(".graph .conflict").count() > 50
    assert page.locator(".clusters .chip").all_inner_texts() == ["not merged"]
    assert page.evaluate(APART) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    save_picture(page, "govern-many", whole=True)
    page.set_viewport_size({"width": 800, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
