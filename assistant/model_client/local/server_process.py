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

# Without -P the folder that the program was started in would come first among the modules.
COMMAND = (sys.executable, "-P", "-m", "assistant.model_client.local.llama_server")
EXIT_TIMEOUT = 0.5  # seconds in which the end of a process is noticed after its connections broke
MAX_STDERR_BYTES = 64_000  # bytes


class ServerProcess:
    """A process that has loaded its model; it ends with `stop`, and with this program."""

    def __init__(self, process: Process, url: str) -> None:
        self._process = process
        self.url = url  # http, this computer, the port

    @property
    def running(self) -> bool:
        """Whether it was not seen to end."""
        return self._process.returncode is None

    async def settle(self) -> None:
        """Wait the moment it takes until an end that has just come is seen."""
        with suppress(TimeoutError):
            async with asyncio.timeout(EXIT_TIMEOUT):
                await self._process.wait()

    async def stop(self) -> None:
        """End it, whatever it is doing; its memory is free when this returns."""
        await _kill(self._process)


async def start_server_process(job: ServeOptions) -> ServerProcess:
    """Load a model in a process of its own; cancelling ends the process.

    Raises:
        ModelError: it could not be loaded; in llama.cpp's words why.
    """
    with TemporaryFile() as complaints:
        # In a session of its own, so that Ctrl+C in a terminal ends a request and not the model.
        process = await asyncio.create_subprocess_exec(
            *COMMAND, stdin=PIPE, stdout=PIPE, stderr=complaints, start_new_session=True
        )
        try:
            url = await _start_serving(process, job)
        except BaseException:
            await _kill(process)
            raise
        if url:
            return ServerProcess(process, url)
        await _kill(process)
        raise ModelError(_load_error(job.name, complaints), Remedy.MODEL_SETTINGS)


async def _start_serving(process: Process, job: ServeOptions) -> str:
    cast("asyncio.StreamWriter", process.stdin).write(json.dumps(asdict(job)).encode() + b"\n")
    return (await cast("asyncio.StreamReader", process.stdout).readline()).decode().strip()


async def _kill(process: Process) -> None:
    with suppress(ProcessLookupError):
        process.kill()
    await process.wait()


def _load_error(name: str, complaints: BinaryIO) -> str:
    complaints.seek(0)
    text = complaints.read(MAX_STDERR_BYTES).decode("utf-8", "replace")
    found = re.search(r"error loading model: (.+)", text)
    reason = f" ({found[1].strip()})" if found else ""
    return (
        f"llama.cpp cannot load {name}{reason}. The file may be damaged, or newer than the"
        " installed xllamacpp: pick another file, or update xllamacpp."
    )
