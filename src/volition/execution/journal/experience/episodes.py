"""Attempts grouped into episodes: what a policy saw, what it requested, and the outcomes, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from volition.execution.journal.entries import References, Transition, read_journal
from volition.execution.journal.records import Attempt, End, Lost, RunStart, State

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    Group = tuple[int, str | None, int]
    """Connection, agent, episode."""


class Episode(Struct, frozen=True):
    """Steps of one agent in one episode of one connection, in the order of their tickets.

    `final` is the state after the last step, as far as it is known. `terminated`: the actor died in the last step;
    otherwise the episode was cut off: the world was reset, the connection was lost, or the journal ends.
    """

    run: int
    steps: tuple[Transition, ...]
    final: State
    terminated: bool


def is_experience(attempt: Attempt) -> bool:
    """Whether a policy decided this attempt, in a known state. Failures count; the bridge's own STOPs do not."""
    return attempt.purpose == "policy" and attempt.state is not None


def read_episodes(path: str | PathLike[str]) -> Iterator[Episode]:
    """Yield the episodes of a journal; only unfinished ones are kept in memory."""
    references = References()
    open_groups: dict[Group, list[Transition]] = {}
    newest: dict[int, State] = {}
    for _, run, record in read_journal(path):
        if type(record) is RunStart:
            yield from _close_groups(open_groups, newest, references.run.run)
            newest.clear()
        references.keep(record)
        match record:
            case State(key=key, episode=episode):
                before = newest.get(key[0])
                if before is None or key[1] >= before.key[1]:
                    newest[key[0]] = record
                if before is not None and before.episode != episode:
                    # What is still in flight belongs to the previous episode; older ones are complete.
                    old = {group: steps for group, steps in open_groups.items() if group[2] < before.episode}
                    for group in old:
                        del open_groups[group]
                    yield from _close_groups(old, newest, run)
            case Attempt() if is_experience(record):
                step = references.step(record)
                if step.state is not None:
                    group = (record.connection, record.agent, step.state.episode)
                    open_groups.setdefault(group, []).append(step)
            case Lost() | End():
                yield from _close_groups(open_groups, newest, run)
            case _:
                pass
    yield from _close_groups(open_groups, newest, references.run.run)


def _close_groups(groups: dict[Group, list[Transition]], newest: dict[int, State], run: int) -> Iterator[Episode]:
    for (connection, _, number), steps in groups.items():
        steps.sort(key=lambda step: step.attempt.ticket)
        last = newest.get(connection)
        for part in _parts(steps):
            attempt = part[-1].attempt
            known = part[-1].next_state or (last if part[-1] is steps[-1] and last and last.episode == number else None)
            final = known or part[-1].state
            assert final is not None, "a step without a state is not experience"
            yield Episode(run, tuple(part), final, attempt.terminated)
    groups.clear()


def _parts(steps: list[Transition]) -> Iterator[list[Transition]]:
    """Cut after a death: attempts of a dead actor are another episode. Attempts during which it died together stay together."""
    part: list[Transition] = []
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        part.append(step)
        if following is None or (step.attempt.terminated and not following.attempt.terminated):
            yield part
            part = []
