"""Chat completions: what is sent to a language model, and what is read out of its answer."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

import orjson

from volition.minds.contract import Unanswered

if TYPE_CHECKING:
    from volition.minds.contract import MindSituation

INSTRUCTIONS: Final = (
    "You decide for somebody. You get their situation and a numbered list of everything that they can do now. Choose "
    "exactly one entry. Answer with JSON alone: as `choice` its id, and as `reason` why they do it, in a short sentence."
)
_CUT_OFF: Final = re.compile(r'\s*\{\s*"choice"\s*:\s*"([^"\\]+)"\s*,')
"""The beginning of an answer whose reason was longer than the model may write."""
MOST_TRIES: Final = 16
"""How many places of a text are tried as the beginning of an answer."""


def messages_of(situation: MindSituation, instructions: str = INSTRUCTIONS) -> list[dict[str, str]]:
    """The question for a language model: instructions, the situation in words, and the options by number."""
    options = (
        f"{number}. {option.words} (id: {option.id})" if option.words else f"{number}. {option.id}"
        for number, option in enumerate(situation.options, 1)
    )
    asked = "\n".join([situation.words, "", f"What {situation.who} can do now, by id:", *options])
    return [{"role": "system", "content": instructions}, {"role": "user", "content": asked.lstrip()}]


def answer_schema(situation: MindSituation) -> dict[str, Any]:
    """The response format that binds an answer to one of the options."""
    properties = {"choice": {"type": "string", "enum": list(situation.ids)}, "reason": {"type": "string"}}
    schema = {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}
    return {"type": "json_schema", "json_schema": {"name": "choice", "strict": True, "schema": schema}}


def read_completion(data: bytes) -> tuple[str, int]:
    """The text of a chat completion and the tokens that it cost; Unanswered where it is none, or the model refuses."""
    try:
        answer = orjson.loads(data)
        message = answer["choices"][0]["message"]
        text, refusal = message.get("content"), message.get("refusal")
    except (orjson.JSONDecodeError, KeyError, IndexError, TypeError, AttributeError):
        start = data[:200].decode("utf-8", "replace")
        raise Unanswered("invalid", "the answer is no chat completion", words=start) from None
    tokens = _tokens(answer.get("usage"))
    if isinstance(refusal, str) and refusal:
        raise Unanswered("silent", f"the model refuses: {refusal}", words=refusal, tokens=tokens)
    if not isinstance(text, str):
        raise Unanswered("invalid", "the answer has no text", tokens=tokens)
    return text, tokens


def read_choice(text: str, tokens: int = 0) -> tuple[str, str]:
    """The id and the reason in the text of an answer: JSON, also where other words are around it, or its end is cut off.

    >>> read_choice('Well: {"choice": "stay", "reason": "It rains."}')
    ('stay', 'It rains.')
    >>> read_choice('{"choice": "stay", "reason": "It rains, and it has rained ever sin')
    ('stay', '')
    """
    reader, start = json.JSONDecoder(), -1
    for _ in range(MOST_TRIES):
        start = text.find("{", start + 1)
        if start < 0:
            break
        try:
            data, _ = reader.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if isinstance(data, dict) and isinstance(data.get("choice"), str):
            reason = data.get("reason")
            return data["choice"].strip(), reason if isinstance(reason, str) else ""
    if cut := _CUT_OFF.match(text):
        return cut[1].strip(), ""
    raise Unanswered("invalid", "the answer names no choice", words=text, tokens=tokens)


def _tokens(usage: Any) -> int:
    """What an answer cost, as far as the server says something that can be true."""
    total = usage.get("total_tokens") if isinstance(usage, dict) else None
    return total if type(total) is int and 0 <= total < 10**9 else 0
