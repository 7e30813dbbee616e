"""Raw HTTP requests to a listener on this computer."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit


@dataclass(frozen=True)
class RawResponse:
    """A response; header names are lower case. Status 0 is a closed connection."""

    status: int
    headers: Mapping[str, str]
    body: str


async def send_request(
    uri: str, target: str = "", *, method: str = "GET", host: str | None = None
) -> RawResponse:
    """Request a target on the server of `uri`, by default its own path."""
    parts = urlsplit(uri)
    named = parts.netloc if host is None else host
    return await send_bytes(
        uri, f"{method} {target or parts.path} HTTP/1.1\r\nHost: {named}\r\n\r\n".encode()
    )


async def send_redirect(uri: str, **query: str) -> RawResponse:
    """Follow a redirect from Google as a browser does."""
    return await send_request(uri, f"{urlsplit(uri).path or '/'}?{urlencode(query)}")


async def complete_consent(consent: str, **brought: str) -> RawResponse:
    """Redirect from the consent page at this URL with its own state."""
    asked = dict(parse_qsl(urlsplit(consent).query))
    return await send_redirect(asked["redirect_uri"], state=asked["state"], **brought)


async def send_bytes(uri: str, raw: bytes) -> RawResponse:
    """Send bytes, and read until the server closes."""
    parts = urlsplit(uri)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    try:
        writer.write(raw)
        await writer.drain()
        return _read(await reader.read())
    except ConnectionError:
        return RawResponse(0, {}, "")
    finally:
        writer.close()


def _read(raw: bytes) -> RawResponse:
    head, _, body = raw.decode().partition("\r\n\r\n")
    line, *fields = head.split("\r\n")
    if not line:
        return RawResponse(0, {}, "")
    headers = {name.lower(): value.strip() for name, _, value in (f.partition(":") for f in fields)}
    return RawResponse(int(line.split(" ")[1]), headers, body)
