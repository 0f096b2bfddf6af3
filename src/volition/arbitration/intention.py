"""What a composite is made of: constraints that veto and heuristics that vote, each with a unique id.

An entry names *who* speaks (`Constraint` or `Heuristic`: id, weight, priority); its intent is *what* is said of each
candidate. An intent may be a plain function, or one of the intents that are data (`tables`, `habits`, `tiles`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

from volition.arbitration.candidate import identify
from volition.arbitration.data_checks import is_number, is_whole
from volition.arbitration.intent import CONSTRAINT, HEURISTIC, Function, Intent, Kind, as_intent, direct_call
from volition.core.errors import InvalidInput, Problems, format_value, refuse

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.arbitration.curves import Curve

OnError = Literal["raise", "veto"]
Range = tuple[float, float]

UNIT: Range = (-1.0, 1.0)
"""The range of a score unless its heuristic declares another."""
WIDEST = 2.0**500
"""No score may be larger than this, so that totals keep away from the largest doubles."""


class _Entry:
    """What constraints and heuristics share."""

    __slots__ = ()
    kind: ClassVar[Kind]
    intent: Intent

    def __call__(self, candidate: Any, context: Any = None) -> Any:
        """Ask about one candidate, outside any decision."""
        return next(iter(self.intent.ask(self.kind, [candidate], identify([candidate]), context)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled by its arguments."""
        arguments = {each.name: getattr(self, each.name) for each in fields(self) if each.init}  # type: ignore[arg-type]
        return partial(type(self), **arguments), ()


@dataclass(frozen=True, slots=True)
class Constraint(_Entry):
    """An entry that vetoes: its intent answers "does this candidate violate me?".

    `on_error="veto"` makes a raising intent a veto that the trace explains; by default the error reaches the caller.

    >>> safety = Constraint("safety", lambda tile: tile == "lava")
    >>> safety("lava")
    True
    """

    kind: ClassVar[Kind] = CONSTRAINT

    id: str
    intent: Intent
    on_error: OnError = "raise"
    call: Callable[[Any], Any] | None = field(init=False, compare=False, repr=False)

    def __init__(self, id: str, intent: Intent | Callable[..., Any], *, on_error: OnError = "raise") -> None:
        object.__setattr__(self, "id", id)
        object.__setattr__(self, "intent", as_intent(intent))
        object.__setattr__(self, "on_error", on_error)
        object.__setattr__(self, "call", direct_call(self.intent))
        problems = Problems()
        _check_entry(self, problems)
        problems.raise_if_any(InvalidInput)


@dataclass(frozen=True, slots=True)
class Heuristic(_Entry):
    """An entry that votes: its intent gives each surviving candidate a score, or None to abstain.

    A score lies in [-1, 1], or in the `range` that the heuristic declares where its votes have another scale.
    The total of a candidate is the sum of `weight * score`. Equal totals are compared by the intentions that have a
    `priority`, highest first; one without a priority takes no part in that.

    >>> Heuristic("goal", lambda tile: 0.5, weight=2, priority=10).weight
    2.0
    >>> Heuristic("price", lambda tile: -12.5, range=(-100, 0)).range
    (-100.0, 0.0)
    """

    kind: ClassVar[Kind] = HEURISTIC

    id: str
    intent: Intent
    weight: float = 1.0
    priority: int | None = None
    range: Range = UNIT
    on_error: OnError = "raise"
    call: Callable[[Any], Any] | None = field(init=False, compare=False, repr=False)

    def __init__(
        self,
        id: str,
        intent: Intent | Callable[..., Any],
        *,
        weight: float = 1.0,
        priority: int | None = None,
        range: Range = UNIT,
        on_error: OnError = "raise",
    ) -> None:
        put = object.__setattr__
        put(self, "id", id)
        put(self, "intent", as_intent(intent))
        put(self, "on_error", on_error)
        put(self, "call", direct_call(self.intent))
        problems = Problems()
        _check_entry(self, problems)
        check_weight(weight, f"intention {id!r}, weight", problems)
        check_priority(priority, f"intention {id!r}, priority", problems)
        check_range(range, self.intent, f"intention {id!r}, range", problems)
        problems.raise_if_any(InvalidInput)
        put(self, "weight", float(weight))
        put(self, "priority", None if priority is None else int(priority))
        put(self, "range", (float(range[0]), float(range[1])))

    @property
    def reach(self) -> float:
        """The largest size that a score can have."""
        return max(map(abs, self.range))


Intention = Constraint | Heuristic


@overload
def constraint(call: Callable[..., Any], /) -> Constraint: ...
@overload
def constraint(
    *, id: str | None = None, on_error: OnError = "raise", batch: bool = False
) -> Callable[[Callable[..., Any]], Constraint]: ...
def constraint(
    call: Callable[..., Any] | None = None,
    /,
    *,
    id: str | None = None,
    on_error: OnError = "raise",
    batch: bool = False,
) -> Constraint | Callable[[Callable[..., Any]], Constraint]:
    """Turn a function into a constraint whose id is the function's name.

    >>> @constraint
    ... def dry(tile):
    ...     return tile == "water"
    >>> dry.id, dry("water")
    ('dry', True)
    """

    def wrap(call: Callable[..., Any]) -> Constraint:
        return Constraint(_name(call) if id is None else id, Function(call, batch), on_error=on_error)

    return wrap if call is None else wrap(call)


