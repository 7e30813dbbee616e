"""aimock: an OpenAI-compatible server by others, in its own process, that answers by a script."""

import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests import corpora

_LISTENING = re.compile(r"listening on (http://127\.0\.0\.1:\d+)")


class AimockMissingError(Exception):
    """It cannot be had or does not start; the text says why."""


@contextmanager
def aimock(folder: Path, fixtures: list[dict[str, Any]], *options: str) -> Iterator[str]:
    """Its base URL while it runs; `fixtures` are in its own format.

    https://aimock.copilotkit.dev/fixtures
    """
    script = folder / "fixtures.json"
    script.write_text(json.dumps({"fixtures": fixtures}))
    try:
        program = corpora.aimock()
        started = _started([program, "-p", "0", "-f", script, "--strict", *options])
    except (corpora.MissingCorpusError, OSError) as error:
        raise AimockMissingError(str(error)) from error
    with started as process:
        try:
            yield f"{_url(process)}/v1"
        finally:
            process.terminate()


def _started(arguments: list[str | Path]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        ["node", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def _url(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    said = []
    for line in process.stdout:
        said.append(line)
        if found := _LISTENING.search(line):
            return found[1]
    raise AimockMissingError(f"aimock did not start: {''.join(said)}")
