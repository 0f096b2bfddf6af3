"""States from a log: recorded deltas are applied without any rule, and checked against the state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.core.errors import refuse
from volition.core.pausing import pause
from volition.drama.stage.state import forget, remember, replay

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.drama.evening.world import WorldState
    from volition.drama.stage.events import Event, TickRecord
    from volition.drama.stage.record import Run


def walk(run: Run) -> Iterator[tuple[WorldState, Event]]:
    """Every event with the state before it. The world is one object that is updated in place: read it, do not keep it."""
    world = run.opening_state()
    for record in run.ticks:
        for event in unfold(world, record):
            yield world, event


def steps(run: Run) -> Iterator[tuple[WorldState, TickRecord]]:
    """Every tick with the state before it, likewise."""
    world = run.opening_state()
    for record in run.ticks:
        yield world, record
        advance(world, record)


def state_at(run: Run, tick: int, since: WorldState | None = None) -> WorldState:
    """The state before a tick; for the tick after the last one, the final state.

    `since` is a state of the run that becomes the one asked for, unless it is a later one.
    """
    first, last = run.first, run.last
    if not first <= tick <= last:
        refuse(
            f"the run has no tick {tick}",
            where="tick",
            expected=f"a tick from {first} to {last}",
            remedy=f"ask for one of them; {last} gives the final state",
        )
    world = since if since is not None and since.tick <= tick else run.opening_state()
    for record in run.ticks[world.tick - first : tick - first]:
        advance(world, record)
    return world


def advance(world: WorldState, record: TickRecord) -> None:
    """Apply a whole tick."""
    for _ in unfold(world, record):
        pass


def unfold(world: WorldState, record: TickRecord) -> Iterator[Event]:
    """Apply a tick event by event; each event is yielded before it is applied."""
    pause()
    _interfere(world, record)
    for event in record.events:
        yield event
        _happen(world, event)
    _pass(world, record)


def _interfere(world: WorldState, record: TickRecord) -> None:
    where = f"tick {record.tick}, what was set by hand"
    for delta in record.before:
        replay(world, delta, where)


def _happen(world: WorldState, event: Event) -> None:
    where = f"tick {event.tick}, event {event.id}"
    for delta in event.deltas:
        replay(world, delta, where)
    world.recent.append(remember(event))


def _pass(world: WorldState, record: TickRecord) -> None:
    where = f"tick {record.tick}, its end"
    for delta in record.after:
        replay(world, delta, where)
    world.recent = forget(world.recent, world.tick, world.scenario)
