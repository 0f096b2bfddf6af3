"""States from a log: apply what was recorded, ask no rule, and notice where it does not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.core.errors import refuse
from volition.drama.stage.changes import forget, remember, replay

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.drama.stage.events import Event, TickRecord
    from volition.drama.stage.record import Run
    from volition.drama.world.model import WorldState


def walk(run: Run) -> Iterator[tuple[WorldState, Event]]:
    """Every event with the state before it. The world is one object that moves on: read it, do not keep it."""
    world = run.opened()
    for record in run.ticks:
        for event in unfold(world, record):
            yield world, event


def steps(run: Run) -> Iterator[tuple[WorldState, TickRecord]]:
    """Every tick with the state before it, in the same way."""
    world = run.opened()
    for record in run.ticks:
        yield world, record
        advance(world, record)


def state_at(run: Run, tick: int) -> WorldState:
    """The state before a tick; after the last tick, the state at the end."""
    world = run.opened()
    first, last = world.tick, world.tick + len(run.ticks)
    if not first <= tick <= last:
        refuse(
            f"the run has no tick {tick}",
            where="tick",
            expected=f"a tick from {first} to {last}",
            remedy=f"ask for one of them; {last} is the state at the end",
        )
    for record in run.ticks[: tick - first]:
        advance(world, record)
    return world


def advance(world: WorldState, record: TickRecord) -> None:
    """Apply a whole tick."""
    for _ in unfold(world, record):
        pass


def unfold(world: WorldState, record: TickRecord) -> Iterator[Event]:
    """Apply a tick event by event: each is given while the world stands as it was before it."""
    _interfere(world, record)
    for event in record.events:
        yield event
        _happen(world, event)
    _pass(world, record)


def _interfere(world: WorldState, record: TickRecord) -> None:
    for delta in record.before:
        replay(world, delta, f"tick {record.tick}, what was set by hand")


def _happen(world: WorldState, event: Event) -> None:
    for delta in event.deltas:
        replay(world, delta, f"tick {event.tick}, event {event.id}")
    remember(world, event)


def _pass(world: WorldState, record: TickRecord) -> None:
    for delta in record.after:
        replay(world, delta, f"tick {record.tick}, its end")
    forget(world)
