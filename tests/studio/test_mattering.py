"""Which acts mattered is found once, while somebody looks, and kept beside the run."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tests.processes import PATIENCE
from tests.studio.conftest import RUN
from tests.studio.served import serving, wait_for
from volition import __version__
from volition.core.errors import NotPossible
from volition.core.pausing import pause
from volition.drama import Evening
from volition.drama.audience.deeds import describe_deed
from volition.studio import mattering
from volition.studio.errors import Busy
from volition.studio.evenings import OpenEvening
from volition.studio.mattering import FILE, Mattered, Mattering, MatteringStore
from volition.studio.studio import Studio

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.sentences import Told
    from volition.drama.playing.significance import ActSignificance


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two acts are enough to see how it is done: for each of them the evening is played again."""
    monkeypatch.setattr(mattering, "EXAMINED", 2)


@pytest.fixture
def known(evening: Evening) -> tuple[ActSignificance, ...]:
    return evening.significance(most=2)


@pytest.fixture
def run(evening: Evening, tmp_path: Path) -> Path:
    """The folder of a run in a folder of a studio."""
    path = tmp_path / "volition-runs" / RUN
    evening.save(path)
    return path


class Held:
    """In place of an evening: says that one of three acts is examined, and goes on when it is let."""

    def __init__(self, evening: Evening, found: tuple[ActSignificance, ...] = ()) -> None:
        self.run, self.scenario = evening.run, evening.scenario
        self.found = found
        self.begun, self.go_on = Event(), Event()
        self.pauses = 0

    def significance(self, *, most: int, progress: Callable[[int, int], None]) -> tuple[ActSignificance, ...]:
        progress(1, 3)
        self.begun.set()
        while not self.go_on.wait(0.001):
            self.pauses += 1
            pause()
        return self.found


def test_what_mattered_is_what_the_evening_says(evening: Evening, known: tuple[Any, ...], run: Path) -> None:
    """The first question starts the work, and the answer is the evening's own, in words; another question gets the same.

    A stream tells of each act, and ends with the answer; of what is known it tells at once.
    """
    with serving(run.parents[1]) as served:
        asked = f"/runs/{RUN}/significance"
        assert served.get(asked)["state"] in {"computing", "done"}
        name, found = served.stream(f"{asked}/live")[-1]
        assert (name, found["state"], found["done"], found["of"]) == ("end", "done", 2, 2)
        assert [act["score"] for act in found["acts"]] == [act.score for act in known]
        assert [act["text"] for act in found["acts"]] == [describe_deed(evening.scenario, act.event) for act in known]
        assert served.get(asked) == found
        assert served.stream(f"{asked}/live") == [("end", found)]


