"""A browser that follows the URL of a sign-in and acts as a user there.

`python -m tests.google.browser URL [ADDRESS]` allows everything, so that BROWSER can name it.
"""

import sys
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import parse_qs, urljoin, urlsplit

import requests
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tests.google.consent import SCOPE

Decision = Literal["allow", "deny", "nothing"]


@dataclass
class Browser:
    """A user at a browser: the decision, the account, and the permissions to untick.

    Without an account it uses the one that the page asks for, else the first.

    Opening a URL returns at once; `shown` are the resulting pages, the last of each sign-in being
    the final one.
    """

    decision: Decision = "allow"
    address: str = ""
    unticked: Collection[str] = ()
    opened: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    _threads: list[threading.Thread] = field(default_factory=list)

    def __call__(self, url: str) -> bool:
        """Open an address."""
        self.opened.append(url)
        if self.decision != "nothing":
            thread = threading.Thread(target=self._visit, args=(url,), name="browser")
            self._threads.append(thread)
            thread.start()
        return True

    def wait(self) -> None:
        """Until every page is shown."""
        for thread in self._threads:
            thread.join()

    def _visit(self, url: str) -> None:
        self.shown.append(decided(url, self.decision, self.address, self.unticked))


@contextmanager
def browser(
    decision: Decision = "allow", *, address: str = "", unticked: Collection[str] = ()
) -> Iterator[Browser]:
    """A browser that is closed in the end."""
    opened = Browser(decision, address, unticked)
    try:
        yield opened
    finally:
        opened.wait()


def decided(url: str, decision: Decision, address: str = "", unticked: Collection[str] = ()) -> str:
    """Fetch a consent page, answer it, and follow where it leads; the text of the last page."""
    with requests.Session() as session:
        session.trust_env = False
        page = session.get(url, timeout=10)
        forms = LexborHTMLParser(page.text).css("form")
        form = _form(forms, address or _hint(url)) or (forms[0] if forms and not address else None)
        if form is None:
            return page.text
        where = urljoin(url, form.attributes["action"] or "")
        fields = [*_fields(form, unticked), ("decision", decision)]
        return session.post(where, data=fields, timeout=10).text


def _hint(url: str) -> str:
    return parse_qs(urlsplit(url).query).get("login_hint", [""])[-1]


def _form(forms: Sequence[LexborNode], address: str) -> LexborNode | None:
    mine = (form for form in forms if dict(_fields(form, ())).get("email") == address)
    return next(mine, None)


def _fields(form: LexborNode, unticked: Collection[str]) -> list[tuple[str, str]]:
    given: list[Mapping[str, str | None]] = [
        each.attributes for each in form.css("input[type=hidden], input[type=checkbox][checked]")
    ]
    pairs = [(each["name"] or "", each["value"] or "") for each in given]
    return [(name, value) for name, value in pairs if name != SCOPE or value not in unticked]


if __name__ == "__main__":
    decided(sys.argv[1], "allow", *sys.argv[2:3])
