"""An original: the email that is answered or passed on, found and read whole."""

import asyncio
from dataclasses import dataclass

from tools.mail.mailbox import Mailbox
from tools.mail.message import Email
from tools.mail.parsing import Parsed, parse
from tools.mail.query import Every, Field, Person, Query, Words
from tools.tool import ToolError


@dataclass(frozen=True)
class Original:
    """The email as it is listed, and all that its message says."""

    email: Email
    source: Parsed


async def original_with(mailbox: Mailbox, id: str) -> Original:
    """The original with this id, also as "mail:<id>".

    Raises:
        ToolError: there is none.
    """
    email = await mailbox.read(id.strip().removeprefix("mail:"))
    source = await mailbox.source(email.id)
    return Original(email, await asyncio.to_thread(parse, source))


async def original_from(mailbox: Mailbox, sender: str, subject: str) -> Original:
    """The newest email from this sender with these words in its subject; either may be "".

    Raises:
        ToolError: there is none, or neither was said.
    """
    if not sender and not subject:
        raise ToolError("Say which email to answer: by its id, or by its sender and subject.")
    address = sender.rpartition("<")[2].strip(" >")
    people = [Person(address, Field.FROM)] if address else []
    words = [Words(subject.strip(), in_subject=True)] if subject else []
    found = await mailbox.search(Query(Every((*people, *words))), 1)
    if not found:
        told = " ".join(filter(None, (sender and f"from {sender}", subject and f'"{subject}"')))
        raise ToolError(f"There is no email {told} to answer.")
    return await original_with(mailbox, found[0].id)
