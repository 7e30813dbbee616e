"""Link policy: decides whether a link opens, asks first or is refused."""

import re
import unicodedata
from dataclasses import dataclass
from urllib.parse import SplitResult, unquote, urlsplit

_URL_IN_TEXT = re.compile(r"(?:https?://)?((?:[\w-]+\.)+[a-z]{2,})", re.IGNORECASE)


@dataclass(frozen=True)
class FollowLink:
    """Open the link without confirmation."""

    url: str


@dataclass(frozen=True)
class ConfirmLink:
    """Open the link only after the user confirmed its real destination."""

    url: str
    host: str
    reason: str


@dataclass(frozen=True)
class RefuseLink:
    """Do not open the link."""

    reason: str


LinkDecision = FollowLink | ConfirmLink | RefuseLink


def check_link(url: str, text: str = "") -> LinkDecision:
    """Decide about a link displayed as `text`, "" if unknown."""
    if any(unicodedata.category(sign) in {"Cc", "Cf", "Zs", "Zl", "Zp"} for sign in url):
        return RefuseLink("The link contains hidden characters.")
    try:
        parts = urlsplit(url)
        host = _host(parts)
    except ValueError:
        return RefuseLink("The link is not a proper address.")
    if parts.scheme not in {"http", "https", "mailto"}:
        return RefuseLink("Only links to web pages and email addresses are opened.")
    if not host:
        return RefuseLink("The link does not say where it leads.")
    reason = _warning(parts, host, text)
    return ConfirmLink(url, host, reason) if reason else FollowLink(url)


def _host(parts: SplitResult) -> str:
    """Return the host as ASCII, or the address of a mailto link."""
    if parts.scheme == "mailto":
        return unquote(parts.path)
    return (parts.hostname or "").encode("idna").decode("ascii")


def _warning(parts: SplitResult, host: str, text: str) -> str:
    if parts.scheme == "mailto":
        return "This begins an email in your mail program."
    if parts.username or parts.password or "@" in parts.netloc:
        return "The link hides its real destination behind a name."
    if "xn--" in host:
        return "The address uses letters that look like other letters."
    named = _URL_IN_TEXT.search(text)
    if named and named[1].lower().removeprefix("www.") != host.removeprefix("www."):
        return f"The words say {named[1]}, but the link leads elsewhere."
    return "" if named else "This opens in your web browser."
