"""Raw messages: small emails as bytes, and the Maildirs and mbox files that hold them in tests."""

from collections.abc import Mapping
from datetime import datetime
from email.utils import format_datetime
from pathlib import Path
from zlib import crc32
from zoneinfo import ZoneInfo

from tools.mail.local.mailbox import LocalMailbox
from tools.mail.local.maildir import MaildirStore
from tools.mail.local.mbox import MboxStore
from tools.mail.search.query_syntax import parse_query
from tools.moments.clock import fixed_clock

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 20, 12, tzinfo=BERLIN)
CLOCK = fixed_clock(NOW)


def raw_message(
    subject: str,
    *,
    sender: str = "Ann Ash <ann@x.org>",
    to: str = "Me <me@x.org>",
    at: str = "2026-11-19T09:00",
    body: str = "Hello.",
    **fields: str,
) -> bytes:
    """A message; further fields by name, with _ for -."""
    date = format_datetime(datetime.fromisoformat(at).replace(tzinfo=BERLIN))
    heads = {"From": sender, "To": to, "Subject": subject, "Date": date}
    heads |= {"Message-ID": f"<{crc32(f'{subject} {sender} {at}'.encode())}@x.org>"}
    heads |= {name.replace("_", "-"): value for name, value in fields.items()}
    lines = [f"{name}: {value}" for name, value in heads.items()]
    return "\n".join([*lines, "", body, ""]).encode()


def fill_maildir(folder: Path, letters: Mapping[str, bytes]) -> None:
    """Make a Maildir of files by name ("cur/1.a:2,S")."""
    for part in ("cur", "new", "tmp"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    for name, raw in letters.items():
        (folder / name).write_bytes(raw)


def as_mbox(*letters: bytes) -> bytes:
    """The content of an mbox file."""
    return b"".join(b"From a@b Thu Nov 19 09:00:00 2026\n" + raw + b"\n" for raw in letters)


def maildir(path: Path) -> LocalMailbox:
    """The Maildir with an index beside it."""
    return LocalMailbox(
        MaildirStore(path), account="home", index=path.parent / "index.db", clock=CLOCK
    )


def mbox(path: Path) -> LocalMailbox:
    """The mbox file with an index beside it."""
    return LocalMailbox(
        MboxStore(path), account="home", index=path.parent / "index.db", clock=CLOCK
    )


async def subjects(mailbox: LocalMailbox, query: str = "", count: int = 50) -> list[str]:
    """The subjects that a search finds, newest first."""
    found = await mailbox.search(parse_query(query, CLOCK), count)
    return [email.subject for email in found]
