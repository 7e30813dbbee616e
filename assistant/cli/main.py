"""The command line: the parser of all commands, and the run of one.

Imports argparse only. A command's module is imported when its arguments are parsed.
"""

import argparse
from importlib import import_module

from assistant import __version__
from assistant.cli.common_options import add_common_options

TYPE_CHECKING = False  # the one of `typing`, which takes as long to import as argparse
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

COMMANDS = {  # by name: the module that configures it, and its line in the help
    "ask": ("ask", "one request, answered and printed"),
    "quick": ("ask", "a quick command of the tray"),
    "call": ("call", "one bus method, its result as JSON"),
    "connect": ("connect", "connect mail, a calendar or a language model"),
    "disconnect": ("connect", "take an account out again"),
    "tools": ("status", "the tools on offer"),
    "accounts": ("status", "what is connected"),
    "models": ("status", "the language models, and what they cost this month"),
    "doctor": ("status", "what works and what does not"),
    "secrets": ("status", "where keys and passwords are kept"),
}


def main(argv: "Sequence[str]") -> int:
    """Run one command; gives the exit status (2 for wrong usage)."""
    options = create_parser().parse_args(argv)
    try:
        status: int = options.command(options)
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # noqa: BLE001 — the last stop of the command line
        from assistant.cli.terminal import print_error  # noqa: PLC0415 — only where one occurs

        return print_error(error, as_json=hasattr(options, "json"))
    return status


class CommandParser(argparse.ArgumentParser):
    """The parser of one command, configured by the command's module once it is used."""

    def __init__(self, *args: "Any", module: str = "", **options: "Any") -> None:
        super().__init__(*args, **options)
        self._module = module

    def parse_known_args(self, args: "Any" = None, namespace: "Any" = None) -> "Any":
        """Configure the parser before its first use."""
        if self._module:
            module, self._module = self._module, ""
            command = self.prog.rpartition(" ")[2]
            import_module(f"assistant.cli.{module}").configure(self, command)
        return super().parse_known_args(args, namespace)


def create_parser() -> argparse.ArgumentParser:
    """Create the parser of the whole command line."""
    parser = CommandParser(
        prog="deskhand",
        description="An assistant for your mail, calendar and documents. "
        "Without a command it opens the window (--demo: on the sample workspace).",
    )
    add_common_options(parser)
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, (module, title) in COMMANDS.items():
        add_common_options(commands.add_parser(name, help=title, module=module))
    return parser
