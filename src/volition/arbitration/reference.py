"""`module:name`: how a thing in importable Python is named in data and on the command line."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NoReturn

from volition.core.errors import InvalidInput, Problem, did_you_mean


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
        found: Any = import_module(module_name)
    except ModuleNotFoundError as error:
        missing = str(error.name)
        if module_name == missing or module_name.startswith(f"{missing}."):
            _refuse(f"there is no module {missing!r}", where, "check the spelling, and the folder it is run from")
        _refuse(f"the module {module_name!r} needs {missing!r}, which is not installed", where, f"install {missing!r}")
    except Exception as error:  # noqa: BLE001  whatever a user's module raises is named here
        _refuse(f"importing {module_name!r} raised {type(error).__name__}: {error}", where, "fix the module")
    for part in name.split("."):
        if not hasattr(found, part):
            public = [known for known in vars(found) if not known.startswith("_")] if hasattr(found, "__dict__") else []
            _refuse(f"{module_name!r} has no {name!r}", where, did_you_mean(part, public))
        found = getattr(found, part)
    return found


def _refuse(what: str, where: str, remedy: str) -> NoReturn:
    raise InvalidInput(Problem(what, where, "module:name, a name in a module that can be imported", remedy)) from None
