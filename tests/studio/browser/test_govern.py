"""Govern: plans dropped on the page, judged, asked about, answered, and judged again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.studio.browser.looks import kept, opened, until, usable

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page


def test_an_answer_is_given_and_it_is_judged_again(page: Page) -> None:
    """Two deployments ask which; a person answers; the plans are merged and have an execution graph."""
    opened(page, "/govern?sample=same_target")
    page.wait_for_selector(".govern")
    assert "Nothing is merged until somebody decides" in page.locator(".govern-verdict").inner_text()
    assert page.locator(".conflict").count() == 2
    assert page.locator(".clusters li").count() == 1
    assert page.locator(".radar-shape").count() == 2
    page.get_by_label("Keep intent_deploy_checkout_2_0").check()
    page.get_by_role("button", name="Answer, and evaluate again").click()
    page.wait_for_selector(".order-node")
    assert "All is answered: 1 question." in page.locator(".govern-inbox").inner_text()
    assert page.locator(".govern-verdict .chip").first.inner_text() != "reject"
    kept(page, "govern-answered", whole=True)
    usable(page)
    page.get_by_role("button", name="Take the last answers back").click()
    page.wait_for_selector(".question")


def test_files_are_taken(page: Page, tmp_path: Path) -> None:
    """A set and its intents, chosen as files, are judged together; without a set the page says what is missing."""
    opened(page, "/govern")
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


def test_an_evaluation_is_saved_and_found(page: Page) -> None:
    """What is saved stands among the records, verified, and can be looked into."""
    opened(page, "/govern?sample=clear_priority")
    page.wait_for_selector(".govern")
    page.get_by_role("button", name="Save the evaluation").click()
    page.get_by_role("button", name="Saved").wait_for()
    opened(page, "/records?kind=evaluation")
    row = page.locator("tr[data-kind=evaluation]").first
    assert "override by priority" in row.inner_text()
    row.get_by_role("button", name="Look inside").click()
    until(page, "document.querySelector('.inside').textContent.length > 100")
