"""A case: a composite together with what it is to decide over, as one document."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from volition.arbitration.arbiter import arbitrate
from volition.arbitration.composite import CompositeIntention
from volition.arbitration.data_checks import record, text
from volition.arbitration.document import read_intentions
from volition.arbitration.interpreter import interpret, route, unreachable
from volition.arbitration.settings import DecisionSettings, check_settings, hold_below_from_data
from volition.arbitration.tilemap import STAY, TileMap, TileSituation, read_position
from volition.core.document import read_document
from volition.core.errors import InvalidInput, Problems
from volition.core.typed import FrozenStruct, asdict, replace

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from volition.arbitration.decision import Decision
    from volition.arbitration.interpreter import TacticalDecision
    from volition.arbitration.settings import Chooser, HoldBelow

_OPTIONS = ("stay", "tie_margin", "on_impossible", "hold_below", "choose", "seed")


class Case(FrozenStruct, frozen=True):
    """Candidates, or a tile map and a position on it, and the composite that decides between them.

    `warnings` are not errors: an intention may speak of more candidates than are offered, but it may also be misspelt.
    """

    candidates: tuple[Any, ...]
    composite: CompositeIntention
    settings: DecisionSettings
    situation: TileSituation | None = None
    warnings: tuple[str, ...] = ()

    def decide(
        self,
        *,
        on_impossible: Literal["hold", "fail"] | None = None,
        tie_margin: float | None = None,
        hold_below: HoldBelow | None = None,
        choose: Chooser | None = None,
        seed: int | None = None,
    ) -> Decision[Any]:
        """Arbitrate; what is given here goes before what the document says."""
        options: dict[str, Any] = {
            "on_impossible": on_impossible,
            "tie_margin": tie_margin,
            "hold_below": hold_below,
            "choose": choose,
            "seed": seed,
        }
        settings = replace(self.settings, **{name: value for name, value in options.items() if value is not None})
        version = None if self.situation is None else self.situation.map.version
        return arbitrate(self.candidates, self.composite, **asdict(settings), context=self.situation, version=version)

    def interpret(self, decision: Decision[Any]) -> TacticalDecision | None:
        """What a decision of this case means on its map: a move, a hold or a fail; None where there is no map."""
        return None if self.situation is None else interpret(decision, self.situation)


def case_from_data(data: Any, *, allow_python: bool = False) -> Case:
    """Read a case; every problem of the document is reported at once.

    >>> case = case_from_data({
    ...     "candidates": ["a", "b"],
    ...     "intentions": [
    ...         {"id": "safety", "kind": "constraint", "intent": {"violates": ["b"]}},
    ...         {"id": "goal", "kind": "heuristic", "intent": {"scores": {"a": 0.5}}, "weight": 1.0, "priority": 10},
    ...     ],
    ... })
    >>> case.decide().id
    'a'
    """
    problems = Problems()
    on_a_map = isinstance(data, dict) and "map" in data and "candidates" not in data
    required = ("map", "position", "intentions") if on_a_map else ("candidates", "intentions")
    optional = ("legend", "version") if on_a_map else ()
    fields = record(data, "document", problems, required=required, optional=(*optional, *_OPTIONS))
    if fields is None:
        if isinstance(data, dict) and "intentions" in data:
            read_intentions(data["intentions"], problems, allow_python=allow_python)
        problems.raise_if_any(InvalidInput)
        raise AssertionError
    intentions = read_intentions(fields["intentions"], problems, allow_python=allow_python)
    composite = None if len(problems) else problems.attempt(lambda: CompositeIntention(*intentions))
    candidates: tuple[Any, ...] = ()
    situation = None
    if on_a_map:
        situation, candidates = _read_map(fields, problems)
        if composite and situation:
            composite = problems.attempt(partial(route, composite, situation.map))
    else:
        candidates = _read_candidates(fields["candidates"], problems)
    settings = DecisionSettings(
        on_impossible=fields.get("on_impossible", "hold"),
        tie_margin=fields.get("tie_margin", 0.0),
        stay=fields.get("stay", STAY if on_a_map else None),
        hold_below=hold_below_from_data(fields.get("hold_below"), "hold_below", problems),
        choose=fields.get("choose", "best"),
        seed=fields.get("seed"),
    )
    ids = [id for id in map(_id, candidates) if isinstance(id, str)]
    check_settings(settings, ids, problems)
    problems.raise_if_any(InvalidInput)
    assert composite is not None
    warnings = _warn_unreachable(composite, situation) if situation else _warn_not_offered(composite, set(ids))
    return Case(candidates, composite, settings, situation, tuple(warnings))


def load_case(path: str | PathLike[str], *, allow_python: bool = False) -> Case:
    """Read a case from a JSON or TOML file; Python code that it names is imported only with `allow_python`."""
    return case_from_data(read_document(path), allow_python=allow_python)


def _read_candidates(value: Any, problems: Problems) -> tuple[Any, ...]:
    if not isinstance(value, list):
        problems.add(
            f"the candidates are a {type(value).__name__}",
            where="candidates",
            expected="a list of ids, or of objects with an id",
            remedy="write ['a', 'b']",
        )
        return ()
    first: dict[str, int] = {}
    for index, candidate in enumerate(value):
        where = f"candidates[{index}]"
        id = text(_id(candidate), where, problems)
        if id is not None and first.setdefault(id, index) != index:
            problems.add(
                f"the id {id!r} is offered twice",
                where=f"{where}, and candidates[{first[id]}]",
                expected="each candidate once",
                remedy="remove one of them",
            )
    return tuple(value)


def _read_map(case: Mapping[str, Any], problems: Problems) -> tuple[TileSituation | None, tuple[Any, ...]]:
    drawn = case["map"]
    if isinstance(drawn, list) and all(isinstance(row, str) for row in drawn):
        drawn = "\n".join(drawn)
    if not isinstance(drawn, str):
        problems.add(
            "the map is not a text",
            where="map",
            expected="a text, or a list of its rows",
            remedy="draw it with # and .",
        )
        return None, ()
    here = read_position(case["position"], "position", "position", problems)
    if here is None:
        return None, ()

    def place() -> tuple[TileSituation, tuple[Any, ...]]:
        world = TileMap.parse(drawn, case.get("legend"), case.get("version", 0))
        return TileSituation(world, here), world.moves(here)

    return problems.attempt(place) or (None, ())


def _id(candidate: Any) -> Any:
    return candidate.get("id") if isinstance(candidate, dict) else getattr(candidate, "id", candidate)


def _warn_unreachable(composite: CompositeIntention, situation: TileSituation) -> list[str]:
    """Targets that no path leads to."""
    return [f"{id} finds no path to {target}, and abstains" for id, target in unreachable(composite, situation).items()]


def _warn_not_offered(composite: CompositeIntention, offered: set[str]) -> list[str]:
    """Ids that a table speaks of and nobody offers."""
    return [
        f"{entry.id} speaks of {name!r}, which is not offered"
        for entry in composite
        for name, _ in getattr(entry.intent, "entries", ())
        if name not in offered
    ]
