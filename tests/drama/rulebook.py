"""The default rules, with every departure off: the rules of the specification to the letter."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import volition.drama

if TYPE_CHECKING:
    from collections.abc import Mapping

RULES: Mapping[str, Mapping[str, Any]] = tomllib.loads(
    (Path(volition.drama.__file__).parent / "scenarios" / "rules.toml").read_text(encoding="utf-8")
)
