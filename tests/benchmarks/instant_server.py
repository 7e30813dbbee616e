"""A model's server that answers at once: everything it says was encoded before it was asked.

It runs in its own process, so that nobody who is measured shares a loop with it. The path says
what it plays:

/run/CALLS/ENDING/v1   asks for `look_up` until it was asked CALLS times, then ends: in plain
                       text, or by a call of the tool ENDING
/tokens/COUNT/RATE/v1  streams COUNT tokens, RATE a second, each the moment it was sent; or all at
                       once, and words: "apart" a chunk each, "together" in one
/write/COUNT/RATE/v1   plans to write, then writes so
"""

import asyncio
import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from typing import Any

PAGE = "Page {}: the harbour office asks for signed copies of every invoice by Friday."
_FOUND = b"harbour"  # once in each page that was looked up: how far the run is
COMMAND = (sys.executable, "-m", "tests.benchmarks.instant_server")
_PARAGRAPH = 60  # tokens
_PLANNED = b'"response_format"'
_WRITE = {
    "plan": {"step1": {"action": "write_text", "parameters": {"instruction": "Write."}}},
    "reply": "done",
}
_ENDINGS = {
    "final_answer": {"answer": "done"},
    "reply_to_user": {"message": "done", "details": "", "artifacts": [], "status": "success"},
}


@contextlib.contextmanager
def instant_server() -> Iterator[str]:
    """Its address, as long as it runs."""
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as it:
        try:
            assert it.stdout
            yield it.stdout.readline().strip()
        finally:
            it.terminate()


class _Connection(asyncio.Protocol):
    """One client."""

    def __init__(self) -> None:
        self._got = bytearray()
        self._writing: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, _reason: Exception | None) -> None:
        if self._writing:
            self._writing.cancel()

    def data_received(self, data: bytes) -> None:
        self._got += data
        head, found, body = self._got.partition(b"\r\n\r\n")
        if found and len(body) >= _length(head):
            self._got = bytearray()
            self._answer(head.split(b" ", 2)[1].decode(), bytes(body))

    def _answer(self, path: str, body: bytes) -> None:
        streamed = b'"stream":true' in body.replace(b": ", b":")
        match path.strip("/").split("/"):
            case ["run", calls, ending, "v1", "chat", "completions"]:
                done = body.count(_FOUND)
                self._transport.write(_step(done, done + 1 < int(calls), ending, streamed))
            case ["write", _, _, "v1", "chat", "completions"] if _PLANNED in body:
                self._transport.write(_plan(streamed))
            case ["tokens", count, "apart" | "together" as how, "v1", "chat", "completions"]:
                self._transport.write(_tokens(int(count), how))
            case ["write" | "tokens", count, rate, "v1", "chat", "completions"]:
                self._writing = asyncio.create_task(self._write(int(count), float(rate)))
            case _:
                self._transport.write(_whole({"error": {"message": "no such path"}}, b"404 No"))

    async def _write(self, count: int, rate: float) -> None:
        """Tokens that say when they were sent: seconds of this computer's steady clock."""
        self._transport.write(_STREAM)
        begun = time.monotonic()
        for number in range(count):
            await asyncio.sleep(begun + number / rate - time.monotonic())
            end = " " if (number + 1) % _PARAGRAPH else "\n\n"
            self._transport.write(_chunk(_event(content=f"{time.monotonic():.6f}{end}")))
        self._transport.write(_finish("stop"))


def _length(head: bytearray) -> int:
    _, _, value = head.lower().partition(b"content-length:")
    return int(value.split(b"\r\n", 1)[0] or 0)


@cache
def _step(number: int, more: bool, ending: str, streamed: bool) -> bytes:
    return _answered(_said(number, more, ending), streamed)


@cache
def _plan(streamed: bool) -> bytes:
    return _answered({"content": json.dumps(_WRITE)}, streamed)


def _answered(said: dict[str, Any], streamed: bool) -> bytes:
    reason = "tool_calls" if "tool_calls" in said else "stop"
    if streamed:
        calls = [{"index": 0, **call} for call in said.get("tool_calls", ())]
        delta = {**said, "tool_calls": calls} if calls else said
        return _STREAM + _chunk(_event(role="assistant", **delta)) + _finish(reason)
    message = {"role": "assistant", **said}
    choice = {"index": 0, "message": message, "finish_reason": reason}
    return _whole({**_ENVELOPE, "object": "chat.completion", "choices": [choice], "usage": _USAGE})


def _said(number: int, more: bool, ending: str) -> dict[str, Any]:
    if not more and ending not in _ENDINGS:
        return {"content": "done"}
    name, arguments = ("look_up", {"page": number}) if more else (ending, _ENDINGS[ending])
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": f"call_{number:03}", "type": "function", "function": function}
    return {"content": None, "tool_calls": [call]}


@cache
def _tokens(count: int, how: str) -> bytes:
    events = [_event(content=f" word{number % 100}") for number in range(count)]
    chunks = events if how == "apart" else [b"".join(events)]
    return _STREAM + b"".join(map(_chunk, chunks)) + _finish("stop")


def _event(reason: str | None = None, **delta: Any) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    event = {**_ENVELOPE, "object": "chat.completion.chunk", "choices": [choice]}
    return b"data: %b\n\n" % json.dumps(event).encode()


def _finish(reason: str) -> bytes:
    usage = {**_ENVELOPE, "object": "chat.completion.chunk", "choices": [], "usage": _USAGE}
    return _chunk(_event(reason)) + _chunk(b"data: %b\n\n" % json.dumps(usage).encode()) + _END


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def _whole(value: object, status: bytes = b"200 OK") -> bytes:
    body = json.dumps(value).encode()
    head = b"HTTP/1.1 %b\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
    return head % (status, len(body)) + body


_ENVELOPE = {"id": "chatcmpl-1", "created": 1_700_000_000, "model": "instant"}
_USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
_STREAM = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
)
_END = _chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n"


async def _serve() -> None:
    loop = asyncio.get_running_loop()
    listening = await loop.create_server(_Connection, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}", flush=True)
    await loop.run_in_executor(None, sys.stdin.read)  # until whoever began it is gone


if __name__ == "__main__":
    asyncio.run(_serve())
