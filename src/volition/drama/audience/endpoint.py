"""A narrator that asks an endpoint for what people say. Acts stay the engine's, and templates stay at hand.

The endpoint speaks the chat completions protocol, and is asked for one answer at a time, within bounds of time and size. It
is told who speaks, to whom, what they are doing, and what the speaker knows; never what the speaker does not know, and of
secrets that nobody has spoken only the kind. An answer that gives such a secret away is not used. Answers are cached by the
content of the question, so that a transcript can be repeated. Whatever goes wrong, the template's words are used.
"""

from __future__ import annotations

import json
import re
import socket
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from threading import Timer
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from volition.core.canonical import digest
from volition.core.document import write_atomically
from volition.core.errors import VolitionError, refuse
from volition.drama.audience.moment import relations
from volition.drama.audience.narrator import TemplateNarrator
from volition.drama.audience.prose import short_names
from volition.drama.rules.catalog import Belief

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from volition.drama.audience.composer import Utterance
    from volition.drama.evening.world import WorldState
    from volition.drama.words.phrasebook import Phrasebook
    from volition.drama.world.model import Scenario, Secret

TIMEOUT_S: Final = 20.0
LIMIT_BYTES: Final = 64 * 1024
_PATH: Final = "/chat/completions"
GIVE_UP: Final = 3
"""After this many failures in a row, the endpoint is not asked again."""
MOST: Final = 2000
"""The most questions for one transcript."""
LONGEST: Final = 400
"""The longest line that is taken, in letters."""
SEEN: Final = 6
"""How many of the last events that the speaker saw are mentioned."""

GAVE_AWAY: Final = "the answer gives away a secret that nobody has spoken"
_COMMON: Final = frozenset(
    {"that", "this", "with", "from", "have", "been", "they", "them", "their", "what", "which", "were", "will"}
)

SYSTEM: Final = (
    "You write one line of dialogue for a character in a story. You get the moment as JSON: the speaker with voice and "
    "knowledge, the listener, the place, what the speaker does, and a draft. Say the same thing as the draft, in the "
    "speaker's voice. Add no facts and no names that are not given. Answer with the line alone: one sentence or two, "
    "without quotation marks, names before it, or stage directions."
)
_DOES: Final = {
    "asked": "asks about it without saying what it is",
    "evaded": "avoids the question",
    "denied": "denies it, which is a lie",
    "accused": "accuses the listener of it",
    "confessed": "admits it",
    "told": "tells the listener about it",
    "retort": "fends off an accusation",
    "quarrel": "quarrels",
    "hinted": "hints at it without saying what it is",
    "asked.heard": "asks whether what was said aloud is true",
    "wrong": "reproaches the listener for something done to them",
    "forgive": "forgives the listener",
    "break": "breaks with the listener",
    "covered": "denies it for somebody else's sake, which is a lie",
    "comfort": "comforts the listener",
    "feeling": "says what they feel",
    "feeling.answers": "answers somebody who has said what they feel",
    "toast": "proposes a toast",
}


class EndpointFailed(Exception):
    """The endpoint gave no usable answer; its text says why."""


