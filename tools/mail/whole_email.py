"""A whole email: one email as it is read, with the conversation it belongs to."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Self

from tools.mail.message import Attachment, Email, size_in_words
from tools.plain_words import in_markdown


@dataclass(frozen=True, slots=True)
class WholeEmail(Email):
    """An email; `thread` holds the emails of its conversation, oldest first, itself included.

    `whose` is the account as it is shown, "" where there is only one; it is not part of the wire
    form.
    """

    thread: tuple[Email, ...] = ()
    whose: str = ""

    @classmethod
    def of(cls, email: Email, thread: Sequence[Email], whose: str = "") -> Self:
        """The email with its thread."""
        own = {field.name: getattr(email, field.name) for field in fields(email)}
        return cls(**own, thread=tuple(thread), whose=whose)

    def markdown(self) -> str:
        """The email as a page: heads, text, attachments, and the rest of the conversation."""
        blocks = [
            f"### {in_markdown(self.subject) or '(no subject)'}",
            f"**From** {in_markdown(self.sender)}  \n"
            f"**To** {in_markdown(', '.join(self.to)) or '(nobody named)'}  \n"
            f"**Date** {self.when()}"
            + (f"  \n**Account** {in_markdown(self.whose)}" if self.whose else ""),
            in_markdown(self.problem),
            *map(_paragraph, self.content.split("\n\n")),
            "\n".join(["**Attachments**", "", *map(_attached, self.attachments)])
            if self.attachments
            else "",
            self._conversation(),
        ]
        return "\n\n".join(filter(None, blocks))

    def _conversation(self) -> str:
        others = [email.markdown() for email in self.thread if email.id != self.id]
        return "\n".join(["**In the same conversation**", "", *others]) if others else ""


def _paragraph(text: str) -> str:
    return "  \n".join(filter(None, map(in_markdown, text.split("\n"))))


def _attached(attachment: Attachment) -> str:
    return f"- {in_markdown(attachment.name)} ({size_in_words(attachment.size)})"
