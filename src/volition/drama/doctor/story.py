"""What makes evenings a story, as numbers with bars: no plot told again, no bystander, no wrong that nobody answers.

The bars are for six people. With fewer, a pair or a person has a larger share of everything, and the bars allow it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from volition.drama.doctor.targets import STORY, Target, at_least, at_most
from volition.drama.evening.measure import ANSWER_MINUTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.drama.doctor.pooled import PooledEvenings, PooledStories

K = TypeVar("K")

FIRSTS: Final = 0.05
"""The share of evenings that a first dramatic act needs to be counted."""
ANSWERED: Final = 10
"""Half of all wrongs should be answered within this many minutes."""
SLEEPS: Final = 0.7
"""The largest share of evenings in which a flaw may never wake."""


def story_targets(pooled: PooledEvenings) -> Iterator[Target]:
    """Every target of the story, in the order in which people read them; none for evenings without story measures."""
    stories = pooled.stories
    if stories is not None:
        noise = at_most("noise", "decisions that hang on noise", 100 * pooled.share_hung("noise"), 45)
        told = (*_plots(stories), *_cast(stories), *_lies(stories), noise, *_reactions(stories), *_flaws(stories))
        yield from (target._replace(part=STORY) for target in told)


def _plots(stories: PooledStories) -> Iterator[Target]:
    if stories.secrets:
        rarest, commonest = next(iter(stories.secrets)), next(reversed(stories.secrets))
        least, most = 100 * stories.secrets[rarest], 100 * stories.secrets[commonest]
        yield at_least("secret_least", "evenings in which the best kept secret comes out", least, 10, rarest)
        yield at_most("secret_most", "evenings in which the worst kept secret comes out", most, 95, commonest)
    firsts = {first: share for first, share in stories.firsts.items() if share >= FIRSTS}
    detail = ", ".join(
        f"{first.who} {first.kind} {first.whom} {100 * share:.0f} %" for first, share in _largest(firsts)
    )
    yield at_least("firsts", "first dramatic acts with 5 % of the evenings each", len(firsts), 5.0, detail, "")


def _cast(stories: PooledStories) -> Iterator[Target]:
    people, guests = len(stories.scenario.people), sum(not one.resident for one in stories.scenario.people.values())
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