@dataclass(frozen=True, slots=True)
class WordEndpoint:
    """Where to ask, for which model, and how much time and how many bytes one answer may take.

    `url` is the base, such as http://localhost:8080/v1; `key` is sent as a bearer token if there is one.
    """

    url: str
    model: str
    key: str | None = None
    timeout_s: float = TIMEOUT_S
    limit_bytes: int = LIMIT_BYTES

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            refuse(
                f"{self.url!r} is no address of an endpoint",
                where="the endpoint",
                expected="an http or https address",
                remedy="write it like http://localhost:8080/v1",
            )

    def body(self, messages: Sequence[dict[str, str]]) -> dict[str, Any]:
        """The body of a request: all that an answer depends on."""
        return {"model": self.model, "messages": list(messages), "temperature": 0, "max_tokens": 120}

    def ask(self, body: dict[str, Any]) -> str:
        """The text of the answer; EndpointFailed for anything else, after at most `timeout_s` for connecting and for it."""
        try:
            return _content(self._post(json.dumps(body).encode()))
        except (OSError, HTTPException, ValueError) as error:
            raise EndpointFailed(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__) from None

    def _post(self, data: bytes) -> bytes:
        parts = urlsplit(self.url)
        assert parts.hostname is not None
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        connection = kind(parts.hostname, parts.port, timeout=self.timeout_s)
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Connection": "close"}
        if self.key is not None:
            headers["Authorization"] = f"Bearer {self.key}"
        try:
            connection.connect()
            # A timeout of the socket starts again with every byte, so a server that drips is cut off by a timer.
            cut = Timer(self.timeout_s, _shut, [connection.sock])
            cut.daemon = True
            cut.start()
            try:
                connection.request("POST", parts.path.rstrip("/") + _PATH, data, headers)
                response = connection.getresponse()
                answer = response.read(self.limit_bytes + 1)
            finally:
                cut.cancel()
        finally:
            connection.close()
        if response.status != 200:
            raise ValueError(f"the endpoint answered with status {response.status}")
        if len(answer) > self.limit_bytes:
            raise ValueError(f"the answer is larger than {self.limit_bytes} bytes")
        return answer


