"""What a decision costs, beside a bare loop that calls the same functions and keeps no trace, and beside peers.

The functions are those of the README: a constraint compares a tag, a heuristic turns a distance into a score. The bar
is for one constraint in five and every fourth candidate vetoed. The hand-written loop stops at the first veto and we
ask every constraint, so the ratio rises with both: the other mixes show by how much. Every case chooses the same candidate, which is
checked before anything is timed.

    python benchmarks/arbitration.py --quick
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from peers import inside, rows_beside
from rows import Row, interleaved, options, ratio, show, timed

from volition.arbitration import CompositeIntention, Constraint, Heuristic, arbitrate
from volition.arbitration.intent import Function

if TYPE_CHECKING:
    from collections.abc import Callable

PEERS = ["utilitai", "decisionkit"]


@dataclass(frozen=True, slots=True)
class Tile:
    id: str
    tag: str
    here: float
    there: float
    away: float


def tiles(count: int, vetoed: int) -> list[Tile]:
    return [
        Tile(
            f"t{n}",
            "water" if vetoed and n % vetoed == 0 else "grass",
            n * 37 % 101 / 10.1,
            n * 17 % 103 / 10.3,
            n * 7 % 107 / 10.7,
        )
        for n in range(count)
    ]


def wet(tile: Tile) -> bool:
    return tile.tag == "water"


def deep(tile: Tile) -> bool:
    return tile.tag == "sea"


def near_here(tile: Tile) -> float:
    return 1 - 2 * tile.here / 10.1


def near_there(tile: Tile) -> float:
    return 1 - 2 * tile.there / 10.3


def near_away(tile: Tile) -> float:
    return 1 - 2 * tile.away / 10.7


ROWS: dict[Any, Callable[[list[Tile]], list[Any]]] = {
    wet: lambda tiles: [tile.tag == "water" for tile in tiles],
    deep: lambda tiles: [tile.tag == "sea" for tile in tiles],
    near_here: lambda tiles: [1 - 2 * tile.here / 10.1 for tile in tiles],
    near_there: lambda tiles: [1 - 2 * tile.there / 10.3 for tile in tiles],
    near_away: lambda tiles: [1 - 2 * tile.away / 10.7 for tile in tiles],
}
"""The same functions in the batch form."""


class Model:
    """The same decision, said in several ways."""

    def __init__(self, candidates: int, intentions: int, constraints: int, vetoed: int = 4) -> None:
        self.tiles = tiles(candidates, vetoed)
        self.vetoes = [(wet, deep)[n % 2] for n in range(constraints)]
        votes = [(near_here, near_there, near_away)[n % 3] for n in range(intentions - constraints)]
        self.votes = [(0.5 + n / 4, vote) for n, vote in enumerate(votes)]
        self.composite = CompositeIntention(
            *(Constraint(f"veto{n}", veto) for n, veto in enumerate(self.vetoes)),
            *(Heuristic(f"vote{n}", vote, weight=weight, priority=n) for n, (weight, vote) in enumerate(self.votes)),
        )

    def bare(self) -> str:
        """The hand-written loop: filter, sum, argmax."""
        best, highest = None, 0.0
        vetoes, votes = self.vetoes, self.votes
        for tile in self.tiles:
            for veto in vetoes:
                if veto(tile):
                    break
            else:
                total = 0.0
                for weight, vote in votes:
                    total += weight * vote(tile)
                if best is None or total > highest:
                    best, highest = tile, total
        assert best is not None
        return best.id

    def unread(self) -> str | None:
        return arbitrate(self.tiles, self.composite).id

    def explained(self) -> str | None:
        decision = arbitrate(self.tiles, self.composite)
        assert decision.reason is not None
        assert decision.trace is not None
        return decision.id

    def batch(self) -> Callable[[], str | None]:
        """One call per intention for all candidates: the same arithmetic without a call for each cell."""
        composite = CompositeIntention(
            *(Constraint(f"veto{n}", Function(ROWS[veto], batch=True)) for n, veto in enumerate(self.vetoes)),
            *(
                Heuristic(f"vote{n}", Function(ROWS[vote], batch=True), weight=weight, priority=n)
                for n, (weight, vote) in enumerate(self.votes)
            ),
        )
        return lambda: arbitrate(self.tiles, composite).id

    def utilitai(self) -> Callable[[], str] | None:
        """One option per candidate, registered beforehand; its score is the same weighted sum."""
        try:
            from utilitai import ToConsider
        except ImportError:
            return None
        options: Any = ToConsider()
        add = getattr(options, "option", None) or options.add
        forbidden = None if hasattr(options, "option") else -1e9

        def scorer(tile: Tile) -> Callable[[object], float | None]:
            def score(_: object) -> float | None:
                if any(veto(tile) for veto in self.vetoes):
                    return forbidden
                return sum(weight * vote(tile) for weight, vote in self.votes)

            return score

        for tile in self.tiles:
            add(tile.id)(scorer(tile))
        return lambda: options.consider(None)

    def decisionkit(self) -> Callable[[], str] | None:
        """Mappings with the same scores; its constraints compare a field."""
        try:
            import decisionkit
        except ImportError:
            return None
        model = decisionkit.DecisionModel(
            criteria=[
                decisionkit.Criterion(f"vote{n}", weight=w, direction="max") for n, (w, _) in enumerate(self.votes)
            ],
            constraints=[decisionkit.Constraint("veto0", "tag", "ne", "water", reason="wet")],
            method="weighted_sum",
            explain=True,
        )

        def decide() -> str:
            rows = [
                {"id": tile.id, "tag": tile.tag, **{f"vote{n}": vote(tile) for n, (_, vote) in enumerate(self.votes)}}
                for tile in self.tiles
            ]
            return model.rank(rows).best.id  # type: ignore[no-any-return]

        return decide


def measured(
    candidates: int, intentions: int, constraints: int, bar: float | None, rounds: int, vetoed: int = 4
) -> list[Row]:
    """The figures of one mix; every `vetoed`-th candidate is forbidden, none for 0."""
    model = Model(candidates, intentions, constraints, vetoed)
    cases: dict[str, Callable[[], Any]] = {
        "bare": model.bare,
        "unread": model.unread,
        "explained": model.explained,
        "batch": model.batch(),
    }
    for name, case in cases.items():
        assert case() == model.bare(), name
    taken = interleaved(cases, rounds, times=max(1, 20_000 // (candidates * intentions)))
    shape = f"{candidates} x {intentions}, {constraints} constraints, " + (
        f"1 in {vetoed} vetoed" if vetoed else "none vetoed"
    )
    return [
        timed(f"{shape}: bare loop", taken["bare"]),
        timed(f"{shape}: arbitrate, reason and trace read", taken["explained"]),
        ratio(f"{shape}: reason and trace read / bare", taken["explained"], taken["bare"], at_most=bar),
        ratio(f"{shape}: trace unread / bare", taken["unread"], taken["bare"]),
        ratio(f"{shape}: batch form, trace unread / bare", taken["batch"], taken["bare"]),
    ]


def beside_peers(rounds: int) -> list[Row]:
    rows = []
    model = Model(10, 5, 1)
    for name, case in (("utilitai", model.utilitai()), ("decisionkit", model.decisionkit())):
        if case is None:
            rows.append(Row(f"{name}: cannot be had here", 0.0, "not measured"))
            continue
        release = _version(name)
        taken = interleaved({"peer": case, "unread": model.unread, "explained": model.explained}, rounds, times=200)
        rows += [
            timed(f"10 x 5: {name} {release}", taken["peer"]),
            ratio(f"10 x 5: arbitrate / {name} {release}", taken["unread"], taken["peer"], at_most=1.0),
            ratio(f"10 x 5: arbitrate, reason and trace read / {name}", taken["explained"], taken["peer"]),
        ]
    return rows


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def main() -> int:
    given = options(__doc__)
    rounds = 60 if given.quick else 300
    if inside():
        return show("Peers", beside_peers(rounds), as_json=given.json)
    rows = [
        *measured(10, 5, 1, 2.8, rounds),
        *measured(10, 5, 1, None, rounds, vetoed=0),
        *measured(10, 5, 2, None, rounds),
        *measured(100, 10, 2, 2.0, rounds),
        *rows_beside([*PEERS, "orjson"], __file__, quick=given.quick),
    ]
    return show("Arbitration", rows, as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
