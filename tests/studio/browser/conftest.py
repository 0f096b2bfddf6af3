"""A browser, a studio in a process of its own with an evening already played, and pages that must not complain.

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

from tests.processes import ROOT
from volition.drama import play, scenario

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import ConsoleMessage, Error, Page, ViewportSize

RUN: Final = "dinner-party-8"
ARTEFACTS: Final = Path(__file__).parent / "artefacts"
CHROMIUMS: Final = ("chromium", "chromium-browser", "google-chrome")
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
from contextlib import ExitStack
from pathlib import Path
from volition.studio.server import serve
serve(Path(sys.argv[1]), host="127.0.0.1", port=0, token=None, tell=lambda text: print(text, flush=True))
"""


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one whole evening of about 200 events in it."""
    folder = tmp_path_factory.mktemp("shown")
    play(scenario("dinner-party"), 8).save(folder / "volition-runs" / RUN)
    return folder


@pytest.fixture(scope="session")
def address(played: Path) -> Iterator[str]:
    """Where a studio of that folder is served, by a process of its own."""
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
            process.wait(10)


class Window:
    """The system's Chromium with one tab: a new one would cost more than most tests do, and fetch everything again.

    Playwright keeps a loop running while it is open, so it is closed before a test of another folder.
    """

    def __init__(self) -> None:
        self._open = ExitStack()
        self._tab: Page | None = None

    def tab(self, address: str) -> Page:
        """The tab, in a window that is opened where there is none."""
        if self._tab is None:
            api = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
            program = next((found for name in CHROMIUMS if (found := shutil.which(name))), None)
            if program is None:
                pytest.skip("no Chromium was found: apt-get install chromium")
            playwright = self._open.enter_context(api.sync_playwright())
            browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
            self._open.callback(browser.close)
            context = browser.new_context(viewport=SIZE, base_url=address, accept_downloads=True)
            context.set_default_timeout(10_000)
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
    """What reached the console. A test that provokes a refusal takes it out again."""
    return []


@pytest.fixture
def page(address: str, complaints: list[str]) -> Iterator[Page]:
    """A page of 1280 by 800 that remembers nothing; whatever a test does, nothing may reach the console."""
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
    if tab.url.startswith(address):
        # A document that was told to remember something is not used again.
        tab.evaluate("globalThis.stale ||= localStorage.length > 0; localStorage.clear()")
    tab.remove_listener("console", heard)
    tab.remove_listener("pageerror", failed)
    assert complaints == []
