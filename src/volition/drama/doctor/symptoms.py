"""The symptoms that evenings may have: of the specification's tuning guide, of their shape, and of the story they tell."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Final

from volition.drama.doctor.case import Evidence, ScenarioCase, Symptom, percent
from volition.drama.doctor.remedies import USED, remedies, symptom_of, weak_flaws
from volition.drama.doctor.targets import first_ticks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from volition.drama.doctor.pooled import PooledStories

DRAMA: Final = 8
"""Fewer dramatic acts than this in an evening (of six people and 150 minutes) count as none."""
CHANCE: Final = 0.25
"""If noise changes a smaller share of the winners, it is too weak for the gaps between scores."""
ROW: Final = 8
"""This many equal acts in a row are too many if more than half of the evenings have them."""
BONDS: Final = 0.05
"""If bonds change a smaller share of the winners, people ignore them."""
MOVES: Final = 0.12
"""If moves win a larger share of the decisions, people are always on the move."""
BIAS: Final = 1.0
"""A flaw that adds this much or more leaves nothing to decide."""
BIASED: Final = 0.01
FLAWS: Final = 0.4
"""If flaws change a larger share of the winners, they dominate everything."""
STAY: Final = 0.9
"""The largest share of evenings in which nobody leaves."""


def symptoms_of(case: ScenarioCase) -> Iterator[Symptom]:
    """Every symptom that is found in a case."""
    yield from _guide_symptoms(case)
    yield from _catastrophe_symptoms(case)
    yield from _rhythm_symptoms(case)
    yield from _plot_symptoms(case)
    yield from _telling_symptoms(case)


def _guide_symptoms(case: ScenarioCase) -> Iterator[Symptom]:
    """The problems of the specification's tuning guide (7.2), as they show in decisions."""
    pooled = case.pooled
    if pooled.dramatic_acts < DRAMA * pooled.size or case.fails("conflicts"):
        yield symptom_of(case, "never_dramatic", _calm(case))
    rows = pooled.share(lambda record: record.row.times >= ROW)
    if pooled.share_hung("noise") < CHANCE or rows > 0.5:
        yield symptom_of(case, "same_act", _repetition(case, rows))
    if pooled.share_hung("bonds") < BONDS:
        evidence = [percent("winners that bonds change", pooled.share_hung("bonds"))]
        yield symptom_of(case, "ignore_bonds", evidence)
    if pooled.share_won("SOCIAL_MOVE") > MOVES or case.fails("moves"):
        evidence = [
            percent("decisions that a move wins", pooled.share_won("SOCIAL_MOVE")),
            percent("events that are moves", pooled.share_of_events("SOCIAL_MOVE")),
        ]
        yield symptom_of(case, "always_flee", evidence)
    biased = pooled.spread("biases").share_from(BIAS)
    if biased >= BIASED or pooled.share_hung("flaws") > FLAWS:
        evidence = [
            percent("winners to which flaws add 1.0 or more", biased),
            percent("winners that flaws change", pooled.share_hung("flaws")),
        ]
        yield symptom_of(case, "flaws_dominate", evidence)


def _calm(case: ScenarioCase) -> Iterator[Evidence]:
    winners, dramatic = case.pooled.spread("winners"), case.pooled.spread("dramatic")
    yield Evidence("dramatic acts in an evening", case.pooled.dramatic_acts)
    yield percent("winners below 0.5", 1.0 - winners.share_from(0.5))
    yield Evidence("median total of the winner", winners.quantile(0.5) or 0.0)
    yield Evidence("median total of the best dramatic act", dramatic.quantile(0.5) or 0.0)


def _repetition(case: ScenarioCase, rows: float) -> Iterator[Evidence]:
    pooled = case.pooled
    who, act = pooled.commonest_row
    yield percent("winners that noise changes", pooled.share_hung("noise"))
    yield Evidence("median gap to the runner-up", pooled.spread("gaps").quantile(0.5) or 0.0)
    yield percent(f"evenings in which somebody does the same {ROW} times in a row (mostly {who}: {act})", rows)
    yield percent("acts that repeat the one before", pooled.mean(lambda record: record.repeats))


