"""Minds from outside: a program, a person or a language model votes under the engine's vetoes, and nothing waits for it.

What is asked:
    MindSituation  a question: what is perceived, and what may be done
    MindOption     something that may be done
    OutsideMind    what a mind implements: one method, `propose`
    seconds_left   how long the mind that is being asked may still take

What is answered:
    MindVote       a vote for one option
    MindChoice     a choice of one option
    Unanswered     raised by a mind that knows why it has none
    FALLBACKS      the reasons why the engine decides without a mind

Asking:
    ask_all        asks several minds at once, until one deadline
    Budget         the limits of a run
    Spending       what a run has used of them
    ChatMind       a language model behind a chat completions server
    voter          a mind as one heuristic of an arbitration

Recording:
    Asked          one question with its answer, or the reason why there is none
    MindRecord     the questions of a run, from which it is repeated without its minds
    NotRecorded    a question that the recorded run did not ask
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.core.lazy import lazy_names
from volition.minds.budget import Budget, Spending
from volition.minds.contract import (
    FALLBACKS,
    Asked,
    MindChoice,
    MindOption,
    MindSituation,
    MindVote,
    OutsideMind,
    Unanswered,
)
from volition.minds.record import MindRecord, NotRecorded

if TYPE_CHECKING:
    from volition.minds.asking import ask_all
    from volition.minds.chat import ChatMind
    from volition.minds.voting import voter
    from volition.minds.workers import seconds_left

__all__ = [  # noqa: RUF022  in the order of the page above
    "MindSituation",
    "MindOption",
    "OutsideMind",
    "seconds_left",
    "MindVote",
    "MindChoice",
    "Unanswered",
    "FALLBACKS",
    "ask_all",
    "Budget",
    "Spending",
    "ChatMind",
    "voter",
    "Asked",
    "MindRecord",
    "NotRecorded",
]

# These load asyncio, which takes as long as the rest of an evening's modules: whoever only reads records needs none of it.
__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "volition.minds.asking": "ask_all",
        "volition.minds.chat": "ChatMind",
        "volition.minds.voting": "voter",
        "volition.minds.workers": "seconds_left",
    },
)
