"""Drives through the arena, here or in a JVM, as pages follow them."""

from __future__ import annotations

from collections import deque
from itertools import count
from typing import TYPE_CHECKING, Final

import msgspec

from volition.execution.connecting.connect import connect
from volition.execution.worlds.arena import SHIPPED_MAPS, shipped_map
from volition.execution.worlds.pilot import Course, Pilot, drive, parse_goal
from volition.studio.arenas import draw_state, map_shape, outcome_shape, without_map
from volition.studio.background import BackgroundJob
from volition.studio.errors import NoSuch
from volition.studio.shapes.drives import DriveAsked, DriveShape, DriveStep, LatencyShape, MapShape, OutcomeShape
from volition.studio.store import JOURNALS

if TYPE_CHECKING:
    from pathlib import Path

    from volition.execution.client.bridge import Bridge
    from volition.execution.connecting.connect import Pace
    from volition.execution.worlds.pilot import PilotStep
    from volition.studio.store import RecordStore

STEPS_KEPT: Final = 500
"""How many of the last steps keep their decisions."""
LATENCY_EVERY: Final = 10
"""How many steps pass between two reports of the latency."""
_numbers = count(1)


def shipped_maps() -> list[MapShape]:
    """The maps that ship with the arena."""
    return [_find_map(name) for name in SHIPPED_MAPS]


class Drive(BackgroundJob):
    """A pilot that drives through the arena in the background."""

    def __init__(self, store: RecordStore, asked: DriveAsked) -> None:
        self.asked = asked
        self.map = _find_map(asked.map)
        self.goal = parse_goal(asked.goal)
        self.course = Course(self.goal)
        self.steps: deque[PilotStep] = deque(maxlen=STEPS_KEPT)
        self.last: DriveStep | None = None
        self._folder: Path | None = store.new(JOURNALS, f"drive-{asked.map}-{asked.seed}") if asked.journal else None
        self.journal = None if self._folder is None else store.id_of(self._folder)
        super().__init__(f"drive-{next(_numbers)}")

    def work(self) -> None:
        asked = self.asked
        pace: Pace = "real" if asked.pace == "real" else "virtual"
        meta = {"map": asked.map, "seed": asked.seed, "goal": str(self.goal), "pace": asked.pace}
        with connect(
            asked.executor, map=asked.map, seed=asked.seed, pace=pace, journal=self._folder, meta=meta
        ) as bridge:
            drive(bridge, asked.steps, lambda step: self._add(step, bridge), pilot=Pilot(goal=self.goal))

    def _add(self, step: PilotStep, bridge: Bridge) -> None:
        self.course.add(step)
        self.steps.append(step)
        self.last = self._step_shape(step, bridge)
        self.feed.tell("step", msgspec.json.encode(self.last))
        if step.number % LATENCY_EVERY == 0:
            self.feed.tell("latency", msgspec.json.encode(self.latency()))
        self.pause()

    def _step_shape(self, step: PilotStep, bridge: Bridge) -> DriveStep:
        why = step.decision.why()
        state = without_map((bridge.state or step.frame).data)
        return DriveStep(
            number=step.number,
            tick=step.situation.tick,
            episode=step.situation.episode,
            chosen=step.decision.id,
            why=why.text,
            rival=why.over,
            vetoed=len(step.decision.tally.vetoed),
            outcome=_outcome(step),
            verdict=step.judged.verdict,
            because=step.judged.because,
            state=state,
            picture=draw_state(state, self.map),
            course=self.course.to_data(),
        )

    def latency(self) -> LatencyShape | None:
        """How long results took; None where there are none, or time was virtual."""
        bins, immediate = self.course.times.bins, self.course.latency
        if not bins or (self.asked.pace != "real" and self.asked.executor == "embedded"):
            return None
        p50, p99 = (None, None) if immediate is None else (immediate.p50 * 1e6, immediate.p99 * 1e6)
        results, lasting = sum(one.count for one in bins), sum(one.lasting for one in bins)
        return LatencyShape(p50, p99, results, lasting, list(bins))

    def step_at(self, number: int) -> PilotStep:
        """A step whose decision is still kept."""
        for step in list(self.steps):
            if step.number == number:
                return step
        raise NoSuch.id("step", str(number), [])

    def shape(self) -> DriveShape:
        """The drive so far."""
        asked, steps = self.asked, list(self.steps)
        return DriveShape(
            id=self.id,
            executor=asked.executor,
            map=self.map,
            seed=asked.seed,
            most_steps=asked.steps,
            goal=str(self.goal),
            pace=asked.pace,
            state=self.state,
            problem=self.problem,
            steps=self.course.steps,
            steps_kept=(steps[0].number, steps[-1].number) if steps else None,
            course=self.course.to_data(),
            latency=self.latency(),
            journal=self.journal,
            last=self.last,
        )

    def end_data(self) -> bytes:
        return msgspec.json.encode(self.shape())


def _outcome(step: PilotStep) -> OutcomeShape | None:
    outcome = step.outcome
    if outcome is None:
        return None
    intent = outcome.requested.intent if outcome.sent is None else outcome.sent.name
    return outcome_shape(outcome, intent, outcome.elapsed * 1e6)


def _find_map(name: str) -> MapShape:
    if name not in SHIPPED_MAPS:
        raise NoSuch.id("map", name, SHIPPED_MAPS)
    return map_shape(name, shipped_map(name).rows)
