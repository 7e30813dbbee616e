"""Senders: the protocol of accounts that send mail, and the choice among them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tools.tool_errors import Remedy, ToolError

if TYPE_CHECKING:
    from email.message import EmailMessage


_NO_SENDER = (
    "No account is connected that can send email. Connect one in the settings: sign in to Google, "
    "or give TOOLS_EMAIL_SENDER_EMAIL_ADDRESS and TOOLS_EMAIL_EMAIL_APP_PASSWORD, of which one "
    "is missing."
)


class MailSender(Protocol):
    """One account that sends mail. Blocking work runs in threads inside the provider.

    Every method raises `ToolError` with the reason if the message was not accepted. Messages are
    identified by Message-ID: submitting one again changes nothing.
    """

    @property
    def account(self) -> str:
        """The name the user knows the account by; the same as that of its mailbox."""

    @property
    def address(self) -> str:
        """The address that mail is sent from."""

    @property
    def name(self) -> str:
        """The name shown beside the address, or ""."""

    @property
    def drafts_online(self) -> bool:
        """Whether drafts are stored by the provider and not on this computer."""

    async def ensure_ready(self) -> None:
        """Ensure, before an approval is requested, that a message would be accepted.

        Raises:
            ToolError: the account needs attention first.
        """

    async def send(self, message: "EmailMessage", thread_id: str = "") -> str:
        """Send the message; return a further note for the user, or "".

        Args:
            message: the message.
            thread_id: its thread in this account, "" for a new one.

        Raises:
            UnknownOutcomeError: it may have been sent.
        """

    async def save_draft(self, message: "EmailMessage", thread_id: str = "") -> str:
        """Save the message as a draft; return the place in words."""


@dataclass(frozen=True)
class SenderAccounts:
    """The accounts that can send mail, and the choice among them.

    `preferred` is the name or address of the default account, "" to ask; `disabled_reason` is ""
    if sending is enabled.
    """

    senders: Sequence[MailSender]
    preferred: str = ""
    disabled_reason: str = ""

    @property
    def is_available(self) -> bool:
        """Whether sending is enabled and an account is available."""
        return bool(self.senders) and not self.disabled_reason

    @property
    def addresses(self) -> tuple[str, ...]:
        """The addresses that mail can be sent from."""
        return tuple(each.address for each in self.senders)

    def choose(self, account: str = "") -> Sequence[MailSender]:
        """Return the account to send from, or all if the user has to choose.

        `account` is that of the email that is answered or forwarded, "" for a new one.

        Raises:
            ToolError: no account is available, or sending is disabled.
        """
        if self.disabled_reason:
            raise ToolError(self.disabled_reason)
        if not self.senders:
            raise ToolError(_NO_SENDER, Remedy.CONNECT_ACCOUNT)
        own = [each for each in self.senders if account and each.account == account]
        name = self.preferred.strip().casefold()
        preferred = [
            each
            for each in self.senders
            if name and name in {each.account.casefold(), each.address.casefold()}
        ]
        return next((found for found in (own, preferred) if len(found) == 1), self.senders)
