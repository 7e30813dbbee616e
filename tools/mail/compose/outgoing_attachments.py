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

MOST_BYTES = 25 * 1000 * 1000
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
    """`where` is the whole path, or the name that a mail gave it; `type` its content type."""

    name: str
    where: str
    type: str
    size: int
    cautions: tuple[str, ...]
    content: Callable[[], bytes] = field(compare=False, repr=False)
    """Its bytes; blocks. Raises `ToolError` where they are not those that were looked at."""

    def __str__(self) -> str:
        """Where it is, its type and its size, and what is odd about it."""
        told = f"{self.where} ({self.type}, {format_size(self.size)})"
        return "; ".join((told, *(f"caution: {each}" for each in self.cautions)))


def read_attachments(
    given: str | Sequence[str], secret: SecretFiles = SECRET_ANYWHERE
) -> tuple[OutgoingAttachment, ...]:
    """The files at the paths, looked at and measured; blocks.

    Args:
        given: the paths, "~" allowed.
        secret: the files that are never attached.

    Raises:
        ToolError: some are not there, are no files, are secret, or cannot be read: each is named;
            or all together are too large.
    """
    paths = [given] if isinstance(given, str) else given
    looked = [_inspect(Path(path).expanduser(), secret) for path in paths if path.strip()]
    if wrong := [each for each in looked if isinstance(each, str)]:
        raise ToolError(" ".join(wrong))
    return check_total_size([each for each in looked if isinstance(each, OutgoingAttachment)])


def forwarded_attachments(
    parts: Sequence[tuple[MimePart, Attachment]],
) -> tuple[OutgoingAttachment, ...]:
    """The files that an email carries, to go along with another.

    Raises:
        ToolError: one is secret, or all together are too large.
    """
    return check_total_size([_forwarded_attachment(part, listed) for part, listed in parts])


def check_total_size(enclosures: Sequence[OutgoingAttachment]) -> tuple[OutgoingAttachment, ...]:
    """The enclosures, if they can be sent together.

    Raises:
        ToolError: they are too large.
    """
    total = sum(each.size for each in enclosures)
    if total > MOST_BYTES:
        together = " together" if len(enclosures) > 1 else ""
        raise ToolError(
            f"{', '.join(each.where for each in enclosures)}: {format_size(total)}{together}; "
            f"at most {format_size(MOST_BYTES)} can be attached."
        )
    return tuple(enclosures)


def _inspect(path: Path, secret: SecretFiles) -> OutgoingAttachment | str:
    """The file, or why it cannot be attached, in a sentence."""
    resolved = path.resolve()
    reject_hidden_characters("attachments", str(resolved))
    for place in (path.absolute(), resolved):
        if reason := secret.reason_by_path(place):
            return _never(path, reason)
    try:
        found = resolved.stat()
        if not stat.S_ISREG(found.st_mode):
            kind = "a folder" if stat.S_ISDIR(found.st_mode) else "no ordinary file"
            return f"{path} cannot be attached: it is {kind}."
        if found.st_size > MOST_BYTES:
            most = format_size(MOST_BYTES)
            return f"{path} is too large to attach ({format_size(found.st_size)}; at most {most})."
        content = _read_bytes(resolved)
    except OSError as error:
        return f"{path} cannot be attached: {_os_error_text(error)}."
    if reason := reason_by_content(content):
        return _never(path, reason)
    digest = hashlib.sha256(content).digest()
    return _attachment(
        resolved.name, str(resolved), content, partial(_read_unchanged, resolved, digest)
    )


def _never(path: Path, reason: str) -> str:
    return f"{path} is never attached: {reason}."


def _read_bytes(path: Path) -> bytes:
    """The bytes of a file; what has become a pipe meanwhile keeps nobody waiting."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(descriptor, "rb") as file:
        return file.read(MOST_BYTES + 1)


def _os_error_text(error: OSError) -> str:
    reasons = {FileNotFoundError: "there is no such file", PermissionError: "it may not be read"}
    return reasons.get(type(error), error.strerror or "it cannot be read")


def _read_unchanged(path: Path, digest: bytes) -> bytes:
    try:
        content = _read_bytes(path)
    except OSError as error:
        raise ToolError(f"{path} cannot be attached: {_os_error_text(error)}.") from error
    if hashlib.sha256(content).digest() != digest:
        raise ToolError(f"{path} was changed meanwhile; ask for the email again.")
    return content


def _forwarded_attachment(part: MimePart, listed: Attachment) -> OutgoingAttachment:
    content = part.content
    name = "".join(each for each in listed.name if each.isprintable()).replace("/", "-") or "file"
    if reason := reason_by_name(name) or reason_by_content(content):
        raise ToolError(f"The email cannot be forwarded: it carries “{name}”, and {reason}.")
    return _attachment(name, name, content, lambda: content)


def _attachment(
    name: str, where: str, content: bytes, read: Callable[[], bytes]
) -> OutgoingAttachment:
    cautions = tuple(_cautions(name, content))
    return OutgoingAttachment(
        name, where, _content_type(name, content), len(content), cautions, read
    )


def _content_type(name: str, content: bytes) -> str:
    """The content type by name, or by content where the name tells none or another one."""
    found = next((kind for kind in _FILE_SIGNATURES if content.startswith(kind[0])), None)
    if found and PurePath(name).suffix.lower() not in found[2]:
        return found[1]
    guessed, packed = mimetypes.guess_type(name)
    if packed:
        return "application/gzip" if packed == "gzip" else _UNKNOWN_TYPE
    return (
        guessed if guessed and not guessed.startswith(("message/", "multipart/")) else _UNKNOWN_TYPE
    )


def _cautions(name: str, content: bytes) -> Iterator[str]:
    """What somebody should know before this is sent, or opened."""
    suffixes = [suffix.lower() for suffix in PurePath(name).suffixes]
    if has_executable_suffix(name) or has_executable_content(content):
        yield "it can run as a program"
    if len(suffixes) > 1 and suffixes[-1] not in _WRAPPER_SUFFIXES and _is_known(suffixes[-2]):
        yield f"its name has two endings ({''.join(suffixes[-2:])})"
    if _contradicts(suffixes[-1] if suffixes else "", content):
        yield "its content is not what its name says"


def _is_known(suffix: str) -> bool:
    return bool(mimetypes.guess_type(f"x{suffix}")[0])


def _contradicts(suffix: str, content: bytes) -> bool:
    """Whether the content does not begin as that of such files does, where that is known."""
    named = [kind for kind in _FILE_SIGNATURES if suffix in kind[2]]
    return bool(named and content) and not content.startswith(named[0][0])
