"""Google checks: what has to be in order for an account at Google, each told as it stands."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

from tools.tool import ToolError

T = TypeVar("T")

Key = Literal["client", "consent", "permission", "mail", "keyring"]
State = Literal["open", "doing", "done", "failed"]

_URL = re.compile(r"https://[^\s”\"]+")
_CONSOLE = "https://console.cloud.google.com"


@dataclass(frozen=True)
class Link:
    """A page that helps, and what it is called."""

    words: str
    url: str


@dataclass(frozen=True)
class Check:
    """One thing that has to be in order, and where it stands; `words` say what to do next."""

    key: Key
    state: State
    words: str = ""
    links: tuple[Link, ...] = ()

    @property
    def title(self) -> str:
        """What is looked at."""
        return TITLES[self.key]


Tell = Callable[[Check], None]

TITLES: dict[Key, str] = {
    "client": "Google knows this program",
    "consent": "You sign in",
    "permission": "You allow it to read your mail",
    "mail": "Gmail answers",
    "keyring": "The sign-in is kept",
}
CLIENT_LINKS = (
    Link("Enable the Gmail API", f"{_CONSOLE}/apis/library/gmail.googleapis.com"),
    Link("Enable the Calendar API", f"{_CONSOLE}/apis/library/calendar-json.googleapis.com"),
    Link("Add yourself as a test user", f"{_CONSOLE}/auth/audience"),
    Link("Create a client of the type Desktop app", f"{_CONSOLE}/auth/clients"),
)
"""What is done once in the Google Cloud console, in this order."""

CLIENT_WORDS = (
    "Google wants to know which program asks. In the Google Cloud console enable the two APIs, add"
    " yourself as a test user, create a client of the type “Desktop app”, download its file, and"
    " give it here. This is done once."
)


async def checked(key: Key, work: Awaitable[T], tell: Tell) -> T:
    """Do what a check stands for; where that fails the check says why.

    Raises:
        ToolError: what the work raised.
    """
    try:
        return await work
    except ToolError as error:
        tell(Check(key, "failed", str(error), _links_in(str(error))))
        raise


def _links_in(words: str) -> tuple[Link, ...]:
    """The pages that a sentence names."""
    return tuple(Link("Open this page", url.rstrip(".,;)")) for url in _URL.findall(words))