def test_a_later_studio_finds_it_kept(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found is beside the run: another studio does not play anything again, and the run is as intact as before."""
    first = Studio(run.parents[1])
    first.significance(RUN)
    wait_for(lambda: first.significance(RUN).state == "done", "it is found out")
    found = first.significance(RUN)
    wait_for((run / FILE).exists, "it is kept")

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("it is not found out again")

    monkeypatch.setattr(Evening, "significance", refuse)
    later = Studio(run.parents[1])
    assert later.significance(RUN) == found
    assert later.check(RUN).intact is True
    assert len(later.mattering.jobs.all()) == 0


@pytest.mark.parametrize(
    "change", [{"version": "0"}, {"run": "0"}, {"examined": 3}, {"mattered": {"state": "computing"}}, {"more": 1}, None]
)
def test_what_is_not_about_this_run_is_not_believed(run: Path, change: dict[str, Any] | None) -> None:
    """A file of another record, version or shape, or that is no JSON, counts as none."""
    found = Mattered("done", 1, 1)
    right = {"version": __version__, "run": mattering._digest(run), "examined": 2, "mattered": found}
    (run / FILE).write_bytes(msgspec.json.encode(right))
    assert mattering._read(run) == found
    (run / FILE).write_bytes(b"{" if change is None else msgspec.json.encode(right | change))
    assert mattering._read(run) is None


def test_a_link_is_not_followed(run: Path, tmp_path: Path) -> None:
    """A link in the place of what was kept, and a file that is far too large, are not read."""
    right = {"version": __version__, "run": mattering._digest(run), "examined": 2}
    (tmp_path / "there").write_bytes(msgspec.json.encode({**right, "mattered": Mattered("done")}))
    (run / FILE).symlink_to(tmp_path / "there")
    assert mattering._read(run) is None
    (run / FILE).unlink()
    text = "x" * mattering.MOST_BYTES
    (run / FILE).write_bytes(msgspec.json.encode({**right, "mattered": Mattered("done", problem=text)}))
    assert mattering._read(run) is None


def test_it_ends_when_nobody_looks(evening: Evening, tmp_path: Path) -> None:
    """Work that nobody has asked about for a while ends at its next pause, and is cancelled; until then it goes on."""
    now = [0.0]
    held = Held(evening)
    job = Mattering("one", held, lambda _: None, clock=lambda: now[0])  # type: ignore[arg-type]
    jobs = MatteringStore(tmp_path).jobs
    jobs.start(lambda: job)
    assert held.begun.wait(PATIENCE)
    for _ in range(3):
        now[0] += mattering.UNWATCHED
        assert job.look().state == "computing"
        before = held.pauses
        wait_for(lambda before=before: held.pauses > before + 1, "it goes on")
    now[0] += mattering.UNWATCHED + 1
    assert job.wait_until_finished(PATIENCE)
    wait_for(lambda: job.found.state == "cancelled", "it says so")
    assert (job.state, job.found.done, job.found.of) == ("stopped", 1, 3)


def test_who_follows_keeps_it_going(run: Path, evening: Evening, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a stream is open the work goes on; when the last one is closed it ends, and who asks then begins again."""
    held: list[Held] = []

    def hold(self: Evening, **given: Any) -> tuple[ActSignificance, ...]:
        held.append(Held(self))
        return held[-1].significance(**given)

    monkeypatch.setattr(Evening, "significance", hold)
    with serving(run.parents[1]) as served:
        asked = f"/api/v1/runs/{RUN}/significance/live"
        with served.client.stream("GET", asked) as stream:
            lines = stream.iter_lines()
            while not next(lines).startswith("event"):
                pass
            (job,) = served.studio.mattering.jobs.all()
            assert job.feed.has_followers
            monkeypatch.setattr(mattering, "UNWATCHED", 0.0)
            before = held[0].pauses
            wait_for(lambda: held[0].pauses > before + 5, "it goes on")
            assert job.is_running
        assert job.wait_until_finished(PATIENCE)
        assert job.state == "stopped"
        monkeypatch.setattr(mattering, "UNWATCHED", 60.0)
        with served.client.stream("GET", asked) as stream:
            wait_for(lambda: len(held) == 2 and held[1].begun.is_set(), "it begins again")
            held[1].go_on.set()


def test_who_waits_for_a_turn_is_cancelled_too(evening: Evening, tmp_path: Path) -> None:
    """An evening that waits while another one is examined ends when nobody looks, without its turn."""
    now = [0.0]
    held = Held(evening)
    job = Mattering("two", held, lambda _: None, clock=lambda: now[0])  # type: ignore[arg-type]
    with mattering._TURN:
        MatteringStore(tmp_path).jobs.start(lambda: job)
        now[0] += mattering.UNWATCHED + 1
        assert job.wait_until_finished(PATIENCE)
    assert job.state == "stopped"
    assert not held.begun.is_set()


def test_an_evening_that_goes_on_is_not_examined(evening: Evening) -> None:
    """What mattered is not asked while all may change yet."""
    with pytest.raises(NotPossible, match="goes on"):
        OpenEvening(RUN, evening, live=True).require_ended()


def test_only_a_few_evenings_wait(run: Path, evening: Evening, told: Told) -> None:
    """Where too many evenings wait to be examined, one more is refused, and can be asked again later."""
    studio = Studio(run.parents[1])
    held = [Held(evening) for _ in range(mattering.WAITING)]
    for number, one in enumerate(held):
        studio.mattering.jobs.start(lambda number=number, one=one: Mattering(str(number), one, lambda _: None))  # type: ignore[misc]
    with told.raises(Busy):
        studio.significance(RUN)
    studio.stop_all()
    for job in studio.mattering.jobs.all():
        assert job.wait_until_finished(PATIENCE)


def test_memory_is_bounded(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more answers are in memory than are allowed, and finished work holds no evening."""
    monkeypatch.setattr(mattering, "KEPT", 3)
    store = MatteringStore(tmp_path)
    for number in range(5):
        store._remember(str(number), Mattered("done"))
    assert list(store._known) == ["2", "3", "4"]
    studio = Studio(run.parents[1])
    studio.significance(RUN)
    wait_for(lambda: studio.significance(RUN).state == "done", "it is found out")
    assert [job._evening for job in studio.mattering.jobs.all()] == [None]
