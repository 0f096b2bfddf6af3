"""The key with which tests and benchmarks sign, so that they neither make nor read the key of whoever runs them."""

from __future__ import annotations

import base64
import os

VARIABLE = "VOLITION_KEY"
AGENTS = "VOLITION_AGENT_KEY"


def use_test_key() -> None:
    """Sign with keys that everybody knows, one of a person and one of their agents, in this process and in those that it starts."""
    os.environ[VARIABLE] = key_text(bytes(range(32)))
    os.environ[AGENTS] = key_text(bytes(range(1, 33)))


def key_text(secret: bytes) -> str:
    """An Ed25519 private key of 32 bytes as a file holds it: PEM around the fixed head of RFC 8410."""
    content = base64.b64encode(bytes.fromhex("302e020100300506032b657004220420") + secret).decode()
    kind = "PRIVATE KEY"
    return f"-----BEGIN {kind}-----\n{content}\n-----END {kind}-----\n"
