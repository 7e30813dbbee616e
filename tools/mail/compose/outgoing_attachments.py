"""Outgoing attachments: files checked by name and content before they are sent."""

import hashlib
import mimetypes
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePath

from tools.mail.message.emails import Attachment, format_size
from tools.mail.message.mime import MimePart
from tools.recipients import reject_hidden_characters
from tools.safe_files import has_executable_content, has_executable_suffix
from tools.secret_files import SECRET_ANYWHERE, SecretFiles, reason_by_content, reason_by_name
from tools.tool_errors import ToolError

MAX_TOTAL_SIZE = 25 * 1000 * 1000
_OFFICE = frozenset(
    {".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".epub", ".zip", ".pages", ".key"}
)
_FILE_SIGNATURES: tuple[tuple[bytes, str, frozenset[str]], ...] = (
    (b"%PDF-", "application/pdf", frozenset({".pdf"})),
    (b"\x89PNG\r\n", "image/png", frozenset({".png"})),
    (b"\xff\xd8\xff", "image/jpeg", frozenset({".jpg", ".jpeg"})),
    (b"GIF8", "image/gif", frozenset({".gif"})),
    (b"PK\x03\x04", "application/zip", _OFFICE),
    (b"\xd0\xcf\x11\xe0", "application/x-ole-storage", frozenset({".doc", ".xls", ".ppt", ".msg"})),
)
_UNKNOWN_TYPE = "application/octet-stream"
_WRAPPER_SUFFIXES = frozenset(
    {".gz", ".bz2", ".xz", ".zst", ".zip", ".asc", ".gpg", ".pgp", ".sig", ".p7m"}
)


@dataclass(frozen=True)
class OutgoingAttachment:
    """A file to be sent: `location` is its path, or its name in an email; `type` its MIME type."""

    name: str
    location: str
    type: str
    size: int
    warnings: tuple[str, ...]
    content: Callable[[], bytes] = field(compare=False, repr=False)
    """Returns the bytes; blocks. Raises `ToolError` if they changed since the inspection."""

    def __str__(self) -> str:
        """Return location, type, size and warnings."""
        described = f"{self.location} ({self.type}, {format_size(self.size)})"
        return "; ".join((described, *(f"caution: {each}" for each in self.warnings)))


def read_attachments(
    paths: str | Sequence[str], secret: SecretFiles = SECRET_ANYWHERE
) -> tuple[OutgoingAttachment, ...]:
    """Read and check the files at the paths; blocks.

    `secret` are the files that are never attached.

    Raises:
        ToolError: names each file that is missing, not a regular file, secret or unreadable, or
            says that all together are too large.
    """
    paths = [paths] if isinstance(paths, str) else paths
    attachments, errors = list[OutgoingAttachment](), list[str]()
    for path in paths:
        if path.strip():
            try:
                attachments.append(_inspect(Path(path).expanduser(), secret))
            except ToolError as error:
                errors.append(str(error))
    if errors:
        raise ToolError(" ".join(errors))
    return check_total_size(attachments)


def forwarded_attachments(
    parts: Sequence[tuple[MimePart, Attachment]],
) -> tuple[OutgoingAttachment, ...]:
    """Return the attachments of an email that is forwarded.

    Raises:
        ToolError: one is secret, or all together are too large.
    """
    return check_total_size([_forwarded_attachment(part, attachment) for part, attachment in parts])


def check_total_size(attachments: Sequence[OutgoingAttachment]) -> tuple[OutgoingAttachment, ...]:
    """Return the attachments if their total size can be sent.

    Raises:
        ToolError: they are too large.
    """
    total = sum(each.size for each in attachments)
    if total > MAX_TOTAL_SIZE:
        together = " together" if len(attachments) > 1 else ""
        raise ToolError(
            f"{', '.join(each.location for each in attachments)}: {format_size(total)}{together}; "
            f"at most {format_size(MAX_TOTAL_SIZE)} can be attached."
        )
    return tuple(attachments)


def _inspect(path: Path, secret: SecretFiles) -> OutgoingAttachment:
    resolved = path.resolve()
    reject_hidden_characters("attachments", str(resolved))
    reasons = filter(None, map(secret.reason_by_path, (path.absolute(), resolved)))
    if reason := next(reasons, ""):
        raise ToolError(f"{path} is never attached: {reason}.")
    try:
        status = resolved.stat()
        if not stat.S_ISREG(status.st_mode):
            kind = "a folder" if stat.S_ISDIR(status.st_mode) else "not a regular file"
            raise ToolError(f"{path} cannot be attached: it is {kind}.")
        if status.st_size > MAX_TOTAL_SIZE:
            size, limit = format_size(status.st_size), format_size(MAX_TOTAL_SIZE)
            raise ToolError(f"{path} is too large to attach ({size}; at most {limit}).")
        content = _read_bytes(resolved)
    except OSError as error:
        raise ToolError(f"{path} cannot be attached: {_os_error_text(error)}.") from error
    if reason := reason_by_content(content):
        raise ToolError(f"{path} is never attached: {reason}.")
    digest = hashlib.sha256(content).digest()
    read = partial(_read_unchanged, resolved, digest)
    return _attachment(resolved.name, str(resolved), content, read)


def _read_bytes(path: Path) -> bytes:
    """Return the bytes of a file; never blocks on a path that has become a pipe."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(descriptor, "rb") as file:
        return file.read(MAX_TOTAL_SIZE + 1)


def _os_error_text(error: OSError) -> str:
    reasons = {FileNotFoundError: "there is no such file", PermissionError: "it may not be read"}
    return reasons.get(type(error), error.strerror or "it cannot be read")


def _read_unchanged(path: Path, digest: bytes) -> bytes:
    try:
        content = _read_bytes(path)
    except OSError as error:
        raise ToolError(f"{path} cannot be attached: {_os_error_text(error)}.") from error
    if hashlib.sha256(content).digest() != digest:
        raise ToolError(f"{path} was changed since; ask for the email again.")
    return content


def _forwarded_attachment(part: MimePart, attachment: Attachment) -> OutgoingAttachment:
    content = part.content
    printable = "".join(filter(str.isprintable, attachment.name))
    name = printable.replace("/", "-") or "file"
    if reason := reason_by_name(name) or reason_by_content(content):
        raise ToolError(f"The email cannot be forwarded: it carries “{name}”, and {reason}.")
    return _attachment(name, name, content, lambda: content)


def _attachment(
    name: str, location: str, content: bytes, read: Callable[[], bytes]
) -> OutgoingAttachment:
    warnings = tuple(_warnings(name, content))
    return OutgoingAttachment(
        name, location, _content_type(name, content), len(content), warnings, read
    )


def _content_type(name: str, content: bytes) -> str:
    """Return the MIME type by name; by content if the name gives none or a contradicting one."""
    found = next((kind for kind in _FILE_SIGNATURES if content.startswith(kind[0])), None)
    if found and PurePath(name).suffix.lower() not in found[2]:
        return found[1]
    guessed, packed = mimetypes.guess_type(name)
    if packed:
        return "application/gzip" if packed == "gzip" else _UNKNOWN_TYPE
    return (
        guessed if guessed and not guessed.startswith(("message/", "multipart/")) else _UNKNOWN_TYPE
    )


def _warnings(name: str, content: bytes) -> Iterator[str]:
    """Yield warnings to show before the file is sent or opened."""
    suffixes = [suffix.lower() for suffix in PurePath(name).suffixes]
    if has_executable_suffix(name) or has_executable_content(content):
        yield "it can run as a program"
    if len(suffixes) > 1 and suffixes[-1] not in _WRAPPER_SUFFIXES and _is_known(suffixes[-2]):
        yield f"its name has two endings ({''.join(suffixes[-2:])})"
    if _contradicts(suffixes[-1] if suffixes else "", content):
        yield "its content contradicts its name"


def _is_known(suffix: str) -> bool:
    return bool(mimetypes.guess_type(f"x{suffix}")[0])


def _contradicts(suffix: str, content: bytes) -> bool:
    """Whether the content lacks the signature that its suffix requires."""
    named = [kind for kind in _FILE_SIGNATURES if suffix in kind[2]]
    return bool(named and content) and not content.startswith(named[0][0])
