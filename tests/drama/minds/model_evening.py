"""An evening in which a small language model votes for a guest; run as a program, it writes the page that shows one.

The page is `docs/model-evening.md`, with the transcript beside it. It needs the model, which `make minds` installs.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from tests.minds.model import NAME, serving_model
from tests.processes import PATIENCE, ROOT
from volition.drama import play, scenario
from volition.drama.minds import Consulted, OutsideMinds
from volition.minds import Budget, ChatMind

if TYPE_CHECKING:
    from volition.drama import Evening
    from volition.minds import Asked

GUEST: Final = "victor"
SEED: Final = 24
PAGE: Final = ROOT / "docs" / "model-evening.md"
TRANSCRIPT: Final = PAGE.with_suffix(".txt")
_HEAD: Final = """# An evening with a language model

SmolLM2, a language model with 135 million parameters, on one thread, votes for {name} in the evening of seed {seed}:
`volition play --seed {seed} --mind {guest}=http://127.0.0.1:PORT/v1#{model}`. It is asked where a dramatic act is among his five best,
{asked} times in all, for {tokens:,} tokens. {turned} of its votes turned a choice. A model as small as this has little to say. What
the page shows is what becomes of it: each vote is one reason among others, under every veto, and the evening is told,
verified and explained from its record, without the model.
"""


def play_with_model(url: str, seed: int = SEED) -> Evening:
    """The evening, with the model at this address as one voter of the guest."""
    model = Consulted(ChatMind(url, NAME, timeout_s=PATIENCE), weight=0.5)
    minds = OutsideMinds({GUEST: model}, deadline_s=PATIENCE, budget=Budget(calls=60))
    return play(scenario("dinner-party"), seed, outside=minds)


def _describe_vote(evening: Evening, tick: int, asked: Asked) -> str:
    decision = evening.decision(tick, GUEST)
    alone = decision.what_if(without="outside", shadow=True)
    turned = f" Without it: `{alone.after}`." if alone.changed else ""
    reason = f' ("{asked.reason}")' if asked.reason else ""
    said = f"{asked.fallback}: {asked.fault}" if asked.fallback else f"voted for `{asked.choice}`{reason}"
    return f"- tick {tick}: {said}.{turned} Chosen: `{decision.id}`."


def _write_page(evening: Evening) -> str:
    asked = {tick.tick: tick.asked[GUEST] for tick in evening.run.ticks if GUEST in tick.asked}
    turned = [tick for tick in asked if evening.decision(tick, GUEST).what_if(without="outside", shadow=True).changed]
    first = (turned or list(asked))[0]
    head = _HEAD.format(
        name=evening.scenario.people[GUEST].name,
        seed=evening.seed,
        guest=GUEST,
        model=NAME,
        asked=len(asked),
        tokens=sum(one.tokens for one in asked.values()),
        turned=len(turned),
    )
    votes = "\n".join(_describe_vote(evening, tick, one) for tick, one in asked.items())
    why = evening.decision(first, GUEST).why().text
    told = f"[The whole evening, as it is told]({TRANSCRIPT.name})."
    parts = [head.rstrip(), "## What it said", votes, f"At tick {first}, in full:", f"> {why}", told]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    with serving_model() as served:
        played = play_with_model(served)
    played.verify()
    PAGE.write_text(_write_page(played), encoding="utf-8")
    TRANSCRIPT.write_text(played.transcript(), encoding="utf-8")
    sys.stdout.write(f"wrote {PAGE.name}\n")
