"""Printing of replies and values on the terminal, or as JSON alone."""

import json
import sys
from typing import Any

from assistant.cli.terminal import escape_control_characters, format_reply
from assistant.runs.reply import Reply
from tools.mail.mailbox import IndexingProgress


def print_reply(reply: Reply, *, as_json: bool) -> None:
    """Print a reply; one about an error goes to standard error."""
    if as_json:
        print_json(reply.wire())
    else:
        print(format_reply(reply), file=sys.stderr if reply.status == "error" else sys.stdout)


def print_json(value: Any) -> None:
    """Print a value for other programs."""
    print(json.dumps(value, ensure_ascii=False, indent=2))


def print_aside(words: str) -> None:
    """Print a sentence beside the result."""
    print(escape_control_characters(words), file=sys.stderr)


def show_progress(progress: IndexingProgress) -> None:
    """Show how far the reading of an account has come, where somebody watches."""
    if sys.stderr.isatty() and progress.total:
        share = 100 * progress.done // progress.total
        print(
            f"\rReading {escape_control_characters(progress.account)}: {share} %  ",
            end="",
            file=sys.stderr,
        )


def end_progress() -> None:
    """Leave the line of the progress."""
    if sys.stderr.isatty():
        print(file=sys.stderr)
