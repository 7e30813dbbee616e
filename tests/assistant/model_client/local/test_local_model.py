"""A local model from its first request to its end, with llama.cpp and a tiny model."""

import asyncio
import json
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import psutil
import pytest

from assistant.model_client.language_model import (
    Completion,
    LanguageModel,
    Message,
    ModelError,
    Prompt,
)
from assistant.model_client.local.local_model import LocalModel
from tests.assistant.model_client.local.tiny_gguf import CONTEXT, write_tiny
from tools.tool_errors import Remedy

pytestmark = pytest.mark.process
SHORT = Prompt((Message("user", "Write."),), max_tokens=20)
LONG = Prompt((Message("user", "Write on."),), max_tokens=3_000)
SCHEMA = {
    "type": "object",
    "properties": {"sure": {"type": "boolean"}},
    "required": ["sure"],
    "additionalProperties": False,
}


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    return write_tiny(tmp_path / "tiny.gguf")


@dataclass
class Opened:
    """A model, and what it told while it was being loaded."""

    model: LocalModel
    told: list[str] = field(default_factory=list)


@asynccontextmanager
async def opened(path: Path, **options: Any) -> AsyncIterator[Opened]:
    told: list[str] = []
    model = LocalModel(path, name="Tiny", threads=1, report=told.append, **options)
    try:
        yield Opened(model, told)
    finally:
        await model.close()
        assert servers() == []


def servers() -> list[psutil.Process]:
    return [child for child in psutil.Process().children() if _is_model_server(child)]


def _is_model_server(process: psutil.Process) -> bool:
    try:
        return "assistant.model_client.local.llama_server" in process.cmdline()
    except psutil.NoSuchProcess:  # a zombie, too
        return False


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 — nobody tells of another process
            await asyncio.sleep(0.01)


async def test_it_completes_the_whole_prompt_through_a_real_server(tiny: Path) -> None:
    async with opened(tiny) as local:
        model: LanguageModel = local.model
        answer = await model.complete(SHORT)
    assert len(answer.text) == 20
    assert answer.text.isalpha()
    assert answer.truncated
    assert (answer.usage.completion, answer.usage.estimated) == (20, False)


async def test_it_streams_text_and_then_the_completion(tiny: Path) -> None:
    async with opened(tiny) as local:
        *pieces, answer = [piece async for piece in local.model.stream(SHORT)]
    assert isinstance(answer, Completion)
    assert "".join(map(str, pieces)) == answer.text
    assert len(pieces) > 1


async def test_it_cannot_but_keep_to_a_schema(tiny: Path) -> None:
    async with opened(tiny) as local:
        answer = await local.model.complete(
            Prompt(SHORT.messages, schemas=(SCHEMA,), max_tokens=200)
        )
    assert json.loads(answer.text)["sure"] in {True, False}


async def test_a_prompt_that_begins_as_an_earlier_one_is_not_read_again(tiny: Path) -> None:
    rules = Message("system", "Plan. " * 100)
    asked = [Prompt((rules, Message("user", word)), max_tokens=1) for word in ("one", "two")]
    other = Prompt((Message("system", "Write of foxes. " * 30), *SHORT.messages), max_tokens=1)
    async with opened(tiny) as local:
        await local.model.complete(asked[0])
        await local.model.complete(other)
        answer = await local.model.complete(asked[1])
    assert answer.usage.cached >= len(rules.content)


async def test_no_process_starts_before_the_first_request(tiny: Path) -> None:
    async with opened(tiny) as local:
        assert local.model.context == CONTEXT
        assert servers() == []


async def test_the_status_is_reported_while_it_loads(tiny: Path) -> None:
    async with opened(tiny) as local:
        await local.model.complete(SHORT)
        assert local.told == ["Loading Tiny (0.1 MB)…", ""]
        await local.model.complete(SHORT)
        assert len(local.told) == 2


async def test_two_requests_at_once_start_one_server(tiny: Path) -> None:
    async with opened(tiny) as local:
        await asyncio.gather(local.model.complete(SHORT), local.model.complete(SHORT))
        assert len(servers()) == 1
        assert len(local.told) == 2


async def test_an_idle_model_is_unloaded_and_loaded_again_on_demand(tiny: Path) -> None:
    async with opened(tiny, idle=timedelta(0)) as local:
        await local.model.complete(SHORT)
        await until(lambda: servers() == [])
        assert (await local.model.complete(SHORT)).text
        assert local.told.count("") == 2


async def test_an_idle_timer_does_not_cut_off_a_concurrent_answer(tiny: Path) -> None:
    async with opened(tiny, idle=timedelta(0)) as local:
        pieces = local.model.stream(LONG)
        await anext(pieces)
        await local.model.complete(SHORT)
        await asyncio.sleep(0.1)
        *_, answer = [piece async for piece in pieces]
        assert isinstance(answer, Completion)
        assert len(answer.text) == LONG.max_tokens
        assert local.told.count("") == 1


async def test_cancelling_while_it_loads_ends_the_server(tiny: Path) -> None:
    async with opened(tiny) as local:
        asking = asyncio.create_task(local.model.complete(SHORT))
        await until(lambda: servers() != [])
        servers()[0].suspend()  # or it might be loaded before it is cancelled
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert servers() == []
        assert local.told[-1] == ""
        assert (await local.model.complete(SHORT)).text


