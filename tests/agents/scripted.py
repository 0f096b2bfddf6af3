"""Models on this machine that ask a client for one call after the other, and remember what they were told."""

from __future__ import annotations

import http.server
import json
import re
import threading
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tests.processes import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Said = dict[str, Any]
Line = Said | Callable[[Said], Said]
"""What a model asks for: a call, or what makes one from all that it was told so far."""


class ScriptedModel(http.server.ThreadingHTTPServer):
    """A model with a script for each thread that talks to it, in the order in which they begin: the agent, then a subagent.

    The agent's last call comes when the subagent has nothing more to say, so that their order is known.
    """

    def __init__(self, *scripts: Sequence[Line]) -> None:
        super().__init__(("127.0.0.1", 0), self.handler)
        self.scripts = scripts
        self.threads: dict[str, list[Said]] = {}
        self._over = threading.Event()

    handler: type[http.server.BaseHTTPRequestHandler]

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def next_call(self, thread: str, request: Said) -> Said | None:
        """What the model asks for next in a thread; None once its script is over."""
        seen = self.threads.setdefault(thread, [])
        number = list(self.threads).index(thread)
        script = self.scripts[number]
        seen.append(request)
        if number == 1 and len(seen) > len(script):
            self._over.set()
        if number == 0 and len(self.scripts) > 1 and len(seen) == len(script):
            self._over.wait(PATIENCE)
        line = script[len(seen) - 1] if len(seen) <= len(script) else None
        return line(request) if callable(line) else line

    @property
    def told(self) -> list[Said]:
        """The last request of the agent, and of the subagent if there was one: all that each was told."""
        return [seen[-1] for seen in self.threads.values()]


class _Handler(http.server.BaseHTTPRequestHandler):
    server: ScriptedModel
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def _read(self) -> Said:
        request: Said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        return request

    def _send(self, *events: Said) -> None:
        body = "".join(f"data: {json.dumps(event)}\r\n\r\n" for event in events).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class _Responses(_Handler):
    """As Codex asks: `POST /v1/responses`, with the thread in a header."""

    def do_POST(self) -> None:
        found = self.server.next_call(self.headers.get("thread-id", ""), self._read())
        end = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]}
        item = {"type": "response.output_item.done", "item": found or end}
        self._send(item, {"type": "response.completed", "response": {"id": "r"}})


class _Contents(_Handler):
    """As Gemini CLI asks: `POST .../MODEL:streamGenerateContent`."""

    def do_POST(self) -> None:
        found = self.server.next_call("", self._read())
        part = {"functionCall": found} if found else {"text": "done"}
        content = {"role": "model", "parts": [part]}
        self._send({"candidates": [{"content": content, "finishReason": "STOP", "index": 0}]})


class CodexModel(ScriptedModel):
    """A model for Codex."""

    handler = _Responses


class GeminiModel(ScriptedModel):
    """A model for Gemini CLI."""

    handler = _Contents


@contextmanager
def serve_model(model: ScriptedModel) -> Iterator[None]:
    """Serve a model inside the block."""
    thread = threading.Thread(target=model.serve_forever)
    thread.start()
    try:
        yield
    finally:
        model.shutdown()
        thread.join()
        model.server_close()


def codex_call(id: str, tool: str, arguments: Said, **more: str) -> Said:
    """A call as a model of Codex asks for it."""
    return {"type": "function_call", "call_id": id, "name": tool, "arguments": json.dumps(arguments), **more}


def codex_outputs(request: Said) -> dict[str, str]:
    """What came of every call so far, by its id."""
    found = [item for item in request["input"] if item["type"] == "function_call_output"]
    return {item["call_id"]: str(item["output"]) for item in found}


def gemini_outputs(request: Said) -> list[str]:
    """What came of every call so far, in order."""
    parts = [part for content in request["contents"] for part in content["parts"]]
    return [str(part["functionResponse"]["response"]) for part in parts if "functionResponse" in part]


def granted_plan(said: str) -> Said:
    """The plan and the token in the answer to a proposal, however a client wraps it."""
    flat = said.replace("\\", "").replace(" ", "")
    plan, token = re.search(r'"plan(?:_id)?":"(intent_\w+)"', flat), re.search(r'"token":(\d+)', flat)
    assert plan is not None, said
    assert token is not None, said
    return {"plan_id": plan[1], "token": int(token[1])}
