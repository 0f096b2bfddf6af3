"""Symptoms of the story: one plot told again, people who only look on, wrongs that nobody answers, flaws that sleep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.drama.doctor.remedies import remedies, symptom_of, weak_flaws
from volition.drama.doctor.symptom import Evidence, ScenarioCase, Symptom, percent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from volition.drama.doctor.pooled import PooledStories


def plot_symptoms(case: ScenarioCase) -> Iterator[Symptom]:
    """The symptoms of the story that are found in a case."""
    stories = case.pooled.stories
    if stories is not None:
        for id, look in _LOOKS.items():
            if any(target in case.targets and case.fails(target) for target in remedies()[id].targets):
                yield symptom_of(case, id, look(case, stories))


def _kept_secret(case: ScenarioCase, stories: PooledStories) -> Iterable[Evidence]:
    return _coming_out(share for share in stories.secrets.items() if share[1] < 0.1)


def _open_secret(case: ScenarioCase, stories: PooledStories) -> Iterable[Evidence]:
    return _coming_out(share for share in stories.secrets.items() if share[1] > 0.95)


def _coming_out(shares: Iterable[tuple[str, float]]) -> Iterable[Evidence]:
    return (percent(f"evenings in which {id} comes out", share) for id, share in shares)


def _one_opening(case: ScenarioCase, stories: PooledStories) -> Iterable[Evidence]:
    return [
        percent(f"evenings that begin with {first.who} {first.kind} {first.whom}", share)
        for first, share in list(reversed(stories.firsts.items()))[:3]
    ] or [percent("evenings with a dramatic act", 0.0)]


def _one_feud(case: ScenarioCase, stories: PooledStories) -> Iterable[Evidence]:
    for (one, other), share in list(reversed(stories.pairs.items()))[:3]:
        yield percent(f"conflicts between {one} and {other}", share)


def _peaceful(case: ScenarioCase, stories: PooledStories) -> Iterable[Evidence]:
    for who, share in stories.starters.items():
        if share < 0.2:
            yield percent(f"evenings in which {who} starts a conflict", share)


def _unequal(case: ScenarioCase, stories: PooledStories) -> Iterable[Evidence]:
    makers = list(stories.makers.items())
    return (percent(f"events that {who} makes", share) for who, share in (makers[0], makers[-1]))


def _same_exit(case: ScenarioCase, stories: PooledStories) -> Iterable[Evidence]:
    return [
        percent(f"evenings in which {who} is thrown out or storms off", share)
        for who, share in stories.driven_off.items()
        if share
    ] or [percent("evenings in which somebody does", 0.0)]


def _honest(case: ScenarioCase, stories: PooledStories) -> Iterable[Evidence]:
    yield percent("evenings with a lie", stories.lied)


def _lies_found_out(case: ScenarioCase, stories: PooledStories) -> Iterable[Evidence]:
    yield percent("evenings with a lie in which one that was believed is found out", stories.found_out)


def _by_chance(case: ScenarioCase, stories: PooledStories) -> Iterable[Evidence]:
    yield percent("decisions that hang on noise", case.pooled.share_hung("noise"))


def _answers(case: ScenarioCase, stories: PooledStories) -> Iterable[Evidence]:
    yield Evidence("wrongs that somebody learned of", sum(stories.answers))
    yield percent("answered within 10 minutes", stories.answered_within(10))
    yield percent("answered within 15 minutes", stories.answered_within(15))


def _stale(case: ScenarioCase, stories: PooledStories) -> Iterable[Evidence]:
    yield Evidence("truths in an evening that all present knew", stories.stale / len(stories.stories))


def _pours(case: ScenarioCase, stories: PooledStories) -> Iterable[Evidence]:
    yield percent("rounds of wine that are poured amid a row", stories.poured_amid_rows)


def _sleeping_flaws(case: ScenarioCase, stories: PooledStories) -> Iterable[Evidence]:
    people = case.pooled.scenario.people
    for flaw in weak_flaws(stories):
        yield percent(f"choices that {flaw.who}'s {people[flaw.who].flaws[flaw.place].kind} changes", flaw.sways)


_LOOKS: Final[Mapping[str, Callable[[ScenarioCase, PooledStories], Iterable[Evidence]]]] = {
    "kept_secret": _kept_secret,
    "open_secret": _open_secret,
    "one_opening": _one_opening,
    "one_feud": _one_feud,
    "peaceful": _peaceful,
    "unequal": _unequal,
    "same_exit": _same_exit,
    "honest": _honest,
    "believed": _lies_found_out,
    "by_chance": _by_chance,
    "unanswered": _answers,
    "stale": _stale,
    "unmoved": _pours,
    "sleeping_flaws": _sleeping_flaws,
}
