"""What makes a good evening, as numbers with bars.

The bars are for six people and 150 minutes. Those that count acts or ticks scale with people and minutes, so that they
are fair to other scenarios.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Final, NamedTuple

from volition.drama.doctor.pooled import LASTS, PooledEvenings

if TYPE_CHECKING:
    from collections.abc import Iterator


FIRST: Final = (0.08, 0.20)
"""Between these shares of an evening's minutes its first dramatic act should fall, counted in quiet ticks."""
MOST: Final = 0.4
"""The largest share of the catastrophes for one person; with few people it is 1.5 times an equal share."""
ENDINGS: Final = 0.05
"""The share of evenings that a kind of ending needs to be counted."""
FAILS: Final = 0.6
"""What a target costs that fails by a hair; the further it fails, the closer it comes to 1."""
CLOSE: Final = 0.3
"""What a target costs that holds by a hair; one that holds by more than its sampling error costs nothing."""

SHAPE: Final = "shape"
STORY: Final = "story"
"""Whether a target is about the shape of evenings, or about what they tell."""


class Target(NamedTuple):
    """One number with its bar, and whether it holds; `detail` adds to it, for instance which room or person it is.

    `least` and `most` are the bounds that the bar names; of a bar "> 0", 0 itself is out of bounds.
    """

    id: str
    name: str
    value: float
    unit: str
    bar: str
    holds: bool
    detail: str = ""
    part: str = SHAPE
    least: float | None = None
    most: float | None = None

    def misfit(self, evenings: int) -> float:
        """How far it is from holding for sure, as a number that a search can make smaller; one that fails adds more than
        any that holds."""
        beyond = max(_beyond(self.least, self.value), _beyond(self.value, self.most))
        scale = max(abs(bound) for bound in (self.least, self.most) if bound is not None) or 1.0
        if not self.holds:
            far = max(0.0, beyond) / scale
            return FAILS + (1.0 - FAILS) * far / (1.0 + far)  # never level, so that a search sees which way is down
        margin = self._sampling_error(evenings)
        return CLOSE * max(0.0, 1.0 + beyond / margin) if margin else 0.0

    def _sampling_error(self, evenings: int) -> float:
        """By how much a share or a median time may differ among other evenings; 0 for anything else."""
        if self.unit in ("tick", "min"):
            return 0.2 * self.value
        if self.unit != "%":
            return 0.0
        share = min(0.99, max(0.01, self.value / 100.0))
        return 100.0 * sqrt(share * (1.0 - share) / evenings)


def _beyond(low: float | None, high: float | None) -> float:
    """How far `low` is above `high`; below 0 where it is not."""
    return float("-inf") if low is None or high is None else low - high


def at_least(id: str, name: str, value: float, bar: float, detail: str = "", unit: str = "%") -> Target:
    """A target whose value is to be at least its bar."""
    return Target(id, name, value, unit, f">= {bar:g}", value >= bar, detail, least=bar)


def at_most(id: str, name: str, value: float, bar: float, detail: str = "", unit: str = "%") -> Target:
    """A target whose value is to be at most its bar."""
    return Target(id, name, value, unit, f"<= {bar:g}", value <= bar, detail, most=bar)


def between(id: str, name: str, value: float, least: float, most: float, unit: str) -> Target:
    """A target whose value is to be within two bounds."""
    holds = least <= value <= most
    return Target(id, name, value, unit, f"{least:g} to {most:g}", holds, least=least, most=most)


def shape_targets(pooled: PooledEvenings) -> tuple[Target, ...]:
    """Every target of the shape, in the order in which people read them."""
    return (*_evening(pooled), *_catastrophes(pooled), *_acts(pooled), *_scores(pooled))


