"""A browser, a studio in a separate process with one recorded evening, and pages that must not log errors.

With `STUDIO_PICTURES=1` screenshots are kept in `artefacts`. Without Playwright or a Chromium the tests here are skipped, and say what to install.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.processes import PATIENCE, ROOT
from tests.studio.browser.moments import close_choice
from volition.drama import play, scenario

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import ConsoleMessage, Error, Page, ViewportSize

    from tests.studio.browser.moments import CloseChoice
    from volition.drama import Evening

RUN: Final = "dinner-party-8"
LONGEST: Final = 60_000.0
"""Milliseconds after which Playwright gives up to wait for a part of a page."""
ARTEFACTS: Final = Path(__file__).parent / "artefacts"
CHROMIUMS: Final = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first one has no windows to draw, and needs a quarter less time for these tests."""
FLAGS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SIZE: Final[ViewportSize] = {"width": 1280, "height": 800}
SERVE: Final = """
import sys
from pathlib import Path
from volition.studio.server import serve
serve(Path(sys.argv[1]), host="127.0.0.1", port=0, token=None, announce=lambda text: print(text, flush=True))
"""


@pytest.fixture(scope="session")
def evening() -> Evening:
    """One whole evening of about 200 events."""
    return play(scenario("dinner-party"), 8)


@pytest.fixture(scope="session")
def played(evening: Evening, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with that evening in it."""
    folder = tmp_path_factory.mktemp("shown")
    evening.save(folder / "volition-runs" / RUN)
    return folder


@pytest.fixture(scope="session")
def close(evening: Evening) -> CloseChoice:
    """A choice of that evening that another weight changes."""
    return close_choice(evening)


@pytest.fixture(scope="session")
def address(played: Path) -> Iterator[str]:
    """The address of a studio for that folder, in a separate process."""
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    with subprocess.Popen(
        [sys.executable, "-c", SERVE, str(played)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip().rstrip("/")
        finally:
            process.terminate()
            process.wait(PATIENCE)


class Window:
    """The system's Chromium with one tab: a new one would take longer than most tests, and fetch everything again.

    Playwright keeps a loop running while it is open, so it is closed before a test of another folder.
    """

    def __init__(self) -> None:
        self._open = ExitStack()
        self._tab: Page | None = None

    def tab(self, address: str) -> Page:
        """The tab; the browser is started on first use."""
        if self._tab is None:
            api = pytest.importorskip(
                "playwright.sync_api",
                reason="PLAYWRIGHT IS NOT INSTALLED: the pages are NOT tested here; pip install playwright",
            )
            program = next((found for name in CHROMIUMS if (found := shutil.which(name))), None)
            if program is None:
                pytest.skip("NO CHROMIUM WAS FOUND: the pages are NOT tested here; install the package chromium")
            playwright = self._open.enter_context(api.sync_playwright())
            browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
            self._open.callback(browser.close)
            context = browser.new_context(viewport=SIZE, base_url=address, accept_downloads=True)
            context.set_default_timeout(LONGEST)
            self._tab = context.new_page()
        return self._tab

    def close(self) -> None:
        self._tab = None
        self._open.close()


WINDOW: Final = Window()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Close the window when the next test is of another folder."""
    if nextitem is None or nextitem.path.parent != item.path.parent:
        WINDOW.close()


@pytest.fixture
def complaints() -> list[str]:
    """Errors in the console. A test that provokes a refusal removes it."""
    return []


@pytest.fixture
def page(address: str, complaints: list[str]) -> Iterator[Page]:
    """A page of 1280 by 800 without stored settings; no test may leave an error in the console."""
    tab = WINDOW.tab(address)
    tab.set_viewport_size(SIZE)
    tab.emulate_media(color_scheme="light", reduced_motion="no-preference")

    def heard(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            complaints.append(f"{message.type}: {message.text}")

    def failed(error: Error) -> None:
        complaints.append(str(error))

    tab.on("console", heard)
    tab.on("pageerror", failed)
    yield tab
    tab.unroute_all()
    if tab.url.startswith(f"{address}/"):
        # A document that was told to remember something is not used again.
        tab.evaluate("globalThis.stale ||= localStorage.length > 0; localStorage.clear()")
    elif tab.url != "about:blank":
        tab.goto("about:blank")  # a page of another studio must not be reused: its server may be gone
    tab.remove_listener("console", heard)
    tab.remove_listener("pageerror", failed)
    assert complaints == []
