"""Several intentions that decide together: checked once, immutable, with a hash of what they say."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from math import fsum, inf
from typing import TYPE_CHECKING, Any, NamedTuple

from volition.arbitration.document import intentions_from_data, intentions_to_data
from volition.arbitration.doubles import double_at, position
from volition.arbitration.intention import UNIT, Constraint, Heuristic, Intention, check_priority, check_weight
from volition.arbitration.loop import aggregate_loop, filter_loop
from volition.arbitration.stages import aggregate_votes, filter_candidates
from volition.core.canonical import digest
from volition.core.errors import InvalidInput, Problems, did_you_mean, format_value, refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from volition.arbitration.stages import Filtered, Votes

HEAVIEST = 2.0**1000


class Level(NamedTuple):
    """A priority, and the positions of the heuristics that have it."""

    priority: int
    members: tuple[int, ...]


@dataclass(frozen=True, slots=True, init=False)
class CompositeIntention:
    """The intentions that take part in a decision; their ids are unique, their order never matters.

    They may be given one by one or as a list. It is immutable: `with_weights`, `with_priorities`, `with_intention` and
    `without` give new ones. `constraints` and `heuristics` are sorted by id, so that nothing that is made of them can
    depend on the order given.

    >>> composite = CompositeIntention(
    ...     Constraint("safety", lambda tile: tile == "lava"),
    ...     Heuristic("goal", lambda tile: 0.5, weight=2.0, priority=10),
    ... )
    >>> [entry.id for entry in composite], composite["goal"].weight
    (['safety', 'goal'], 2.0)
    >>> composite.with_weights({"goal": 0.5})["goal"].weight
    0.5
    """

    intentions: tuple[Intention, ...] = field(compare=False)
    constraints: tuple[Constraint, ...] = field(repr=False)
    heuristics: tuple[Heuristic, ...] = field(repr=False)
    judges: tuple[str, ...] = field(compare=False, repr=False)
    """Those that can veto: the constraints, then the heuristics whose errors veto."""
    voters: tuple[str, ...] = field(compare=False, repr=False)
    levels: tuple[Level, ...] = field(compare=False, repr=False)
    remarking: tuple[Heuristic, ...] = field(compare=False, repr=False)
    """Those whose intents have something to say about their votes."""
    filter: Callable[[list[Any], list[str], Any], Filtered] = field(compare=False, repr=False)
    """Asks the constraints: a function of the candidates, their ids and the context."""
    aggregate: Callable[[Filtered, Sequence[str], Any], tuple[Filtered, Votes]] = field(compare=False, repr=False)
    """Asks the heuristics: a function of what the filter left, the ids offered and the context."""
    scale: float | None = field(compare=False, repr=False)
    """How far apart votes in [-1, 1] can put two totals; None where some heuristic declares another range."""

    def __init__(self, *arguments: Intention | Iterable[Intention]) -> None:
        intentions: tuple[Intention, ...] = arguments  # type: ignore[assignment]
        if len(arguments) == 1 and isinstance(arguments[0], Iterable) and not isinstance(arguments[0], (str, Mapping)):
            intentions = tuple(arguments[0])
        _check(intentions)
        by_id = sorted(intentions, key=lambda entry: entry.id)
        constraints = tuple(entry for entry in by_id if isinstance(entry, Constraint))
        heuristics = tuple(entry for entry in by_id if isinstance(entry, Heuristic))
        put = object.__setattr__
        put(self, "intentions", intentions)
        put(self, "constraints", constraints)
        put(self, "heuristics", heuristics)
        guards = (entry.id for entry in heuristics if entry.on_error == "veto")
        put(self, "judges", (*(entry.id for entry in constraints), *guards))
        put(self, "voters", tuple(entry.id for entry in heuristics))
        put(self, "levels", _levels(heuristics))
        put(self, "remarking", tuple(entry for entry in heuristics if hasattr(entry.intent, "remark")))
        put(self, "filter", filter_loop(constraints) or partial(filter_candidates, constraints))
        votes = aggregate_loop(heuristics) or partial(aggregate_votes, heuristics, len(constraints))
        put(self, "aggregate", votes)
        unit = all(entry.range == UNIT for entry in heuristics)
        put(self, "scale", 2.0 * fsum(entry.weight for entry in heuristics) if unit else None)

    def __reduce__(self) -> tuple[Any, ...]:
        return CompositeIntention, self.intentions

    def __iter__(self) -> Iterator[Intention]:
        return iter(self.intentions)

    def __len__(self) -> int:
        return len(self.intentions)

    def __contains__(self, id: object) -> bool:
        return any(entry.id == id for entry in self.intentions)

    def __getitem__(self, id: str) -> Intention:
        for entry in self.intentions:
            if entry.id == id:
                return entry
        return refuse(
            f"there is no intention {format_value(id)}",
            where="composite",
            expected="the id of one of its intentions",
            remedy=did_you_mean(id, (entry.id for entry in self.intentions)),
        )

    def with_weights(self, weights: Mapping[str, float]) -> CompositeIntention:
        """The same intentions with other weights for the named heuristics."""
        return self._with_setting("weight", weights, check_weight)

    def with_priorities(self, priorities: Mapping[str, int | None]) -> CompositeIntention:
        """The same intentions with other priorities for the named heuristics; None takes one out of breaking ties."""
        return self._with_setting("priority", priorities, check_priority)

    def with_intention(self, *more: Intention) -> CompositeIntention:
        """The same intentions and these; their ids must be new."""
        return CompositeIntention(*self.intentions, *more)

    def _with_setting(
        self, setting: str, values: Mapping[str, Any], check: Callable[[Any, str, Problems], None]
    ) -> CompositeIntention:
        plural = {"weight": "weights", "priority": "priorities"}[setting]
        problems = Problems()
        for id, value in values.items():
            if isinstance(self[id], Constraint):
                problems.add(
                    f"{id!r} is a constraint and has no {setting}",
                    where=f"{plural}[{id!r}]",
                    expected="the id of a heuristic",
                    remedy="leave a constraint out with `without`",
                )
            check(value, f"{plural}[{id!r}]", problems)
        problems.raise_if_any(InvalidInput)
        return CompositeIntention(
            *(
                replace(entry, **{setting: values[entry.id]})
                if isinstance(entry, Heuristic) and entry.id in values
                else entry
                for entry in self.intentions
            )
        )

    def without(self, ids: Iterable[str]) -> CompositeIntention:
        """The same intentions less the named ones."""
        gone = {self[id].id for id in ([ids] if isinstance(ids, str) else ids)}
        return CompositeIntention(*(entry for entry in self.intentions if entry.id not in gone))

    def heaviest(self, place: int) -> float:
        """The largest weight that the heuristic at a place may have, given those of the others."""
        reach = self.heuristics[place].reach
        others = [entry.weight * entry.reach for at, entry in enumerate(self.heuristics) if at != place]
        unfit = bisect_left(range(position(inf)), True, key=lambda at: not _fits([*others, double_at(at) * reach]))
        return double_at(unfit - 1)

    @property
    def content_hash(self) -> str:
        """SHA-256 of the canonical bytes of what the composite says, whatever the order of its intentions."""
        return digest(intentions_to_data(sorted(self.intentions, key=lambda entry: entry.id)))

    def to_data(self) -> dict[str, Any]:
        """The spec's data structure: `{"intentions": [{"id", "kind", "intent", ...}]}`."""
        return intentions_to_data(self.intentions)

    @classmethod
    def from_data(cls, data: Any, *, allow_python: bool = False) -> CompositeIntention:
        """Read the spec's data structure; Python named in it is imported only with `allow_python`."""
        return cls(*intentions_from_data(data, allow_python=allow_python))


