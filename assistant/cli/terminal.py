"""The terminal: a workspace whose progress, replies and questions are printed as text."""

import argparse
import asyncio
import getpass
import sys
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TextIO, TypeVar

from assistant.cli.common_options import get_clock, get_profile, print_json
from assistant.database import DatabaseError
from assistant.error_log import configure_logging, log_unexpected
from assistant.runs.reply import Reply
from tools.markdown.plain_text import strip_markup
from tools.proposal import Choice, Proposal
from tools.tool_errors import ToolError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from assistant.workspace import Workspace
    from tools.mail.mailbox import IndexingProgress

T = TypeVar("T")
ApprovalRule = Literal["all", "none", "ask"]
STATUS_MARKS = {"success": "✓", "partial_success": "◐", "info": "i", "error": "✗"}


def run_in_workspace(options: argparse.Namespace, work: "Callable[[Workspace], Awaitable[T]]") -> T:
    """Open the profile, await the work there, close everything and return the result."""
    from assistant.workspace import Workspace  # noqa: PLC0415 — no message needs it

    async def run() -> T:
        profile = get_profile(options)
        configure_logging(profile)
        workspace = Workspace.open(
            profile.folder,
            clock=get_clock(options),
            report=show_progress,
            passphrase=ask_passphrase,
        )
        try:
            return await work(workspace)
        finally:
            await workspace.close()

    return asyncio.run(run())


def format_reply(reply: Reply) -> str:
    """Return a reply as text: message, details and artifacts, in paragraphs."""
    artifacts = "\n".join(f"→ {artifact}" for artifact in reply.artifacts)
    message = f"{STATUS_MARKS[reply.status]} {strip_markup(reply.message)}"
    parts = (message, strip_markup(reply.details), artifacts)
    return "\n\n".join(escape_control_characters(part) for part in parts if part)


def escape_control_characters(text: str) -> str:
    """Return text with control characters made visible: no mail may control the terminal."""
    return "".join(_escape_character(letter) for letter in text)


def _escape_character(letter: str) -> str:
    if letter in "\n\t" or unicodedata.category(letter) not in {"Cc", "Cf"}:
        return letter
    return letter if letter in "\u200d\ufe0f" else f"<U+{ord(letter):04X}>"


def print_reply(reply: Reply, *, as_json: bool) -> None:
    """Print a reply; one about an error goes to standard error."""
    if as_json:
        print_json(reply.wire())
    else:
        print(format_reply(reply), file=sys.stderr if reply.status == "error" else sys.stdout)


def print_error(error: Exception, *, as_json: bool) -> int:
    """Print an error as a reply, and log one that is no `ToolError`; gives the exit status."""
    is_expected = isinstance(error, ToolError | DatabaseError)
    message = str(error) if is_expected else log_unexpected(error)
    print_reply(Reply(message, status="error"), as_json=as_json)
    return 1


def print_text(text: str) -> None:
    """Print text to standard output, control characters made visible."""
    print(escape_control_characters(text))


def print_note(text: str) -> None:
    """Print a sentence beside the result, to standard error."""
    print(escape_control_characters(text), file=sys.stderr)


def show_progress(progress: "IndexingProgress") -> None:
    """Show the progress of reading an account where standard error is a terminal."""
    if sys.stderr.isatty() and progress.total:
        share = 100 * progress.done // progress.total
        account = escape_control_characters(progress.account)
        print(f"\rReading {account}: {share} %  ", end="", file=sys.stderr)


def end_progress() -> None:
    """End the line of the progress."""
    if sys.stderr.isatty():
        print(file=sys.stderr)


def ask_passphrase() -> str:
    """Ask for the passphrase of the secrets; "" without a terminal. Blocks."""
    return getpass.getpass("Passphrase of your secrets: ") if sys.stdin.isatty() else ""


def format_proposal(proposal: Proposal[Any]) -> str:
    """Return a proposal as text, in full, as the approval card shows it."""
    lines = [f"── {proposal.title} ──"]
    for shown in proposal.fields:
        lines += [f"{shown.label}: {value}" for value in shown.values]
    if proposal.body:
        lines += ["", proposal.body]
    return escape_control_characters("\n".join([*lines, "──"]))


@dataclass(frozen=True)
class TerminalApprover:
    """Implements `Approver` by a rule, or by questions at the terminal."""

    rule: ApprovalRule
    source: TextIO
    screen: TextIO

    @property
    def refusal(self) -> str:
        """Reason shown when declined."""
        if self._can_ask:
            return "you declined it"
        return "nobody was there to approve it (--approve all approves, --approve ask asks)"

    @property
    def _can_ask(self) -> bool:
        return self.rule == "ask" and self.source.isatty()

    async def approve(self, proposal: Proposal[Any]) -> bool:
        """Return whether a proposal may be performed; False without a terminal to ask at."""
        if self.rule == "all":
            return True
        return self._can_ask and await asyncio.to_thread(self._confirm, proposal)

    async def choose(self, choice: Choice[Any]) -> Proposal[Any] | None:
        """Return the proposal picked at the terminal, or None; no rule can pick one."""
        return await asyncio.to_thread(self._pick, choice) if self._can_ask else None

    def _confirm(self, proposal: Proposal[Any]) -> bool:
        print(format_proposal(proposal), file=self.screen)
        print(f"{proposal.verb}? [y/N] ", end="", file=self.screen, flush=True)
        return self.source.readline().strip().lower() in {"y", "yes"}

    def _pick(self, choice: Choice[Any]) -> Proposal[Any] | None:
        print(_format_options(choice), file=self.screen)
        print("Number (Enter for none): ", end="", file=self.screen, flush=True)
        typed = self.source.readline().strip()
        if not typed.isdecimal() or not 1 <= int(typed) <= len(choice.options):
            return None
        picked = choice.options[int(typed) - 1][1]
        return picked if self._confirm(picked) else None


def _format_options(choice: Choice[Any]) -> str:
    lines = [f"{number}. {name}" for number, (name, _) in enumerate(choice.options, 1)]
    return escape_control_characters("\n".join([choice.question, *lines]))


def terminal_approver(rule: ApprovalRule) -> TerminalApprover:
    """Create an approver at this process's terminal; questions go to standard error."""
    return TerminalApprover(rule, sys.stdin, sys.stderr)
