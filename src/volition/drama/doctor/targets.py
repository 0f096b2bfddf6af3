"""What makes a good evening, as numbers with bars: those of its shape, and those that make it a story.

The bars are for six people and 150 minutes. Those that count acts or ticks scale with people and minutes, so that they
are fair to other scenarios. With fewer people, a pair or a person has a larger share of everything, and the bars of the
story allow it: no plot told again, no bystander, no wrong that nobody answers.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import Struct, structs

from volition.drama.doctor.pooled import LASTS, PooledEvenings, PooledStories
from volition.drama.evening.measure import ANSWER_MINUTES

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
K = TypeVar("K")

FIRSTS: Final = 0.05
"""The share of evenings that a first dramatic act needs to be counted."""
ANSWERED: Final = 10
"""Half of all wrongs should be answered within this many minutes."""
SLEEPS: Final = 0.7
"""The largest share of evenings in which a flaw may never wake."""


class Target(Struct, frozen=True):
    """One number with its bar, and whether it holds; `detail` adds to it, for instance which room or person it is.

    `least` and `most` are the bounds that the bar names; of a bar "> 0", 0 itself is out of bounds.
    """

    id: str
    """The id of the target."""
    name: str
    """What is measured."""
    value: float
    """The number that was measured."""
    unit: str
    """Its unit."""
    bar: str
    """What is wanted, in words."""
    holds: bool
    """Whether it is met."""
    detail: str = ""
    """Which room or person the number is of, and the like."""
    part: str = SHAPE
    """The group of targets that it belongs to."""
    least: float | None = None
    """The lower bound, if there is one."""
    most: float | None = None
    """The upper bound, if there is one."""

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
    chats, quarrels, tellings = round(20 * size), round(5 * size), max(1, round(2 * size))
    few, many = round(100 * size), round(250 * size)
    talking = pooled.share(lambda record: record.events.get("CHAT", 0) > chats)
    yield at_least("chats", f"evenings with more than {chats} chats", 100 * talking, 95)
    quarrelling = pooled.share(lambda record: record.events.get("CONFLICT", 0) > quarrels)
    yield at_least("conflicts", f"evenings with more than {quarrels} conflicts", 100 * quarrelling, 95)
    telling = pooled.share(lambda record: record.events.get("REVEAL", 0) + record.events.get("CONFIDE", 0) >= tellings)
    yield at_least("tellings", f"evenings with {tellings} or more secrets revealed or confided", 100 * telling, 95)
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


def story_targets(pooled: PooledEvenings) -> Iterator[Target]:
    """Every target of the story, in the order in which people read them."""
    stories = pooled.stories
    noise = at_most("noise", "decisions that hang on noise", 100 * pooled.share_hung("noise"), 45)
    targets = (*_plots(stories), *_cast(stories), *_lies(stories), noise, *_reactions(stories), *_flaws(stories))
    return (structs.replace(target, part=STORY) for target in targets)


def _plots(stories: PooledStories) -> Iterator[Target]:
    if stories.secrets:
        rarest, commonest = next(iter(stories.secrets)), next(reversed(stories.secrets))
        least, most = 100 * stories.secrets[rarest], 100 * stories.secrets[commonest]
        yield at_least("secret_least", "evenings in which the best kept secret comes out", least, 10, rarest)
        yield at_most("secret_most", "evenings in which the worst kept secret comes out", most, 95, commonest)
    firsts = {first: share for first, share in stories.firsts.items() if share >= FIRSTS}
    if stories.first_out:
        secret, most = next(reversed(stories.first_out.items()))
        yield at_most("first_out", "evenings in which the same secret comes out first", 100 * most, 50, secret)
    people, most = next(reversed(stories.remained.items()))
    names = ", ".join(people) or "nobody"
    yield at_most("remained", "evenings in which the same people remain", 100 * most, 35, names)
    detail = ", ".join(f"{first} {100 * share:.0f} %" for first, share in _largest(firsts))
    yield at_least("firsts", "first dramatic acts with 5 % of the evenings each", len(firsts), 5.0, detail, "")


def _cast(stories: PooledStories) -> Iterator[Target]:
    people, guests = (
        len(stories.scenario.people),
        sum(not person.resident for person in stories.scenario.people.values()),
    )
    pair, most = next(reversed(stories.pairs.items()), (("", ""), 0.0))
    fair = min(100.0, max(40.0, 150.0 / max(1, people * (people - 1) // 2)))
    yield at_most("pair", "largest share of the conflicts that one pair has", 100 * most, fair, " and ".join(pair))
    idle, starts = next(iter(stories.starters.items()))
    yield at_least("starters", "evenings in which the most peaceful person starts a conflict", 100 * starts, 20, idle)
    quiet, least = next(iter(stories.makers.items()))
    loud, largest = next(reversed(stories.makers.items()))
    yield at_least(
        "quietest", "smallest share of the events that one person makes", 100 * least, min(8, 64 / people), quiet
    )
    yield at_most(
        "loudest", "largest share of the events that one person makes", 100 * largest, max(30, 180 / people), loud
    )
    driven = {who: share for who, share in stories.driven_off.items() if share}
    detail = ", ".join(f"{who} {100 * share:.0f} %" for who, share in _largest(driven))
    name = "people who are thrown out or storm off in some evening"
    yield at_least("driven_off", name, len(driven), min(3, guests), detail, "")


def _lies(stories: PooledStories) -> Iterator[Target]:
    yield at_least("lies", "evenings with a lie", 100 * stories.lied, 40)
    yield at_least(
        "found_out", "of those, evenings in which a lie that was believed is found out", 100 * stories.found_out, 25
    )


def _reactions(stories: PooledStories) -> Iterator[Target]:
    wrongs, half = sum(stories.answers), stories.median_answer
    detail = f"of {wrongs}" if wrongs else "nobody was wronged"
    value = float(min(half, ANSWER_MINUTES))
    yield at_most("answer", "time until somebody answers a wrong (median)", value, ANSWERED, detail, "min")
    soon = 100 * stories.answered_within(ANSWER_MINUTES)
    yield at_least("answered", f"wrongs that are answered within {ANSWER_MINUTES} minutes", soon, 80, detail)
    name = "truths that come out before people who all know them"
    yield Target("stale", name, stories.stale, "", "0", stories.stale == 0, most=0.0)
    owed = sum(story.owed for story in stories.stories)
    yield at_least(
        "settled",
        "wrongs learned half an hour before the end that get their scene",
        100 * stories.settled,
        85,
        f"of {owed}",
    )
    yield at_least("subjects", "confrontations that are about something", 100 * stories.with_subject, 50)
    amid = 100 * stories.poured_amid_rows
    yield at_most("pours", "rounds of wine within three ticks of a row in the room", amid, 10)


def _flaws(stories: PooledStories) -> Iterator[Target]:
    flaws = stories.flaws
    if flaws:
        weakest, sleepiest = flaws[0], max(flaws, key=lambda flaw: (flaw.sleeps, flaw.who, -flaw.place))
        people = stories.scenario.people
        names = [f"{flaw.who}'s {people[flaw.who].flaws[flaw.place].kind}" for flaw in (weakest, sleepiest)]
        sways, sleeps = 100 * weakest.sways, 100 * sleepiest.sleeps
        yield at_least("flaws", "choices that the weakest flaw changes", sways, 3, names[0])
        yield at_most("asleep", "evenings through which the sleepiest flaw sleeps", sleeps, 100 * SLEEPS, names[1])


def _largest(shares: dict[K, float]) -> list[tuple[K, float]]:
    return sorted(shares.items(), key=lambda share: -share[1])
