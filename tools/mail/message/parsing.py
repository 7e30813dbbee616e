"""Parsing: raw bytes of a message to sender, subject, text and attachments; never fails."""

import mimetypes
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from tools.mail.message.addresses import MailAddress, parse_addresses
from tools.mail.message.charsets import decode_text
from tools.mail.message.emails import Attachment, Email, preview
from tools.mail.message.headers import Headers, split_headers
from tools.mail.message.mime import MimePart, MimeParts, find_parts
from tools.mail.message.quoted_text import remove_quoted_text

MAX_CONTENT_LENGTH = 200_000
MAX_SUBJECT_LENGTH = 1_000
_SHORT_PLAIN_TEXT = 80  # shorter plain text may only say that there is an HTML version
_SIGNATURE_TYPES = frozenset(
    {"application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"}
)
_ENCRYPTED_TYPES = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})


@dataclass
class ParsedMessage:
    """One message, parsed lazily.

    `parts` are given if the provider has already separated them.
    """

    headers: Headers
    body: bytes
    headers_truncated: bool = False
    parts: MimeParts | None = None

    @property
    def sender(self) -> MailAddress:
        """The sender, from the first field that names one."""
        for field in ("from", "sender", "reply-to", "return-path"):
            if found := self.addresses(field):
                return found[0]
        return MailAddress("", "")

    def addresses(self, field: str) -> tuple[MailAddress, ...]:
        """Return the addresses of a field such as "to"."""
        raw = self.headers.raw(field)
        return parse_addresses(decode_text(raw)) if raw else ()

    @property
    def subject(self) -> str:
        """The subject on one line; may be empty."""
        return self.headers.text("subject")[:MAX_SUBJECT_LENGTH]

    @property
    def mailing_list(self) -> str:
        """The List-Id, or the sender if there is only a List-Unsubscribe; "" for other mail."""
        named = self.headers.text("list-id")[:MAX_SUBJECT_LENGTH]
        return named or (str(self.sender) if self.headers.raw("list-unsubscribe") else "")

    @cached_property
    def _mime_parts(self) -> MimeParts:
        return self.parts or find_parts(self.headers, self.body)

    @property
    def attachment_parts(self) -> tuple[MimePart, ...]:
        """The parts that are attachments: files and attached messages."""
        shown = set(map(id, self._text_parts))
        return tuple(
            part
            for part in self._mime_parts.parts
            if id(part) not in shown and self._is_attachment(part)
        )

    def describe(self, part: MimePart) -> Attachment:
        """Return name, type and size of an attachment part."""
        return Attachment(part.file_name or _default_file_name(part), part.type, part.size)

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """Names, types and sizes of the attachments."""
        return tuple(map(self.describe, self.attachment_parts))

    @property
    def content(self) -> str:
        """The text without quoted history and signature."""
        return remove_quoted_text(self.text, self.subject)[:MAX_CONTENT_LENGTH]

    @property
    def text(self) -> str:
        """The whole text, with quoted history and signature."""
        return self._text(words_only=False)

    @property
    def searchable_text(self) -> str:
        """Every word of the text, for an index."""
        return self._text(words_only=True)[:MAX_CONTENT_LENGTH]

    @property
    def problem(self) -> str:
        """Description of unreadable parts, or ""."""
        if not (self.headers or self.parts or self.body.strip()):
            return "This message is empty."
        if self.headers_truncated:
            return "This message has too many header lines to read them all."
        types = {part.type for part in self._mime_parts.parts}
        if types & _ENCRYPTED_TYPES or any(
            "encrypted" in part.containers for part in self._mime_parts.parts
        ):
            return "This message is encrypted and cannot be displayed."
        return self._mime_parts.problem

    @cached_property
    def _text_parts(self) -> list[MimePart]:
        """The parts that make up the text, one of each pair of alternatives."""
        texts = [part for part in self._mime_parts.parts if _is_text(part)]
        plain = [part for part in texts if part.type != "text/html" and _is_alternative(part)]
        html = [part for part in texts if part.type == "text/html" and _is_alternative(part)]
        if not (plain and html):
            return texts
        worse = html if _is_plain_text_enough(plain, html) else plain
        return [part for part in texts if part not in worse]

    def email(
        self, id: str, *, thread_id: str, account: str, date: datetime, unread: bool
    ) -> Email:
        """Return the message as an email of an account."""
        content = self.content
        return Email(
            id=id,
            thread_id=thread_id,
            account=account,
            sender=str(self.sender),
            to=tuple(map(str, self.addresses("to"))),
            subject=self.subject,
            date=date,
            content=content,
            content_preview=preview(content),
            unread=unread,
            attachments=self.attachments,
            problem=self.problem,
            mailing_list=self.mailing_list,
        )

    def _text(self, *, words_only: bool) -> str:
        texts: list[str] = []
        tags = 0
        for part in self._text_parts:
            text = part.text
            if part.type == "text/html":
                from tools import html_text  # noqa: PLC0415 — plain text needs no HTML parser

                convert = html_text.searchable_text if words_only else html_text.html_to_text
                tags += text.count("<")
                text = convert(text) if tags <= html_text.MAX_TAGS or not texts else ""
            texts.append(_join_flowed_lines(text) if part.is_flowed else text)
        return "\n\n".join(texts)

    def _is_attachment(self, part: MimePart) -> bool:
        if part.type in _SIGNATURE_TYPES or part.type in _ENCRYPTED_TYPES:
            return False
        if _is_text(part) or part.type == "message/delivery-status":
            return False
        return not (part.content_id and not part.is_attached and self._embeds(part.content_id))

    def _embeds(self, content_id: str) -> bool:
        return any(
            part.type == "text/html" and f"cid:{content_id}" in part.text
            for part in self._text_parts
        )


