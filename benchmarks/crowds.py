"""Many deciders on one model, compared with agent frameworks and hand-written numpy: rows for `batch.py`.

Each decider has its own weights for 7 features of 40 candidates, adds noise with deviation 0.1, and takes the best.
Frameworks are used as their documentation recommends for speed: numpy in a step of mesa and agentpy, ambr's array model.
They draw from their own generators, so their choices differ from ours; ours can be explained one by one.
"""

from __future__ import annotations

import sys
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from peers import inside, rows_beside
from rows import Row, interleaved, options, ratio, show

from volition.arbitration.many import ScoreNoise, arbitrate_many

if TYPE_CHECKING:
    from collections.abc import Callable

PEERS = ["numba", "mesa", "agentpy", "ambr"]
CANDIDATES, FEATURES, SIGMA = 40, 7, 0.1
SIZES = (60_000, 1_000_000)
FEW = 600
"""The number of agents for frameworks that step one agent after the other."""
BAR = 3.0
CHUNK = 1_200
"""The number of deciders per chunk with which numpy is fastest."""

_chance = np.random.default_rng(20)
TABLE = _chance.uniform(-1.0, 1.0, (CANDIDATES, FEATURES))


def weights_of(count: int) -> Any:
    return np.random.default_rng(count).uniform(0.0, 1.0, (count, FEATURES))


def by_hand(weights: Any, chance: Any) -> Any:
    """Hand-written numpy, in chunks that stay in the cache."""
    best = np.empty(len(weights), dtype=np.int32)
    for start in range(0, len(weights), CHUNK):
        part = weights[start : start + CHUNK]
        best[start : start + CHUNK] = (part @ TABLE.T + chance.normal(0.0, SIGMA, (len(part), CANDIDATES))).argmax(1)
    return best


def ours(weights: Any, threads: int | None) -> Callable[[], object]:
    return lambda: arbitrate_many(TABLE, weights, noise=ScoreNoise(SIGMA, 1), threads=threads)


def ambr_case(count: int) -> Callable[[], object]:
    import ambr  # type: ignore[import-not-found, unused-ignore]

    weights = weights_of(count)

    class Crowd(ambr.ArrayKernelModel):  # type: ignore[misc, unused-ignore]
        def init_state(self, xp: Any, n: int, rng: Any, p: Any) -> dict[str, Any]:
            return {"choice": xp.zeros(n, dtype=xp.int32)}

        def step_state(self, xp: Any, state: dict[str, Any], rng: Any, p: Any) -> dict[str, Any]:
            state["choice"] = by_hand(weights, rng)
            return state

    return lambda: Crowd({"n": count, "steps": 1, "seed": 1, "prefer_gpu": False}).run()


def mesa_case(count: int) -> Callable[[], object]:
    import mesa  # type: ignore[import-not-found, unused-ignore]

    class Decider(mesa.Agent):  # type: ignore[misc, unused-ignore]
        def __init__(self, model: Any, mine: Any) -> None:
            super().__init__(model)
            self.mine = mine

        def step(self) -> None:
            self.choice = int((TABLE @ self.mine + self.model.chance.normal(0.0, SIGMA, CANDIDATES)).argmax())

    class Crowd(mesa.Model):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            super().__init__(rng=1)
            self.chance = np.random.default_rng(1)
            for mine in weights_of(count):
                Decider(self, mine)

        def step(self) -> None:
            self.agents.do("step")

    return Crowd().step


def agentpy_case(count: int) -> Callable[[], object]:
    import agentpy  # type: ignore[import-not-found, unused-ignore]

    class Decider(agentpy.Agent):  # type: ignore[misc, unused-ignore]
        def decide(self) -> None:
            chance = self.model.chance.normal(0.0, SIGMA, CANDIDATES)
            self.choice = int((TABLE @ self.mine + chance).argmax())

    class Crowd(agentpy.Model):  # type: ignore[misc, unused-ignore]
        def setup(self) -> None:
            self.chance = np.random.default_rng(1)
            self.crowd = agentpy.AgentList(self, count, Decider)
            for decider, mine in zip(self.crowd, weights_of(count), strict=True):
                decider.mine = mine

        def step(self) -> None:
            self.crowd.decide()

    model = Crowd()
    model.setup()
    return model.step  # type: ignore[no-any-return, unused-ignore]


def measure(rounds: int) -> list[Row]:
    """Our rows, and those of all peers that this environment has."""
    found: list[Row] = []
    for count in SIZES:
        weights, chance = weights_of(count), np.random.default_rng(2)
        cases: dict[str, Callable[[], object]] = {
            "hand-written numpy": partial(by_hand, weights, chance),
            "ours": ours(weights, None),
            "ours, one thread": ours(weights, 1),
        }
        if find_spec("ambr"):
            cases["ambr"] = ambr_case(count)
        taken = interleaved(cases, rounds)
        found += [_rate(f"arbitrate_many, {count:,}: {name}", seconds, count) for name, seconds in taken.items()]
        peers = {name: seconds for name, seconds in taken.items() if not name.startswith("ours")}
        best = min(peers, key=lambda name: min(peers[name]))
        found.append(ratio(f"best peer ({best}) / ours, {count:,}", peers[best], taken["ours"], at_least=BAR))
    for name, case in (("mesa", mesa_case), ("agentpy", agentpy_case)):
        if find_spec(name):
            both = {"peer": case(FEW), "ours": ours(weights_of(FEW), 1)}
            taken = interleaved(both, rounds)
            found.append(ratio(f"{name}, numpy in the step / ours, {FEW}", taken["peer"], taken["ours"]))
    return found


def _rate(name: str, seconds: list[float], count: int) -> Row:
    return Row(name, round(count / sorted(seconds)[len(seconds) // 2] / 1e6, 3), "million a second")


def rows(*, quick: bool) -> list[Row]:
    """All rows; without the peers' environment, beside numpy alone."""
    return rows_beside(PEERS, __file__, quick=quick) or measure(3)


if __name__ == "__main__":
    given = options(__doc__)
    sys.exit(
        show("Crowds", measure(3 if given.quick else 7) if inside() else rows(quick=given.quick), as_json=given.json)
    )
