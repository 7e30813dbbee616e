"""Orientation: what the assistant can do, when somebody asks."""

from assistant.plan import Plan
from assistant.planners.phrases.draft import Draft
from assistant.planners.phrases.grammar import rule
from assistant.planners.phrases.subject import Facets, Subject

RULES = (
    rule("help|help me|i need help|show [me] [the] help|[?]", lost=True),
    rule("what (can|do|could) you do [for me]|what are you able to do", lost=True),
    rule("what (can|could) i (ask|say|do|ask you|tell you) [here]", lost=True),
    rule("how (do you|does this|does it) work|how do i use (you|this|it)", lost=True),
    rule("(show|give) me [some|a few] examples|[some] examples", lost=True),
    rule("who are you|what are you", lost=True),
)
_ABILITIES = """\
- **Read mail**: “Read my latest 5 emails”, “Show unread emails from Sarah since Monday”
- **Search it**: “Search my emails for invoices”, “Find emails with attachments from last week”
- **Summarise it**: “Summarize today's emails and focus on action items”
- **Write it up**: “Summarize this week's emails and create a report”, “… as a PDF”
- **Tidy up**: “Archive the emails from LinkedIn”, “Mark today's emails from Sarah as read”
- **Pass on**: “Forward Sarah's latest email to john@example.com”
- **Send**: “Send an email to john@example.com saying …”, “Reply to Sarah's latest email saying …”
- **Calendar**: “What's on my calendar today?”, “Put lunch on my calendar on Thursday at noon”

Before anything is sent or changed you see exactly what, and decide."""


def plan_orientation(facets: Facets) -> Plan | None:
    """Only a reply."""
    if not facets.get("lost"):
        return None
    return Draft("Say what can be asked").reply("Here is what you can ask me.", _ABILITIES)


ORIENTATION = Subject.of(*RULES, plan=plan_orientation, examples=("What can you do?",))
