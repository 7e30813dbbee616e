"""A page: what the browser shows when it comes back from Google, without any script."""

from dataclasses import dataclass
from html import escape
from http import HTTPStatus

_HTML = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; font: 1.1rem/1.5 system-ui, sans-serif }}
body {{ max-width: 34rem; margin: 18vh auto; padding: 0 1.5rem }}
h1 {{ font-size: 1.5rem }}
</style>
<h1>{title}</h1>
<p>{words}</p>
</html>
"""
_HEADERS = (
    "Content-Type: text/html; charset=utf-8",
    "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options: nosniff",
    "Referrer-Policy: no-referrer",  # its address holds the code
    "Cache-Control: no-store",
    "Connection: close",
)


@dataclass(frozen=True)
class Page:
    """A status, a title and a sentence; neither is trusted to be free of HTML."""

    status: HTTPStatus
    title: str
    words: str

    def answer(self) -> bytes:
        """The whole HTTP answer."""
        body = _HTML.format(title=escape(self.title), words=escape(self.words)).encode()
        allowed = ("Allow: GET",) if self.status is HTTPStatus.METHOD_NOT_ALLOWED else ()
        head = (
            f"HTTP/1.1 {self.status.value} {self.status.phrase}",
            *_HEADERS,
            *allowed,
            f"Content-Length: {len(body)}",
        )
        return "\r\n".join((*head, "", "")).encode() + body
