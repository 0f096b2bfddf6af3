"""Candidates to try an intention on: those that its author gives, or a few families of common shapes."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from types import MappingProxyType, SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from volition.arbitration.candidate import identify
from volition.arbitration.tilemap import TileMap, TileSituation
from volition.core.errors import InvalidInput, refuse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from volition.arbitration.intent import Intent, Kind


class Family(NamedTuple):
    """Candidates of one shape, and the context in which they make sense."""

    candidates: tuple[Any, ...]
    context: Any = None


_WORLD = TileMap.parse(
    """
    .....
    .~#o.
    .,+=.
    .....
    """
)

_THINGS = (
    {"id": "near", "name": "near", "tag": "floor", "x": 0, "y": 0, "cost": 0.0, "distance": 1.0, "value": 0.5},
    {"id": "far", "name": "far", "tag": "hazard", "x": 4, "y": 3, "cost": 1.0, "distance": 10.0, "value": -0.5},
    {"id": "odd", "name": "odd", "tag": "water", "x": -1, "y": 7, "cost": 0.25, "distance": 0.0, "value": 0.0},
)

BUILT_IN_SAMPLES: Mapping[str, Family] = MappingProxyType(
    {
        "texts": Family(("a", "b", "north", "stay", "hazard", "go home", "Ünïcode", "x" * 64)),
        "numbers": Family((0, 1, -1, 0.5, -0.25, 2, 10, 1e-9)),
        "tiles": Family(_WORLD.moves((1, 2)), TileSituation(_WORLD, (1, 2))),
        "mappings": Family(_THINGS),
        "namespaces": Family(tuple(SimpleNamespace(**thing) for thing in _THINGS)),
    }
)
"""Families by name, in the order in which they are tried."""


def choose_samples(
    intent: Intent, kind: Kind | None, samples: Iterable[Any] | None, context: Any
) -> tuple[list[Any], Any, str]:
    """The candidates to try an intent on, their context, and where they come from, in words."""
    if samples is not None:
        if isinstance(samples, (str, bytes)) or not isinstance(samples, Iterable):
            refuse(
                f"the samples are {samples!r}", where="samples", expected="a list of candidates", remedy="pass a list"
            )
        every = list(samples)
        if not every:
            refuse("there are no samples", where="samples", expected="a candidate or more", remedy="pass some")
        return every, context, f"{len(every)} given samples"
    tried: list[str] = []
    for name, family in BUILT_IN_SAMPLES.items():
        # Copies: an intention that changes its candidates must not spoil them for others.
        candidates, own_context = deepcopy(family)
        setting = own_context if context is None else context
        try:
            for candidate, named in zip(candidates, name_samples(candidates), strict=True):
                list(intent.ask(kind or intent.kinds[0], [candidate], [named], setting))
        except Exception as error:  # noqa: BLE001  it does not suit this family
            tried.append(f"{name} ({type(error).__name__})")
            continue
        fresh, own_context = deepcopy(family)
        return list(fresh), own_context if context is None else context, f"{len(fresh)} built-in samples ({name})"
    return refuse(
        f"it raises on every family of built-in samples: {', '.join(tried)}",
        where="samples",
        expected="candidates of the shape that the intention reads",
        remedy="pass samples: a few candidates as your program offers them",
    )


def name_samples(candidates: Sequence[Any]) -> list[str]:
    """The names under which the candidates would be offered."""
    names = []
    for index, candidate in enumerate(candidates):
        try:
            names += identify([candidate])
        except InvalidInput:
            names.append(f"sample {index}")
    return names
