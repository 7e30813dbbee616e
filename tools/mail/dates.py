"""Dates of mail: when a message was written, as far as that can be believed."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_tz

from tools.mail.headers import Headers

EPOCH = datetime.fromtimestamp(0, UTC)
_EARLIEST = datetime(1980, 1, 1, tzinfo=UTC)


def date_of(headers: Headers, *, stored: datetime, latest: datetime) -> datetime:
    """When the message was written; else when it was received, else when it was stored.

    Args:
        headers: the message's headers.
        stored: when the file was last written (aware).
        latest: a date after this one is not believed (aware).
    """
    for moment in _claims(headers):
        if moment and _EARLIEST <= moment <= latest:
            return moment
    return stored if _EARLIEST <= stored <= latest else EPOCH


def from_seconds(seconds: float) -> datetime:
    """A moment from epoch seconds as a file system tells them; the epoch where they are absurd."""
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return EPOCH
    return moment if moment.year < 3000 else EPOCH


def _claims(headers: Headers) -> Iterable[datetime | None]:
    yield read_date(headers.plain("date"))
    for hop in headers.all_raw("received")[:20]:
        yield read_date(hop.rpartition(b";")[2].decode("ascii", "replace"))
    yield read_date(headers.plain("delivery-date"))


def read_date(text: str) -> datetime | None:
    """The moment that an RFC 5322 date means, or None; without a zone it is read as UTC."""
    try:
        parts = parsedate_tz(text[:200])
        if parts is None:
            return None
        year, month, day, hour, minute, second = parts[:6]
        offset = timedelta(seconds=parts[9] or 0)
        zone = timezone(offset) if abs(offset) < timedelta(hours=24) else UTC
        return datetime(year, month, day, hour, minute, min(second, 59), tzinfo=zone)
    except (ValueError, IndexError, OverflowError, TypeError):
        return None
