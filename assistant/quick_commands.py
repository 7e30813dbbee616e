"""Quick commands: named requests offered in the tray and on the command line."""

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True)
class QuickCommand:
    """A named request; `needs` is the tool it requires."""

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


def available_commands(tools: Collection[str]) -> tuple[QuickCommand, ...]:
    """Return the quick commands whose tool is available."""
    return tuple(command for command in QUICK_COMMANDS if command.needs in tools)
