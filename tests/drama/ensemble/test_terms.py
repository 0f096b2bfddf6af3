"""Terms in two forms: both give the same evenings, and a term whose forms differ is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.drama.ensemble.own_terms import CALM, TALK, TIPSY, calm, calm_array, tipsy_array
from tests.drama.ensemble.plays import SHORT, SIGMA, STRENGTH
from volition.arbitration import Heuristic
from volition.arbitration.intent import Function
from volition.arbitration.stages import IntentionFailed
from volition.core.errors import InvalidInput
from volition.drama.ensemble import Ensemble, EnsemblePlan, array_term, ensemble, sweep
from volition.drama.ensemble.paths import COMPILED, INTERPRETED, choose_path
from volition.drama.ensemble.terms import has_array_form
from volition.drama.rules.leaf import LARGEST_TERM
from volition.drama.world.scenario import scenario
from volition.drama.world.settings import Setting, apply_settings

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from tests.sentences import Told
    from volition.drama.batch.decider import BatchDecider


pytestmark = pytest.mark.req("DE-21")
LONGER = apply_settings(scenario("winter-station"), [Setting("evening.ticks", None, 8)])


def swept(**more: Any) -> EnsemblePlan:
    return EnsemblePlan.of(SHORT, range(1, 4), grid={SIGMA: [0.1, 0.3]}, random={STRENGTH: (0.1, 0.9)}, draws=2, **more)


def test_the_same_evenings(tmp_path: Path, told: Told) -> None:
    """Two terms as arrays, in lockstep, give every row that they give act by act, here and in processes."""
    plan = swept(terms=[CALM, TIPSY])
    scalar = sweep(plan, tmp_path / "scalar", engine="here", path="interpreted", format="csv")
    rows = [{**row, "path": COMPILED} for row in scalar.rows()]
    for number, how in enumerate(({"engine": "here"}, {"engine": "process", "workers": 2, "task": 0.0})):
        kernel = sweep(plan, tmp_path / f"kernel-{number}", path="compiled", format="csv", **how)  # type: ignore[arg-type]
        assert list(kernel.rows()) == rows
        assert kernel.examine(1) == scalar.examine(1)
    told(kernel.decided)
    told(scalar.decided)
    assert Ensemble(tmp_path / "kernel-0", [CALM, TIPSY]).evening(5).seed == rows[5]["seed"]  # by minds, and checked


@pytest.mark.parametrize("term", [CALM, TIPSY])
def test_it_takes_part(term: Heuristic) -> None:
    """A term changes evenings on the compiled path exactly as it does with minds, and in another scenario too."""
    for play in (SHORT, LONGER):
        by = [ensemble(play, [1, 2], workers=1, terms=[term], path=path) for path in ("compiled", "interpreted")]
        assert by[0] == by[1]
        assert by[0] != ensemble(play, [1, 2], workers=1)


def test_no_noise_in_the_last_bits() -> None:
    """What a term adds is rounded to the grain of scores in both forms, so totals agree to the last bit."""
    third = array_term("third", lambda action: 1 / 3, lambda decider, states: full(decider, states, 1 / 3))
    by = [ensemble(SHORT, range(1, 5), workers=1, terms=[third], path=path) for path in ("compiled", "interpreted")]
    assert by[0] == by[1]


def full(decider: BatchDecider, states: NDArray[Any], value: float) -> NDArray[Any]:
    return np.full((len(states), len(decider.people), len(decider.acts)), value)


def slightly(decider: BatchDecider, states: NDArray[Any]) -> NDArray[Any]:
    """Like calm, except for the last bit at one act of one person."""
    added = calm_array(decider, states)
    added[:, 2, decider.number["internal"]] += 2.0**-44
    return added


def test_forms_that_differ(tmp_path: Path, told: Told) -> None:
    """A term whose forms differ by one bit at one act of one person is refused before anything is played, with the first difference."""
    plan = swept(terms=[TIPSY, array_term("calm", calm, slightly)])
    who = list(SHORT.people)[2]
    with told.raises(InvalidInput) as refused:
        sweep(plan, tmp_path / "out", engine="here", path="compiled", format="csv")
    (problem,) = refused.value.problems
    assert problem.where == f"seed 1, tick 0, {who}, internal"
    assert not list((tmp_path / "out").rglob("*.rows"))
    assert len(sweep(plan, tmp_path / "scalar", engine="here", path="interpreted", format="csv")) == plan.size


def of_the_first(decider: BatchDecider, states: NDArray[Any]) -> NDArray[Any]:
    """What everybody has had to drink in the first state, for every state."""
    return np.repeat(tipsy_array(decider, states)[:1], len(states), axis=0)


def test_forms_that_differ_among_many(tmp_path: Path) -> None:
    """An array form that is right only for a single state is refused, because it is asked about many."""
    with pytest.raises(InvalidInput, match="'tipsy' differ"):
        choose_path(EnsemblePlan(LONGER, (1, 2), terms=(replace_many(of_the_first),)), "compiled")


def replace_many(many: Any) -> Heuristic:
    intent: Any = TIPSY.intent
    return array_term("tipsy", intent.one.call, many)


def meddling(decider: BatchDecider, states: NDArray[Any]) -> NDArray[Any]:
    states["stress"] = 0.0
    return full(decider, states, 0.0)


@pytest.mark.parametrize(
    ("many", "error", "said"),
    [
        (lambda decider, states: np.zeros(len(states)), InvalidInput, "the shape"),
        (lambda decider, states: full(decider, states, np.nan), InvalidInput, "says nan of chat:"),
        (lambda decider, states: full(decider, states, 1.5), InvalidInput, "within 1 of 0"),
        (meddling, ValueError, "read-only"),
    ],
)
def test_no_such_array(many: Any, error: type[Exception], said: str) -> None:
    """An array of another shape, no numbers, too large ones and a term that changes its states are refused."""
    with pytest.raises(error, match=said):
        choose_path(EnsemblePlan(SHORT, (1,), terms=(array_term("wrong", lambda action: 0.0, many),)), "compiled")


@pytest.mark.parametrize("most", [0.0, -1.0, 65.0, float("nan"), "much"])
def test_no_such_bound(most: Any) -> None:
    """What a term may add is a number above 0, up to the limit of exact sums; the form for one act has to respect it too."""
    with pytest.raises(InvalidInput, match="most"):
        array_term("wrong", calm, calm_array, most=most)
    with pytest.raises(InvalidInput, match="array form"):
        array_term("wrong", calm, None)  # type: ignore[arg-type]
    loud = array_term("loud", lambda action: 5.0, calm_array, most=4.0)
    with pytest.raises(IntentionFailed, match="loud"):
        ensemble(SHORT, [1], workers=1, terms=[loud])


def test_too_much_together(told: Told) -> None:
    """Terms that could exceed the limit of exact sums are played act by act, and the reason is reported."""
    terms = tuple(array_term(f"t{number}", calm, calm_array, most=LARGEST_TERM / 2) for number in range(3))
    way = choose_path(EnsemblePlan(SHORT, tuple(range(100_000)), terms=terms))
    assert way.path == INTERPRETED
    told(way.why)


def test_which_terms_are_asked_as_arrays(tmp_path: Path, told: Told) -> None:
    """A term with only a function, or with its own weight or priority, is asked by minds, and that is reported."""
    intent: Any = CALM.intent
    assert has_array_form(CALM)
    for other in (
        TALK,
        Heuristic("calm", intent, weight=3.0),
        Heuristic("calm", intent, priority=1),
        Heuristic("calm", intent, on_error="veto"),
    ):
        assert not has_array_form(other)
    batch = Heuristic("batch", Function(lambda actions: [0.0] * len(actions), batch=True))
    done = sweep(EnsemblePlan.of(SHORT, [1], terms=[CALM, TALK, batch]), tmp_path, engine="here", format="csv")
    told(done.decided)
    with pytest.raises(InvalidInput, match="law_term, array_term"):
        choose_path(EnsemblePlan(SHORT, (1,), terms=(CALM, TALK)), "compiled")


def test_the_hash_covers_both_forms() -> None:
    """Another function in either form makes another plan; so does a term whose functions no other process can find."""
    terms = [CALM, array_term("calm", calm, slightly), array_term("calm", lambda action: 0.0, calm_array)]
    assert len({EnsemblePlan.of(SHORT, [1], terms=[term]).hash for term in terms}) == 3


def test_written_down() -> None:
    """A term in two forms names both of its functions."""
    data = CALM.intent.to_data()
    assert (data["python"].rpartition(":")[2], data["array"].rpartition(":")[2]) == ("calm", "calm_array")