def unreadable(problem: str) -> ParsedMessage:
    """Return an empty message with this problem."""
    return ParsedMessage(Headers({}), b"", parts=MimeParts((), problem))


def parse(raw: bytes) -> ParsedMessage:
    """Parse a message; errors in it become its `problem`, never an exception."""
    if b"\n" not in raw[:2_000] and b"\r" in raw[:2_000]:
        raw = raw.replace(b"\r", b"\n")
    headers, start, truncated = split_headers(raw)
    return ParsedMessage(headers, raw[start:], truncated)


def _is_text(part: MimePart) -> bool:
    if part.is_attached or part.type == "text/calendar":
        return False
    is_text = part.type.startswith(("text/", "multipart/"))
    return is_text and (not part.file_name or part.index == 0)


def _is_alternative(part: MimePart) -> bool:
    return "alternative" in part.containers


def _is_plain_text_enough(plain: list[MimePart], html: list[MimePart]) -> bool:
    """Whether the plain text is more than a notice that there is an HTML version."""
    plain_length = sum(len(part.text.strip()) for part in plain)
    if plain_length >= _SHORT_PLAIN_TEXT:
        return True
    from tools.html_text import searchable_text  # noqa: PLC0415 — plain text needs no HTML parser

    html_length = sum(len(" ".join(searchable_text(part.text).split())) for part in html)
    return plain_length > 0 and html_length < 3 * _SHORT_PLAIN_TEXT


def _join_flowed_lines(text: str) -> str:
    """Join lines that end in a space with the next, except the signature separator."""
    joined: list[str] = []
    is_open = False
    for line in text.split("\n"):
        is_quoted = line.startswith(">")
        if is_open and not is_quoted:
            joined[-1] += line.removeprefix(" ")
        else:
            joined.append(line.removeprefix(" "))
        is_open = line.endswith(" ") and line != "-- " and not is_quoted
    return "\n".join(joined)


def _default_file_name(part: MimePart) -> str:
    if part.type == "message/rfc822":
        headers, _, _ = split_headers(part.content[:100_000])
        return f"{headers.text('subject')[:100] or 'message'}.eml"
    if part.type == "text/calendar":
        return "invitation.ics"
    return part.type.partition("/")[0] + (mimetypes.guess_extension(part.type) or "")
