"""A process that stands for a client: it starts the server of its settings, calls its tools and runs its hooks.

It reads steps as JSON from stdin and prints what came of each, and takes another name than Python's, as clients have. It
runs in a warm process, so that its server, which is its child, need not import everything again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.warm import fork_line

NAME = Path("/proc/self/comm")


class Server:
    """The server of the settings, spoken to over its pipes."""

    def __init__(self, words: list[str], folder: str, environment: dict[str, str]) -> None:
        assert words[0] == sys.executable
        reads, to_server = os.pipe()
        from_server, writes = os.pipe()
        client = NAME.read_text()
        NAME.write_text("python")  # what the child is called
        self._process = fork_line(words[1:], folder, environment, (reads, writes, 2))
        NAME.write_text(client)
        os.close(reads)
        os.close(writes)
        self._stdin, self._stdout = os.fdopen(to_server, "w"), os.fdopen(from_server)
        self._last = 0
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "fake", "version": "0"}}
        self.ask("initialize", about)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _send(self, message: dict[str, Any]) -> None:
        self._stdin.write(json.dumps(message) + "\n")
        self._stdin.flush()

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        """The result of a request."""
        self._last += 1
        self._send({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params})
        for line in self._stdout:
            answer = json.loads(line)
            if answer.get("id") == self._last:
                return answer.get("result") or answer
        raise EOFError("the server has ended")

    def close(self) -> None:
        """End it as clients do: by closing its pipe."""
        self._stdin.close()
        os.waitpid(self._process, 0)


def main() -> None:
    """Carry out the steps."""
    NAME.write_text("fakeclient")
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
