"""Emails, written in a line each."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from tools.mail.message.emails import Email, preview

MakeEmail = Callable[..., Email]


@pytest.fixture
def make_email() -> MakeEmail:
    """Make emails, each a minute after the previous one."""
    written: list[Email] = []

    def made(
        content: str,
        *,
        sender: str = "Sarah Lindqvist <sarah@work.example>",
        subject: str = "",
        thread: str = "",
        to: tuple[str, ...] = ("Alex Winter <alex@home.example>",),
        problem: str = "",
    ) -> Email:
        number = len(written)
        email = Email(
            id=f"m{number}",
            thread_id=thread or f"t{number}",
            account="Sample",
            sender=sender,
            to=to,
            subject=subject or f"Subject {number}",
            date=datetime(2026, 11, 20, 9, 0, tzinfo=UTC) + timedelta(minutes=number),
            content=content,
            content_preview=preview(content),
            unread=False,
            attachments=(),
            problem=problem,
        )
        written.append(email)
        return email

    return made
