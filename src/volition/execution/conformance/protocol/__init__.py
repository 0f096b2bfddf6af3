"""The protocol for authors in other languages: schemas of its frames, test vectors, a recorded session."""

from __future__ import annotations

from pathlib import Path
from typing import Final

VECTORS: Final = Path(__file__).with_name("vectors")
"""The folder of `golden.json`, the arena's traces, `hostile.json`, lines that break the rules, `requests.json`,
conversations about requests that are done once, and `declared.json`, schemas of parameters, and conversations about
declared intents and episodes."""
