"""How evenings read: a few of them are played with every event and laid out as they would be told.

Counting rooms and gestures needs the events themselves, which measured evenings do not keep, so a report looks at fewer
evenings for this than for the rest.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from msgspec import Struct, structs

from volition.drama.audience.blocks import CUTS, QUARTER, TOWARDS, arrange, cut_minutes, most_cuts
from volition.drama.doctor.targets import Target, at_most
from volition.drama.rules.catalog import COMFORT, PHYSICAL, SHUN
from volition.drama.stage.run import run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from volition.drama.stage.events import Event
    from volition.drama.world.model import Scenario

TELLING: Final = "telling"
"""The part of a report that these targets are in."""
TOLD: Final = 10
"""How many evenings a report lays out, if nothing else is said."""


class ToldEvening(Struct, frozen=True):
    """How one evening reads: the most cuts in ten minutes, and the most equal gestures towards one person in a quarter of an
    hour."""

    seed: int
    cuts: int
    gestures: int


def tell_evenings(scenario: Scenario, seeds: Iterable[int]) -> Iterator[ToldEvening]:
    """Play evenings and lay them out, one after the other."""
    for seed in seeds:
        played = run(scenario, seed)
        yield ToldEvening(seed, most_cuts(cut_minutes(arrange(played))), most_gestures(played.events))


def most_gestures(events: Sequence[Event]) -> int:
    """How often, at most, somebody makes the same gesture towards the same person in a quarter of an hour."""
    made = defaultdict[tuple[str, str, str], list[float]](list)
    for event in events:
        if event.type == PHYSICAL and event.manner in (SHUN, COMFORT):
            made[event.source, event.targets[0], event.manner].append(event.minutes)
    return max(
        (sum(start <= at < start + QUARTER for at in times) for times in made.values() for start in times), default=0
    )


def telling_targets(evenings: Sequence[ToldEvening]) -> tuple[Target, ...]:
    """The targets of the telling; none if no evening was laid out."""
    if not evenings:
        return ()
    cuts, gestures = (
        max(evenings, key=lambda evening: evening.cuts),
        max(evenings, key=lambda evening: evening.gestures),
    )
    targets = (
        at_most("cuts", "most cuts between rooms in ten minutes", cuts.cuts, CUTS, f"seed {cuts.seed}", ""),
        at_most(
            "gestures",
            "most equal gestures towards one person in a quarter of an hour",
            gestures.gestures,
            TOWARDS,
            f"seed {gestures.seed}",
            "",
        ),
    )
    return tuple(structs.replace(target, part=TELLING) for target in targets)
