"""Newsletter emails, and mailboxes that hold them."""

from pathlib import Path
from typing import Any

from tests.tools.mail.raw_messages import fill_maildir, maildir, raw_message
from tools.mail.local.mailbox import LocalMailbox

LEDGER = "The Ledger <morning@ledger.example>"


def issue(subject: str, sender: str = LEDGER, **parts: Any) -> bytes:
    """Make an issue of a newsletter, with the List-Id of its sender."""
    name, _, address = sender.rpartition(" <")
    domain = address.rpartition("@")[2].rstrip(">")
    return raw_message(subject, sender=sender, List_Id=f"{name} <news.{domain}>", **parts)


def mailbox_of(folder: Path, *letters: bytes, place: str = "") -> LocalMailbox:
    """Make a Maildir with these messages in its inbox, or in another folder."""
    path = folder / "mail"
    fill_maildir(path, {})
    fill_maildir(path / place, {f"cur/{number}.a:2,S": raw for number, raw in enumerate(letters)})
    return maildir(path)
