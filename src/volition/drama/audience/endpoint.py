"""A narrator that asks an endpoint for what people say. Acts stay the engine's, and templates stay at hand.

The endpoint speaks the chat completions protocol, and is asked for a few lines at the same time, each within bounds of time
and size. A reply is asked for when the line that it answers is known, so a run is rehearsed until every line is; then it is
told. What is asked, and what is given up, follows from the order of the lines and never from that of the answers.

An answer that gives away a secret which nobody has spoken is not used. Answers are cached by the content of the question, so
that a transcript can be repeated. Whatever goes wrong, the template's words are used.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from volition.core.canonical import digest
from volition.core.document import write_atomically
from volition.core.errors import VolitionError, format_value, refuse
from volition.drama.audience.dialogue import GAVE_AWAY, LONGEST, clean_line, given_away, messages_of
from volition.drama.audience.narrator import TemplateNarrator, transcript
from volition.minds.answers import judge_failure
from volition.minds.client import TIMEOUT_S, ChatClient
from volition.minds.contract import Unanswered

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from volition.drama.audience.composer import Utterance
    from volition.drama.stage.record import Run
    from volition.drama.words.phrasebook import Phrasebook

KEY_ENV: Final = "VOLITION_ENDPOINT_KEY"
AT_ONCE: Final = 4
GIVE_UP: Final = 3
"""After this many failures in a row, the endpoint is not asked again."""
MOST: Final = 2000
"""The most questions for one transcript."""


class WordEndpoint:
    """A model behind a chat completions server, which is asked for lines.

    Args:
        url: the base of the server, such as http://localhost:8080/v1.
        model: the name of the model there.
        key_env: the environment variable with the key, which is read at each question; without one none is sent.
        timeout_s: how long one answer may take, retries included.
        at_once: how many lines are asked for at the same time; 1 for a server that answers one after another.

    MissingPart names the extra to install where httpx is missing.
    """

    def __init__(
        self, url: str, model: str, *, key_env: str = KEY_ENV, timeout_s: float = TIMEOUT_S, at_once: int = AT_ONCE
    ) -> None:
        if type(at_once) is not int or at_once < 1:
            refuse(
                f"{format_value(at_once)} lines at the same time",
                where="at_once",
                expected="a number of lines, at least 1",
                remedy=f"leave it out to ask for {AT_ONCE} at the same time",
            )
        self.client = ChatClient(url, key_env=key_env, timeout_s=timeout_s)
        self.model, self.at_once = model, at_once

    def question(self, utterance: Utterance) -> LineQuestion:
        """The question for a line, as it is at this moment."""
        messages = messages_of(utterance)
        body = {"model": self.model, "messages": messages, "temperature": 0, "max_tokens": 120}
        return LineQuestion(digest({"url": self.client.url, **body}), body)

    async def ask(self, question: LineQuestion) -> str:
        """The line of an answer; Unanswered says why there is none."""
        key = self.client.read_key()
        text, _ = await self.client.complete(question.body, key)
        if key and key in text:
            raise Unanswered("invalid", "the answer repeats the key")
        return clean_line(text)


class LineQuestion(Struct, frozen=True):
    """What an endpoint is asked for a line: the body of a request, and its digest together with the address."""

    key: str
    body: dict[str, Any]


class EndpointNarrator(TemplateNarrator):
    """The built-in narrator with another's words for what people say.

    `counts` says how many lines were asked for, taken from the cache, and left to the templates; `fault` is the last reason.
    """

    def __init__(
        self, seed: int, endpoint: WordEndpoint, phrases: Phrasebook | None = None, cache: Path | None = None
    ) -> None:
        super().__init__(seed, phrases)
        self.counts: Counter[str] = Counter()
        self.fault: str | None = None
        self._seed, self._endpoint, self._cache = seed, endpoint, cache
        self._lines: dict[str, str | None] = {}
        """Question -> its line, or None where there is none."""
        self._unsaid: set[str] = set()
        """The questions that were asked, and whose lines nobody has said yet."""
        self._failures, self._succeeded, self._given_up = 0, False, False

    def rehearse(self, run: Run) -> None:
        """Ask for every line of a run: first those that answer nobody, then those that answer them, and so on."""
        while True:
            rehearsal = _Rehearsal(self._seed, self._phrases, self)
            transcript(run, rehearsal)
            if not rehearsal.wanted:
                return
            self._ask(rehearsal.wanted)

    def speak(self, utterance: Utterance) -> str:
        """The endpoint's line, or else the draft."""
        question = self._endpoint.question(utterance)
        if not self.knows(question):
            self._ask({question.key: question})
        line = self._lines[question.key]
        if line is not None and question.key not in self._unsaid:
            self.counts["cached"] += 1
        self._unsaid.discard(question.key)
        if line is not None and (secret := given_away(utterance, line)) is not None:
            self.counts["gave away"] += 1
            self.fault, line = f"{GAVE_AWAY}: {secret}", None
        if line is None:
            self.counts["templates"] += 1
            return utterance.draft
        return line

    def choose_line(self, utterance: Utterance) -> tuple[str, LineQuestion | None]:
        """What is said according to what is known so far, and the question to ask first, if there is one."""
        question = self._endpoint.question(utterance)
        if not self.knows(question):
            return utterance.draft, question
        line = self._lines[question.key]
        return (utterance.draft if line is None or given_away(utterance, line) else line), None

    def knows(self, question: LineQuestion) -> bool:
        """Whether a question need not be asked: it was, or its line is in the cache."""
        if question.key not in self._lines and (line := self._recall(question.key)) is not None:
            self._lines[question.key] = line
        return question.key in self._lines

    def _ask(self, questions: Mapping[str, LineQuestion]) -> None:
        """Ask for lines; afterwards each of the questions has its line, or none."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            asyncio.run(self._ask_in_order(questions))
        else:  # an event loop cannot wait for another in its own thread
            with ThreadPoolExecutor(1) as thread:
                thread.submit(asyncio.run, self._ask_in_order(questions)).result()
        for key in questions:
            self._lines.setdefault(key, None)

    async def _ask_in_order(self, questions: Mapping[str, LineQuestion]) -> None:
        """Send a question when all but a few of those before it are judged, in their order and not in that of the answers."""
        waiting, sent = deque(questions.values()), deque[tuple[str, asyncio.Task[str]]]()
        try:
            while waiting or sent:
                while waiting and len(sent) < self._most_sent():
                    question = waiting.popleft()
                    self.counts["asked"] += 1
                    sent.append((question.key, asyncio.create_task(self._endpoint.ask(question))))
                if not sent:
                    return
                key, task = sent.popleft()
                await asyncio.wait([task])
                self._judge(key, task)
        finally:
            for _, task in sent:
                task.cancel()
            await self._endpoint.client.close()

    def _most_sent(self) -> int:
        """How many questions may be on their way: before an answer has come, and after a failure, only as many as may fail."""
        if self._given_up or self.counts["asked"] >= MOST:
            return 0
        return self._endpoint.at_once if self._succeeded else min(self._endpoint.at_once, GIVE_UP - self._failures)

    def _judge(self, key: str, task: asyncio.Task[str]) -> None:
        """Keep a line, or count a failure."""
        try:
            line = task.result()
        except Exception as error:  # noqa: BLE001  a story is told whole, whatever a line fails for
            self.fault = judge_failure(error).fault
            self._failures, self._succeeded = self._failures + 1, False
            self._given_up = self._given_up or self._failures >= GIVE_UP
            return
        self._failures, self._succeeded = 0, True
        self._lines[key] = line
        self._unsaid.add(key)
        self._remember(key, line)

    def _recall(self, key: str) -> str | None:
        """A line of the cache; one that cannot be read counts as missing."""
        if self._cache is None:
            return None
        try:
            return clean_line(self._cache.joinpath(f"{key}.txt").read_text(encoding="utf-8")[: 2 * LONGEST])
        except (OSError, ValueError, Unanswered):
            return None

    def _remember(self, key: str, line: str) -> None:
        if self._cache is not None:
            try:
                self._cache.mkdir(parents=True, exist_ok=True)
                write_atomically(self._cache / f"{key}.txt", line.encode())
            except (OSError, VolitionError) as error:
                self.fault = f"the cache cannot be written: {error}"


class _Rehearsal(TemplateNarrator):
    """Tells a run with the lines that are known, and collects the questions for others that can be asked by now."""

    def __init__(self, seed: int, phrases: Phrasebook | None, narrator: EndpointNarrator) -> None:
        super().__init__(seed, phrases)
        self.wanted: dict[str, LineQuestion] = {}
        self._narrator = narrator
        self._open: set[tuple[str, str]] = set()
        """Drafts in place of lines that are not known yet, each with its event."""

    def speak(self, utterance: Utterance) -> str:
        if (utterance.event.id, utterance.before) in self._open:
            line = utterance.draft  # what it answers is not known yet
        else:
            line, question = self._narrator.choose_line(utterance)
            if question is None:
                return line
            self.wanted[question.key] = question
        self._open.add((utterance.event.id, utterance.draft))
        return line
