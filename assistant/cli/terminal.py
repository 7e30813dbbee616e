"""The terminal: replies as text, and approval of proposals at the prompt."""

import asyncio
import sys
import unicodedata
from dataclasses import dataclass
from typing import Any, Literal, TextIO

from assistant.runs.reply import Reply
from tools.markdown.plain_text import strip_markup
from tools.proposal import Choice, Proposal

ApprovalRule = Literal["all", "none", "ask"]
STATUS_MARKS = {"success": "✓", "partial_success": "◐", "info": "i", "error": "✗"}


def format_reply(reply: Reply) -> str:
    """A reply for reading: message, details and artifacts, in paragraphs."""
    artifacts = "\n".join(f"→ {artifact}" for artifact in reply.artifacts)
    message = f"{STATUS_MARKS[reply.status]} {strip_markup(reply.message)}"
    parts = (message, strip_markup(reply.details), artifacts)
    return "\n\n".join(escape_control_characters(part) for part in parts if part)


def escape_control_characters(text: str) -> str:
    """Text with control characters made visible, so that a mail cannot steer the terminal."""
    return "".join(_escape_character(letter) for letter in text)


def _escape_character(letter: str) -> str:
    if letter in "\n\t" or unicodedata.category(letter) not in {"Cc", "Cf"}:
        return letter
    return letter if letter in "\u200d\ufe0f" else f"<U+{ord(letter):04X}>"


def format_proposal(proposal: Proposal[Any]) -> str:
    """A proposal in full, as a card would show it."""
    lines = [f"── {proposal.title} ──"]
    for shown in proposal.fields:
        lines += [f"{shown.label}: {value}" for value in shown.values]
    if proposal.body:
        lines += ["", proposal.body]
    return escape_control_characters("\n".join([*lines, "──"]))


@dataclass(frozen=True)
class TerminalApprover:
    """Answers proposals by rule, or asks the person at the terminal."""

    rule: ApprovalRule
    source: TextIO
    screen: TextIO

    @property
    def refusal(self) -> str:
        """Why a no is a no."""
        if self._can_ask:
            return "you declined it"
        return "nobody was there to approve it (--approve all approves, --approve ask asks)"

    @property
    def _can_ask(self) -> bool:
        return self.rule == "ask" and self.source.isatty()

    async def approve(self, proposal: Proposal[Any]) -> bool:
        """Whether this proposal may be performed; without a terminal, asking means no."""
        if self.rule == "all":
            return True
        return self._can_ask and await asyncio.to_thread(self._asked, proposal)

    async def choose(self, choice: Choice[Any]) -> Proposal[Any] | None:
        """The proposal that the person picks; no rule can pick one."""
        return await asyncio.to_thread(self._chosen, choice) if self._can_ask else None

    def _asked(self, proposal: Proposal[Any]) -> bool:
        print(format_proposal(proposal), file=self.screen)
        print(f"{proposal.verb}? [y/N] ", end="", file=self.screen, flush=True)
        return self.source.readline().strip().lower() in {"y", "yes"}

    def _chosen(self, choice: Choice[Any]) -> Proposal[Any] | None:
        print(_format_options(choice), file=self.screen)
        print("Number (Enter for none): ", end="", file=self.screen, flush=True)
        typed = self.source.readline().strip()
        if not typed.isdecimal() or not 1 <= int(typed) <= len(choice.options):
            return None
        picked = choice.options[int(typed) - 1][1]
        return picked if self._asked(picked) else None


def _format_options(choice: Choice[Any]) -> str:
    lines = [f"{number}. {name}" for number, (name, _) in enumerate(choice.options, 1)]
    return escape_control_characters("\n".join([choice.question, *lines]))


def terminal_approver(rule: ApprovalRule) -> TerminalApprover:
    """An approver at this process's terminal; what it asks goes to standard error."""
    return TerminalApprover(rule, sys.stdin, sys.stderr)
