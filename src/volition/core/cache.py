"""Where to cache what can be rebuilt, such as compiled code."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder(*parts: str) -> Path:
    """A folder under the user's cache, or under VOLITION_CACHE if that is set; it may not exist yet.

    >>> cache_folder("compiled").name
    'compiled'
    """
    given = os.environ.get("VOLITION_CACHE")
    if given:
        return Path(given).joinpath(*parts)
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache").joinpath("volition", *parts)
