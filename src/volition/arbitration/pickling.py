"""How a function travels to another process: by the name under which that process finds it.

`@heuristic` puts the intention in the place of the function, so that pickle, which looks there for the function itself,
would find something else. Such a function goes by the name of its intention. One that has no such place (a lambda, a
function inside another) can only be carried whole, which pickle cannot do; picklers that can, such as the one that Ray
uses, are left to it.
"""

from __future__ import annotations

import pickle
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from volition.arbitration.reference import find

if TYPE_CHECKING:
    from collections.abc import Callable

_CARRY_WHOLE = ("cloudpickle", "dill")
"""Parts of the names of modules whose picklers carry functions whole."""


class Named(NamedTuple):
    """A function that is the intent of the intention with this name, as `module:name`."""

    intention: str


def to_picklable(call: Callable[..., Any]) -> Callable[..., Any] | Named:
    """A function in a form that the pickler at work can write; what none can is refused with a remedy."""
    name = f"{getattr(call, '__module__', None)}:{getattr(call, '__qualname__', '')}"
    if getattr(getattr(_find_loaded(name), "intent", None), "call", None) is call:
        return Named(name)
    try:
        pickle.dumps(call)
    except Exception as error:
        if not _carries_whole():
            raise pickle.PicklingError(
                f"{call!r} cannot be pickled: another process could not find it by the name {name!r}. Move it to the top "
                "of a module that can be imported, or use an intent that is data (Scores, Violates, RawMeasures); "
                "a pickler that carries functions whole, such as cloudpickle, which Ray uses, can send it as it is."
            ) from error
    return call


def from_picklable(sent: Any) -> Callable[..., Any]:
    """The function that was carried."""
    return find(sent.intention).intent.call if isinstance(sent, Named) else sent  # type: ignore[no-any-return]


def _find_loaded(name: str) -> Any:
    """What a name refers to in a module that is loaded; None where it refers to nothing."""
    module, _, path = name.partition(":")
    found: Any = sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, part, None)
    return found


def _carries_whole() -> bool:
    """Whether such a pickler is at work: pickling has no other sign of who does it than who called."""
    caller = sys._getframe().f_back  # noqa: SLF001  there is no public way to the calling frames that costs as little
    while caller is not None:
        if any(part in caller.f_globals.get("__name__", "") for part in _CARRY_WHOLE):
            return True
        caller = caller.f_back
    return False
