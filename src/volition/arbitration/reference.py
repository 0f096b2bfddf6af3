"""`module:name`: how a function is named in data, on the command line, and to another process.

`@heuristic` puts the intention in the place of the function, so that pickle, which looks there for the function itself,
would find something else. Such a function is pickled as the name of its intention. One that has no such place (a lambda,
a function inside another) cannot be pickled by name; picklers that write functions whole, such as the one that Ray uses,
are left to it.
"""

from __future__ import annotations

import pickle
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from volition.core.errors import InvalidInput, Problem, did_you_mean
from volition.core.typed import FrozenStruct

if TYPE_CHECKING:
    from collections.abc import Callable

_WHOLE_PICKLERS = ("cloudpickle", "dill")
"""Parts of the names of modules whose picklers write functions whole."""


def find(reference: str, where: str = "reference") -> Any:
    """Import the module and take the name from it; the module's code runs.

    >>> find("math:tau") > 6
    True
    """
    module_name, colon, name = reference.partition(":")
    parts = [*module_name.split("."), *name.split(".")]
    if not colon or not all(part.isidentifier() for part in parts):
        _refuse(f"{reference!r} is not a reference", where, "write module:name, such as 'my_game.intentions:safety'")
    try:
        target: Any = import_module(module_name)
    except ModuleNotFoundError as error:
        missing = str(error.name)
        if module_name == missing or module_name.startswith(f"{missing}."):
            _refuse(f"there is no module {missing!r}", where, "check the spelling, and the folder it is run from")
        _refuse(f"the module {module_name!r} needs {missing!r}, which is not installed", where, f"install {missing!r}")
    except Exception as error:  # noqa: BLE001  whatever a user's module raises is named here
        _refuse(f"importing {module_name!r} raised {type(error).__name__}: {error}", where, "fix the module")
    for part in name.split("."):
        if not hasattr(target, part):
            public = (
                [known for known in vars(target) if not known.startswith("_")] if hasattr(target, "__dict__") else []
            )
            _refuse(f"{module_name!r} has no {name!r}", where, did_you_mean(part, public))
        target = getattr(target, part)
    return target


def _refuse(what: str, where: str, remedy: str) -> NoReturn:
    raise InvalidInput(Problem(what, where, "module:name, a name in a module that can be imported", remedy)) from None


class Named(FrozenStruct, frozen=True):
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
        if not _pickles_whole():
            raise pickle.PicklingError(
                f"{call!r} cannot be pickled: another process could not find it by the name {name!r}. Move it to the top "
                "of a module that can be imported, or use an intent that is data (Scores, Violates, RawMeasures); "
                "a pickler that writes functions whole, such as cloudpickle, which Ray uses, can send it as it is."
            ) from error
    return call


def from_picklable(sent: Any) -> Callable[..., Any]:
    """The function that was pickled."""
    return find(sent.intention).intent.call if isinstance(sent, Named) else sent  # type: ignore[no-any-return]


def _find_loaded(name: str) -> Any:
    """What a name refers to in a module that is loaded; None where it refers to nothing."""
    module, _, path = name.partition(":")
    target: Any = sys.modules.get(module)
    for part in path.split("."):
        target = getattr(target, part, None)
    return target


def _pickles_whole() -> bool:
    """Whether such a pickler is at work: pickling has no other sign of who does it than who called."""
    caller = sys._getframe().f_back  # noqa: SLF001  there is no public way to the calling frames that costs as little
    while caller is not None:
        if any(part in caller.f_globals.get("__name__", "") for part in _WHOLE_PICKLERS):
            return True
        caller = caller.f_back
    return False
