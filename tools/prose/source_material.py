"""Source material: emails, events and texts as numbered passages that a model can cite."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
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
        threads: dict[str, dict[str, Email]] = {}
        others: list[Event | str] = []
        for each in _flatten(value):
            if isinstance(each, Email):
                threads.setdefault(each.thread_id or each.id, {})[each.id] = each
            else:
                others.append(each)
        passages = _PassageBuilder(numbered=numbered)
        sorted_threads = [sorted(each.values(), key=lambda e: e.date) for each in threads.values()]
        groups = [
            tuple(passages.of_email(email) for email in thread if email.is_readable)
            for thread in sorted_threads
        ]
        groups += [(passages.of_other(each),) for each in others]
        emails = tuple(chain.from_iterable(sorted_threads))
        return cls(tuple(filter(None, groups)), tuple(passages.links), emails)


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


class _PassageBuilder:
    """Makes passages, and numbers their sources in the order of their first passage."""

    def __init__(self, *, numbered: bool) -> None:
        self.links: list[str] = []
        self._numbered = numbered

    def of_email(self, email: Email) -> Passage:
        return email_passage(email, self._number(email_link(email)))

    def of_other(self, found: Event | str) -> Passage:
        if isinstance(found, str):
            return self._of_text(found)
        number = self._number(found.link())
        facts = {
            "Title": found.summary,
            "When": format_event_time(found.start, found.end),
            "Where": found.location,
            "With": ", ".join(found.attendees),
        }
        return _passage("Event", number, facts, found.description)

    def _of_text(self, text: str) -> Passage:
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
        if link not in self.links:
            self.links.append(link)
        return self.links.index(link) + 1


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
            if to_markdown := getattr(value, "markdown", None):
                yield to_markdown()
            else:
                yield json.dumps(to_wire(value), ensure_ascii=False)


def _passage(title: str, number: int | None, facts: Mapping[str, str], text: str) -> Passage:
    shown = [
        f"{name}: {truncate(' '.join(fact.split()), _MAX_FACT)}"
        for name, fact in facts.items()
        if fact.strip()
    ]
    heads = [title if number is None else f"[{number}] {title}", *shown]
    numbers = frozenset() if number is None else frozenset({number})
    return Passage("\n".join(heads), indent(text.strip("\n"), "    "), numbers)
