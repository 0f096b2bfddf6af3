"""A language model as a mind, asked by the chat completions protocol that most servers have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from volition.minds.client import KEY_ENV, TIMEOUT_S, ChatClient, hide_key
from volition.minds.completion import INSTRUCTIONS, answer_schema, messages_of, read_choice
from volition.minds.contract import MindChoice, MindVote, Unanswered

if TYPE_CHECKING:
    from volition.minds.contract import MindSituation


class ChatMind:
    """Asks a language model to choose among the options, by its id and with a short reason.

    Args:
        url: the base of the server, such as http://localhost:8080/v1.
        model: the name of the model there.
        key_env: the environment variable with the key, which is read at each question; without one none is sent.
        temperature: 0 for the likeliest answer.
        max_tokens: how long an answer may be.
        instructions: what the model is told before the situation, in place of `INSTRUCTIONS`.
        timeout_s: how long one question may take, retries included; the deadline of the caller may be shorter.
        votes: whether an answer is a vote (MindVote) or decides (MindChoice).
        schema: whether the answer is bound by a JSON schema; turn it off for servers that refuse one.

    MissingPart names the extra to install where httpx is missing.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key_env: str = KEY_ENV,
        temperature: float = 0.0,
        max_tokens: int = 200,
        instructions: str | None = None,
        timeout_s: float = TIMEOUT_S,
        votes: bool = True,
        schema: bool = True,
    ) -> None:
        self._client = ChatClient(url, key_env=key_env, timeout_s=timeout_s)
        self.url, self.key_env, self.timeout_s = self._client.url, key_env, timeout_s
        self.model, self.votes, self.schema = model, votes, schema
        self._instructions = INSTRUCTIONS if instructions is None else instructions
        self._fixed = {"model": model, "temperature": temperature, "max_tokens": max_tokens, "stream": False}

    @property
    def label(self) -> str:
        """What this mind is called in records."""
        return f"chat:{self.model}"

    def __repr__(self) -> str:
        return f"<ChatMind {self.model!r} at {self.url}>"

    async def propose(self, situation: MindSituation, /) -> MindVote | MindChoice:
        """Ask the model; Unanswered says why there is no answer."""
        key = self._client.read_key()
        text, tokens = await self._client.complete(self._body(situation), key)
        try:
            choice, reason = read_choice(text, tokens)
        except Unanswered as error:
            raise Unanswered(error.fallback, error.fault, words=hide_key(text, key), tokens=tokens) from None
        kind = MindVote if self.votes else MindChoice
        return kind(choice, hide_key(reason, key), tokens, hide_key(text, key))

    def _body(self, situation: MindSituation) -> dict[str, Any]:
        body = {**self._fixed, "messages": messages_of(situation, self._instructions)}
        return body | {"response_format": answer_schema(situation)} if self.schema else body
