"""The llama.cpp server: the child process, which serves one file until its stdin closes.

It reads ServeOptions as one line of JSON and writes one line, its URL, when the model is loaded.
The reason for a failure is on stderr.
"""

import json
import os
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import xllamacpp

LOG_ERRORS = 1


@dataclass(frozen=True)
class ServeOptions:
    """Options of the server.

    Every request needs the `key`, because all programs and users of this computer reach the port.
    `batch` and `context` are in tokens, `prompt_cache` in bytes.
    """

    path: str
    name: str
    key: str = field(repr=False)
    context: int
    batch: int
    threads: int
    prompt_cache: int


def main() -> None:
    """Serve until the parent process exits or closes the pipe."""
    server = load_server(ServeOptions(**json.loads(sys.stdin.readline())))
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()
    os._exit(0)  # nothing to save, and exiting frees the memory at once


def load_server(options: ServeOptions) -> "xllamacpp.Server":
    """Load the model and listen on a free loopback port."""
    from xllamacpp import CommonParams, Server  # noqa: PLC0415 — 100 MB, in this process only

    params = CommonParams()
    params.model.path = options.path
    params.model_alias = {options.name}
    params.hostnames, params.port, params.api_keys = ["127.0.0.1"], 0, [options.key]
    params.n_ctx, params.n_batch, params.n_ubatch = options.context, options.batch, options.batch
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = options.threads
    # One request at a time: the prompt read last stays in the cache for the next one.
    params.n_parallel, params.cache_prompt = 1, True
    params.cache_ram_mib = -(-options.prompt_cache // (1 << 20))
    # Repacking weights for the processor takes half the file size more memory and twice the time
    # to load. Without it, measured on AVX2: prompts are read 20 to 25 % slower, answers written
    # 6 to 15 % faster.
    params.no_extra_bufts = True
    params.use_jinja = True
    params.ui = params.endpoint_slots = False
    params.verbosity = LOG_ERRORS
    return Server(params)


if __name__ == "__main__":
    main()
