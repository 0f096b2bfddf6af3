"""Looking one step further, as a separate vote: what the best successor of a candidate would be worth."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

from volition.arbitration.data_checks import is_number
from volition.arbitration.intent import HEURISTIC, Function, Intent, Kind, as_intent
from volition.arbitration.intention import Heuristic
from volition.core.errors import refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


@dataclass(frozen=True, slots=True)
class Lookahead:
    """A heuristic's intent: discount times the best score that `then` gives to a successor; see `lookahead`."""

    kinds: ClassVar[tuple[Kind, ...]] = (HEURISTIC,)

    successors: Function
    then: Intent
    discount: float

    def ask(self, kind: Kind, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> Iterator[float | None]:
        for candidate, following in zip(candidates, self.successors.ask(kind, candidates, ids, context), strict=True):
            yield self._worth(candidate, list(following), context)

    def _worth(self, candidate: Any, following: list[Any], context: Any) -> float | None:
        names = [name if isinstance(name, str) else str(getattr(name, "id", name)) for name in following]
        scores = self.then.ask(HEURISTIC, following, names, context)
        votes = [
            _check_score(score, name, candidate) for score, name in zip(scores, names, strict=True) if score is not None
        ]
        return self.discount * max(votes) if votes else None

    def to_data(self) -> dict[str, Any]:
        return {
            "lookahead": {
                "successors": self.successors.to_data(),
                "then": self.then.to_data(),
                "discount": self.discount,
            }
        }


def lookahead(
    successors: Intent | Callable[..., Iterable[Any]],
    then: Intent | Heuristic | Callable[..., float | None],
    *,
    discount: float = 0.5,
) -> Lookahead:
    """The intent that scores a candidate by what can come after it.

    `successors` gives what a candidate leads to; `then` scores each of those as a heuristic would. The vote is
    `discount` times the best of these scores, so it lies in [-1, 1] too. It abstains where nothing follows, or where
    `then` abstains on all that follows. It is an entry with its own id, so its share is visible.

    >>> ways = {"door": ["hall", "street"], "window": []}
    >>> ahead = lookahead(ways.get, {"hall": 0.2, "street": 0.8}.get, discount=0.5)
    >>> list(ahead.ask("heuristic", ["door", "window"], ["door", "window"], None))
    [0.4, None]
    """
    if not is_number(discount) or not 0 <= discount <= 1:
        refuse(
            f"the discount is {discount!r}",
            where="lookahead",
            expected="a number in [0, 1]",
            remedy="weigh the entry itself to make it count for more",
        )
    intent = then.intent if isinstance(then, Heuristic) else as_intent(then)
    if HEURISTIC not in intent.kinds:
        refuse(
            f"{intent!r} cannot score",
            where="lookahead, then",
            expected="an intent that can be a heuristic",
            remedy="pass a function that gives scores",
        )
    ahead = as_intent(successors)
    if not isinstance(ahead, Function):
        refuse(
            f"{ahead!r} cannot say what follows",
            where="lookahead, successors",
            expected="a function from a candidate to what it leads to",
            remedy="pass a function",
        )
    return Lookahead(ahead, intent, float(discount))


def _check_score(score: Any, name: str, candidate: Any) -> float:
    """A score in range; the discount would hide one that is not."""
    if isinstance(score, bool) or not isinstance(score, Real) or not -1 <= float(score) <= 1:
        refuse(
            f"`then` answered {score!r} for {name!r}, which follows {candidate!r}",
            where="lookahead, then",
            expected="a score in [-1.0, 1.0], or None to abstain",
            remedy="fix the function; a curve turns a raw measure into a score",
        )
    return float(score)
