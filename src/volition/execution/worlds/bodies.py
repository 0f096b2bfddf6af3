"""The bodies that come as examples to copy: each is a folder beside the package, with an executor and a mind for it."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Final

from volition.core.errors import did_you_mean, refuse

if TYPE_CHECKING:
    from types import ModuleType

_SHIPPED: Final = Path(__file__).parents[1] / "bodies"
_CHECKOUT: Final = Path(__file__).parents[4] / "bodies"


def body_folder(body: str) -> Path:
    """The folder of a body; InvalidInput where there is none of this name."""
    root = _SHIPPED if _SHIPPED.exists() else _CHECKOUT
    known = sorted(folder.name for folder in root.iterdir() if folder.is_dir() and folder.name.isidentifier())
    if body not in known:
        refuse(f"{body!r} is not a body", where="body", expected="the name of one", remedy=did_you_mean(body, known))
    return root / body


def body_files(body: str) -> dict[str, Path]:
    """The files of a body by name; those that tools leave behind are left out."""
    folder = body_folder(body)
    files = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    return {name: path for name, path in files.items() if "__pycache__" not in name}


def load_body(body: str, module: str) -> ModuleType:
    """A module of a body that is written in Python; its folder is a package, which is not on the path."""
    package = f"volition_body_{body}"
    if package not in sys.modules:
        folder = body_folder(body)
        spec = spec_from_file_location(package, folder / "__init__.py", submodule_search_locations=[str(folder)])
        assert spec is not None
        assert spec.loader is not None
        sys.modules[package] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules[package])
    return import_module(f"{package}.{module}")
