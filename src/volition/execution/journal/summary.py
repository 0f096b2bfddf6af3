"""A journal in short: attempts by intent and label, breaches of contract, latency, reward, deaths."""

from __future__ import annotations

from collections import Counter, defaultdict
from math import floor, fsum, log10
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, to_builtins

from volition.execution.journal import records
from volition.execution.journal.entries import read_journal
from volition.execution.journal.reward import LABELS
from volition.execution.wire.intents import CANONICAL

if TYPE_CHECKING:
    from os import PathLike

PERCENTILES: Final = (50, 90, 99, 100)
OTHER: Final = "(other)"
"""Every intent that is not canonical."""


class ConnectionSummary(Struct):
    """One connection: the executor, the contract's version, and how it ended (empty while it is open)."""

    run: int
    """The number of the run."""
    connection: int
    """The number of the connection."""
    executor: str
    """The name of the executor."""
    version: str
    """The executor's version."""
    spec: str
    """The version of the contract."""
    ended: str = ""
    """How it ended; empty while it is open."""


class JournalSummary(Struct):
    """A journal in short. Latency is that of answered attempts, in microseconds, to three digits."""

    runs: int = 0
    """How many runs there are."""
    ended: int = 0
    """How many of them ended properly."""
    attempts: int = 0
    """How many intents were attempted."""
    by_intent: dict[str, dict[str, int]] = {}
    """For each intent, how many attempts had each result."""
    by_purpose: dict[str, int] = {}
    """How many attempts had each purpose."""
    by_body: dict[str, dict[str, int]] = {}
    """For each body, how many attempts had each result."""
    refused_retries: int = 0
    """How many retries were refused."""
    late: int = 0
    """How many results came too late."""
    breaches: dict[str, int] = {}
    """How often each rule of the contract was broken."""
    latency_us: dict[str, int] = {}
    """How long answered attempts took, in microseconds."""
    reward: float = 0.0
    """The sum of all rewards."""
    reward_parts: dict[str, float] = {}
    """The sum of each part of the rewards."""
    reward_faults: int = 0
    """How many rewards could not be computed."""
    deaths: int = 0
    """How often the body died."""
    states: int = 0
    """How many states were recorded."""
    states_skipped: int = 0
    """How many states were left out."""
    connections: list[ConnectionSummary] = []
    """Every connection to an executor."""

    def to_data(self) -> dict[str, Any]:
        """JSON data, as `--json` prints it."""
        data: dict[str, Any] = to_builtins(self)
        return data

    def __str__(self) -> str:
        lines = [
            f"{_count_of(self.attempts, 'attempt')}, {_count_of(self.runs, 'run')} ({self.ended} closed in order)",
            *_table(self.by_intent),
            *_table(self.by_body),
            f"by purpose: {_format_counts(self.by_purpose)}",
            f"retries refused: {self.refused_retries}; late results: {self.late}; breaches: {_format_counts(self.breaches)}",
            "latency of answers: " + (", ".join(f"{k} {v} us" for k, v in self.latency_us.items()) or "none"),
            f"reward: {self.reward:.6g} ({', '.join(f'{k} {v:.6g}' for k, v in self.reward_parts.items()) or 'no parts'})",
            f"states: {self.states} recorded, {self.states_skipped} passed over; deaths: {self.deaths}",
        ]
        if self.reward_faults:
            lines.append(f"the reward function failed {self.reward_faults} times")
        for met in self.connections[-10:]:
            ended = f", ended: {met.ended}" if met.ended else ""
            lines.append(
                f"  run {met.run}, connection {met.connection}: {met.executor} {met.version}, contract {met.spec}{ended}"
            )
        return "\n".join(lines)


def summarise_journal(path: str | PathLike[str]) -> JournalSummary:
    """Summarise a journal in one pass; memory grows with its connections only."""
    tally = _Tally()
    for _, run, record in read_journal(path):
        tally.take(run, record)
    return tally.result()


