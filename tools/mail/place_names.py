"""Place names: the folder or label that somebody means by a name."""

from collections.abc import Iterable

from tools.mail.mailbox import Mailbox
from tools.mail.places import label_key
from tools.mail.query import In
from tools.tool import ToolError


async def place_named(mailbox: Mailbox, name: str) -> In:
    """The folder or label of this name, as `place_among` its own ones has it.

    Nothing is asked for the inbox, which every mailbox has.
    """
    if label_key(name or "INBOX") == "inbox":
        return In("INBOX")
    return place_among(await mailbox.folders(), name)


def place_among(folders: Iterable[str], name: str) -> In:
    """The one of these with this name, whatever its case, as the mailbox writes it.

    Raises:
        ToolError: there is none; the text lists those that there are.
    """
    names = {label_key(each): each for each in folders}
    key = label_key(name or "INBOX")
    if key in names or key in {"inbox", "anywhere"}:
        return In("INBOX" if key == "inbox" else names.get(key, name))
    there = ", ".join(sorted(names.values(), key=str.casefold))
    raise ToolError(f'There is no mailbox "{name}". There are: {there}.')
