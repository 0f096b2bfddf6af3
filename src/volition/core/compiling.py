"""Functions compiled by Numba and kept on disk for as long as nothing that they are made of changes.

Numba's own cache looks at the file of a function alone, not at the files of what it calls. So what is compiled here
is kept in a folder that is named by a hash of all its sources.
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


def compile_kept(function: Callable[..., Any], made_of: Iterable[ModuleType], **options: Any) -> Any:
    """The function compiled, from the disk where it was compiled before; `made_of` are the modules it stands on.

    Two functions that differ in their options must differ in their names, because the cache does not tell them apart.
    """
    import numba  # noqa: PLC0415 - half a second, for those alone who compile

    folder = kept_in(made_of)
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


def kept_in(made_of: Iterable[ModuleType]) -> Path:
    """The folder of what is compiled from these modules, as they are now; it may not exist yet."""
    total = sha256(f"{sys.version_info[:3]} {version('numba')}".encode())
    for module in sorted(made_of, key=lambda module: module.__name__):
        assert module.__file__ is not None
        total.update(module.__name__.encode() + Path(module.__file__).read_bytes())
    return cache_folder("compiled", total.hexdigest()[:24])


def warn_slow(what: str) -> None:
    """Say that `what` runs as plain Python, because Numba is not there."""
    warnings.warn(
        f"{what} runs as plain Python, some hundred times slower than compiled: install volition[fast]",
        RuntimeWarning,
        stacklevel=3,
    )
