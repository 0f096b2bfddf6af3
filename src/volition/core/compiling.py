"""Functions compiled by Numba, cached on disk until one of their sources changes.

Numba's own cache checks only the file of the compiled function, not the files of the functions that it calls. So
compiled code is kept in a folder named by a hash of all its sources.
"""

from __future__ import annotations

import os
import sys
import warnings
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from volition.core.cache import cache_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import ModuleType


def can_compile() -> bool:
    """Whether Numba is installed."""
    return find_spec("numba") is not None


def compile_cached(function: Callable[..., Any], sources: Iterable[ModuleType], **options: Any) -> Any:
    """Compile a function, or load it if it was compiled before; `sources` are the modules that it consists of.

    Two functions with different options must have different names: the cache cannot tell them apart otherwise.
    """
    import numba  # noqa: PLC0415  takes half a second

    folder = compiled_folder(sources)
    options = {"error_model": "numpy", "fastmath": False, **options}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        writable = os.access(folder, os.W_OK)
    except OSError:
        writable = False
    if not writable:
        return numba.njit(function, **options)
    config: Any = numba.config
    before, config.CACHE_DIR = config.CACHE_DIR, str(folder)
    try:
        return numba.njit(function, cache=True, **options)
    finally:
        config.CACHE_DIR = before


def compiled_folder(sources: Iterable[ModuleType]) -> Path:
    """The folder for code compiled from these modules as they are now; it may not exist yet."""
    total = sha256(f"{sys.version_info[:3]} {version('numba')}".encode())
    for module in sorted(sources, key=lambda module: module.__name__):
        assert module.__file__ is not None
        total.update(module.__name__.encode() + Path(module.__file__).read_bytes())
    return cache_folder("compiled", total.hexdigest()[:24])


def warn_slow(what: str) -> None:
    """Warn that `what` runs as Python, because Numba is not installed."""
    warnings.warn(
        f"{what} runs as plain Python, about a hundred times slower than compiled code: install volition[fast]",
        RuntimeWarning,
        stacklevel=3,
    )
