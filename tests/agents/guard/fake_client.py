"""A process that stands for a client: it starts the server of its settings, calls its tools and runs its hooks.

`python fake_client.py SETTINGS` reads steps as JSON from stdin and prints what came of each. It uses only the standard
library, and takes another name than Python's, as clients have.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any


class Server:
    """The server of the settings, spoken to over its pipes."""

    def __init__(self, words: list[str], folder: str, environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            words, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._last = 0
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "fake", "version": "0"}}
        self.ask("initialize", about)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        """The result of a request."""
        self._last += 1
        self._send({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params})
        assert self._process.stdout is not None
        for line in self._process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self._last:
                return answer.get("result") or answer
        raise EOFError("the server has ended")

    def close(self) -> None:
        """End it as clients do: by closing its pipe."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def main() -> None:
    """Carry out the steps."""
    Path("/proc/self/comm").write_text("fakeclient")
    said = json.load(sys.stdin)
    server: Server | None = None
    for step, given in said["steps"]:
        if step == "server":
            server = Server(said["server"], said["folder"], said["environment"])
        elif step == "call":
            assert server is not None
            sys.stdout.write(json.dumps(server.ask("tools/call", given)) + "\n")
        else:
            done = subprocess.run(
                ["/bin/sh", "-c", said["hook"]],
                input=json.dumps(given), cwd=said["folder"], capture_output=True, text=True, check=False,
            )  # fmt: skip
            sys.stdout.write(json.dumps([done.returncode, done.stderr]) + "\n")
    if server is not None:
        server.close()


if __name__ == "__main__":
    main()
