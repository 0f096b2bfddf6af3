"""What is said of each candidate: the contract of an intent, and functions as intents."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import repeat
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, runtime_checkable

from volition.arbitration.reference import from_picklable, to_picklable
from volition.core.errors import format_value, refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from volition.arbitration.curves import Curve

Kind = Literal["constraint", "heuristic"]

CONSTRAINT: Kind = "constraint"
HEURISTIC: Kind = "heuristic"

_CONTEXT_NAMES = ("context", "ctx")


@runtime_checkable
class Intent(Protocol):
    """Something that can be asked about candidates, and can be written down.

    `kinds` says whether it may veto, vote, or both. `ask` gives one answer per candidate, in order: a verdict (True,
    or a text that says why, forbids; False allows) or a score in the heuristic's range (None abstains). It gets the
    candidates, their ids and the caller's context, and uses what it needs.

    Two members are optional. `batch = True` says that all candidates are judged together, so that an error belongs to none
    of them alone. `remark()` says in words what was meant by the scores that were last asked for in this thread; a
    decision keeps it for its explanation, after the id of the heuristic. An empty text says nothing.
    """

    kinds: ClassVar[tuple[Kind, ...]]

    def ask(self, kind: Kind, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> Iterable[Any]: ...

    def to_data(self) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Function:
    """An intent that is a user's function of one candidate, or of a candidate and the caller's context.

    It gets the context where it requires a second argument, or has one that is None by default or is called `context`
    or `ctx`. With `batch` the function is called once with the list of candidates and returns as many answers: for a few
    intentions over many candidates the calls are the cost. With a `curve` it returns a raw measure, which the curve
    turns into a score.
    """

    kinds: ClassVar[tuple[Kind, ...]] = (CONSTRAINT, HEURISTIC)

    call: Callable[..., Any]
    batch: bool = False
    curve: Curve | None = None
    reference: str | None = field(default=None, compare=False)
    wants_context: bool = field(init=False)

    def __post_init__(self) -> None:
        if not callable(self.call):
            refuse(
                f"{format_value(self.call)} is not an intent",
                where="intent",
                expected="a function of a candidate, or an intent such as avoid('hazard')",
                remedy="pass a callable",
            )
        object.__setattr__(self, "wants_context", _wants_context(self.call))

    def ask(self, kind: Kind, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> Iterable[Any]:
        answers: Iterable[Any]
        if self.batch:
            answers = self.call(candidates, context) if self.wants_context else self.call(candidates)
            if type(answers) is not list and isinstance(answers, (str, bytes, Mapping, AbstractSet)):
                refuse(
                    f"the batch answered with a {type(answers).__name__}",
                    where="intent",
                    expected="a list of answers, in the order of the candidates",
                    remedy="return a list",
                )
        elif self.wants_context:
            answers = map(self.call, candidates, repeat(context))
        else:
            answers = map(self.call, candidates)
        return answers if self.curve is None else map(self.curve.of, answers)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore_function, (to_picklable(self.call), self.batch, self.curve, self.reference)

    def __deepcopy__(self, memo: dict[int, Any]) -> Function:
        return Function(deepcopy(self.call, memo), self.batch, self.curve, self.reference)

    def to_data(self) -> dict[str, Any]:
        data: dict[str, Any] = {"python": self.reference or _reference(self.call)}
        if self.batch:
            data["batch"] = True
        if self.curve is not None:
            data["curve"] = self.curve.to_data()
        return data


def as_intent(intent: Intent | Callable[..., Any]) -> Intent:
    """Take an intent as it is, and wrap a plain function."""
    return intent if isinstance(intent, Intent) and not isinstance(intent, type) else Function(intent)


def direct_call(intent: Intent) -> Callable[[Any], Any] | None:
    """The function itself, where an intent is nothing but a function of one candidate: the short way to ask it."""
    if type(intent) is not Function or intent.batch or intent.wants_context or intent.curve is not None:
        return None
    return intent.call


def _wants_context(call: Callable[..., Any]) -> bool:
    """Whether a function takes the context as its second argument."""
    try:
        parameters = _positional(call)
    except (TypeError, ValueError):  # a builtin that does not say: it is asked about the candidate alone
        return False
    required = sum(parameter.default is parameter.empty for parameter in parameters)
    if required > 2:
        refuse(
            f"{call!r} needs {required} arguments",
            where="intent",
            expected="a function of a candidate, or of a candidate and the context",
            remedy="close over the other values, or give them defaults",
        )
    if required == 2 or len(parameters) < 2:
        return required == 2
    second = parameters[1]
    return second.default is None or second.name in _CONTEXT_NAMES


def _positional(call: Callable[..., Any]) -> list[inspect.Parameter]:
    """What a function takes by position; what one that passes everything on takes is what it wraps."""
    own = list(inspect.signature(call, follow_wrapped=False).parameters.values())
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in own):
        own = list(inspect.signature(call).parameters.values())
    return [
        parameter for parameter in own if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]


def _restore_function(call: Any, batch: bool, curve: Curve | None, reference: str | None) -> Function:
    return Function(from_picklable(call), batch, curve, reference)


def label_of(code: Any) -> str:
    """What somebody's code is called in records: its `label`, or its module and name.

    >>> label_of(len)
    'builtins:len'
    """
    label = getattr(code, "label", None)
    if isinstance(label, str):
        return label
    name = getattr(code, "__qualname__", type(code).__qualname__)
    return f"{getattr(code, '__module__', None) or type(code).__module__}:{name}"


def _reference(call: Callable[..., Any]) -> str:
    module, name = getattr(call, "__module__", None), getattr(call, "__qualname__", "")
    if not module or not name or "<" in name:
        refuse(
            f"{call!r} cannot be written down: nothing else could find it again",
            where="intent",
            expected="a function at the top of an importable module, or an intent that is data",
            remedy="give the function a name at module level",
        )
    return f"{module}:{name}"
