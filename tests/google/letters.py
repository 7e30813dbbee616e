"""Letters: messages that the tests of our Google put into it."""

import base64
from email.message import EmailMessage

DATE = "Fri, 20 Nov 2026 09:00:00 +0100"


def letter(
    subject: str, *, to: str = "anna.berg@example.com", answers: str = "", date: str = DATE
) -> EmailMessage:
    """One from Ravi, whose Message-ID is made of its subject."""
    message = EmailMessage()
    message["From"] = "Ravi Menon <ravi@example.org>"
    message["To"] = to
    message["Subject"] = subject
    message["Date"] = date
    message["Message-ID"] = f"<{subject.replace(' ', '.').replace(':', '')}@example.org>"
    if answers:
        message["In-Reply-To"] = message["References"] = answers
    message.set_content("Grüße aus Kochi.\n")
    return message


def raw(message: EmailMessage) -> str:
    """A message as JSON carries it."""
    return base64.urlsafe_b64encode(bytes(message)).decode()
