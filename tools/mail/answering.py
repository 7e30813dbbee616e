"""Answering: what makes an email the reply to another: its thread, subject, people and text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tools.mail.message import Email
from tools.mail.original import Original
from tools.mail.parsing import Parsed
from tools.mail.threads import message_id
from tools.moments import in_words
from tools.plain_words import on_one_line, without_control_characters
from tools.recipients import Recipient, parse_recipients
from tools.tool import ToolError

MOST_REFERENCES = 20
_MESSAGE_ID = re.compile(r"<[^<>\s]{1,500}>")
_ANSWERS = re.compile(
    r"^(\s*(re|aw|sv|vs|antw|odp|ref|rif|res|r)(\[\d{1,3}\]|\^\d{1,3})?\s?:)+\s*", re.IGNORECASE
)


@dataclass(frozen=True)
class Answer:
    """What a letter answers: the ids that put it into the thread."""

    in_reply_to: str
    references: tuple[str, ...]


def answer_to(original: Parsed) -> Answer | None:
    """What puts a reply into the original's thread; None where the original has no id."""
    own = f"<{message_id(original.headers)}>"
    if not _MESSAGE_ID.fullmatch(own):
        return None
    earlier = _MESSAGE_ID.findall(original.headers.plain("references"))
    kept = [*earlier[:1], *earlier[1:][-MOST_REFERENCES:], own]
    return Answer(own, tuple(dict.fromkeys(kept)))


def answering_subject(subject: str) -> str:
    """The subject with exactly one "Re: " before it."""
    return f"Re: {_ANSWERS.sub('', on_one_line(subject))[:480]}".strip()


def answering_body(reply: str, original: Email) -> str:
    """The reply with the original quoted beneath it."""
    content = without_control_characters(original.content)
    quoted = "\n".join(f"> {line}".rstrip() for line in content.split("\n"))
    return f"{reply.rstrip()}\n\nOn {in_words(original.date)}, {original.sender} wrote:\n{quoted}\n"


def answered_people(
    original: Original, own: Sequence[str]
) -> tuple[tuple[Recipient, ...], tuple[Recipient, ...]]:
    """Whom a reply goes to, and who else got the original.

    Args:
        original: what is answered.
        own: the user's addresses, which get no reply while there is somebody else.

    Raises:
        ToolError: it does not say whom to answer.
    """
    author = _people(original, "reply-to") or _people(original, "from")
    also = (*_people(original, "to"), *_people(original, "cc"))
    to = _without(author, own) or _without(also, own) or author
    if not to:
        raise ToolError(f'"{original.email.subject}" does not say whom to answer.')
    return to, _without(also, (*own, *(each.address for each in to)))


def _people(original: Original, field: str) -> tuple[Recipient, ...]:
    """The people of a field of the original, checked as recipients."""
    people = [person for person in original.source.people(field) if person.address]
    checked = [(parse_recipients(person.address, field), person.name) for person in people]
    return tuple(
        Recipient(on_one_line(name), each.address) for found, name in checked for each in found
    )


def _without(people: Sequence[Recipient], others: Sequence[str]) -> tuple[Recipient, ...]:
    """The people whose addresses are not among the others, each once."""
    known = {address.lower() for address in others}
    kept = {p.address.lower(): p for p in people if p.address.lower() not in known}
    return tuple(kept.values())
