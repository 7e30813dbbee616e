"""Contacts: the people that a search by name found."""

from dataclasses import dataclass
from typing import Any

from tools.mail.mailbox import Contact
from tools.plain_words import in_markdown
from tools.tool import to_wire


@dataclass(frozen=True)
class Contacts:
    """People whose name or address contains `name`, the likeliest first."""

    contacts: tuple[Contact, ...]
    count: int
    name: str

    def wire(self) -> dict[str, Any]:
        """The fields of the public contract."""
        return {"contacts": to_wire(self.contacts), "count": self.count}

    def markdown(self) -> str:
        """A Markdown list of names and addresses, or a sentence that there are none."""
        lines = [
            f"- **{in_markdown(one.name or one.address)}** · {in_markdown(one.address)}"
            for one in self.contacts
        ]
        return "\n".join(lines) or f"Nobody named {in_markdown(self.name)} was found."
