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
