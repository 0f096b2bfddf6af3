"""Functions compiled by Numba, cached on disk until one of their sources changes.

Numba's own cache checks only the file of the compiled function, not the files of the functions that it calls. So
compiled code is kept in a folder named by a hash of all its sources. Of several processes that need the same code at the
same time, one compiles it, and the others wait and load it.
"""

from __future__ import annotations

import os
import sys
import warnings
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from volition.core.folder import cache_folder
from volition.core.linking import linked_late

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager
    from types import ModuleType


def can_compile() -> bool:
    """Whether Numba is installed."""
    return find_spec("numba") is not None


def compile_cached(
    function: Callable[..., Any],
    sources: Iterable[ModuleType],
    *,
    compiler: Any = None,
    late: bool = False,
    **options: Any,
) -> Any:
    """Compile a function, or load it if it was compiled before; `sources` are the modules that it consists of.

    With `late`, what it calls is linked late, which halves the time of a deep tree of functions that use numbers, records
    and fields alone: what Numba itself wrote for arrays cannot wait. The `compiler` may be `numba.cuda`; a kernel must not
    be a closure, which would never be found again.
    Two functions with different options must have different names: the cache cannot tell them apart otherwise.
    """
    if compiler is None:
        import numba as compiler  # noqa: PLC0415  takes half a second

        options = {"error_model": "numpy", "fastmath": False, **options}
    folder = compiled_folder(sources)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        writable = os.access(folder, os.W_OK)
    except OSError:
        writable = False
    if not writable:
        return compiler.jit(function, **options)
    config = compiler.config
    before, config.CACHE_DIR = config.CACHE_DIR, str(folder)
    try:
        compiled = compiler.jit(function, cache=True, **options)
    finally:
        config.CACHE_DIR = before
    _compile_in_one_process(compiled, folder / f"{function.__qualname__}.lock", linked_late if late else nullcontext)
    return compiled


def _compile_in_one_process(compiled: Any, lock: Path, linked: Callable[[], AbstractContextManager[None]]) -> None:
    """Let a function hold a lock from where it is not found in the cache until it is compiled and stored there.

    What is found is loaded without the lock, by any number of processes at once.
    """
    from numba.core.compiler_lock import global_compiler_lock  # noqa: PLC0415

    held, asked = ExitStack(), list[Any]()
    cache, compile_here = compiled._cache, compiled.compile  # noqa: SLF001  Numba has no public name for its cache
    load = cache.load_overload

    def load_or_lock(signature: Any, target: Any) -> Any:
        loaded = load(signature, target)
        if loaded is None and len(asked) == 1:  # while it is compiled, a function that calls itself is asked for again
            held.enter_context(_hold_lock(lock))
            loaded = load(signature, target)
        return loaded

    def compile_or_load(signature: Any) -> Any:
        # Numba's own lock comes first: two threads that take the two locks in different orders would wait forever.
        with global_compiler_lock:
            asked.append(signature)
            try:
                with linked():
                    return compile_here(signature)
            finally:
                asked.pop()
                if not asked:
                    held.close()

    cache.load_overload, compiled.compile = load_or_lock, compile_or_load


@contextmanager
def _hold_lock(path: Path) -> Iterator[None]:
    """Hold a lock that ends with the process at the latest; none where the system or the disk has no such locks."""
    with ExitStack() as held:
        with suppress(ImportError, OSError):
            import fcntl  # noqa: PLC0415  not there on every system

            file = held.enter_context(path.open("ab"))
            fcntl.flock(file, fcntl.LOCK_EX)
            # Closing the file is not enough: a child that was forked meanwhile would go on holding the lock.
            held.callback(fcntl.flock, file, fcntl.LOCK_UN)
        yield


def compiled_folder(sources: Iterable[ModuleType]) -> Path:
    """The folder for code compiled from these modules; it may not exist yet."""
    return cache_folder("compiled", _hash_of(frozenset(sources)))


@cache
def _hash_of(sources: frozenset[ModuleType]) -> str:
    """A hash of these modules as their files are, once for a process: it goes on with what it has imported."""
    total = sha256(f"{sys.version_info[:3]} {version('numba')}".encode())
    for module in sorted(sources, key=lambda module: module.__name__):
        assert module.__file__ is not None
        total.update(module.__name__.encode() + Path(module.__file__).read_bytes())
    return total.hexdigest()[:24]


def warn_slow(what: str) -> None:
    """Warn that `what` runs as Python, because Numba is not installed."""
    warnings.warn(
        f"{what} runs as plain Python, about a hundred times slower than compiled code: install the extra `fast`",
        RuntimeWarning,
        stacklevel=3,
    )
