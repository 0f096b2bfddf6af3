"""Minds from outside in an evening: a program, a person or a language model votes or chooses for one of its people.

They are asked at once, where something is at stake, and are waited for until one deadline. Everything that they were asked
and answered is in the record of the evening, which replays without them. Questions and answers are those of `volition.minds`;
the options are acts that nothing vetoes, each with the score of the person's own mind.

    OutsideMinds  the minds of an evening, by whose they are, with one deadline and one budget
    Consulted     a mind, whether it votes or chooses, and when it is asked
    named_minds   the language models that a scenario file names
"""

from volition.drama.mind.outside import Consulted, OutsideMinds, named_minds

__all__ = ["OutsideMinds", "Consulted", "named_minds"]  # noqa: RUF022  in the order of the page above
