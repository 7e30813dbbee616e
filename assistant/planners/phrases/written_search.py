"""A written search: Gmail's search syntax in a request, handed on as it was typed."""

import re

from assistant.plan import Plan
from assistant.planners.phrases.draft import Draft

_REQUEST = re.compile(
    r"\s*(?:please\s+)?(?:search|look|find|show|list)\b(?:\s+(?:me|for|in|through|all|any|my|the|"
    r"e-?mails?|mails?|messages?|inbox|mailbox|with|matching)\b(?!:))*\s+(?P<query>\S.*?)\s*",
    re.IGNORECASE | re.DOTALL,
)
_OPERATOR = re.compile(
    r"(?<![\w:])(?:from|to|cc|bcc|subject|after|before|newer|older|newer_than|older_than|is|has|"
    r"filename|label|in|list|larger|rfc822msgid):\S",
    re.IGNORECASE,
)


def written_search(text: str) -> Plan | None:
    """The plan of a request to search that names a field in Gmail's way, such as `from:sarah`."""
    request = _REQUEST.fullmatch(text)
    if not request or not _OPERATOR.search(request["query"]):
        return None
    query = request["query"]
    draft = Draft(f"Search mail for {query}")
    found = draft.step("search_emails", query=query)
    draft.unless_empty(f"{found}.emails")
    return draft.reply(f"Here is what was found ({found}.count).", found, [])
