"""Quick commands: named requests offered in the tray and on the command line."""

from dataclasses import dataclass


@dataclass(frozen=True)
class QuickCommand:
    """A request at one click; it needs a tool to be on offer."""

    name: str
    title: str
    request: str
    needs: str


QUICK_COMMANDS = (
    QuickCommand(
        "latest-mail", "Read latest mail", "Read my latest 10 emails", "read_latest_emails"
    ),
    QuickCommand(
        "past-hour",
        "Summarise the past hour",
        "Summarise emails from the past hour",
        "read_emails_by_time",
    ),
    QuickCommand("news-digest", "News digest", "What is new in my newsletters?", "news_digest"),
    QuickCommand(
        "agenda", "Today's agenda", "What is on my calendar today?", "list_calendar_events"
    ),
)
