"""Mbox: many messages in one file, with the status headers of Thunderbird and Takeout."""

import os
import re
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

from tools.mail.folders import folder_role
from tools.mail.local.message_store import (
    MAX_FOLDERS,
    MAX_NESTING,
    FolderScan,
    MailFolder,
    MessageFlags,
    StoredMessage,
    inbox_first,
)
from tools.mail.message.charsets import replace_surrogates
from tools.mail.message.headers import header_text
from tools.tool_errors import ToolError

_FROM_LINE = re.compile(rb"From [^\n]*\d:\d\d[^\n]*\d{4}[^\n]*\n")
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)
_STATUS_HEADER = re.compile(  # after a line break, which is quick to look for
    rb"\n(X-Mozilla-(?:Status2?|Keys)|X-Status|Status|X-Gmail-Labels):"
    rb"([^\n]*(?:\n[ \t][^\n]*)*)"
)
_MAX_HEADER_SIZE = 300_000
_MAX_FROM_LINE_LENGTH = 1_000
_BLOCK = 1 << 23
_DIGESTED_BYTES = 256  # at both ends, to detect a file that was only appended to
_EXPUNGED = 0x0008


class MboxStore:
    """One mbox file with its Thunderbird subfolders (".sbd"), or a folder of mbox files."""

    def __init__(self, path: Path) -> None:
        if not path.exists():
            raise ToolError(f"There is no file {path}. Give the path of an mbox file.")
        self._path = path
        if not self.folders():
            raise ToolError(f'{path} is not an mbox file: its first line does not begin "From ".')

    def folders(self) -> list[MailFolder]:
        """Return the mbox files; a single one with an ordinary name is the inbox."""
        self._path.stat()  # a missing file is an error, not an empty mailbox
        if self._path.is_file():
            if not _is_mbox(self._path):
                return []
            name = self._path.stem if self._path.suffix.lower() == ".mbox" else self._path.name
            own = name if folder_role(name) not in {"", "archive"} else "INBOX"
            subfolders = _mbox_folders(self._path.with_name(f"{self._path.name}.sbd"), "", 1)
            return [MailFolder(own, self._path), *subfolders][:MAX_FOLDERS]
        return inbox_first(_mbox_folders(self._path, "", 0))

    def scan(self, folder: MailFolder, checkpoint: str) -> FolderScan | None:
        """Scan the messages appended since the checkpoint, or all if the file changed otherwise."""
        with folder.path.open("rb") as file:
            status = os.fstat(file.fileno())
            present = f"{status.st_size}:{status.st_mtime_ns}:{status.st_ino}"
            known, _, digest = checkpoint.rpartition(":")
            if known == present:
                return None
            old_size = int(known.partition(":")[0] or 0)
            is_grown = (
                0 < old_size < status.st_size and _digest_of_ends(file.fileno(), old_size) == digest
            )
            starts = _message_starts(file, old_size, status.st_size) if is_grown else []
            if not starts or os.pread(file.fileno(), starts[0] - old_size, old_size).strip():
                is_grown, starts = False, _message_starts(file, 0, status.st_size)
            new_checkpoint = f"{present}:{_digest_of_ends(file.fileno(), status.st_size)}"
        messages = _stored_messages(folder.path, starts, status.st_size)
        return FolderScan(
            messages, len(starts), is_complete=not is_grown, checkpoint=new_checkpoint
        )

    def read(self, folder: MailFolder, location: str) -> bytes:
        """Return the message between its From line and the next, unescaped."""
        start, _, end = location.partition(":")
        with folder.path.open("rb") as file:
            file.seek(int(start))
            raw = file.read(int(end) - int(start))
        if not raw.startswith(b"From "):
            raise FileNotFoundError(f"{folder.path} has changed")
        message = raw[raw.find(b"\n") + 1 :]
        return _ESCAPED.sub(rb"\1", message) if b">From " in message else message

    def stored_at(self, folder: MailFolder, location: str) -> float:  # noqa: ARG002 — one file for all
        """Return the modification time of the file, in epoch seconds."""
        return folder.path.stat().st_mtime


def _is_mbox(path: Path) -> bool:
    """Whether the file starts like an mbox; an empty one counts if its name suggests mail."""
    with path.open("rb") as file:
        begin = file.read(5)
    is_named = bool(folder_role(path.stem)) or path.with_name(path.name + ".msf").exists()
    return begin == b"From " or (not begin and (is_named or path.suffix == ".mbox"))


