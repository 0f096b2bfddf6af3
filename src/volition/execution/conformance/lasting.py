"""A MOVE that stays open: what the laws about cancel, STOP and a lost bridge begin with.

Whether a MOVE lasts is seen in the executor's own ticks, and is the same on a busy machine as on a calm one. Whether it is
still open when the kit's next frame arrives is not: so a law takes one after the other from `open_moves` until its
answers prove that one was.
"""

from __future__ import annotations

from math import hypot
from typing import TYPE_CHECKING, Any, Final

from volition.execution.conformance.bench import outcome, payload, status
from volition.execution.conformance.talk import ANSWER
from volition.execution.conformance.verdict import NotApplicable, Unseen
from volition.execution.conformance.waiting import TICKS
from volition.execution.conformance.world_time import seconds_until, shown_seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from volition.execution.conformance.bench import Bench
    from volition.execution.conformance.log import Frame
    from volition.execution.conformance.talk import Talk
    from volition.execution.wire.probe import Vector

TRIES: Final = 12
"""How many MOVEs are begun before the kit says that it always came too late."""
OPEN: Final = 0.12
"""A MOVE without a result after this many seconds counts as one that stays open."""
_BEGUN: Final = 3
"""After this many ticks a MOVE of a length that is known to last is under way."""
_MOMENT: Final = 0.02
_BY_ITSELF: Final = frozenset({"done", "dead", "BLOCKED"})
"""How a MOVE ends whatever the kit sends: by arrival, the actor's death or an obstruction."""
_LASTING: Final = "lasting"
"""The finding: the shortest MOVE that was seen to last."""


def open_moves(bench: Bench, *, own: bool = False) -> Iterator[tuple[Talk, int]]:
    """Begin a MOVE that stays open, again and again: its connection (the shared one, or its `own`) and its id.

    NotApplicable where no MOVE stays open; Unseen once the law has had enough of them.
    """
    for _ in range(TRIES):
        talk = bench.open_session() if own else bench.session()
        yield talk, long_move(bench, talk)
    raise Unseen(f"{TRIES} times a MOVE was over before the kit's next frame arrived")


def long_move(bench: Bench, talk: Talk, more: Callable[[], Frame] = dict) -> int:
    """Begin a MOVE that stays open, and return its id; NotApplicable where none does.

    `more` returns additional fields for each MOVE that is tried.
    """
    bench.need("MOVE")
    for _ in range(TRIES):
        missed = False
        for vector in long_ways(bench, talk):
            id, missed = _begin(bench, talk, vector, more())
            if id is not None:
                return id
            if missed:
                break  # the actor is elsewhere: other ways are free
        if not missed:
            raise NotApplicable("no MOVE stays open for long enough")
    raise Unseen(f"{TRIES} MOVEs were over before the kit looked")


def sent_frame(bench: Bench, talk: Talk, id: int) -> Frame:
    """The frame that the kit sent last on a connection with this id."""
    said = (spoken.data for spoken in reversed(bench.log) if spoken.by == "kit" and spoken.connection == talk.number)
    return next(frame for frame in said if frame and frame.get("id") == id)


def ask_the_same(bench: Bench, talk: Talk, id: int, count: int) -> list[int]:
    """Send an open MOVE again under other ids, as far as the window has room: these ids."""
    parameters = sent_frame(bench, talk, id)["parameters"]
    count = min(count, bench.limit("max_inflight", 8) - 1)
    return [talk.ask("MOVE", parameters, ttl_ms=10_000) for _ in range(count)]


def was_open(talk: Talk, id: int) -> bool:
    """Whether a MOVE was open when the kit's frames arrived: it has no result, or they have ended it."""
    return id not in talk.results or _why_ended(talk.results[id][0]) not in _BY_ITSELF


def was_cut_short(talk: Talk, id: int) -> bool:
    """Whether an intent ended as if cancelled."""
    return id in talk.results and _why_ended(talk.results[id][0]) in {"NONE", "UNKNOWN"}


def _why_ended(answer: Frame) -> Any:
    """Why an intent has its result: it is done, the actor is dead, or the reason that the result gives."""
    if status(answer) == "SUCCESS":
        return "done"
    return "dead" if outcome(answer, "is_alive") is False else payload(answer).get("failure_reason")


def long_ways(bench: Bench, talk: Talk) -> Iterable[Vector]:
    """Vectors for a MOVE that may stay open, longest first."""
    bench.need("MOVE")
    if bench.probe is not None and bench.welcome.get("move_frame") == "relative":
        state, _ = bench.ready(talk)
        yield from bench.consult(bench.probe.ways, state)[:6]
        return
    for length in (4.0, 2.0):
        for axis in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)):
            yield (axis[0] * length, axis[1] * length, axis[2] * length)


def _begin(bench: Bench, talk: Talk, vector: Vector, more: Frame) -> tuple[int | None, bool]:
    """Begin a MOVE: its id while it is open, or None and whether another may stay open: it lasted, only not long enough for
    a slow kit, or the actor died of something else."""
    length, before, began = hypot(*vector), len(talk.heard), talk.now
    request = {"type": "state_request", "id": talk.next_id(), "full": False}
    frame = talk.intent("MOVE", {"vector": list(vector)}, ttl_ms=10_000, **more)
    talk.say(request, frame)
    id: int = frame["id"]
    first = talk.await_frame("state", since=before, id=request["id"])
    since, longest = len(talk.heard) - 1, talk.waiting.time_for(TICKS, 2 * ANSWER)
    while True:
        talk.state(full=False)
        by_clock = talk.now - began
        if id in talk.results:
            break
        by_ticks = shown_seconds(talk, since, bench.tick)
        frozen = by_clock > longest
        if frozen:
            talk.waiting.note_silence(TICKS)
        if (by_clock if by_ticks is None else by_ticks) >= _enough(bench, length) or frozen:
            _note(bench, length)
            return id, False
        talk.gather(bench.tick or _MOMENT)
    by_ticks = seconds_until(talk, first, talk.results[id][0], bench.tick)
    lasted = (by_clock if by_ticks is None else by_ticks) >= OPEN
    if lasted:
        _note(bench, length)
    return None, lasted or outcome(talk.results[id][0], "is_alive") is False


def _enough(bench: Bench, length: float) -> float:
    """How long a MOVE must have been open, in seconds: less where one of this length is known to last."""
    known = bench.tick and length >= bench.findings.get(_LASTING, length + 1)
    return min(OPEN, _BEGUN * bench.tick) if known else OPEN


def _note(bench: Bench, length: float) -> None:
    bench.findings[_LASTING] = min(length, bench.findings.get(_LASTING, length))
