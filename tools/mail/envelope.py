"""An envelope: a message with the addresses that it is carried by, seen and unseen ones."""

import copy
import re
from dataclasses import dataclass
from email.message import EmailMessage
from typing import TYPE_CHECKING, Self, cast

from tools.tool import ToolError

if TYPE_CHECKING:
    from email.policy import EmailPolicy

_ADDRESS = re.compile(r"[^\s<>\x00-\x1f\x7f]+@[^\s<>@\x00-\x1f\x7f]+")


@dataclass(frozen=True)
class Envelope:
    """The headers of `message` tell nobody about those who are to get it unseen.

    `id` is its Message-ID.
    """

    id: str
    sender: str
    recipients: tuple[str, ...]
    message: EmailMessage

    @classmethod
    def of(cls, sender: str, message: EmailMessage) -> Self:
        """Put a message into an envelope for everybody whom it names.

        Raises:
            ToolError: it names nobody, or somebody whose address cannot be written on one, or it
                has no Message-ID to be known by.
        """
        if "Message-ID" not in message:
            raise ToolError("The email has no Message-ID, so it could not be told from another.")
        fields = [message[field] for field in ("To", "Cc", "Bcc") if field in message]
        people = dict.fromkeys(each.addr_spec for field in fields for each in field.addresses)
        if not people:
            raise ToolError("The email names nobody that it goes to.")
        for address in (sender, *people):
            if not _ADDRESS.fullmatch(address):
                raise ToolError(f"No email can be sent with the address {address!r}.")
        shown = copy.copy(message)
        del shown["Bcc"]
        del shown["Resent-Bcc"]
        return cls(str(message["Message-ID"]), sender, tuple(people), shown)

    @property
    def has_other_letters(self) -> bool:
        """Whether an address has letters that only some servers take (RFC 6531)."""
        return not "".join((self.sender, *self.recipients)).isascii()

    def content(self, *, eight_bit: bool) -> bytes:
        """The message as it goes over the wire, its lines ended as there.

        Args:
            eight_bit: whether the server takes more than ASCII in bodies.
        """
        own = cast("EmailPolicy[EmailMessage]", self.message.policy)
        policy = own.clone(
            linesep="\r\n", utf8=self.has_other_letters, cte_type="8bit" if eight_bit else "7bit"
        )
        content = self.message.as_bytes(policy=policy)
        return content if content.endswith(b"\r\n") else content + b"\r\n"
