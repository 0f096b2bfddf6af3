"""Laws of terms that are laws: one function gives what a plain function and an array give, on every path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.drama.ensemble.own_terms import CALM, CALM_LAW, TIPSY, TIPSY_LAW, calm, tipsy
from tests.drama.ensemble.plays import SHORT
from volition.arbitration import Heuristic
from volition.core.errors import InvalidInput
from volition.drama import play, play_many
from volition.drama.batch.measures import digest_of_world
from volition.drama.ensemble import Ensemble, EnsemblePlan, ensemble, law_term, sweep
from volition.drama.ensemble.paths import choose_path
from volition.drama.evening.players import InterpretedPlayer
from volition.drama.evening.terms import is_law_term
from volition.drama.rules.leaf import leaf

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told
    from volition.drama.ensemble.paths import Asked
    from volition.drama.evening.perceive import Perceived
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables

pytestmark = pytest.mark.req("DE-21")
PLAIN = [Heuristic("calm", calm), Heuristic("tipsy", tipsy, range=(-2.0, 2.0))]


def _measured(terms: list[Heuristic], path: Asked) -> Any:
    return ensemble(SHORT, range(1, 4), workers=1, terms=terms, path=path)


def test_every_form_gives_the_same_evenings() -> None:
    """Functions that minds ask, arrays in lockstep, laws, and an array beside a law measure the same, interpreted or compiled."""
    pytest.importorskip("numba")
    forms: list[tuple[list[Heuristic], Asked]] = [
        (PLAIN, "interpreted"),
        ([CALM, TIPSY], "compiled"),
        ([CALM_LAW, TIPSY_LAW], "interpreted"),
        ([CALM_LAW, TIPSY_LAW], "compiled"),
        ([CALM, TIPSY_LAW], "compiled"),
        ([CALM, TIPSY_LAW], "interpreted"),
    ]
    first, *rest = (_measured(terms, path) for terms, path in forms)
    assert all(other == first for other in rest)
    assert first != _measured([], "interpreted")


def test_many_evenings_take_laws() -> None:
    """`play_many` gives with laws what an ensemble gives, in any engine, thread and batch; a lost state is played again."""
    pytest.importorskip("numba")
    laws = [CALM_LAW, TIPSY_LAW]
    compiled, interpreted = (
        play_many(SHORT, range(1, 4), engine=engine, terms=laws, states=False) for engine in ("compiled", "interpreted")
    )
    digests = [one.state for one in _measured(laws, "interpreted")]
    assert [compiled.digest(number) for number in range(3)] == digests
    assert [interpreted.digest(number) for number in range(3)] == digests
    assert play_many(SHORT, range(1, 200), engine="compiled", terms=laws, threads=2).checksums[:3].tolist() == (
        interpreted.checksums.tolist()
    )


def test_one_evening_takes_laws() -> None:
    """`play`, whose minds ask a law like any term, ends in the state to which the laws themselves lead."""
    laws = [CALM_LAW, TIPSY_LAW]
    evening = play(SHORT, 2, terms=laws)
    assert digest_of_world(evening.state(evening.last)) == (
        play_many(SHORT, [2], engine="interpreted", terms=laws).digest(0)
    )


def test_an_opened_evening_is_the_same(tmp_path: Path, told: Told) -> None:
    """An evening of an ensemble with laws is opened by minds, which explain the law like any term."""
    pytest.importorskip("numba")
    plan = EnsemblePlan.of(SHORT, [1, 2], terms=[CALM_LAW])
    done = sweep(plan, tmp_path, engine="here", path="compiled", format="csv")
    told(done.decided)
    evening = Ensemble(tmp_path, [CALM_LAW]).evening(0)
    tally = evening.decision(0, next(iter(SHORT.people))).tally
    column = tally.composite.voters.index("calm")
    assert {products[column] for products in tally.products} <= {leaf(-0.3), leaf(0.1)}


def nosy(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived, act: int) -> float:
    """Reads what somebody else drank."""
    return 0.01 + evening.affection[(me + 1) % tables.people][me]


def test_a_law_may_read_what_its_person_knows() -> None:
    """A law that reads another's mind is refused before anything is played, with where it differs."""
    pytest.importorskip("numba")
    with pytest.raises(InvalidInput, match=r"'nosy'[\s\S]*tick 0"):
        choose_path(EnsemblePlan(SHORT, (1,), terms=(law_term("nosy", nosy, most=4.0),)), "compiled")


@pytest.mark.parametrize("engine", ["compiled", "interpreted"])
@pytest.mark.parametrize("said", [5.0, float("nan")])
def test_no_law_says_more_than_it_may(engine: Any, said: float, told: Told) -> None:
    """A law that says more than it declares, or no number, is refused by every engine."""
    pytest.importorskip("numba")
    loud = law_term("loud", lambda evening, tables, me, seen, act: said, most=4.0)
    with told.raises(InvalidInput):
        play_many(SHORT, [1], engine=engine, terms=[loud])


def test_what_is_no_law(told: Told) -> None:
    """A callable that is no function, a law that cannot be compiled, and a term that is no law are refused, with a way out."""
    pytest.importorskip("numba")
    with told.raises(InvalidInput):
        law_term("wrong", max)  # type: ignore[arg-type]
    wrong = law_term("wrong", lambda evening, tables, me, seen, act: evening.nothing)  # type: ignore[attr-defined]
    with pytest.raises(InvalidInput, match="cannot be compiled"):
        play_many(SHORT, [1], engine="compiled", terms=[wrong])
    with told.raises(InvalidInput):
        play_many(SHORT, [1], terms=[CALM])
    assert not is_law_term(Heuristic("calm", CALM_LAW.intent, weight=2.0))


def test_the_hash_covers_the_law() -> None:
    """Another law makes another plan; a law is written down by where it stands."""
    other = law_term("calm", nosy)
    assert EnsemblePlan.of(SHORT, [1], terms=[CALM_LAW]).hash != EnsemblePlan.of(SHORT, [1], terms=[other]).hash
    assert CALM_LAW.intent.to_data()["law"].endswith(":calm_law")


def test_without_terms_nothing_is_asked() -> None:
    """A player without laws adds nothing and says so on its desk."""
    assert InterpretedPlayer(SHORT).sheet.custom == 0
