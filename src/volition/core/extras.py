"""Optional modules: which extra installs each of them, and the error that says so."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

from volition.core.errors import MissingPart, Problem

EXTRAS: Final = {
    "numba": "fast",
    "numba_cuda": "gpu",
    "gymnasium": "gym",
    "pettingzoo": "gym",
    "pyarrow": "learn",
    "minari": "learn",
    "h5py": "learn",
    "PIL": "learn",
    "httpx": "minds",
    "mujoco": "mujoco",
    "OpenGL": "mujoco",
    "ray": "ray",
    "litestar": "studio",
    "prometheus_client": "studio",
    "uvicorn": "studio",
    "sqlalchemy": "workflow",
    "cryptography": "workflow",
    "psycopg": "postgresql",
    "mcp": "agents",
    "tree_sitter": "agents",
    "tree_sitter_bash": "agents",
    "tree_sitter_c": "outline",
    "tree_sitter_c_sharp": "outline",
    "tree_sitter_cpp": "outline",
    "tree_sitter_go": "outline",
    "tree_sitter_java": "outline",
    "tree_sitter_javascript": "outline",
    "tree_sitter_php": "outline",
    "tree_sitter_ruby": "outline",
    "tree_sitter_rust": "outline",
    "tree_sitter_typescript": "outline",
}
"""Optional modules, each with the extra that installs it."""


def install_line(extra: str) -> str:
    """How to install an extra. No package index has volition: it comes from its repository, or from a wheel file.

    >>> install_line("studio")
    "pip install '.[studio]' in volition's repository, or its wheel file in place of the dot"
    """
    return f"pip install '.[{extra}]' in volition's repository, or its wheel file in place of the dot"


def not_installed(*modules: str) -> MissingPart:
    """The error for modules of one extra that are missing.

    >>> print(not_installed("litestar", "uvicorn"))
    litestar and uvicorn are not installed
      where:    this Python environment
      expected: the extra 'studio'
      remedy:   pip install '.[studio]' in volition's repository, or its wheel file in place of the dot
    """
    extra = EXTRAS[modules[0]]
    what = f"{' and '.join(modules)} {'is' if len(modules) == 1 else 'are'} not installed"
    return MissingPart(Problem(what, "this Python environment", f"the extra {extra!r}", install_line(extra)))


def require(*modules: str) -> None:
    """Raise MissingPart if one of these modules, all of one extra, is not installed. Nothing is imported."""
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        raise not_installed(*missing)
