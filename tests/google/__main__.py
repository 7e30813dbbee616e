"""A Google in a process of its own, for measurements: it prints one line of JSON, then answers.

python -m tests.google [--port 0] [--messages N] [--latency MS]
The line holds `url`, `address`, `client` and `grant`, a secret as `Grant.to_secret` makes it. It
ends when what it reads from ends.
"""

import argparse
import asyncio
import json
import sys
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime

from tests.google.google import Google
from tests.google.server import ADDRESS, listen
from tools.accounts.google.permissions import Permission

_NEWEST = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
_WORDS = "The harbour office asks for signed copies of every invoice by Friday. "


def letter(number: int) -> EmailMessage:
    """One of many letters: a text of three kilobytes and its HTML; a greater number is older."""
    message = EmailMessage()
    message["From"] = f"Sender {number % 97} <sender{number % 97}@example.org>"
    message["To"] = ADDRESS
    message["Subject"] = f"Letter {number}"
    message["Message-ID"] = f"<{number}@letters.example.org>"
    message["Date"] = format_datetime(_NEWEST - timedelta(minutes=7 * number))
    message.set_content(f"Number {number}.\n" + 40 * _WORDS)
    message.add_alternative(f"<p>Number {number}.</p><p>{40 * _WORDS}</p>", subtype="html")
    return message


async def _serve(google: Google, port: int) -> None:
    listening = await listen(google, port)
    ready = {
        "url": google.url,
        "address": google.address,
        "client": google.client.id,
        "grant": google.grant(Permission).to_secret(),
    }
    sys.stdout.write(json.dumps(ready) + "\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    listening.close()


def main() -> None:
    """Answer until nobody listens any more."""
    parser = argparse.ArgumentParser(prog="python -m tests.google")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--messages", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0, help="milliseconds")
    options = parser.parse_args()
    google = Google((ADDRESS,))
    google.latency = options.latency / 1000
    for number in range(options.messages):
        google.add_mail(letter(number))
    asyncio.run(_serve(google, options.port))


if __name__ == "__main__":
    main()