class _Tally:
    def __init__(self) -> None:
        self.found = JournalSummary()
        self._intents: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._bodies: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._purposes: Counter[str] = Counter()
        self._breaches: Counter[str] = Counter()
        self._elapsed: Counter[int] = Counter()
        self._parts: dict[str, list[float]] = {}
        self._totals: list[float] = []
        self._declared: set[str] = set()
        self._deaths: defaultdict[tuple[int, int], DeathCount] = defaultdict(DeathCount)

    def take(self, run: int, record: records.JournalRecord) -> None:
        found = self.found
        match record:
            case records.Attempt():
                self._attempt(run, record)
            case records.State(skipped=skipped):
                found.states += 1
                found.states_skipped += skipped
                self._deaths[run, record.key[0]].see_state(record.episode, record.data)
            case records.Breach(kind=kind):
                self._breaches[kind] += 1
            case records.LateAnswer():
                found.late += 1
            case records.RunStart():
                found.runs += 1
            case records.End(skipped=skipped):
                found.ended += 1
                found.states_skipped += skipped
            case records.Connected(connection=number, welcome=welcome):
                self._declared.update(each.name for each in welcome.declares)
                executor = welcome.executor
                found.connections.append(ConnectionSummary(run, number, executor.name, executor.version, welcome.spec))
            case records.Lost(connection=number, reason=reason):
                if found.connections and (found.connections[-1].run, found.connections[-1].connection) == (run, number):
                    found.connections[-1].ended = reason

    def _attempt(self, run: int, attempt: records.Attempt) -> None:
        found = self.found
        count, label = attempt.count, attempt.label
        found.attempts += count
        intent = attempt.requested.intent
        self._intents[intent if intent in CANONICAL or intent in self._declared else OTHER][label] += count
        self._purposes[attempt.purpose] += count
        if attempt.body:
            self._bodies[attempt.body][label] += count
        if label == "refused_retry":
            found.refused_retries += count
        found.reward_faults += bool(attempt.reward_fault)
        if attempt.answered:
            self._deaths[run, attempt.connection].see_result(died=attempt.terminated)
        if attempt.answered:
            self._elapsed[_three_digits(attempt.elapsed_us)] += 1
        _add(self._totals, attempt.reward * count)
        for name, part in attempt.parts.items():
            _add(self._parts.setdefault(name, []), part * count)

    def result(self) -> JournalSummary:
        found = self.found
        found.by_intent = _by_label(
            self._intents,
            [intent for intent in (*CANONICAL, *sorted(self._declared), OTHER) if intent in self._intents],
        )
        found.by_body = _by_label(self._bodies, sorted(self._bodies))
        found.by_purpose = dict(sorted(self._purposes.items()))
        found.breaches = dict(sorted(self._breaches.items()))
        found.deaths = sum(deaths.count for deaths in self._deaths.values())
        found.latency_us = percentiles(self._elapsed)
        found.reward = fsum(self._totals)
        found.reward_parts = {name: fsum(parts) for name, parts in sorted(self._parts.items())}
        return found


def percentiles(counts: Counter[int]) -> dict[str, int]:
    """The smallest values that this many percent do not exceed.

    >>> percentiles(Counter({40: 98, 90: 1, 700: 1}))
    {'p50': 40, 'p90': 40, 'p99': 90, 'p100': 700}
    """
    total, values, below, wanted = counts.total(), {}, 0, list(PERCENTILES)
    for value in sorted(counts):
        below += counts[value]
        while wanted and below * 100 >= wanted[0] * total:
            values[f"p{wanted.pop(0)}"] = value
    return values


def _by_label(counts: dict[str, Counter[str]], names: list[str]) -> dict[str, dict[str, int]]:
    """The counts of these names, each by label, in the usual order of the labels."""
    return {name: {label: counts[name][label] for label in LABELS if label in counts[name]} for name in names}


def _three_digits(value: int) -> int:
    """The value rounded to three digits, so that there are few distinct ones."""
    unit = 10 ** max(0, floor(log10(value)) - 2) if value > 0 else 1
    return round(value / unit) * unit


def _add(numbers: list[float], number: float) -> None:
    """Collect numbers for an exact sum, in bounded memory."""
    numbers.append(number)
    if len(numbers) > 10_000:
        numbers[:] = [fsum(numbers)]


def _table(counts: dict[str, dict[str, int]]) -> list[str]:
    if not counts:
        return []
    labels = [label for label in LABELS if any(label in cells for cells in counts.values())]
    width = max(map(len, counts)) + 2
    head = " " * width + "  ".join(labels)
    rows = (
        f"{name:<{width}}" + "  ".join(f"{cells.get(label, 0) or '.':>{len(label)}}" for label in labels)
        for name, cells in counts.items()
    )
    return [head, *rows]


def _format_counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"


def _count_of(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def shows_alive(data: Any) -> bool | None:
    """Whether the actor of a state lives; None if the state does not say.

    >>> shows_alive({"actor": {"alive": False}}), shows_alive({"actor": {"x": 1}})
    (False, None)
    """
    actor = data.get("actor") if isinstance(data, dict) else None
    alive = actor.get("alive") if isinstance(actor, dict) else None
    return alive if isinstance(alive, bool) else None


class DeathCount:
    """Counts the deaths in the states and results of one connection, in their order.

    A death is a state in which the actor is dead, after one of the same episode in which it lived; it may have died while
    nothing was attempted. An actor that was dead when it was first seen has not died here. Of an executor whose states do
    not say who lives, the results count: the first of a row in which the actor is dead.

    >>> deaths = DeathCount()
    >>> for alive in (True, False, False, True, False):
    ...     deaths.see_state(1, {"actor": {"alive": alive}})
    >>> deaths.count
    2
    """

    def __init__(self) -> None:
        self.count = 0
        self._alive: bool | None = None
        self._episode: int | None = None
        self._by_states = False

    def see_state(self, episode: int, data: Any) -> None:
        """Take a state; one that does not say who lives changes nothing."""
        alive = shows_alive(data)
        if alive is None:
            return
        self._by_states = True
        if episode != self._episode:
            self._episode, self._alive = episode, None
        self.count += self._alive is True and not alive
        self._alive = alive

    def see_result(self, *, died: bool) -> None:
        """Take the result of an attempt: whether the actor was dead at its end."""
        if not self._by_states:
            self.count += died and self._alive is not False
            self._alive = not died
