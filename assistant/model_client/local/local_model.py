"""A local model: loaded on demand, unloaded when idle."""

import asyncio
import os
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from assistant.model_client.endpoint import Endpoint, Timeouts
from assistant.model_client.language_model import Completion, ModelError, Prompt
from assistant.model_client.local.llama_server import ServeOptions
from assistant.model_client.local.model_file import (
    BATCH_TOKENS,
    CONTEXT_SIZES,
    ModelFile,
    format_bytes,
    free_memory,
    read_model_file,
)
from assistant.model_client.local.server_process import ServerProcess, start_server_process
from assistant.model_client.server_model import ServerModel
from tools.retry import RetryPolicy
from tools.tool_errors import Remedy

CPU_QUOTA_FILE = Path(
    "/sys/fs/cgroup/cpu.max"
)  # of a container on Linux: microseconds in every so many


def default_threads(quota: Path = CPU_QUOTA_FILE) -> int:
    """The cores that this program may use but one, at least one.

    The threads of a model wait for each other at every layer: one that has to share its core
    slows all of them, and two on two busy cores are slower than one.
    """
    import psutil  # noqa: PLC0415 — comes with an extra

    logical = os.cpu_count() or 1
    cores = psutil.cpu_count(logical=False) or logical
    return max(1, min(_affinity_cores(logical) * cores // logical, _quota_cores(quota, cores)) - 1)


def _affinity_cores(logical: int) -> int:
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return logical


def _quota_cores(quota: Path, cores: int) -> int:
    with suppress(OSError, ValueError):  # there is none, or it says "max"
        time, period = map(int, quota.read_text("ascii").split())
        return time // period
    return cores


IDLE_TIMEOUT = timedelta(minutes=10)
# Silence is the reading of a long prompt, or another request before this one; the user sees it
# and can stop it, and the end of the process ends it too.
LOCAL_TIMEOUTS = Timeouts(first=3_600, between=3_600)


@dataclass(frozen=True)
class _LoadedModel:
    process: ServerProcess
    model: ServerModel

    async def unload(self) -> None:
        try:
            await self.model.close()
        finally:
            await self.process.stop()


def _ignore(_words: str) -> None:
    pass


class LocalModel:
    """Weights of a file the person picked; belongs to the event loop that asks it first."""

    def __init__(
        self,
        path: Path,
        *,
        name: str,
        context: int | None = None,
        threads: int | None = None,
        idle: timedelta = IDLE_TIMEOUT,
        report: Callable[[str], None] = _ignore,
        free: Callable[[], int] = free_memory,
    ) -> None:
        """Remember what to serve; nothing is read or started yet.

        Args:
            path: The GGUF file, or the first part of it.
            name: What the user calls it.
            context: In tokens; None for what the model and the free memory allow.
            threads: None for all cores but one.
            idle: Nobody asking for so long, the memory is given back.
            report: Told what is being waited for, then "".
            free: Tells the bytes of memory that are free.
        """
        self.name = name
        self._path = path
        self._wished = context
        self._threads = threads
        self._idle = idle
        self._report = report
        self._free = free
        self._changing = asyncio.Lock()  # held while it is loaded or let go
        self._loaded: _LoadedModel | None = None
        self._resting: asyncio.Task[None] | None = None
        self._asking = 0

    @property
    def context(self) -> int:
        """Tokens for prompt and answer: what is loaded, or what would be if it were now."""
        if self._loaded:
            return self._loaded.model.context
        with suppress(ModelError):  # said when the model is asked
            return read_model_file(self._path).context(self._wished, self._free())
        return self._wished or CONTEXT_SIZES[0]

    async def answer(self, prompt: Prompt) -> Completion:
        """The whole answer; loads the model first where that is needed.

        Raises:
            ModelError: also where the file cannot be served, or the memory does not suffice.
        """
        async with self._in_use() as model:
            return await model.answer(prompt)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Completion]:
        """The text as it comes, then the whole answer; raises as `answer` does."""
        async with self._in_use() as model, aclosing(model.stream(prompt)) as pieces:
            async for piece in pieces:
                yield piece

    async def close(self) -> None:
        """Give the memory back; an answer still being written is cut off."""
        async with self._changing:
            self._stay_awake()
            await self._unload()

    @asynccontextmanager
    async def _in_use(self) -> AsyncIterator[ServerModel]:
        async with self._changing:
            self._stay_awake()
            loaded = await self._load()
            self._asking += 1
        try:
            yield loaded.model
        except ModelError as error:
            await self._explain(loaded.process, error)
            raise
        finally:
            self._asking -= 1
            if not self._asking:
                self._stay_awake()
                self._resting = asyncio.create_task(self._rest())

    async def _load(self) -> _LoadedModel:
        if self._loaded and self._loaded.process.running:
            return self._loaded
        await self._unload()
        file, context = await asyncio.to_thread(self._chosen)
        key = secrets.token_urlsafe(32)
        self._report(f"Loading {self.name} ({format_bytes(file.size)})…")
        try:
            process = await start_server_process(self._job(file, context, key))
        finally:
            self._report("")
        self._loaded = _LoadedModel(process, self._client(process, key, context))
        return self._loaded

    def _chosen(self) -> tuple[ModelFile, int]:
        """What is loaded, and with how many tokens of context."""
        file, free = read_model_file(self._path), self._free()
        context = file.context(self._wished, free)
        need = file.need(context, free)
        if need.fits:
            return file, context
        raise ModelError(
            f"{self.name} {need.words}. Close other programs, or choose a smaller model or a"
            " smaller context.",
            Remedy.MODEL_SETTINGS,
        )

    def _job(self, file: ModelFile, context: int, key: str) -> ServeOptions:
        return ServeOptions(
            path=str(file.path.absolute()),
            name=self.name,
            key=key,
            context=context,
            batch=BATCH_TOKENS,
            threads=self._threads or default_threads(),
            saved=file.saved(context),
        )

    def _client(self, process: ServerProcess, key: str, context: int) -> ServerModel:
        return ServerModel(
            Endpoint(f"{process.url}/v1", key),
            model=self.name,
            name=self.name,
            context=context,
            api="chat",
            timeouts=LOCAL_TIMEOUTS,
            # llama.cpp at times closes a connection just as it is used again.
            retry_policy=RetryPolicy(max_attempts=3, initial_delay=0.1),
        )

    async def _explain(self, process: ServerProcess, error: ModelError) -> None:
        await process.settle()
        if not process.running:
            words = f"{self.name} stopped in the middle. It is started anew with the next request."
            raise ModelError(words, Remedy.TRY_AGAIN) from error

    async def _rest(self) -> None:
        await asyncio.sleep(self._idle.total_seconds())
        async with self._changing:
            await self._unload()

    def _stay_awake(self) -> None:
        if self._resting:
            self._resting.cancel()
            self._resting = None

    async def _unload(self) -> None:
        if self._loaded:
            loaded, self._loaded = self._loaded, None
            await loaded.unload()
