"""Knocking: raw requests to a listener on this computer, as anybody may send them."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit


@dataclass(frozen=True)
class Answer:
    """What was answered; header names are lower case. Status 0 is no answer at all."""

    status: int
    headers: Mapping[str, str]
    body: str


async def knock(
    uri: str, target: str = "", *, method: str = "GET", host: str | None = None
) -> Answer:
    """Ask for a target on the server of `uri`, for its own path if not given."""
    parts = urlsplit(uri)
    named = parts.netloc if host is None else host
    return await send(
        uri, f"{method} {target or parts.path} HTTP/1.1\r\nHost: {named}\r\n\r\n".encode()
    )


async def come_back(uri: str, **query: str) -> Answer:
    """What a browser does that Google sends back."""
    return await knock(uri, f"{urlsplit(uri).path or '/'}?{urlencode(query)}")


async def follow(consent: str, **brought: str) -> Answer:
    """Come back from the consent page at that address with its own state."""
    asked = dict(parse_qsl(urlsplit(consent).query))
    return await come_back(asked["redirect_uri"], state=asked["state"], **brought)


async def send(uri: str, raw: bytes) -> Answer:
    """Send bytes, and read until the server closes."""
    parts = urlsplit(uri)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    try:
        writer.write(raw)
        await writer.drain()
        return _read(await reader.read())
    except ConnectionError:
        return Answer(0, {}, "")
    finally:
        writer.close()


def _read(raw: bytes) -> Answer:
    head, _, body = raw.decode().partition("\r\n\r\n")
    line, *fields = head.split("\r\n")
    if not line:
        return Answer(0, {}, "")
    headers = {name.lower(): value.strip() for name, _, value in (f.partition(":") for f in fields)}
    return Answer(int(line.split(" ")[1]), headers, body)