def _catastrophe_symptoms(case: ScenarioCase) -> Iterator[Symptom]:
    """Who breaks, and how often."""
    pooled = case.pooled
    none = pooled.share(lambda record: not record.catastrophes)
    many = pooled.share(lambda record: len(record.catastrophes) > 3)
    anybody = any(pooled.catastrophes.values())
    if case.fails("catastrophes"):
        if many >= none:
            evidence = [
                Evidence("catastrophes in an evening", pooled.mean(lambda record: len(record.catastrophes))),
                percent("evenings with more than three", many),
            ]
            yield symptom_of(case, "too_many_catastrophes", evidence)
        if none >= many or none > 0.2:
            targets = ("catastrophes",) if anybody else None
            yield symptom_of(case, "too_few_catastrophes", _too_few(case, none), targets)
    if case.fails("most"):
        who, share = next(iter(pooled.catastrophes.items()))
        evidence = [
            percent(f"catastrophes that are {who}'s", share),
            Evidence(f"sensitivity of {who}", pooled.scenario.people[who].sensitivity),
        ]
        yield symptom_of(case, "one_breaks", evidence)
    if case.fails("least") and anybody:
        yield symptom_of(case, "one_never_breaks", _never(case))


def _too_few(case: ScenarioCase, none: float) -> Iterator[Evidence]:
    pooled, physics = case.pooled, case.pooled.scenario.rules["physics"]
    glasses = pooled.mean(lambda record: record.glasses) / len(pooled.scenario.people)
    breaks = f"{physics['catastrophe_threshold']:g} breaks"
    yield percent("evenings without a catastrophe", none)
    yield percent(f"people whose composure falls below {physics['catastrophe_gate']:g} at some time", pooled.undone)
    yield Evidence("glasses that each person gets", glasses)
    yield Evidence(f"greatest potential of an evening (median; {breaks})", pooled.potential)


def _never(case: ScenarioCase) -> Iterator[Evidence]:
    pooled, gate = case.pooled, case.pooled.scenario.rules["physics"]["catastrophe_gate"]
    for who in pooled.unbroken:
        near = median(record.potential[who] for record in pooled.records)
        yield Evidence(f"least composure of {who} (median; breaks below {gate:g})", pooled.composure_of(who))
        yield Evidence(f"greatest potential of {who} (median)", near)


def _rhythm_symptoms(case: ScenarioCase) -> Iterator[Symptom]:
    """How an evening opens, how tension rises, which rooms are used, and how it ends."""
    if case.fails("first"):
        first, (early, _) = case.targets["first"].value, first_ticks(case.pooled)
        evidence = [Evidence("first dramatic act (median)", first, "tick")]
        yield symptom_of(case, "opening_not_calm" if first < early else "nothing_happens", evidence)
    for target, id, look in (
        ("tension", "no_rise", _tension),
        ("minutes", "too_short", _length),
        ("rooms", "empty_room", _empty_rooms),
    ):
        if case.fails(target):
            yield symptom_of(case, id, look(case))
    staying = case.pooled.share(lambda record: not record.left)
    if staying > STAY and any(not person.resident for person in case.pooled.scenario.people.values()):
        yield symptom_of(case, "nobody_leaves", [percent("evenings in which nobody leaves", staying)])
    yield from _acts_and_scores(case)


