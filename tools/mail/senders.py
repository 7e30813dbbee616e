"""Senders: the ways out that there are, and which of them an email may take."""

from collections.abc import Sequence
from dataclasses import dataclass

from tools.mail.outgoing import Outgoing
from tools.remedy import Remedy
from tools.tool import ToolError

_NONE = (
    "No account is connected that can send email. Connect one in the settings: sign in to Google, "
    "or give TOOLS_EMAIL_SENDER_EMAIL_ADDRESS and TOOLS_EMAIL_EMAIL_APP_PASSWORD, of which one "
    "is missing."
)


@dataclass(frozen=True)
class Senders:
    """`preferred` is the name or the address of the one that mail goes from, "" to be asked.

    `closed` says why none may be used, "" where they may.
    """

    outgoings: Sequence[Outgoing]
    preferred: str = ""
    closed: str = ""

    @property
    def is_open(self) -> bool:
        """Whether there is one that may be used."""
        return bool(self.outgoings) and not self.closed

    @property
    def addresses(self) -> tuple[str, ...]:
        """The addresses that mail can be sent from."""
        return tuple(each.address for each in self.outgoings)

    def fitting(self, account: str = "") -> Sequence[Outgoing]:
        """The one that an email goes from, or all where that is for the user to say.

        Args:
            account: that of the email which is answered or forwarded, "" for a new one.

        Raises:
            ToolError: there is none at all, or none may be used.
        """
        if self.closed:
            raise ToolError(self.closed)
        if not self.outgoings:
            raise ToolError(_NONE, Remedy.CONNECT_ACCOUNT)
        own = [each for each in self.outgoings if account and each.account == account]
        wanted = self.preferred.strip().casefold()
        preferred = [each for each in self.outgoings if wanted and wanted in _names(each)]
        return next((found for found in (own, preferred) if len(found) == 1), self.outgoings)


def _names(outgoing: Outgoing) -> set[str]:
    return {outgoing.account.casefold(), outgoing.address.casefold()}
