"""A newsstand: newsletters and other mail as messages, and the mailboxes that hold them."""

from pathlib import Path
from typing import Any

from tests.tools.mail.letters import fill, letter, maildir
from tools.mail.local import LocalMailbox

LEDGER = "The Ledger <morning@ledger.example>"


def issue(subject: str, sender: str = LEDGER, **parts: Any) -> bytes:
    """An issue of a newsletter, with the List-Id that its sender would have."""
    name, _, address = sender.rpartition(" <")
    domain = address.rpartition("@")[2].rstrip(">")
    return letter(subject, sender=sender, List_Id=f"{name} <news.{domain}>", **parts)


def mailbox_of(folder: Path, *letters: bytes, place: str = "") -> LocalMailbox:
    """A Maildir with these in its inbox, or in another folder of it."""
    path = folder / "mail"
    fill(path, {})
    fill(path / place, {f"cur/{number}.a:2,S": raw for number, raw in enumerate(letters)})
    return maildir(path)
