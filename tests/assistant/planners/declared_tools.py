"""The real tools as planner tests declare them; never called."""

from collections.abc import AsyncGenerator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from assistant.accounts.providers import Providers
from assistant.profile import Profile
from assistant.settings import Settings
from assistant.toolbox import Toolbox
from tools.accounts.secret_store import SecretStore
from tools.moments.clock import fixed_clock
from tools.prose.writing_tools import WritingTools
from tools.tool import Tool

CLOCK = fixed_clock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))  # a Friday


class UnusedWriter:
    """A writer that nobody asks."""

    capacity = 10_000

    def write(self, instructions: str, material: str) -> AsyncGenerator[str]:
        """Never called."""
        raise NotImplementedError(instructions, material)


class EmptyProviders(Providers):
    """Providers of an empty profile, with every tool."""

    can_organize = True


def declared_tools(folder: Path) -> Mapping[str, Tool]:
    """Every tool by its name."""
    providers = EmptyProviders(Profile(folder), CLOCK, None, Settings(), SecretStore(), None)
    tools = Toolbox(CLOCK, providers, folder).tools()
    writing = Tool.of(WritingTools(UnusedWriter(), CLOCK).write_text, group="documents")
    for_others = {"gmail", "newsmail_aggregator"}
    known = {name: tool for name, tool in tools.items() if tool.group not in for_others}
    return {**known, writing.name: writing}