def _shut(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _content(answer: bytes) -> str:
    """The text in a chat completion."""
    try:
        content = json.loads(answer)["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError, RecursionError):
        raise ValueError("the answer is no chat completion") from None
    if not isinstance(content, str):
        raise ValueError("the answer has no text")  # noqa: TRY004  an unusable answer is one kind of failure
    return content


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
        self._endpoint, self._cache = endpoint, cache
        self._known: dict[str, str] = {}
        self._failures = 0

    def speak(self, utterance: Utterance) -> str:
        """The endpoint's line, or else the draft."""
        body = self._endpoint.body(messages_of(utterance))
        key = digest({"url": self._endpoint.url, **body})
        line = self._known.get(key) or self._recall(key)
        if line is not None:
            self.counts["cached"] += 1
        elif self._failures < GIVE_UP and self.counts["asked"] < MOST:
            line = self._ask(body)
            if line is not None:
                self._remember(key, line)
        if line is not None and (secret := given_away(utterance, line)) is not None:
            self.counts["gave away"] += 1
            self.fault, line = f"{GAVE_AWAY}: {secret}", None
        if line is None:
            self.counts["templates"] += 1
            return utterance.draft
        self._known[key] = line
        return line

    def _ask(self, body: dict[str, Any]) -> str | None:
        self.counts["asked"] += 1
        try:
            line = clean_line(self._endpoint.ask(body))
        except EndpointFailed as error:
            self.fault, line = str(error), None
        self._failures = self._failures + 1 if line is None else 0
        return line

    def _recall(self, key: str) -> str | None:
        """A line of the cache; one that cannot be read counts as missing."""
        if self._cache is None:
            return None
        try:
            return clean_line(self._cache.joinpath(f"{key}.txt").read_text(encoding="utf-8")[: 2 * LONGEST])
        except (OSError, ValueError, EndpointFailed):
            return None

    def _remember(self, key: str, line: str) -> None:
        if self._cache is not None:
            try:
                self._cache.mkdir(parents=True, exist_ok=True)
                write_atomically(self._cache / f"{key}.txt", line.encode())
            except (OSError, VolitionError) as error:
                self.fault = f"the cache cannot be written: {error}"


def messages_of(utterance: Utterance) -> list[dict[str, str]]:
    """The question for a line: instructions, and the moment as the speaker knows it."""
    moment = json.dumps(moment_of(utterance), ensure_ascii=False, sort_keys=True)
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": moment}]


def moment_of(utterance: Utterance) -> dict[str, Any]:
    """All that the endpoint is told: nothing that the speaker does not know, and no secret that nobody has spoken."""
    world, event, who = utterance.world, utterance.event, utterance.speaker
    scenario, names = world.scenario, short_names(world.scenario)
    me = scenario.people[who]
    kind = utterance.pool.split(".")[-1 if utterance.pool.startswith("secrets.") else 0]
    moment: dict[str, Any] = {
        "speaker": {"name": names[who], "pronouns": _pronoun(me.pronouns), "voice": list(me.voice), "role": me.role},
        "place": scenario.rooms[event.room].name,
        "minute": round(event.minutes),
        "does": _DOES.get(utterance.pool) or _DOES.get(kind, "makes conversation"),
        "draft": utterance.draft,
        "knows": knowledge(world, who, utterance.spoken),
        "has_just_seen": _just_seen(world, who, names),
    }
    if utterance.listener is not None:
        other = scenario.people[utterance.listener]
        moment["listener"] = {
            "name": names[other.id],
            "pronouns": _pronoun(other.pronouns),
            "relation": list(relations(scenario, who, other.id)),
        }
    if utterance.before:
        moment["was_just_told"] = utterance.before
    return moment


def given_away(utterance: Utterance, line: str) -> str | None:
    """The id of a secret that nobody has spoken and that a line gives away; None if it keeps them all.

    A line gives a secret away if it has at least two of its words, and a third of them, that are not in the draft.
    """
    said = _words(line) - _words(utterance.draft)
    for secret in utterance.world.scenario.secrets.values():
        words = _words(secret.description)
        shared = words & said
        if secret.id not in utterance.spoken and len(shared) >= max(2, len(words) / 3):
            return secret.id
    return None


def _words(text: str) -> set[str]:
    """The words of a text that say something, without their endings."""
    words = re.findall(r"[^\W\d_]+", text.lower().replace("'s", ""))
    return {re.sub(r"(?:ing|ed|es|s)$", "", word) for word in words if len(word) > 3 and word not in _COMMON}


def knowledge(world: WorldState, who: str, spoken: Collection[str] = ()) -> list[str]:
    """What `who` knows, suspects or wrongly rules out of the secrets of an evening, in words; `spoken` are no secrets now."""
    beliefs = world.agents[who].beliefs
    secrets = world.scenario.secrets.values()
    lines = (_belief(world.scenario, secret, beliefs[secret.id], secret.id in spoken) for secret in secrets)
    return [line for line in lines if line]


def _belief(scenario: Scenario, secret: Secret, belief: Belief, is_spoken: bool) -> str:
    about = f", about {short_names(scenario)[secret.about]}" if secret.about is not None else ""
    match belief:
        case Belief.BELIEVES_TRUE:
            hidden = f"knows something of the kind '{secret.content}'{about}, and must not say what"
            return f"knows: {secret.description}" if is_spoken else hidden
        case Belief.SUSPECTS:
            return f"suspects something of the kind '{secret.content}'{about}"
        case Belief.BELIEVES_FALSE:
            return f"has been assured that there is nothing of the kind '{secret.content}'{about}"
    return ""


def _just_seen(world: WorldState, who: str, names: dict[str, str]) -> list[str]:
    seen = [happening for happening in world.recent if who in happening.seen_by][-SEEN:]
    return [
        f"{names[happening.source]}: {happening.type.name.lower()}"
        + (f" with {', '.join(names[other] for other in happening.targets)}" if happening.targets else "")
        for happening in seen
    ]


def clean_line(text: str) -> str:
    """A line as a transcript can hold it; EndpointFailed if it cannot.

    >>> clean_line(' "Well.  I never" ')
    'Well. I never.'
    """
    line = " ".join(text.replace("*", "").replace("#", "").split()).translate({ord(mark): "'" for mark in '"“”„'})
    if len(line) > 1 and line[0] == line[-1] == "'":
        line = line[1:-1].strip()
    if not line.strip("'") or len(line) > LONGEST or not line.isprintable():
        raise EndpointFailed("the answer is no line of dialogue")
    return line if line[-1] in ".!?…—" else line + "."


def _pronoun(pronouns: str | tuple[str, ...]) -> str:
    return pronouns if isinstance(pronouns, str) else "/".join(pronouns)