def _evening(pooled: PooledEvenings) -> Iterator[Target]:
    evening = pooled.scenario.evening
    least = LASTS * evening.minutes
    lasting = pooled.share(lambda record: record.minutes >= least)
    yield at_least("minutes", f"evenings that last {least:g} of {evening.minutes:g} minutes", 100 * lasting, 90)
    room, used = next(iter(pooled.rooms.items()))
    yield at_least("rooms", "evenings in which the least used room sees an act other than a move", 100 * used, 75, room)
    yield at_most("moves", "moves among all events", 100 * pooled.share_of_events("SOCIAL_MOVE"), 15)
    early, late = first_ticks(pooled)
    first = pooled.median(lambda record: record.ticks if record.first_drama is None else record.first_drama)
    yield between("first", "first dramatic act (median)", first, early, late, "tick")
    rising = pooled.share(lambda record: record.tension[1] > record.tension[0])
    yield at_least("tension", "evenings with more tension in their second half, without the clock", 100 * rising, 85)
    kinds = {kind: share for kind, share in pooled.endings.items() if share >= ENDINGS}
    detail = ", ".join(f"{kind} {100 * share:.0f} %" for kind, share in pooled.endings.items())
    yield at_least("endings", "kinds of ending with 5 % of the evenings each", len(kinds), 3.0, detail, "")


def first_ticks(pooled: PooledEvenings) -> tuple[float, float]:
    """The ticks between which the first dramatic act should fall."""
    quiet = pooled.scenario.evening.time_scale * float(pooled.scenario.rules["time"]["quiet"])
    early, late = (round(part * pooled.scenario.evening.minutes / quiet, 1) for part in FIRST)
    return early, late


def _catastrophes(pooled: PooledEvenings) -> Iterator[Target]:
    few = pooled.share(lambda record: 1 <= len(record.catastrophes) <= 3)
    yield at_least("catastrophes", "evenings with one to three catastrophes", 100 * few, 80)
    shares = pooled.catastrophes
    most, least = next(iter(shares)), next(reversed(shares))
    fair = 100 * max(MOST, 1.5 / len(shares))
    yield at_most("most", "largest share of the catastrophes that one person has", 100 * shares[most], fair, most)
    yield _above("least", "smallest share of the catastrophes that one person has", shares[least], least)


def _acts(pooled: PooledEvenings) -> Iterator[Target]:
    size = pooled.size
    chats, quarrels, told = round(20 * size), round(5 * size), max(1, round(2 * size))
    few, many = round(100 * size), round(250 * size)
    talking = pooled.share(lambda record: record.events.get("CHAT", 0) > chats)
    yield at_least("chats", f"evenings with more than {chats} chats", 100 * talking, 95)
    quarrelling = pooled.share(lambda record: record.events.get("CONFLICT", 0) > quarrels)
    yield at_least("conflicts", f"evenings with more than {quarrels} conflicts", 100 * quarrelling, 95)
    telling = pooled.share(lambda record: record.events.get("REVEAL", 0) + record.events.get("CONFIDE", 0) >= told)
    yield at_least("tellings", f"evenings with {told} or more secrets revealed or confided", 100 * telling, 95)
    full = pooled.share(lambda record: few <= record.event_count <= many)
    yield at_least("events", f"evenings with {few} to {many} events", 100 * full, 95)


def _scores(pooled: PooledEvenings) -> Iterator[Target]:
    internal = pooled.spread("internal").quantile(0.5) or 0.0
    yield between("internal", "total of INTERNAL (median)", internal, 0.35, 0.45, "")
    best = pooled.spread("winners").quantile(0.95) or 0.0
    yield at_most("winners", "total of the winner (95th percentile)", best, 1.1, unit="")
    bands = pooled.spread("all").bands()
    empty = min(bands, key=lambda band: bands[band])
    yield _above("bands", "totals in the least inhabited band of the tuning guide", bands[empty], empty)


def _above(id: str, name: str, share: float, detail: str = "") -> Target:
    return Target(id, name, 100 * share, "%", "> 0", share > 0.0, detail, SHAPE, 0.0)
