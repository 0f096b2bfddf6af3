"""Many decisions at once: a scenario compiled into tables, worlds as records, and one loop over all deciders."""

from __future__ import annotations

from volition.drama.company.kernel.decide import Kernel, action_of, decide_many, pack
from volition.drama.company.kernel.layout import NOTHING, RECORD, SLOTS

__all__ = ["NOTHING", "RECORD", "SLOTS", "Kernel", "action_of", "decide_many", "pack"]
