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

CPU_QUOTA_FILE = Path("/sys/fs/cgroup/cpu.max")  # of a Linux container: quota and period in µs
IDLE_TIMEOUT = timedelta(minutes=10)
# A server is silent while it reads a long prompt or serves another request; the user sees that and
# can cancel, and an exit of the process is noticed.
LOCAL_TIMEOUTS = Timeouts(first_byte=3_600, between_chunks=3_600)


def default_threads(quota: Path = CPU_QUOTA_FILE) -> int:
    """Return one less than the usable cores, at least one.

    The threads of a model wait for each other at every layer: one on a busy core slows down all of
    them, and two on two busy cores are slower than one.
    """
    import psutil  # noqa: PLC0415 — an extra

    logical = os.cpu_count() or 1
    cores = psutil.cpu_count(logical=False) or logical
    allowed = logical
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        allowed = len(os.sched_getaffinity(0))
    return max(1, min(allowed * cores // logical, _quota_cores(quota, cores)) - 1)


def _quota_cores(quota: Path, cores: int) -> int:
    with suppress(OSError, ValueError):  # no such file, or "max" in it
        time, period = map(int, quota.read_text("ascii").split())
        return time // period
    return cores


@dataclass(frozen=True)
class _LoadedModel:
    process: ServerProcess
    model: ServerModel


class LocalModel:
    """A LanguageModel from a weights file; belongs to the event loop that uses it first."""

    def __init__(
        self,
        path: Path,
        *,
        name: str,
        context: int | None = None,
        threads: int | None = None,
        idle: timedelta = IDLE_TIMEOUT,
        report: Callable[[str], None] = lambda _status: None,
        free: Callable[[], int] = free_memory,
    ) -> None:
        """Set up the model; nothing is read or started yet.

        Args:
            path: The GGUF file, or its first part.
            name: The model's name in the user interface.
            context: Context length in tokens; None for the largest that fits.
            threads: None for all cores but one.
            idle: Time without requests after which the model is unloaded.
            report: Called with the status while the model is loaded, then with "".
            free: Returns the free memory in bytes.
        """
        self.name = name
        self._path = path
        self._requested_context = context
        self._threads = threads
        self._idle = idle
        self._report = report
        self._free = free
        self._load_lock = asyncio.Lock()  # held while the model is loaded or unloaded
        self._loaded: _LoadedModel | None = None
        self._idle_task: asyncio.Task[None] | None = None
        self._active = 0

    @property
    def context(self) -> int:
        """Context length in tokens: as loaded, or as it would be loaded now."""
        if self._loaded:
            return self._loaded.model.context
        with suppress(ModelError):  # raised again when the model is used
            return read_model_file(self._path).context(self._requested_context, self._free())
        return self._requested_context or CONTEXT_SIZES[0]

    async def complete(self, prompt: Prompt) -> Completion:
        """Load the model if needed and return the whole completion.

        Raises:
            ModelError: also if the file cannot be served or the memory is not enough.
        """
        async with self._in_use() as model:
            return await model.complete(prompt)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Completion]:
        """Yield the text, then the whole completion; raises as `complete` does."""
        async with self._in_use() as model, aclosing(model.stream(prompt)) as pieces:
            async for piece in pieces:
                yield piece

    async def close(self) -> None:
        """Unload the model; a completion in progress is cut off."""
        async with self._load_lock:
            self._cancel_unloading()
            await self._unload()

    @asynccontextmanager
    async def _in_use(self) -> AsyncIterator[ServerModel]:
        async with self._load_lock:
            self._cancel_unloading()
            loaded = await self._load()
            self._active += 1
        try:
            yield loaded.model
        except ModelError as error:
            await loaded.process.wait_briefly()
            if loaded.process.running:
                raise
            words = f"{self.name} crashed. The next request starts it again."
            raise ModelError(words, Remedy.TRY_AGAIN) from error
        finally:
            self._active -= 1
            if not self._active:
                self._cancel_unloading()
                self._idle_task = asyncio.create_task(self._unload_when_idle())

    async def _load(self) -> _LoadedModel:
        if self._loaded and self._loaded.process.running:
            return self._loaded
        await self._unload()
        file, context = await asyncio.to_thread(self._read_file)
        key = secrets.token_urlsafe(32)
        self._report(f"Loading {self.name} ({format_bytes(file.size)})…")
        try:
            process = await start_server_process(self._options(file, context, key))
        finally:
            self._report("")
        model = ServerModel(
            Endpoint(f"{process.url}/v1", key),
            model=self.name,
            name=self.name,
            context=context,
            api="chat",
            timeouts=LOCAL_TIMEOUTS,
            # llama.cpp at times closes a connection just as it is used again.
            retry_policy=RetryPolicy(max_attempts=3, initial_delay=0.1),
        )
        self._loaded = _LoadedModel(process, model)
        return self._loaded

    def _read_file(self) -> tuple[ModelFile, int]:
        """Return the file and the context length to load, if they fit into memory."""
        file, free = read_model_file(self._path), self._free()
        context = file.context(self._requested_context, free)
        memory = file.memory(context, free)
        if memory.fits:
            return file, context
        raise ModelError(
            f"{self.name} {memory.words}. Close other programs, or choose a smaller model or a"
            " smaller context.",
            Remedy.MODEL_SETTINGS,
        )

    def _options(self, file: ModelFile, context: int, key: str) -> ServeOptions:
        return ServeOptions(
            path=str(file.path.absolute()),
            name=self.name,
            key=key,
            context=context,
            batch=BATCH_TOKENS,
            threads=self._threads or default_threads(),
            prompt_cache=file.prompt_cache(context),
        )

    async def _unload_when_idle(self) -> None:
        await asyncio.sleep(self._idle.total_seconds())
        async with self._load_lock:
            await self._unload()

    def _cancel_unloading(self) -> None:
        if self._idle_task:
            self._idle_task.cancel()
            self._idle_task = None

    async def _unload(self) -> None:
        if self._loaded:
            loaded, self._loaded = self._loaded, None
            try:
                await loaded.model.close()
            finally:
                await loaded.process.stop()
