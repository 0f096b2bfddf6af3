"""Packages that only the extra `learn` installs."""

from __future__ import annotations

from importlib.util import find_spec

from volition.core.errors import MissingPart


def needs(*modules: str) -> None:
    """Raise MissingPart, with the command that installs them, where one of these modules is missing."""
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        raise MissingPart.of(
            f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed",
            where="this Python environment",
            expected="the extra 'learn'",
            remedy="pip install 'volition[learn]'",
        )
