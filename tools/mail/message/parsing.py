"""Parsing: raw bytes of a message to sender, subject, text and attachments; never fails."""

import mimetypes
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from tools.html_text import MAX_TAGS, html_to_text, searchable_text
from tools.mail.message.addresses import MailAddress, parse_addresses
from tools.mail.message.charsets import decode_text
from tools.mail.message.emails import Attachment
from tools.mail.message.headers import Headers, message_date, split_headers
from tools.mail.message.mime import MimePart, MimeParts, find_parts
from tools.mail.message.quoted_text import remove_quoted_text

LONGEST_CONTENT = 200_000
LONGEST_SUBJECT = 1_000
_SHORT_PLAIN_TEXT = (
    80  # a text version shorter than this may only say that there is an HTML version
)
_SIGNATURE_TYPES = frozenset(
    {"application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"}
)
_ENCRYPTED_TYPES = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})


@dataclass
class ParsedMessage:
    """One message, read as far as anything asks for it.

    `parts` are given where its provider has told them apart already.
    """

    headers: Headers
    body: bytes
    has_left_out_headers: bool = False
    parts: MimeParts | None = None

    @property
    def sender(self) -> MailAddress:
        """Who it is from, by the first field that tells."""
        for field in ("from", "sender", "reply-to", "return-path"):
            if people := self.people(field):
                return people[0]
        return MailAddress("", "")

    def people(self, field: str) -> tuple[MailAddress, ...]:
        """The people of a field such as "to"."""
        raw = self.headers.raw(field)
        return parse_addresses(decode_text(raw)) if raw else ()

    @property
    def subject(self) -> str:
        """The subject on one line; may be empty."""
        return self.headers.text("subject")[:LONGEST_SUBJECT]

    @property
    def mailing_list(self) -> str:
        """Its List-Id, or the sender where it can only be unsubscribed from; "" for other mail."""
        named = self.headers.text("list-id")[:LONGEST_SUBJECT]
        return named or (str(self.sender) if self.headers.raw("list-unsubscribe") else "")

    def date(self, *, stored: datetime, latest: datetime) -> datetime:
        """See `dates.date_of`."""
        return message_date(self.headers, stored=stored, latest=latest)

    @cached_property
    def _walk(self) -> MimeParts:
        return self.parts or find_parts(self.headers, self.body)

    @property
    def files(self) -> tuple[MimePart, ...]:
        """The parts that are attachments: files, and mails sent along."""
        shown = set(map(id, self._readable))
        return tuple(
            part for part in self._walk.parts if id(part) not in shown and self._is_file(part)
        )

    def attachment(self, part: MimePart) -> Attachment:
        """How an attachment part is listed."""
        return Attachment(part.file_name or _default_file_name(part), part.type, part.size)

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """The attachments as they are listed."""
        return tuple(map(self.attachment, self.files))

    @property
    def content(self) -> str:
        """The text that the sender wrote, history and signature folded away."""
        return remove_quoted_text(self.text, self.subject)[:LONGEST_CONTENT]

    @property
    def text(self) -> str:
        """All of the text, with the history that was quoted and the signature."""
        return self._text(html_to_text)

    @property
    def searchable(self) -> str:
        """Every word of the text, for an index."""
        return self._text(searchable_text)[:LONGEST_CONTENT]

    @property
    def problem(self) -> str:
        """What could not be read, in words for the reader, or ""."""
        if not (self.headers or self.parts or self.body.strip()):
            return "This message is empty."
        if self.has_left_out_headers:
            return "This message has too many header lines to read them all."
        types = {part.type for part in self._walk.parts}
        if types & _ENCRYPTED_TYPES or any("encrypted" in part.around for part in self._walk.parts):
            return "This message is encrypted and cannot be displayed."
        return self._walk.problem

    @cached_property
    def _readable(self) -> list[MimePart]:
        """The parts that make up the text, one of each pair of alternatives."""
        texts = [part for part in self._walk.parts if _is_text(part)]
        plain = [part for part in texts if part.type != "text/html" and _is_alternative(part)]
        html = [part for part in texts if part.type == "text/html" and _is_alternative(part)]
        if not (plain and html):
            return texts
        worse = html if _is_plain_text_enough(plain, html) else plain
        return [part for part in texts if part not in worse]

    def _text(self, from_html: Callable[[str], str]) -> str:
        texts: list[str] = []
        tags = 0
        for part in self._readable:
            text = part.text
            if part.type == "text/html":
                tags += text.count("<")
                text = from_html(text) if tags <= MAX_TAGS or not texts else ""
            texts.append(_join_flowed_lines(text) if part.is_flowed else text)
        return "\n\n".join(texts)

    def _is_file(self, part: MimePart) -> bool:
        if part.type in _SIGNATURE_TYPES or part.type in _ENCRYPTED_TYPES:
            return False
        if _is_text(part) or part.type == "message/delivery-status":
            return False
        return not (part.content_id and not part.is_attached and self._shows(part.content_id))

    def _shows(self, content_id: str) -> bool:
        return any(
            part.type == "text/html" and f"cid:{content_id}" in part.text for part in self._readable
        )


def parse(raw: bytes) -> ParsedMessage:
    """Read a message; what is broken in it becomes its `problem`, never an exception."""
    if b"\n" not in raw[:2_000] and b"\r" in raw[:2_000]:
        raw = raw.replace(b"\r", b"\n")
    headers, start, has_left_out = split_headers(raw)
    return ParsedMessage(headers, raw[start:], has_left_out)


def _is_text(part: MimePart) -> bool:
    if part.is_attached or part.type == "text/calendar":
        return False
    is_text = part.type.startswith(("text/", "multipart/"))
    return is_text and (not part.file_name or part.number == 0)


def _is_alternative(part: MimePart) -> bool:
    return "alternative" in part.around


def _is_plain_text_enough(plain: list[MimePart], html: list[MimePart]) -> bool:
    """Whether the text version is more than a word that there is an HTML version."""
    told = sum(len(part.text.strip()) for part in plain)
    if told >= _SHORT_PLAIN_TEXT:
        return True
    shown = sum(len(" ".join(searchable_text(part.text).split())) for part in html)
    return told > 0 and shown < 3 * _SHORT_PLAIN_TEXT


def _join_flowed_lines(text: str) -> str:
    """Lines that end in a blank joined with the next, except the mark of a signature."""
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
