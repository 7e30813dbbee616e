"""Sample messages: templates with times relative to now, made into messages and files."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from email.message import EmailMessage
from email.parser import HeaderParser
from email.policy import compat32, default
from email.utils import format_datetime
from functools import cached_property
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath
from zoneinfo import ZoneInfo

_PLACEHOLDER = re.compile(r"\{\{(?P<when>[+-][^{}|]+)(\|(?P<form>[^{}]+))?\}\}")
_QUOTE = re.compile(r"\{\{quote( (?P<style>\w+))?\}\}")
_WHEN = re.compile(
    r"(?P<sign>[+-])(?P<steps>(\d+[mhdbw])+)( (?P<weekday>mon|tue|wed|thu|fri|sat|sun))?"
    r"( (?P<time>\d\d:\d\d))?"
)
_PART = re.compile(r"^=== (text/\S+.*)\n", re.MULTILINE)
# The words of strftime follow the locale that Qt sets, so the sample brings its own.
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
# Folding a list of addresses breaks where a name is encoded:
# https://github.com/python/cpython/issues/100884
_UNFOLDED = default.clone(linesep="\n", max_line_length=900)
_TYPES = {
    ".csv": "text/csv",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".ics": "text/calendar",
    ".jpg": "image/jpeg",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".txt": "text/plain",
}


def resolve_moment(words: str, now: datetime) -> datetime:
    """The moment that `words` name, as "-2h15m", "-3d 09:12", "+2b 10:00" or "-1w tue 08:30".

    Minutes and hours are elapsed time; days, weeks and working days (b) go by the calendar of
    the zone of `now`. A weekday is that of the week arrived at; +0b is the next working day
    from today on.
    """
    match = _WHEN.fullmatch(words)
    if match is None:
        raise ValueError(f"The sample names a moment nobody knows: {words}")
    sign = -1 if match["sign"] == "-" else 1
    steps = {unit: sign * int(count) for count, unit in re.findall(r"(\d+)(\w)", match["steps"])}
    elapsed = timedelta(hours=steps.get("h", 0), minutes=steps.get("m", 0))
    day = now.date() + timedelta(days=steps.get("d", 0), weeks=steps.get("w", 0))
    if "b" in steps:
        day = _working_day(day, steps["b"])
    if match["weekday"]:
        day += timedelta(days=_weekday(match["weekday"]) - day.weekday())
    at = time.fromisoformat(match["time"]) if match["time"] else now.time()
    there = now if (day, at) == (now.date(), now.time()) else datetime.combine(day, at, now.tzinfo)
    return (there.astimezone(UTC) + elapsed).astimezone(now.tzinfo).replace(microsecond=0)


def _weekday(short: str) -> int:
    return [day[:3].lower() for day in _DAYS].index(short)


def _working_day(start: date, count: int) -> date:
    day, step = start, timedelta(days=1 if count >= 0 else -1)
    while count or day.weekday() >= 5:
        day += step
        if day.weekday() < 5 and count:
            count += -1 if count > 0 else 1
    return day


def fill_placeholders(text: str, now: datetime) -> str:
    """The text with its moments written out."""
    return _PLACEHOLDER.sub(
        lambda match: format_as(resolve_moment(match["when"], now), match["form"] or "%A %e %B"),
        text,
    )


def format_as(when: datetime, form: str) -> str:
    """The moment as `form` wants it.

    `utc` and `zoned` are iCalendar's (`zoned` brings its colon, and its zone where that has a
    name); anything else is as in strftime, in English, with %e for the day without a zero.
    """
    if form == "utc":
        return f"{when.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    if form == "zoned":
        named = isinstance(when.tzinfo, ZoneInfo) and when.tzinfo.key not in {None, "UTC"}
        return (
            f";TZID={when.tzinfo}:{when:%Y%m%dT%H%M%S}" if named else ":" + format_as(when, "utc")
        )
    words = {
        "A": _DAYS[when.weekday()],
        "a": _DAYS[when.weekday()][:3],
        "B": _MONTHS[when.month - 1],
        "b": _MONTHS[when.month - 1][:3],
        "e": str(when.day),
    }
    return re.sub(r"%(\w)", lambda code: words.get(code[1]) or when.strftime(code[0]), form)


@dataclass(frozen=True)
class MessageTemplate:
    """One message as it is kept in `resources/sample/mail`: headers, then text, then other parts.

    `name` is "folder/stem". `Flags:` and `Attach:` are instructions and not sent; the references
    follow from In-Reply-To.
    """

    name: str
    source: str

    @cached_property
    def headers(self) -> dict[str, str]:
        """The headers in their order, without Flags and Attach."""
        return {name: value for name, value in self._head.items() if name not in _INSTRUCTIONS}

    @cached_property
    def _head(self) -> dict[str, str]:
        head = self.source.partition("\n\n")[0]
        return dict(HeaderParser(policy=compat32).parsestr(head).items())

    @property
    def id(self) -> str:
        """The Message-ID."""
        return self.headers["Message-ID"]

    @property
    def parent(self) -> str | None:
        """The Message-ID of what this one answers, if it does."""
        return self.headers.get("In-Reply-To")

    @property
    def flags(self) -> str:
        """The letters of Maildir, as "RS"; none means nobody has seen it."""
        return self._head.get("Flags", "")

    @property
    def attachments(self) -> tuple[str, ...]:
        """Paths below the sample's folder, in the order of the message."""
        return tuple(filter(None, self._head.get("Attach", "").split("; ")))

    @cached_property
    def parts(self) -> dict[str, str]:
        """The text of each form the message comes in, by content type, plain text first."""
        plain, *others = _PART.split(self.source.partition("\n\n")[2])
        parts = {"text/plain": plain.strip("\n") + "\n"}
        parts |= zip(others[::2], others[1::2], strict=True)
        return {type_: text for type_, text in parts.items() if text.strip()}

    def sent(self, now: datetime) -> datetime:
        """When it was sent."""
        return resolve_moment(self.headers["Date"].strip("{}"), now)


