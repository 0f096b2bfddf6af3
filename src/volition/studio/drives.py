"""Drives through the arena, here or in a JVM, as pages watch them."""

from __future__ import annotations

from collections import deque
from itertools import count
from math import inf, isfinite
from typing import TYPE_CHECKING, Any, Final

import msgspec

from volition.core.errors import refuse
from volition.execution.arena import LEGEND, SHIPPED_MAPS, render, shipped_map
from volition.execution.bridge.connect import connect
from volition.execution.pilot import Course, Opponent, Pilot, Spot, drive
from volition.studio.errors import NoSuch
from volition.studio.shapes.drives import Bin, DriveAsked, DriveShape, DriveStep, LatencyShape, MapShape, OutcomeShape
from volition.studio.shapes.problems import ProblemShape
from volition.studio.shelf import JOURNALS
from volition.studio.work import Job

if TYPE_CHECKING:
    from pathlib import Path

    from volition.execution.bridge.bridge import Bridge
    from volition.execution.bridge.way import Pace
    from volition.execution.door.outcome import Outcome
    from volition.execution.pilot import Goal, Step
    from volition.studio.shelf import Shelf

STEPS_KEPT: Final = 500
"""How many of the last steps can be asked why."""
EVERY: Final = 10
"""After so many steps the latency is told anew."""
_numbers = count(1)


def maps() -> list[MapShape]:
    """The maps that ship."""
    return [_map(name) for name in SHIPPED_MAPS]


class Drive(Job):
    """A pilot on its way."""

    def __init__(self, shelf: Shelf, asked: DriveAsked) -> None:
        self.asked = asked
        self.map = _map(asked.map)
        self.goal = _goal(asked.goal)
        self.course = Course(self.goal)
        self.steps: deque[Step] = deque(maxlen=STEPS_KEPT)
        self.last: DriveStep | None = None
        self._folder: Path | None = shelf.new(JOURNALS, f"drive-{asked.map}-{asked.seed}") if asked.journal else None
        self.journal = None if self._folder is None else shelf.id_of(self._folder)
        super().__init__(f"drive-{next(_numbers)}")

    def work(self) -> None:
        asked = self.asked
        pace: Pace = "real" if asked.pace == "real" else "virtual"
        meta = {"map": asked.map, "seed": asked.seed, "goal": str(self.goal), "pace": asked.pace}
        with connect(
            asked.executor, map=asked.map, seed=asked.seed, pace=pace, journal=self._folder, meta=meta
        ) as bridge:
            drive(bridge, asked.steps, lambda step: self._show(step, bridge), pilot=Pilot(goal=self.goal))

    def _show(self, step: Step, bridge: Bridge) -> None:
        self.course.add(step)
        self.steps.append(step)
        self.last = self._step(step, bridge)
        self.feed.tell("step", msgspec.json.encode(self.last))
        if step.number % EVERY == 0:
            self.feed.tell("latency", msgspec.json.encode(self.latency()))
        self.pause()

    def _step(self, step: Step, bridge: Bridge) -> DriveStep:
        why = step.decision.why()
        newest = bridge.state or step.frame
        state: dict[str, Any] = {key: value for key, value in newest.data.items() if key != "map"}
        return DriveStep(
            number=step.number,
            tick=step.situation.tick,
            episode=step.situation.episode,
            chosen=step.decision.id,
            why=why.text,
            rival=why.over,
            vetoed=len(step.decision.tally.vetoed),
            outcome=None if step.outcome is None else _outcome(step.outcome),
            verdict=step.judged.verdict,
            because=step.judged.because,
            state=state,
            picture=render({**state, "map": {"name": self.map.name, "rows": self.map.rows}}),
            course=self.course.to_data(),
        )

    def latency(self) -> LatencyShape | None:
        """How long results took; None where there is none, or time was not the real one."""
        bins, at_once = self.course.times.bins, self.course.latency
        if not bins or (self.asked.pace != "real" and self.asked.executor == "embedded"):
            return None
        p50, p99 = (None, None) if at_once is None else (at_once.p50 * 1e6, at_once.p99 * 1e6)
        results, lasting = sum(one.count for one in bins), sum(one.lasting for one in bins)
        return LatencyShape(
            p50, p99, results, lasting, [Bin(one.low, one.high, one.count, one.lasting) for one in bins]
        )

    def step_at(self, number: int) -> Step:
        """A step of which the decision is still kept."""
        for step in list(self.steps):
            if step.number == number:
                return step
        raise NoSuch.id("step", str(number), [])

    def shape(self) -> DriveShape:
        """The drive so far."""
        asked, steps, problem = self.asked, list(self.steps), self.problem
        return DriveShape(
            id=self.id,
            executor=asked.executor,
            map=self.map,
            seed=asked.seed,
            most_steps=asked.steps,
            goal=str(self.goal),
            pace=asked.pace,
            state=self.state,  # type: ignore[arg-type]
            problem=None
            if problem is None
            else ProblemShape(problem.what, problem.where, problem.expected, problem.remedy),
            steps=self.course.steps,
            steps_kept=(steps[0].number, steps[-1].number) if steps else None,
            course=self.course.to_data(),
            latency=self.latency(),
            journal=self.journal,
            last=self.last,
        )

    def over(self) -> bytes:
        return msgspec.json.encode(self.shape())


def _map(name: str) -> MapShape:
    if name not in SHIPPED_MAPS:
        raise NoSuch.id("map", name, SHIPPED_MAPS)
    return MapShape(name, list(shipped_map(name).rows), {letter: str(what) for letter, what in LEGEND.items()})


def _goal(text: str) -> Goal:
    if text == "opponent":
        return Opponent()
    x, _, y = text.partition(",")
    try:
        place = float(x), float(y)
    except ValueError:
        place = inf, inf
    if not all(map(isfinite, place)):
        refuse(
            f"the goal is {text!r}",
            where="goal",
            expected="opponent, or a place X,Y in tiles",
            remedy="write it as 20.5,8.5",
        )
    return Spot(*place)


def _outcome(outcome: Outcome) -> OutcomeShape:
    sent = outcome.sent
    return OutcomeShape(
        intent=outcome.requested.intent if sent is None else sent.name,
        parameters=None if sent is None else sent.parameters,
        status=outcome.status,
        reason=outcome.reason,
        label=outcome.label,
        detail=outcome.detail,
        answered=outcome.answered,
        elapsed_us=outcome.elapsed * 1e6,
        violations=[f"{one.field}: {one.what}" for one in outcome.violations],
    )
