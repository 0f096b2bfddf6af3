"""A browser, a studio in a separate process with one recorded evening, and pages that must not log errors.

With `STUDIO_PICTURES=1` screenshots are kept in `artefacts`. Without Playwright or a Chromium the tests here are skipped, and say what to install.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.processes import PATIENCE, ROOT
from tests.studio.browser.moments import close_choice
from tests.studio.served import serving
from volition.drama import play, scenario
from volition.studio.server import bind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from socket import socket

    from playwright.sync_api import ConsoleMessage, Error, Page, ViewportSize

    from tests.studio.browser.moments import CloseChoice
    from tests.studio.served import Served
    from volition.drama import Evening

    Showing = Callable[..., AbstractContextManager[tuple[Served, Page]]]

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
    """The system's Chromium with two tabs: new ones would take longer than most tests, and fetch everything again.

    The first keeps its document of the common studio while the second shows studios of other folders. Playwright keeps a loop
    running while it is open, so it is closed before a test of another folder.
    """

    def __init__(self) -> None:
        self._open = ExitStack()
        self._tabs: tuple[Page, Page] | None = None

    def tabs(self, address: str) -> tuple[Page, Page]:
        """The tab of the common studio and that of others; the browser is started on first use."""
        if self._tabs is None:
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
            self._tabs = context.new_page(), context.new_page()
        return self._tabs

    def close(self) -> None:
        self._tabs = None
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
    tab, _ = WINDOW.tabs(address)
    with clean(tab, complaints):
        yield tab
        if tab.url.startswith(f"{address}/"):
            # A document that was told to remember something is not used again.
            tab.evaluate("globalThis.stale ||= localStorage.length > 0; localStorage.clear()")


@pytest.fixture
def other(address: str, complaints: list[str]) -> Iterator[Page]:
    """The same in the other tab, which shows studios of other folders and is empty at the end."""
    _, tab = WINDOW.tabs(address)
    with clean(tab, complaints):
        yield tab
        leave(tab)


@pytest.fixture(scope="session")
def stand() -> Iterator[socket]:
    """Where studios of other folders are served, one after the other: a browser keeps by address what it has read."""
    with bind("127.0.0.1", 0) as listening:
        yield listening


@pytest.fixture
def showing(other: Page, stand: socket) -> Showing:
    """Serves a folder of a test's own inside a block, and gives the studio and the tab for it."""

    @contextmanager
    def show(folder: Path, registry: Path | None = None) -> Iterator[tuple[Served, Page]]:
        with serving(folder, registry=str(registry) if registry else None, listening=stand.dup()) as studio:
            try:
                yield studio, other
            finally:
                leave(other)

    return show


@contextmanager
def clean(tab: Page, complaints: list[str]) -> Iterator[None]:
    """Have a tab of the usual size and theme inside the block, and write down what its console complains of."""
    tab.set_viewport_size(SIZE)
    tab.emulate_media(color_scheme="light", reduced_motion="no-preference")

    def heard(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            complaints.append(f"{message.type}: {message.text}")

    def failed(error: Error) -> None:
        complaints.append(str(error))

    tab.on("console", heard)
    tab.on("pageerror", failed)
    yield
    tab.unroute_all()
    tab.remove_listener("console", heard)
    tab.remove_listener("pageerror", failed)
    assert complaints == []


def leave(tab: Page) -> None:
    """Leave a studio in any case, so that its server can end and no later test finds a dead page.

    The page goes by itself: sent from outside, it would get another process, which would have to read all scripts again.
    """
    if tab.url != "about:blank":
        tab.evaluate("localStorage.clear(); location.replace('about:blank')")
        tab.wait_for_url("about:blank")
