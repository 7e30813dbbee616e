"""Setup checks of a Google account: client, consent, permissions, mail and keyring, with help."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

from tools.tool_errors import ToolError

T = TypeVar("T")

CheckName = Literal["client", "consent", "permission", "mail", "keyring"]
CheckState = Literal["open", "doing", "done", "failed"]

_URL = re.compile(r"https://[^\s”\"]+")
_CONSOLE = "https://console.cloud.google.com"


@dataclass(frozen=True)
class HelpLink:
    """A labelled link to a help page."""

    words: str
    url: str


@dataclass(frozen=True)
class SetupCheck:
    """The state of one requirement; `words` say how to proceed."""

    key: CheckName
    state: CheckState
    words: str = ""
    links: tuple[HelpLink, ...] = ()

    @property
    def title(self) -> str:
        """The requirement in words."""
        return CHECK_TITLES[self.key]


ReportCheck = Callable[[SetupCheck], None]

CHECK_TITLES: dict[CheckName, str] = {
    "client": "Google knows this program",
    "consent": "You sign in",
    "permission": "You allow it to read your mail",
    "mail": "Gmail answers",
    "keyring": "The sign-in is stored",
}
CLIENT_HELP_LINKS = (
    HelpLink("Enable the Gmail API", f"{_CONSOLE}/apis/library/gmail.googleapis.com"),
    HelpLink("Enable the Calendar API", f"{_CONSOLE}/apis/library/calendar-json.googleapis.com"),
    HelpLink("Add yourself as a test user", f"{_CONSOLE}/auth/audience"),
    HelpLink("Create a client of the type Desktop app", f"{_CONSOLE}/auth/clients"),
)
"""Steps done once in the Google Cloud console, in this order."""

CLIENT_HELP = (
    "Google wants to know which program asks. In the Google Cloud console enable the two APIs, add"
    " yourself as a test user, create a client of the type “Desktop app”, download its file, and"
    " give it here. This is done once."
)


async def run_check(key: CheckName, work: Awaitable[T], report: ReportCheck) -> T:
    """Await the work of a check; report the check as failed if it raises.

    Raises:
        ToolError: raised by the work.
    """
    try:
        return await work
    except ToolError as error:
        report(SetupCheck(key, "failed", str(error), _find_links(str(error))))
        raise


def _find_links(text: str) -> tuple[HelpLink, ...]:
    return tuple(HelpLink("Open this page", url.rstrip(".,;)")) for url in _URL.findall(text))
