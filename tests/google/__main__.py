"""A Google server in its own process, for measurements: prints one line of JSON, then serves.

python -m tests.google [--port 0] [--messages N] [--latency MS]
The line holds `url`, `address`, `client` and `grant`, the latter as `Grant.to_secret` returns it.
The server ends with its standard input.
"""

import argparse
import asyncio
import json
import sys
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from tests.google.google import Google
from tests.google.server import ADDRESS, listen
from tools.accounts.google.permissions import Permission

NEWEST = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
PAUSE = timedelta(minutes=7)
_WORDS = "The harbour office asks for signed copies of every invoice by Friday. "


_LETTER = """\
From: Sender {sender} <sender{sender}@example.org>
To: {to}
Subject: Letter {number}
Message-ID: <{number}@letters.example.org>
Date: {date}
MIME-Version: 1.0
Content-Type: multipart/alternative; boundary="part"

--part
Content-Type: text/plain; charset=utf-8

Number {number}.
{text}
--part
Content-Type: text/html; charset=utf-8

<p>Number {number}.</p><p>{html}</p>
--part--
"""


def letter(number: int) -> bytes:
    """One of many letters, of 4.6 kB as real mail on average; a greater number is older."""
    return _LETTER.format(
        number=number,
        sender=number % 97,
        to=ADDRESS,
        date=format_datetime(NEWEST - number * PAUSE),
        text=20 * _WORDS,
        html=40 * _WORDS,
    ).encode()


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
    """Serve until standard input ends."""
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
