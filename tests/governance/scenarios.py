"""The four common situations as documents: the samples that the evaluator ships with.

`python -m tests.governance.scenarios` writes them to `tests/governance/examples`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from volition.core.document import dump_json
from volition.governance.drafts.samples import samples

if TYPE_CHECKING:
    from collections.abc import Callable

EXAMPLES = Path(__file__).parent / "examples"

Data = dict[str, Any]


def _documents(name: str) -> Callable[[], list[Data]]:
    def make() -> list[Data]:
        intent_set, intents = samples()[name]
        return [intent_set, *intents.values()]

    return make


SCENARIOS = {name: _documents(name) for name in ("read_only", "clear_priority", "same_target", "dependency")}
"""The guide's four situations."""


def files() -> dict[str, str]:
    """The text of every example, by its path below `examples`."""
    return {
        f"{name}/{'set' if document['type'] == 'intent_set' else document['id']}.json": dump_json(document)
        for name, make in SCENARIOS.items()
        for document in make()
    }


if __name__ == "__main__":
    for place, text in files().items():
        path = EXAMPLES / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