@overload
def heuristic(call: Callable[..., Any], /) -> Heuristic: ...
@overload
def heuristic(
    *,
    id: str | None = None,
    weight: float = 1.0,
    priority: int | None = None,
    range: Range = UNIT,
    curve: Curve | None = None,
    on_error: OnError = "raise",
    batch: bool = False,
) -> Callable[[Callable[..., Any]], Heuristic]: ...
def heuristic(
    call: Callable[..., Any] | None = None,
    /,
    *,
    id: str | None = None,
    weight: float = 1.0,
    priority: int | None = None,
    range: Range = UNIT,
    curve: Curve | None = None,
    on_error: OnError = "raise",
    batch: bool = False,
) -> Heuristic | Callable[[Callable[..., Any]], Heuristic]:
    """Turn a function into a heuristic whose id is the function's name.

    >>> @heuristic(weight=0.5, priority=10)
    ... def nearer(distance):
    ...     return 1 - 2 * distance / 10
    >>> nearer.id, nearer.weight, nearer(0)
    ('nearer', 0.5, 1.0)
    """

    def wrap(call: Callable[..., Any]) -> Heuristic:
        intent = Function(call, batch, curve)
        name = _name(call) if id is None else id
        return Heuristic(name, intent, weight=weight, priority=priority, range=range, on_error=on_error)

    return wrap if call is None else wrap(call)


def check_weight(weight: Any, where: str, problems: Problems) -> None:
    """A weight is a finite number >= 0."""
    if not is_number(weight) or weight < 0:
        problems.add(
            f"the weight is {format_value(weight)}",
            where=where,
            expected="a finite number >= 0",
            remedy="use 0 to silence a vote; to reverse it, negate the score",
        )


def check_priority(priority: Any, where: str, problems: Problems) -> None:
    """A priority is an integer, or left out."""
    if priority is not None and not is_whole(priority):
        problems.add(
            f"the priority is {priority!r}",
            where=where,
            expected="an integer, or nothing",
            remedy="leave it out to keep this intention out of breaking ties",
        )


def check_range(range: Any, intent: Any, where: str, problems: Problems) -> None:
    """A range is two finite numbers, the lower first; a curve makes scores in [-1, 1] and leaves no room for another."""
    if not (isinstance(range, (list, tuple)) and len(range) == 2 and all(map(is_number, range))):
        problems.add(
            f"the range is {format_value(range)}",
            where=where,
            expected="two finite numbers: the lowest and the highest score",
            remedy="write (-16, 16), or leave it out for scores in [-1, 1]",
        )
    elif not -WIDEST <= float(range[0]) < float(range[1]) <= WIDEST:
        problems.add(
            f"the range is from {format_value(range[0])} to {format_value(range[1])}",
            where=where,
            expected=f"the lowest score first, and nothing beyond {WIDEST:.3g}",
            remedy="swap them, or scale the scores",
        )
    elif tuple(range) != UNIT and getattr(intent, "curve", None) is not None:
        problems.add(
            f"the range is {format_value(range)}, and a curve makes scores in [-1, 1]",
            where=where,
            expected="a curve or a range",
            remedy="leave the range out and let the weight say how much it counts",
        )


def check_id(id: Any, where: str, problems: Problems) -> None:
    """An id is a text that a person can read and type."""
    if not isinstance(id, str) or not id or not id.isprintable() or id != id.strip():
        problems.add(
            f"the id is {id!r}",
            where=where,
            expected="a text, not empty, of printable characters, without spaces around it",
            remedy="give the intention a short, unique name, such as 'safety'",
        )


def check_kind(kind: Kind, intent: Intent, name: object, where: str, problems: Problems) -> None:
    """An intent can be that of an entry of this kind; `name` is what a message calls it."""
    if kind not in intent.kinds:
        problems.add(
            f"{name!r} cannot be the intent of a {kind}",
            where=where,
            expected=f"an intent that can be a {kind}",
            remedy=f"make it a {intent.kinds[0]}",
        )


def check_on_error(on_error: Any, where: str, problems: Problems) -> None:
    """An error reaches the caller or vetoes."""
    if on_error not in ("raise", "veto"):
        problems.add(
            f"on_error is {on_error!r}",
            where=where,
            expected="'raise' or 'veto'",
            remedy="leave it out to let errors reach the caller",
        )


def _check_entry(entry: Intention, problems: Problems) -> None:
    check_id(entry.id, "intention", problems)
    check_kind(entry.kind, entry.intent, entry.intent, f"intention {entry.id!r}", problems)
    check_on_error(entry.on_error, f"intention {entry.id!r}", problems)


def _name(call: Callable[..., Any]) -> str:
    name = getattr(call, "__name__", "")
    if not name.isidentifier():
        refuse(
            f"{call!r} has no name to use as an id",
            where="intention",
            expected="a named function, or an id",
            remedy="pass id='...'",
        )
    return str(name)