def _mbox_folders(path: Path, parent: str, depth: int) -> Iterator[MailFolder]:
    if depth > MAX_NESTING or not path.is_dir():
        return
    for child in sorted(path.iterdir()):
        name = f"{parent}/{child.name.removesuffix('.mbox')}" if parent else child.name
        is_readable = child.is_file() and os.access(child, os.R_OK)
        if child.suffix != ".msf" and is_readable and _is_mbox(child):
            yield MailFolder(replace_surrogates(name.removesuffix(".mbox")), child)
        if child.suffix == ".sbd" or (depth == 0 and child.is_dir() and not child.is_symlink()):
            yield from _mbox_folders(child, name.removesuffix(".sbd"), depth + 1)


def _digest_of_ends(descriptor: int, size: int) -> str:
    """Return a digest of both ends of the first `size` bytes."""
    ends = os.pread(descriptor, min(_DIGESTED_BYTES, size), 0)
    ends += os.pread(descriptor, min(_DIGESTED_BYTES, size), max(size - _DIGESTED_BYTES, 0))
    return blake2b(ends, digest_size=8).hexdigest()


def _message_starts(file: BinaryIO, begin: int, size: int) -> list[int]:
    """Return the offsets of lines such as "From jane@x.org Thu Aug 22 12:36:23 2002"."""
    found = [0] if begin == 0 and os.pread(file.fileno(), 5, 0) == b"From " else []
    for offset in range(max(begin - 1, 0), size, _BLOCK):
        block = os.pread(file.fileno(), _BLOCK + _MAX_FROM_LINE_LENGTH, offset)
        position = block.find(b"\nFrom ")
        while 0 <= position < _BLOCK:
            if _FROM_LINE.match(block, position + 1, position + _MAX_FROM_LINE_LENGTH):
                found.append(offset + position + 1)
            position = block.find(b"\nFrom ", position + 1)
    return found


def _stored_messages(path: Path, starts: list[int], size: int) -> Iterator[StoredMessage]:
    seen: dict[str, int] = {}
    with path.open("rb") as file:
        for start, end in zip(starts, [*starts[1:], size], strict=True):
            file.seek(start)
            raw = file.read(end - start)
            header_end = _header_end(raw)
            headers = {
                header[1]: header[2].strip()
                for header in _STATUS_HEADER.finditer(raw, 0, header_end)
            }
            if _status(headers.get(b"X-Mozilla-Status", b"")) & _EXPUNGED:
                continue
            name = _fingerprint(raw, header_end, has_headers=bool(headers))
            seen[name] = seen.get(name, -1) + 1
            unique = f"{name}.{seen[name]}" if seen[name] else name
            yield StoredMessage(unique, f"{start}:{end}", _flags(headers))


def _header_end(raw: bytes) -> int:
    """Return the offset of the line break before the first empty line."""
    end = raw.find(b"\n\n", 0, _MAX_HEADER_SIZE)
    limit = end if end >= 0 else min(len(raw), _MAX_HEADER_SIZE)
    other = raw.find(b"\n\r\n", 0, limit)
    return other if other >= 0 else limit


def _fingerprint(raw: bytes, header_end: int, *, has_headers: bool) -> str:
    """Return a digest of the parts of a message that mail programs do not change."""
    header = raw[raw.find(b"\n") : header_end]
    digest = blake2b(_STATUS_HEADER.sub(b"", header) if has_headers else header, digest_size=12)
    digest.update(raw[header_end:].rstrip())
    return digest.hexdigest()


def _flags(headers: dict[bytes, bytes]) -> MessageFlags:
    if b"X-Gmail-Labels" in headers:
        return _gmail_flags(headers[b"X-Gmail-Labels"])
    if b"X-Mozilla-Status" in headers:
        status = _status(headers[b"X-Mozilla-Status"])
        return MessageFlags(unread=not status & 0x0001, starred=bool(status & 0x0004))
    letters = headers.get(b"Status", b"") + headers.get(b"X-Status", b"")
    has_status = b"Status" in headers or b"X-Status" in headers
    return MessageFlags(
        unread=has_status and b"R" not in letters, starred=b"F" in letters, trashed=b"D" in letters
    )


def _status(value: bytes) -> int:
    try:
        return int(value[:8], 16)
    except ValueError:
        return 0


def _gmail_flags(value: bytes) -> MessageFlags:
    labels = [label.strip(' "') for label in _labels(header_text(value.decode("utf-8", "replace")))]
    states = {label.casefold() for label in labels}
    return MessageFlags(
        unread=bool(states & {"unread", "ungelesen", "non lus"}),
        starred=bool(states & {"starred", "markiert", "suivis"}),
        trashed="trash" in states,
        labels=tuple(labels[:50]),
    )


def _labels(value: str) -> Iterable[str]:
    return re.findall(r'"[^"]*"|[^,]+', value)
