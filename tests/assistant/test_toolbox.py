"""The toolbox: every tool is declared completely, though it is imported only when it is used."""

from pathlib import Path

import docstring_parser
import pytest

from tests.assistant.planners.declared_tools import declared_tools


def test_every_tool_declares_its_parameters_sinks_and_title(tmp_path: Path) -> None:
    tools = declared_tools(tmp_path)
    assert len(tools) > 20
    for tool in tools.values():
        tool.check_declaration()
        parsed = docstring_parser.parse(tool.call.__doc__ or "")
        assert f"{tool.title}." == parsed.short_description, tool.name


@pytest.mark.parametrize("name", ["read_latest_emails", "create_document"])
def test_a_tool_is_the_same_function_each_time(tmp_path: Path, name: str) -> None:
    tool = declared_tools(tmp_path)[name]
    assert tool.call is tool.call
    assert tool.call.__name__ == name