async def test_cancelling_one_request_leaves_the_other_its_server(tiny: Path) -> None:
    async with opened(tiny) as local:
        first, second = (asyncio.create_task(local.model.complete(SHORT)) for _ in range(2))
        await until(lambda: servers() != [])
        first.cancel()
        assert (await second).text
        assert len(servers()) == 1


async def test_a_server_that_dies_ends_the_answer_in_words_and_is_started_anew(
    tiny: Path,
) -> None:
    async with opened(tiny) as local:
        pieces = local.model.stream(LONG)
        await anext(pieces)
        servers()[0].kill()
        with pytest.raises(ModelError, match="Tiny crashed") as failed:
            [piece async for piece in pieces]
        assert failed.value.remedy is Remedy.TRY_AGAIN
        assert (await local.model.complete(SHORT)).text


async def test_a_crashed_server_is_started_again(tiny: Path) -> None:
    async with opened(tiny) as local:
        await local.model.complete(SHORT)
        loaded = local.model._loaded
        assert loaded
        servers()[0].kill()
        await until(lambda: not loaded.process.running)
        assert (await local.model.complete(SHORT)).text


async def test_an_error_of_a_living_server_is_left_as_it_is(tiny: Path) -> None:
    async with opened(tiny) as local:
        with pytest.raises(ModelError) as failed:
            await local.model.complete(Prompt((Message("user", "word " * CONTEXT),)))
        assert failed.value.remedy is Remedy.NEW_CHAT
        assert len(servers()) == 1


async def test_closing_cuts_off_an_answer_in_progress(tiny: Path) -> None:
    async with opened(tiny) as local:
        pieces = local.model.stream(LONG)
        await anext(pieces)
        await local.model.close()
        assert servers() == []
        with pytest.raises(ModelError):
            [piece async for piece in pieces]


async def test_leaving_a_stream_early_leaves_the_model_ready(tiny: Path) -> None:
    async with opened(tiny) as local:
        pieces = local.model.stream(LONG)
        await anext(pieces)
        await pieces.aclose()
        assert (await local.model.complete(SHORT)).text


async def refused(answer: Awaitable[Completion]) -> ModelError:
    with pytest.raises(ModelError) as failed:
        await answer
    assert servers() == []
    assert failed.value.remedy is Remedy.MODEL_SETTINGS
    return failed.value


async def test_a_file_cut_in_its_weights_is_refused_in_words(tiny: Path) -> None:
    tiny.write_bytes(tiny.read_bytes()[:-5_000])
    async with opened(tiny) as local:
        error = await refused(local.model.complete(SHORT))
        assert local.told[-1] == ""
    assert "llama.cpp cannot load Tiny" in str(error)
    assert "pick another file" in str(error)


async def test_the_reason_of_llama_cpp_is_reported(tiny: Path) -> None:
    tiny.write_bytes(tiny.read_bytes().replace(b"llama", b"lamma"))
    async with opened(tiny) as local:
        error = await refused(local.model.complete(SHORT))
    assert "unknown model architecture: 'lamma'" in str(error)


async def test_a_missing_file_is_an_error_of_the_first_request(tmp_path: Path) -> None:
    async with opened(tmp_path / "gone.gguf", context=3_000) as local:
        assert local.model.context == 3_000
        error = await refused(local.model.complete(SHORT))
    assert str(error).startswith("The file gone.gguf cannot be read: No such file")


async def test_too_little_memory_is_reported_before_loading(tiny: Path) -> None:
    async with opened(tiny, free=lambda: 50_000_000) as local:
        error = await refused(local.model.complete(SHORT))
        assert local.told == []
    assert "Tiny needs about 10" in str(error)
    assert "of memory; 50.0 MB are free. Close other programs" in str(error)


async def test_the_server_is_for_this_program_on_this_computer_alone(tiny: Path) -> None:
    async with opened(tiny) as local:
        await local.model.complete(SHORT)
        (listening,) = [each for each in servers()[0].net_connections() if each.status == "LISTEN"]
        assert listening.laddr.ip == "127.0.0.1"
        for path in ("chat/completions", "models"):
            url = f"http://127.0.0.1:{listening.laddr.port}/v1/{path}"
            with pytest.raises(urllib.error.HTTPError, match="401"):
                await asyncio.to_thread(urllib.request.urlopen, url)


async def test_the_server_ends_when_the_program_is_killed(tiny: Path) -> None:
    program = (
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from assistant.model_client.local.local_model import LocalModel\n"
        "from assistant.model_client.language_model import Message, Prompt\n"
        "async def main():\n"
        "    model = LocalModel(Path(sys.argv[1]), name='Tiny', threads=1)\n"
        "    await model.complete(Prompt((Message('user', 'Write.'),), max_tokens=1))\n"
        "    print('ready', flush=True)\n"
        "    await asyncio.sleep(600)\n"
        "asyncio.run(main())\n"
    )
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, str(tiny), stdout=asyncio.subprocess.PIPE
    )
    assert parent.stdout
    assert await parent.stdout.readline() == b"ready\n"
    (server,) = psutil.Process(parent.pid).children()
    parent.kill()
    await parent.wait()
    await until(lambda: not server.is_running() or server.status() == psutil.STATUS_ZOMBIE)
