"""Numba made to link late: what a compiled function calls is optimised once, together with it.

Left alone, Numba optimises every function with all that it calls, and turns each into machine code: in a deep tree of
functions most are done over and over, and little of it is ever run. While `linked_late` lasts, functions that Python
cannot call wait for the one that it can, and all are linked and optimised as a whole. Numba has no public names for this;
where its own have moved, it compiles as it always does.
"""

# ruff: noqa: SLF001

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

CLASS: Final = "_library_class"
"""Where Numba's generator of code has its class for the code of a function."""
_NEEDED: Final = (
    "add_linking_library", "finalize", "get_pointer_to_function", "_ensure_finalized", "_get_module_for_linking",
    "_optimize_functions", "_optimize_final_module",
)  # fmt: skip


@contextmanager
def linked_late() -> Iterator[None]:
    """While it lasts, functions that Python cannot call wait for those that it can."""
    registry: Any = import_module("numba.core.registry")
    codegen = registry.cpu_target.target_context.codegen()
    library = getattr(codegen, CLASS, None)
    if not all(hasattr(library, name) for name in _NEEDED):
        yield
        return
    setattr(codegen, CLASS, _late(library))
    try:
        yield
    finally:
        setattr(codegen, CLASS, library)


class _Alone:
    """A library that waits, without what it calls: that is linked beside it."""

    def __init__(self, library: Any) -> None:
        self._reload_init = library._reload_init
        self._get_module_for_linking = lambda: library._final_module


def _alone(library: Any) -> Any:
    return _Alone(library) if getattr(library, "waits", False) else library


class _Nobody:
    """Who is told of the environment of a function that waits: it is not run, so it needs none."""

    def set_env(self, *_: Any) -> None:
        """Keep nothing."""


@cache
def _late(library: Any) -> Any:
    """Numba's class for the code of a function, made to wait."""

    class LateLibrary(library):  # type: ignore[misc]
        """The code of a function. It waits if Python cannot call it, and else is finished with all that it calls."""

        waits = False
        _finalized: bool
        _shared_module: Any

        @property
        def codegen(self) -> Any:
            return _Nobody() if self.waits else super().codegen

        def wait(self) -> None:
            """Be done as far as callers are concerned."""
            if not self._finalized:
                for function in self._final_module.functions:
                    if not function.is_declaration and function.linkage.name == "external":
                        function.linkage = "linkonce_odr"  # as Numba has it for what is linked more than once
                self.waits = self._finalized = True

        def add_linking_library(self, called: Any) -> None:
            if isinstance(called, LateLibrary):
                called.wait()
            super().add_linking_library(called)

        def get_pointer_to_function(self, name: str) -> Any:
            """The address of a function; 0 where there is none for Python to call."""
            if not any(function.name == name for function in self._final_module.functions):
                self.wait()
            return 0 if self.waits else super().get_pointer_to_function(name)

        def finalize(self) -> None:
            self._linking_libraries = [_alone(called) for called in self.find_called()]
            super().finalize()

        def find_called(self) -> list[Any]:
            """All libraries that are called from here, callers first: what nobody has called yet would be left out."""
            order: dict[Any, None] = {}

            def visit(one: Any) -> None:
                for other in one._linking_libraries if one is self or getattr(one, "waits", False) else ():
                    if other not in order:
                        visit(other)
                order[one] = None

            visit(self)
            return list(reversed(order))[1:]

        def _get_module_for_linking(self) -> Any:
            if self.waits and self._shared_module is None:
                whole = self._final_module.clone()
                for one in self.find_called():
                    whole.link_in(_alone(one)._get_module_for_linking(), preserve=True)
                self._shared_module = whole
            return super()._get_module_for_linking()

        def _optimize_final_module(self) -> None:
            """Optimise all as a whole. Nobody else calls what is linked in, so what has one caller becomes a part of it."""
            for function in self._final_module.functions:
                if not function.is_declaration and function.linkage.name == "linkonce_odr":
                    function.linkage = "internal"
            super()._optimize_final_module()

        def _optimize_functions(self, module: Any) -> None:
            module.data_layout = self._codegen._data_layout

    return LateLibrary
