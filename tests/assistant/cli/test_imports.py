"""Imports of the command line: each command imports what it needs, and nothing else."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from assistant.cli.main import COMMANDS, create_parser

ROOT = Path(__file__).parents[3]
OWN = {"gui", "gui.__main__", "assistant", "assistant.cli", "assistant.cli.main"}
OPTIONS = "assistant.cli.common_options"


def imported(*arguments: str) -> Sequence[str]:
    """The modules that a run of the command imports beyond those of an empty program."""
    program = (
        "import sys\nbefore = set(sys.modules)\nfrom gui.__main__ import main\n"
        f"try:\n    main({list(arguments)!r})\nexcept SystemExit:\n    pass\n"
        "print('\\n' + ' '.join(sorted(set(sys.modules) - before)))"
    )
    return modules_printed(program)


def modules_after(statement: str) -> set[str]:
    """The modules that are imported once a statement was executed."""
    return set(modules_printed(f"import sys\n{statement}\nprint(' '.join(sys.modules))"))


def modules_printed(program: str) -> Sequence[str]:
    finished = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return finished.stdout.splitlines()[-1].split()


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["unknown"], ["--json"]])
def test_version_help_and_a_usage_error_import_argparse_alone(arguments: Sequence[str]) -> None:
    found = imported(*arguments)
    own = {name for name in found if name.split(".")[0] in {"gui", "assistant", "tools"}}
    assert own == {*OWN, OPTIONS}
    assert not {"typing", "dataclasses", "pathlib", "json", "asyncio", "importlib.metadata"} & set(
        found
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        create_parser().parse_args([command, "--help"])
    assert ended.value.code == 0
    assert f"usage: deskhand {command}" in capsys.readouterr().out


def test_a_call_of_the_running_window_needs_no_tools() -> None:
    found = modules_after("import assistant.cli.call")
    assert "assistant.bus.ipc_client" in found
    assert not {"asyncio", "pydantic", "assistant.agent", "assistant.workspace"} & found
    assert {name for name in found if name.startswith("tools.")} == {"tools.tool_errors"}


def test_reading_mail_of_the_sample_imports_no_other_ability(tmp_path: Path) -> None:
    found = set(imported("ask", "Read my latest 5 emails", "--profile", str(tmp_path)))
    assert "tools.mail.mail_reading" in found
    unused = (
        *("cryptography", "docx", "google", "httpx2", "icalendar", "keyring", "markdown"),
        *("odf", "openai", "pydantic", "requests", "typst", "docstring_parser"),
        *("tools.accounts.google", "tools.calendar", "tools.documents", "tools.mail.gmail"),
        *("tools.mail.smtp.smtp_sender", "tools.newsletters", "tools.prose", "tools.summaries"),
    )
    assert not {name for name in found if name.startswith(unused)}
