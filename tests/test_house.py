"""The house stands as it is drawn."""

import importlib
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from assistant import __version__

ROOT = Path(__file__).parent.parent
FLOORS = ("gui", "assistant", "tools", "resources")


@pytest.mark.parametrize("floor", FLOORS)
def test_each_floor_is_imported_from_this_tree(floor: str) -> None:
    assert Path(str(importlib.import_module(floor).__file__)).parent == ROOT / floor


def test_every_package_of_the_tree_is_listed_for_the_build() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    found = {
        ".".join(made.parent.relative_to(ROOT).parts)
        for floor in FLOORS
        for made in (ROOT / floor).rglob("__init__.py")
    }
    assert set(listed) == found


def test_packaging_does_not_shadow_the_library_of_that_name() -> None:
    assert not (ROOT / "packaging" / "__init__.py").exists()


def test_every_module_has_a_docstring() -> None:
    silent = [
        str(module.relative_to(ROOT))
        for floor in FLOORS
        for module in (ROOT / floor).rglob("*.py")
        if not module.read_text("utf-8").startswith('"""')
    ]
    assert silent == []


def test_the_command_line_never_imports_qt(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom gui.__main__ import main\n"
        f"main(['tools', '--profile', {str(tmp_path)!r}])\n"
        "sys.exit(any(name.startswith(('PySide6', 'shiboken6', 'qasync')) for name in sys.modules))"
    )
    finished = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr
    assert "read_latest_emails" in finished.stdout


def test_the_version_is_that_of_the_build() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert __version__ == project["version"]
