"""People: who the reader of the mails is, and to whom a sentence is addressed by name."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from email.utils import parseaddr

from tools.mail.message import Email

_ADDRESSED = re.compile(
    r"^(?P<name>[A-ZÀ-Þ][\w’'-]+(?:(?:,| and| und| et) [A-ZÀ-Þ][\w’'-]+)*)(?::|,| –) "
)
_SENDER_SELF = frozenset({"me", "ich", "moi", "self", "myself"})


@dataclass(frozen=True)
class People:
    """The reader's address and first name ("" where unknown), and the first names of the others."""

    address: str
    name: str
    others: frozenset[str]

    @classmethod
    def in_emails(cls, emails: Sequence[Email]) -> "People":
        """The reader is whoever most of the mails are sent to; the others are all the rest."""
        to = [parseaddr(one) for email in emails for one in email.to]
        everyone = [*to, *(parseaddr(email.sender) for email in emails)]
        counted = Counter(address.lower() for _, address in to if address)
        address = counted.most_common(1)[0][0] if counted else ""
        names = Counter(name for name, one in to if one.lower() == address and name)
        name = _first_name(names.most_common(1)[0][0]) if names else ""
        others = {_first_name(one) for one, _ in everyone} - {name, ""}
        return cls(address, name, frozenset(others))

    def wrote(self, email: Email) -> bool:
        """Whether the reader is the sender."""
        return bool(self.address) and parseaddr(email.sender)[1].lower() == self.address

    def is_for_reader(self, sentence: str) -> bool:
        """Whether a sentence begins with the reader's name."""
        return bool(self.name) and self.name in self._addressed(sentence)

    def is_for_others(self, sentence: str) -> bool:
        """Whether a sentence begins with the name of somebody else and not the reader's."""
        named = self._addressed(sentence)
        return bool(named & (self.others | _SENDER_SELF)) and self.name not in named

    def unaddressed(self, sentence: str) -> str:
        """The sentence without the reader's own name before it, and with a capital."""
        said = _ADDRESSED.sub("", sentence) if self.is_for_reader(sentence) else sentence
        return said[:1].upper() + said[1:]

    def _addressed(self, sentence: str) -> set[str]:
        found = _ADDRESSED.match(sentence)
        return (
            {part.lower() for part in re.findall(r"[\w’'-]{2,}", found["name"])} if found else set()
        )


def _first_name(name: str) -> str:
    """The first name in "Winter, Alex" or "Alex Winter", in lower case."""
    words = name.partition(",")[2].split() or name.split()
    return words[0].lower() if words else ""
