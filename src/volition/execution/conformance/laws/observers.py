"""Observers: they are shown what happens, drive nothing, and disturb nobody. For executors with the feature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.execution.conformance.connection import ANSWER
from volition.execution.conformance.law import Group, expect, expect_errors, in_time
from volition.execution.conformance.open_moves import TRIES, long_move, was_cut_short
from volition.execution.conformance.verdict import NotApplicable, Unseen
from volition.execution.conformance.world_time import WATCHED_SECONDS
from volition.execution.wire.session.handshake import OBSERVE as FEATURE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.execution.conformance.bed import TestBed
    from volition.execution.conformance.connection import KitConnection


OBSERVE: Final = Group("observe")

_EVENTFUL: Final = 8.0
"""For how many seconds of its world the kit waits until something happens that is an event."""


@OBSERVE.law("Handshake")
def welcome(bed: TestBed) -> None:
    """An observer is welcome whether or not somebody drives, and is no driver: the next bridge is welcome too."""
    _need_observers(bed)
    bed.hang_up()
    observer = _observe(bed)
    driver = bed.connect(beside=True)
    answer = bed.greet(driver)
    in_time(answer.get("code") != "not_ready", "a driver is refused while somebody observes", "a welcome")
    expect(answer["type"] == "welcome", f"a reject ({answer.get('code')}) beside an observer", "a welcome")
    second = _observe(bed)
    for connection in (observer, second, driver):
        connection.state()


@OBSERVE.law("Handshake")
def states(bed: TestBed) -> None:
    """An observer gets the states that it requests, in full where it asks for that, and those that are pushed."""
    driver, observer = _pair(bed)
    state = observer.state()
    expect(state.get("full") is True, f"full is {state.get('full')!r}", "true")
    if "state_push" not in observer.features or not bed.tick:
        return
    patience = bed.patience(driver, ANSWER)
    for _ in patience:
        driver.state(full=False)
        observer.gather(bed.tick)
        if _is_pushed_to(observer):
            return
    in_time(
        not _is_pushed_to(driver),
        "states are pushed to the driver, and none to the observer",
        "states like those of a driver",
    )


@OBSERVE.law("Handshake")
def drives_nothing(bed: TestBed) -> None:
    """An intent or a cancel of an observer is answered with out_of_order, and nothing comes of it."""
    for driver, observer, id in _open_moves(bed):
        observer.next_id()
        stop, cancel = observer.intent("STOP"), {"type": "cancel", "id": id}
        since = observer.exchange(stop, cancel, observer.intent("STOP"))
        expect_errors(observer, since, *["out_of_order"] * 3)
        expect(stop["id"] not in observer.results, "a result for an observer", "error with the code out_of_order")
        driver.state()
        expect(not was_cut_short(driver, id), f"an observer ended {id}", "an intent that goes on")
        if id not in driver.results:
            return


@OBSERVE.law("Handshake")
def leaves(bed: TestBed) -> None:
    """When an observer leaves, the actor does not stop."""
    for driver, observer, id in _open_moves(bed):
        # A MOVE that is still queued leaves the actor where it is.
        moved = bed.probe is None or _is_moving(bed, driver)
        observer.close()
        bed.let_pass(driver, 3)
        expect(not was_cut_short(driver, id), f"{id} ended when an observer left", "an intent that goes on")
        moves = bed.probe is None or _is_moving(bed, driver)
        if moved and id not in driver.results:
            expect(moves, "the actor stands during its MOVE, since an observer left", "an actor that goes on")
            return


@OBSERVE.law("Handshake")
def events(bed: TestBed) -> None:
    """An observer gets the events, without the id of the intent that they concern, and no results."""
    driver, observer = _pair(bed)
    if "events" not in observer.features:
        raise NotApplicable("the executor has no events")
    bed.need("HOLD")
    bed.rest(driver)
    driver.do("HOLD")
    patience = bed.patience(driver, _EVENTFUL)
    for _ in patience:
        driver.state(full=False)
        observer.gather(bed.tick or 0.05)
        if driver.frames("event"):
            break
    else:
        raise patience.give_up("nothing happened that is an event")
    observer.state()
    names = [frame.get("name") for frame in driver.frames("event")]
    seen = observer.frames("event")
    missing = [name for name in names if name not in {frame.get("name") for frame in seen}]
    expect(not missing, f"events {missing} of the driver, which the observer did not get", "the same events")
    named = [frame for frame in seen if frame.get("id") is not None]
    expect(not named, f"an event with the id {[frame['id'] for frame in named]}", "no id: it is of another session")
    ended = [*observer.frames("result"), *observer.frames("progress")]
    expect(not ended, f"{ended[:1]} for an observer", "nothing of what the driver asks for")


def _need_observers(bed: TestBed) -> None:
    bed.need_shared()
    if bed.findings.get(FEATURE) is None:
        answer = bed.connect_and_greet(features=[*bed.hello()["features"], FEATURE])[1]
        bed.findings[FEATURE] = FEATURE in answer.get("features", [])
    if not bed.findings[FEATURE]:
        raise NotApplicable(f"the executor does not offer the feature {FEATURE!r}")


def _observe(bed: TestBed) -> KitConnection:
    """An observer beside whoever is there."""
    connection = bed.connect(beside=True)
    answer = bed.greet(connection, features=[*bed.hello()["features"], FEATURE])
    found = f"{answer['type']} ({answer.get('code')}) for an observer"
    expect(answer["type"] == "welcome", found, "a welcome, whoever drives")
    expect(FEATURE in answer.get("features", []), "a welcome without the feature", f"the feature {FEATURE!r} again")
    return connection


def _is_pushed_to(connection: KitConnection) -> bool:
    return any("id" not in frame for frame in connection.frames("state"))


def _pair(bed: TestBed) -> tuple[KitConnection, KitConnection]:
    """A driver after its opening, and an observer beside it."""
    _need_observers(bed)
    driver = bed.open_session()
    return driver, _observe(bed)


def _open_moves(bed: TestBed) -> Iterator[tuple[KitConnection, KitConnection, int]]:
    """Again and again a driver whose MOVE is open, an observer beside it, and the id of the MOVE."""
    _need_observers(bed)
    for _ in range(TRIES):
        driver = bed.open_session()
        id = long_move(bed, driver)
        yield driver, _observe(bed), id
    raise Unseen(f"{TRIES} times a MOVE was over before the kit's next frame arrived")


def _is_moving(bed: TestBed, connection: KitConnection) -> bool:
    first = bed.see(connection)
    for _ in bed.patience(connection, WATCHED_SECONDS) if bed.tolerance else range(1):
        bed.let_pass(connection, 2)
        if not bed.same_place(first, bed.see(connection)):
            return True
    return False