_INSTRUCTIONS = ("Flags", "Attach")


@dataclass(frozen=True)
class SampleMail:
    """All templates together at one moment, because replies quote what they answer."""

    templates: Mapping[str, MessageTemplate]
    sample: Traversable
    now: datetime

    def messages(self) -> Iterator[tuple[MessageTemplate, bytes]]:
        """Every message with its bytes, as a mail server would hand them over."""
        for template in self.templates.values():
            yield template, self._message(template).as_bytes(policy=_UNFOLDED)

    def _message(self, template: MessageTemplate) -> EmailMessage:
        message = EmailMessage(policy=default)
        sent = {"Date": format_datetime(template.sent(self.now))}
        for name, value in {**template.headers, **sent}.items():
            message[name] = fill_placeholders(value, self.now)
        if template.parent:
            message["References"] = " ".join(self._ancestors(template))
        for type_ in template.parts:
            self._add_part(message, type_, self._text(template, type_))
        for path in template.attachments:
            self._attach(message, path)
        _name_boundaries(message, template.id)
        return message

    def _ancestors(self, template: MessageTemplate) -> list[str]:
        if not template.parent:
            return []
        return [*self._ancestors(self.templates[template.parent]), template.parent]

    def _add_part(self, message: EmailMessage, type_: str, text: str) -> None:
        kind, *params = type_.removeprefix("text/").split("; ")
        is_first = "Content-Type" not in message
        add = message.set_content if is_first else message.add_alternative
        add(text, subtype=kind, params=dict(param.split("=") for param in params))

    def _attach(self, message: EmailMessage, path: str) -> None:
        name = PurePosixPath(path)
        maintype, subtype = _TYPES[name.suffix].split("/")
        content = file_content(self.sample.joinpath(path), self.now)
        message.add_attachment(content, maintype, subtype, filename=name.name)

    def _text(self, template: MessageTemplate, type_: str) -> str:
        return _QUOTE.sub(
            lambda match: self._quoted(template, match["style"] or "plain"),
            fill_placeholders(template.parts[type_], self.now),
        )

    def _quoted(self, template: MessageTemplate, style: str) -> str:
        """What `template` answers, as mail programs put it below the answer."""
        parent = self.templates[template.parent or ""]
        when, sender = parent.sent(self.now), parent.headers["From"]
        text = self._text(parent, "text/plain").rstrip("\n")
        if style == "outlook":
            to, subject = (
                parent.headers["To"],
                fill_placeholders(parent.headers["Subject"], self.now),
            )
            about = f"Sent: {format_as(when, '%e %B %Y %H:%M')}\nTo: {to}\nSubject: {subject}"
            return f"{'_' * 32}\nFrom: {sender}\n{about}\n\n{text}"
        if style == "de":
            opening = f"Am {when:%d.%m.%Y} um {when:%H:%M} schrieb {sender}:"
        else:
            opening = f"On {format_as(when, '%a, %e %b %Y at %H:%M')}, {sender} wrote:"
        return f"{opening}\n{_marked(text)}"


def _marked(text: str) -> str:
    marks = (">" if line.startswith(">") else "> " for line in text.split("\n"))
    lines = zip(marks, text.split("\n"), strict=True)
    return "\n".join(f"{mark}{line}".rstrip() for mark, line in lines)


def _name_boundaries(message: EmailMessage, id: str) -> None:
    """Fixes the boundaries, which would be random."""
    seed = hashlib.sha256(id.encode()).hexdigest()[:24]
    multiparts = (part for part in message.walk() if part.is_multipart())
    for number, part in enumerate(multiparts):
        part.set_boundary(f"=_{seed}_{number}")


def file_content(file: Traversable, now: datetime) -> bytes:
    """The bytes of a file of the sample; in text, moments are written out."""
    if _TYPES[PurePosixPath(file.name).suffix].startswith("text/"):
        return fill_placeholders(file.read_text(encoding="utf-8"), now).encode()
    return file.read_bytes()
