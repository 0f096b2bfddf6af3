"""Minds from outside in an evening: a program, a person or a language model votes or chooses for one of its people.

They are asked at once, where something is at stake, and are waited for until one deadline. Everything that they were asked
and answered is in the record of the evening, which replays without them.

Taking part:
    OutsideMinds   the minds of an evening, by whose they are, with one deadline and one budget
    Consulted      a mind, whether it votes or chooses, and when it is asked
    named_minds    the language models that a scenario file names

What is asked:
    MindSituation  a question: what is perceived, in words and as data, and what may be done
    MindOption     an act that nothing vetoes, with the score of the person's own mind
    OutsideMind    what a mind implements: one method, `propose`, which may be a coroutine

What is answered:
    MindVote       a vote for one option, which other reasons may outweigh
    MindChoice     a choice of one option
    Asked          one question with its answer, or the reason why there is none, as it is recorded
"""

from volition.drama.mind.outside import Consulted, OutsideMinds, named_minds
from volition.minds.contract import Asked, MindChoice, MindOption, MindSituation, MindVote, OutsideMind

__all__ = [  # noqa: RUF022  in the order of the page above
    "OutsideMinds",
    "Consulted",
    "named_minds",
    "MindSituation",
    "MindOption",
    "OutsideMind",
    "MindVote",
    "MindChoice",
    "Asked",
]
