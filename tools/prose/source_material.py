"""Source material: emails, events and texts as numbered passages that a model can cite."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import indent

from tools.calendar.event import Event, format_event_time
from tools.mail.message.emails import Email, EmailWithThread
from tools.mail.reading_results import EmailList
from tools.markdown.plain_text import replace_internal_links, truncate
from tools.prose.email_references import email_link
from tools.tool import to_wire

_MAX_FACT = 300  # characters; no list of recipients takes a mail's place


@dataclass(frozen=True)
class Passage:
    """Piece of material: a head by the program, and untrusted text below it.

    `numbers` are those of the sources in the passage.
    """

    head: str
    text: str
    numbers: frozenset[int] = frozenset()

    def __str__(self) -> str:
        """Format the passage for the model."""
        return "\n\n".join(part for part in (self.head, self.text) if part)


@dataclass(frozen=True)
class SourceMaterial:
    """Passages in groups that belong together, and the Markdown links of the sources 1, 2, ….

    `emails` are all given emails, also unreadable ones without a passage.
    """

    groups: tuple[tuple[Passage, ...], ...] = ()
    links: tuple[str, ...] = ()
    emails: tuple[Email, ...] = ()

    @classmethod
    def of(cls, value: object, *, numbered: bool) -> "SourceMaterial":
        """Convert results of other tools: emails, events, texts, or lists of them."""
        gathering = _MaterialBuilder(numbered=numbered)
        for each in _flatten(value):
            gathering.add(each)
        return gathering.material()


def email_passage(email: Email, number: int | None, kind: str = "") -> Passage:
    """Make a passage of an email; its text is indented, so that it cannot imitate a head."""
    facts = {
        "From": email.sender,
        "To": ", ".join(email.to),
        "Date": email.when(),
        "Subject": email.subject,
        "Attached": ", ".join(file.name for file in email.attachments),
        "Kind": kind,
    }
    return _passage("Email", number, facts, email.content)


def unique_emails(value: EmailList | Sequence[Email] | Email) -> tuple[Email, ...]:
    """Return the emails without duplicates."""
    found = (each for each in _flatten(value) if isinstance(each, Email))
    return tuple({email.id: email for email in found}.values())


class _MaterialBuilder:
    def __init__(self, *, numbered: bool) -> None:
        self._numbered = numbered
        self._threads: dict[str, dict[str, Email]] = {}
        self._others: list[Event | str] = []
        self._links: list[str] = []

    def add(self, found: Email | Event | str) -> None:
        """Add a value; emails join their conversation."""
        if isinstance(found, Email):
            thread = self._threads.setdefault(found.thread_id or found.id, {})
            thread[found.id] = found
        else:
            self._others.append(found)

    def material(self) -> SourceMaterial:
        """Number everything in order, the oldest email of a conversation first."""
        threads = [sorted(one.values(), key=lambda e: e.date) for one in self._threads.values()]
        emails = [email for thread in threads for email in thread]
        groups = [
            tuple(map(self._email, (email for email in thread if email.is_readable)))
            for thread in threads
        ]
        groups += [(self._other(each),) for each in self._others]
        return SourceMaterial(tuple(filter(None, groups)), tuple(self._links), tuple(emails))

    def _email(self, email: Email) -> Passage:
        return email_passage(email, self._number(email_link(email)))

    def _other(self, found: Event | str) -> Passage:
        if isinstance(found, str):
            return self._text(found)
        number = self._number(found.link())
        facts = {
            "Title": found.summary,
            "When": format_event_time(found.start, found.end),
            "Where": found.location,
            "With": ", ".join(found.attendees),
        }
        return _passage("Event", number, facts, found.description)

    def _text(self, text: str) -> Passage:
        """Make a passage of a text; `mail:` and `event:` links in it become source numbers."""
        numbers: set[int] = set()

        def numbered(link: re.Match[str]) -> str:
            number = self._number(link[0])
            if number is None:
                return link[1]
            numbers.add(number)
            return f"{link[1]} [{number}]"

        return Passage("", replace_internal_links(text, numbered), frozenset(numbers))

    def _number(self, link: str) -> int | None:
        if not self._numbered:
            return None
        if link not in self._links:
            self._links.append(link)
        return self._links.index(link) + 1


def _flatten(value: object) -> Iterator[Email | Event | str]:
    match value:
        case None | "":
            return
        case EmailWithThread():
            yield from (value, *value.thread)
        case Email() | Event() | str():
            yield value
        case EmailList(emails=[_, *_]):
            yield from value.emails
        case [_, *_]:
            for each in value:
                yield from _flatten(each)
        case _:
            speaks = getattr(value, "markdown", None)
            yield speaks() if callable(speaks) else json.dumps(to_wire(value), ensure_ascii=False)


def _passage(title: str, number: int | None, facts: Mapping[str, str], text: str) -> Passage:
    shown = [f"{name}: {_on_one_line(fact)}" for name, fact in facts.items() if fact.strip()]
    heads = [title if number is None else f"[{number}] {title}", *shown]
    numbers = frozenset() if number is None else frozenset({number})
    return Passage("\n".join(heads), indent(text.strip("\n"), "    "), numbers)


def _on_one_line(fact: str) -> str:
    return truncate(" ".join(fact.split()), _MAX_FACT)
