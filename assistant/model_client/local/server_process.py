"""The llama.cpp server process, seen from its parent."""

import asyncio
import json
import re
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from dataclasses import asdict
from tempfile import TemporaryFile
from typing import BinaryIO, cast

from assistant.model_client.language_model import ModelError
from assistant.model_client.local.llama_server import ServeOptions
from tools.tool_errors import Remedy

# Without -P the current folder would come first in the module search path.
COMMAND = (sys.executable, "-P", "-m", "assistant.model_client.local.llama_server")
EXIT_TIMEOUT = 0.5  # seconds until an exit is noticed after the connections broke
MAX_STDERR_BYTES = 64_000  # bytes


class ServerProcess:
    """A child process with a loaded model; it exits with `stop`, or with this program."""

    def __init__(self, process: Process, url: str) -> None:
        self._process = process
        self.url = url  # http, loopback address, port

    @property
    def running(self) -> bool:
        """Whether no exit was noticed yet."""
        return self._process.returncode is None

    async def wait_briefly(self) -> None:
        """Wait for an exit that has just happened to be noticed."""
        with suppress(TimeoutError):
            async with asyncio.timeout(EXIT_TIMEOUT):
                await self._process.wait()

    async def stop(self) -> None:
        """Kill the process; its memory is free when this returns."""
        await _kill(self._process)


async def start_server_process(options: ServeOptions) -> ServerProcess:
    """Load a model in a child process; cancelling kills the process.

    Raises:
        ModelError: the model could not be loaded, with llama.cpp's reason.
    """
    with TemporaryFile() as stderr:
        # In its own session, so that Ctrl+C in a terminal stops a request and not the model.
        process = await asyncio.create_subprocess_exec(
            *COMMAND, stdin=PIPE, stdout=PIPE, stderr=stderr, start_new_session=True
        )
        try:
            url = await _start_serving(process, options)
        except BaseException:
            await _kill(process)
            raise
        if url:
            return ServerProcess(process, url)
        await _kill(process)
        raise ModelError(_load_error(options.name, stderr), Remedy.MODEL_SETTINGS)


async def _start_serving(process: Process, options: ServeOptions) -> str:
    """Send the options and return the server's URL; "" if the process exited."""
    cast("asyncio.StreamWriter", process.stdin).write(json.dumps(asdict(options)).encode() + b"\n")
    return (await cast("asyncio.StreamReader", process.stdout).readline()).decode().strip()


async def _kill(process: Process) -> None:
    with suppress(ProcessLookupError):
        process.kill()
    await process.wait()


def _load_error(name: str, stderr: BinaryIO) -> str:
    stderr.seek(0)
    text = stderr.read(MAX_STDERR_BYTES).decode("utf-8", "replace")
    found = re.search(r"error loading model: (.+)", text)
    reason = f" ({found[1].strip()})" if found else ""
    return (
        f"llama.cpp cannot load {name}{reason}. The file may be damaged, or newer than the"
        " installed xllamacpp: pick another file, or update xllamacpp."
    )