def _fits(sizes: list[float]) -> bool:
    """Whether contributions of these sizes can be added and compared without overflow."""
    return max(sizes, default=0.0) <= HEAVIEST and fsum(sizes) <= HEAVIEST


def _levels(heuristics: tuple[Heuristic, ...]) -> tuple[Level, ...]:
    members: dict[int, list[int]] = {}
    for place, entry in enumerate(heuristics):
        if entry.priority is not None:
            members.setdefault(entry.priority, []).append(place)
    return tuple(Level(priority, tuple(members[priority])) for priority in sorted(members, reverse=True))


def _check(intentions: tuple[Any, ...]) -> None:
    problems = Problems()
    first: dict[str, int] = {}
    for index, entry in enumerate(intentions):
        where = f"intentions[{index}]"
        if not isinstance(entry, (Constraint, Heuristic)):
            problems.add(
                f"{entry!r} is not an intention",
                where=where,
                expected="a Constraint or a Heuristic",
                remedy="wrap a function with @constraint or @heuristic",
            )
        elif entry.id in first:
            problems.add(
                f"the id {entry.id!r} is used twice",
                where=f"{where}, and intentions[{first[entry.id]}]",
                expected="a unique id for every intention",
                remedy="rename one of them",
            )
        else:
            first[entry.id] = index
    problems.raise_if_any(InvalidInput)
    sizes = [entry.weight * entry.reach for entry in intentions if isinstance(entry, Heuristic)]
    if not _fits(sizes):
        refuse(
            f"the weights add up to {sum(sizes)}",
            where="composite",
            expected=f"a sum of at most {HEAVIEST:.3g}, so that no total or margin overflows",
            remedy="divide all weights by the same number: only their ratios matter",
        )
