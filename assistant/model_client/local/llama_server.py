"""The llama.cpp server: the child process, which serves one file until its stdin closes."""

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
    """What is served, and with what.

    `key` is asked of every request, because the port is open to all programs and users of this
    computer. `batch` and `context` are in tokens, `saved` in bytes.
    """

    path: str
    name: str
    key: str = field(repr=False)
    context: int
    batch: int
    threads: int
    saved: int


def main() -> None:
    """Serve until whoever asked for it ends or lets go."""
    server = load_server(ServeOptions(**json.loads(sys.stdin.readline())))
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()
    os._exit(0)  # nothing is to be saved, and the end of a process is the quickest way to give back


def load_server(job: ServeOptions) -> "xllamacpp.Server":
    """Load the model and listen on a free loopback port."""
    from xllamacpp import CommonParams, Server  # noqa: PLC0415 — 100 MB, for this process alone

    chosen = CommonParams()
    chosen.model.path = job.path
    chosen.model_alias = {job.name}
    chosen.hostnames, chosen.port, chosen.api_keys = ["127.0.0.1"], 0, [job.key]
    chosen.n_ctx, chosen.n_batch, chosen.n_ubatch = job.context, job.batch, job.batch
    chosen.cpuparams.n_threads = chosen.cpuparams_batch.n_threads = job.threads
    # One request after the other: the prompt read last stays in the cache for the next.
    chosen.n_parallel, chosen.cache_prompt = 1, True
    chosen.cache_ram_mib = -(-job.saved // (1 << 20))
    # Weights arranged anew for the processor take half the file again in memory and twice the
    # time to load. Measured on AVX2: prompts are read 20 to 25 % slower, answers written 6 to 15 %
    # faster.
    chosen.no_extra_bufts = True
    chosen.use_jinja = True
    chosen.ui = chosen.endpoint_slots = False
    chosen.verbosity = LOG_ERRORS
    return Server(chosen)


if __name__ == "__main__":
    main()
