"""One family of errors, written for the people who read them.

An error consists of problems, and every problem says four things: what is wrong, where, what was expected, and what to
do about it. A document is read to its end before anything is raised, so that all its problems are reported at once.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn, Self, TypeVar

from volition.core.typed import DataStruct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

T = TypeVar("T")
LONGEST_VALUE: Final = 80
"""How many characters of a value a message shows."""
LONGEST_WORD: Final = 300
"""How many characters of a word are compared with known ones: no name is longer, and the cost grows with both."""


class Problem(DataStruct, frozen=True):
    """One thing that is wrong: `what`, `where`, what was `expected`, and the `remedy`.

    >>> print(Problem("weight is -1", "intentions[0].weight", "a finite number >= 0", "use 0 to silence a vote"))
    weight is -1
      where:    intentions[0].weight
      expected: a finite number >= 0
      remedy:   use 0 to silence a vote
    """

    what: str
    """What is wrong."""
    where: str
    """Where it is: a field, a file and line, or a header."""
    expected: str
    """What was expected there."""
    remedy: str
    """What to do about it."""

    def __str__(self) -> str:
        return f"{self.what}\n  where:    {self.where}\n  expected: {self.expected}\n  remedy:   {self.remedy}"


class VolitionError(Exception):
    """The base of every error that Volition raises on purpose; commands end with its `exit_code`."""

    exit_code: ClassVar[int] = 2

    def __init__(self, *problems: Problem) -> None:
        super().__init__(*problems)
        self.problems: tuple[Problem, ...] = problems

    @classmethod
    def of(cls, what: str, *, where: str, expected: str, remedy: str) -> Self:
        """Make an error of one problem."""
        return cls(Problem(what, where, expected, remedy))

    def __str__(self) -> str:
        if len(self.problems) == 1:
            return str(self.problems[0])
        numbered = (f"{n}. {problem}" for n, problem in enumerate(self.problems, 1))
        return f"{len(self.problems)} problems\n" + "\n".join(numbered)

    def to_data(self) -> dict[str, Any]:
        return {"error": type(self).__name__, "problems": [problem.to_data() for problem in self.problems]}


class InvalidInput(VolitionError):
    """What was given cannot be used; nothing was changed."""


class BrokenRecord(VolitionError):
    """A record on disk is not what was written."""

    exit_code = 3


class NotPossible(VolitionError):
    """The question is valid but has no answer: a person has to decide."""

    exit_code = 3


class MissingPart(VolitionError):
    """Something that the environment should provide is missing."""

    exit_code = 4


class Problems:
    """Collects the problems of one document, to report them all at once.

    >>> problems = Problems()
    >>> problems.add("id is missing", where="intentions[0]", expected="a text", remedy="give it an id")
    >>> problems.raise_if_any(InvalidInput)
    Traceback (most recent call last):
    ...
    volition.core.errors.InvalidInput: id is missing
      where:    intentions[0]
      expected: a text
      remedy:   give it an id
    """

    def __init__(self) -> None:
        self._found: list[Problem] = []

    def __iter__(self) -> Iterator[Problem]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def add(self, what: str, *, where: str, expected: str, remedy: str) -> None:
        self._found.append(Problem(what, where, expected, remedy))

    def include(self, error: VolitionError, under: str = "") -> None:
        """Add the problems of an error that was caught; the place of each is in the one that `under` names."""
        for problem in error.problems:
            self.add(problem.what, where=under + problem.where, expected=problem.expected, remedy=problem.remedy)

    def attempt(self, make: Callable[[], T], under: str = "") -> T | None:
        """What a call returns; None if it refuses, with its problems included."""
        try:
            return make()
        except VolitionError as error:
            self.include(error, under)
            return None

    def raise_if_any(self, kind: type[VolitionError]) -> None:
        if self._found:
            raise kind(*self._found)


def refuse(what: str, *, where: str, expected: str, remedy: str) -> NoReturn:
    """Raise InvalidInput with one problem."""
    raise InvalidInput(Problem(what, where, expected, remedy))


def check_known(kind: str, name: str, known: Iterable[str], *, where: str, expected: str = "") -> str:
    """The name, which must be one of those known; InvalidInput says which it could have been.

    >>> check_known("room", "hall", ["hall", "attic"], where="set")
    'hall'
    """
    names = list(known)
    if name not in names:
        refuse(
            f"there is no {kind} {format_value(name)}",
            where=where,
            expected=expected or f"one of {', '.join(names)}",
            remedy=did_you_mean(name, names),
        )
    return name


def format_value(value: object) -> str:
    """The `repr` of a value for a message: cut to a readable length, and never an error itself.

    >>> format_value([1, 2]), len(format_value("a" * 100))
    ('[1, 2]', 80)
    """
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001  a value whose repr fails still has a type
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 3] + "..."


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """A remedy that names the closest known words, or all of them if none is close.

    >>> did_you_mean("gaol", ["goal", "safety"])
    "did you mean 'goal'?"
    >>> did_you_mean("x", ["goal", "safety"])
    "use one of: 'goal', 'safety'"
    """
    words = list(known)
    near = get_close_matches(str(word)[:LONGEST_WORD], words, n=3, cutoff=0.6)
    if near:
        return "did you mean " + " or ".join(repr(w) for w in near) + "?"
    if not words:
        return "there are none"
    listed = ", ".join(repr(w) for w in words[:12])
    more = f" ... ({len(words)} in all)" if len(words) > 12 else ""
    return f"use one of: {listed}{more}"
