from pathlib import Path

from assistant.planners.stepwise.stepwise_planner import tool_functions
from tests.assistant.planners.declared_tools import declared_tools
from tests.assistant.scripted import NoteTools


def test_every_tool_on_offer_is_a_function_as_it_declares_itself() -> None:
    tools = NoteTools().tools()
    assert [(each.name, each.description, each.parameters) for each in tool_functions(tools)] == [
        (tool.name, tool.description, tool.parameters) for tool in tools.values()
    ]


def test_a_parameter_for_a_whole_result_is_a_reference(tmp_path: Path) -> None:
    functions = {each.name: each for each in tool_functions(declared_tools(tmp_path))}
    parameters = functions["summarize_emails"].parameters
    assert parameters["properties"]["emails_data"] == {
        "type": "string",
        "description": "The whole result of the step that read the emails, such as $step1.",
    }
    assert parameters["required"] == ["emails_data"]
    assert all("$ref" not in str(each) and "$defs" not in str(each) for each in functions.values())