def _acts_and_scores(case: ScenarioCase) -> Iterator[Symptom]:
    pooled = case.pooled
    if case.fails("endings"):
        evidence = [percent(f"evenings that end as {kind}", share) for kind, share in pooled.endings.items()]
        yield symptom_of(case, "one_ending", evidence)
    if case.fails("chats"):
        chats = pooled.mean(lambda record: record.events.get("CHAT", 0))
        yield symptom_of(case, "silent", [Evidence("chats in an evening", chats)])
    if case.fails("tellings"):
        tellings = pooled.mean(lambda record: record.events.get("REVEAL", 0) + record.events.get("CONFIDE", 0))
        yield symptom_of(case, "secrets_kept", [Evidence("secrets revealed or confided in an evening", tellings)])
    if case.fails("events"):
        events = pooled.median(lambda record: record.event_count)
        id = "too_much_happens" if events > 175 * pooled.size else "too_little_happens"
        yield symptom_of(case, id, [Evidence("events in an evening (median)", events)])
    if case.fails("internal"):
        internal = case.targets["internal"].value
        id = "quiet_pays" if internal > 0.4 else "quiet_costs"
        yield symptom_of(case, id, [Evidence("total of INTERNAL (median)", internal)])
    if case.fails("winners", "bands"):
        evidence = [Evidence("total of the winner (95th percentile)", case.targets["winners"].value)]
        evidence += [percent(f"totals {band}", share) for band, share in pooled.spread("all").bands().items()]
        yield symptom_of(case, "out_of_range", evidence)


def _tension(case: ScenarioCase) -> Iterator[Evidence]:
    pooled = case.pooled
    early = pooled.mean(lambda record: sum(at < record.minutes / 2.0 for _, at in record.catastrophes))
    yield Evidence("mean tension of the first half", pooled.mean(lambda record: record.tension[0]))
    yield Evidence("mean tension of the second half", pooled.mean(lambda record: record.tension[1]))
    yield Evidence("catastrophes in the first half of an evening", early)


def _length(case: ScenarioCase) -> Iterator[Evidence]:
    pooled, ticks = case.pooled, case.pooled.scenario.evening.ticks
    yield Evidence("minutes that an evening lasts (median)", pooled.median(lambda record: record.minutes))
    yield Evidence("people who leave", pooled.mean(lambda record: len(record.left)))
    yield percent(f"evenings that run out of their {ticks} ticks before that", pooled.ran_out)


def _empty_rooms(case: ScenarioCase) -> Iterator[Evidence]:
    rooms = case.pooled.rooms.items()
    return (percent(f"evenings with an act in {room}", used) for room, used in rooms if used < USED)


def _plot_symptoms(case: ScenarioCase) -> Iterator[Symptom]:
    """One plot told again, people who only look on, wrongs that nobody answers, flaws that sleep."""
    for id, look in _LOOKS.items():
        if case.fails(*remedies()[id].targets):
            yield symptom_of(case, id, look(case, case.pooled.stories))


def _telling_symptoms(case: ScenarioCase) -> Iterator[Symptom]:
    """What tires a reader, where evenings were laid out."""
    for id in ("many_cuts", "repeated_gestures"):
        (failing,) = remedies()[id].targets
        if case.fails(failing):
            target = case.targets[failing]
            yield symptom_of(case, id, [Evidence(f"{target.name} ({target.detail})", target.value, target.unit)])


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
    for (who, whom), share in list(reversed(stories.pairs.items()))[:3]:
        yield percent(f"conflicts between {who} and {whom}", share)


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


def _subjects(case: ScenarioCase, stories: PooledStories) -> Iterable[Evidence]:
    for what, share in zip(("nothing", "a secret", "a wrong"), stories.subjects, strict=True):
        yield percent(f"confrontations about {what}", share)


def _open_wrongs(case: ScenarioCase, stories: PooledStories) -> Iterable[Evidence]:
    yield Evidence("wrongs that were learned half an hour before the end", sum(story.owed for story in stories.stories))
    yield percent("of those, wrongs that got their scene", stories.settled)


def _remaining(case: ScenarioCase, stories: PooledStories) -> Iterable[Evidence]:
    for people, share in list(reversed(stories.remained.items()))[:3]:
        yield percent(f"evenings in which {' and '.join(people) or 'nobody'} remain", share)


def _first_out(case: ScenarioCase, stories: PooledStories) -> Iterable[Evidence]:
    for secret, share in list(reversed(stories.first_out.items()))[:3]:
        yield percent(f"evenings in which {secret} comes out first", share)


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
    "pointless": _subjects,
    "unsettled": _open_wrongs,
    "same_company": _remaining,
    "same_revelation": _first_out,
}
