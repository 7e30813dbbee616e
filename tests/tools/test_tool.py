import json
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, TypeAdapter, ValidationError

from tools.proposal import Proposal, Sink
from tools.tool import Effect, Tool, to_wire
from tools.tool_errors import ToolError


async def read_mail(
    sender: str,
    count: Annotated[int, Field(ge=1, le=50)] = 10,
    mailbox: Literal["INBOX", "SENT"] = "INBOX",
) -> list[str]:
    """Read mail from somebody.

    Use it when a name is given.
    It looks at names and addresses.

    Args:
        sender: part of a name
            or an address.
        count: how many, at most 50.
        mailbox: where to look.
    """
    return [sender] * count + [mailbox]


async def send(to: str, body: str = "") -> Proposal[int] | str:
    """Send.

    Args:
        to: who.
        body: what.
    """
    return f"{to}{body}"


READ = Tool.of(read_mail, group="mail")


def test_a_signature_and_its_docstring_are_the_whole_declaration() -> None:
    assert (READ.name, READ.title) == ("read_mail", "Read mail from somebody")
    assert READ.description == (
        "Read mail from somebody. Use it when a name is given. It looks at names and addresses."
    )
    assert READ.parameters == {
        "type": "object",
        "required": ["sender"],
        "additionalProperties": False,
        "properties": {
            "sender": {"type": "string", "description": "part of a name or an address."},
            "count": {
                "type": "integer",
                "minimum": 1,
                "maximum": 50,
                "default": 10,
                "description": "how many, at most 50.",
            },
            "mailbox": {
                "type": "string",
                "enum": ["INBOX", "SENT"],
                "default": "INBOX",
                "description": "where to look.",
            },
        },
    }


@pytest.mark.parametrize(
    "raw",
    [
        {"sender": "Sarah", "count": 5},
        {"sender": "Sarah", "count": "5"},
        '{"sender": "Sarah", "count": 5}',
        {"input": {"sender": "Sarah", "count": 5}},
        {"input": '{"sender": "Sarah", "count": 5}'},
        '{"input": {"sender": "Sarah", "count": 5}}',
    ],
)
def test_arguments_are_an_object_or_json_and_a_wrapper_is_removed(raw: object) -> None:
    assert READ.parse_arguments(raw) == {"sender": "Sarah", "count": 5}


@pytest.mark.parametrize("raw", [None, "", "  ", {}, "{}", "null", '""'])
def test_nothing_means_no_arguments(raw: object) -> None:
    async def look() -> str:
        """Look."""
        return ""

    assert Tool.of(look, group="x").parse_arguments(raw) == {}


@pytest.mark.parametrize(
    ("raw", "named"),
    [
        ({}, "needs 'sender': part of a name"),
        ({"sender": "a", "count": 51}, "'count'.*less than or equal to 50"),
        ({"sender": "a", "count": "many"}, "'count'"),
        ({"sender": "a", "mailbox": "SPAM"}, "'mailbox'.*'INBOX' or 'SENT'"),
        ({"sender": "a", "limit": 3}, "no parameter 'limit'; it takes sender, count, mailbox"),
        ({"sender": 3}, "'sender'"),
        ("not json", "not JSON"),
        ([1], "object of arguments, not list"),
        (7, "object of arguments, not int"),
    ],
)
def test_anything_else_is_answered_with_the_field_at_fault(raw: object, named: str) -> None:
    with pytest.raises(ToolError, match=named):
        READ.parse_arguments(raw)


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists) | st.binary())
def test_no_arguments_break_more_than_their_call(raw: object) -> None:
    with pytest.raises(ToolError):
        READ.parse_arguments(raw)


def test_arguments_unknown_before_the_run_are_checked_during_it() -> None:
    READ.check_arguments({"sender": "$step1", "count": "$step2"}, ["sender", "count"])
    with pytest.raises(ToolError, match="'mailbox'"):
        READ.check_arguments({"sender": "$step1", "mailbox": "x"}, ["sender"])
    with pytest.raises(ToolError, match="no parameter 'to'"):
        READ.check_arguments({"sender": "a", "to": "$step1"}, ["to"])


def test_a_call_without_any_required_alternative_is_refused() -> None:
    tool = Tool.of(read_mail, group="mail", one_of=(("sender", "count"), ("mailbox",)))
    tool.check_arguments({"sender": "Ann", "mailbox": "SENT"})
    with pytest.raises(ToolError, match="needs sender and count, or mailbox"):
        tool.check_arguments({"sender": "Ann"})


def test_an_effect_without_declared_sinks_is_refused() -> None:
    with pytest.raises(ValueError, match="declares no sinks"):
        Tool.of(send, group="mail", effect=Effect.ACT)


def test_sinks_must_be_parameters_and_parameters_must_be_documented() -> None:
    with pytest.raises(ValueError, match="without a parameter"):
        Tool.of(send, group="mail", effect=Effect.ACT, sinks={"cc": Sink.RECIPIENT})

    async def bare(to: str) -> str:
        """Do."""
        return to

    with pytest.raises(ValueError, match="document"):
        Tool.of(bare, group="mail")


def test_the_result_type_of_a_proposal_is_that_of_its_effect() -> None:
    tool = Tool.of(send, group="mail", effect=Effect.ACT, sinks={"to": Sink.RECIPIENT})
    assert tool.returns == int | str
    assert READ.returns == list[str]


@dataclass(frozen=True)
class Thing:
    """Fields of every kind."""

    at: datetime
    day: date
    path: Path
    parts: tuple["Thing", ...] = ()


@dataclass(frozen=True)
class Own:
    """A result with a form of its own."""

    def wire(self) -> Any:
        """The form."""
        return "in its own words"


def test_a_result_has_one_json_form() -> None:
    inner = Thing(datetime(2026, 1, 2, 3, 4, tzinfo=UTC), date(2026, 1, 2), Path("a.txt"))
    wire = to_wire({"things": [inner], "own": Own(), "none": None})
    assert json.loads(json.dumps(wire)) == {
        "things": [
            {"at": "2026-01-02T03:04:00+00:00", "day": "2026-01-02", "path": "a.txt", "parts": []}
        ],
        "own": "in its own words",
        "none": None,
    }


BOUNDED = Annotated[int, Field(ge=1, le=50)]


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ("x", str),
        ("", str),
        ("\ud800", str),
        ("x", str | None),
        (None, str | None),
        (5, int),
        (True, int),
        ("5", int),
        (5, str),
        (1, BOUNDED),
        (50, BOUNDED),
        (0, BOUNDED),
        (51, BOUNDED),
        (5.5, BOUNDED),
        ("x", Annotated[str, Field(min_length=1)]),
        ("", Annotated[str, Field(min_length=1)]),
        ("xyz", Annotated[str, Field(max_length=2)]),
        ("x", Annotated[str, Field(pattern="y")]),
        (6, Annotated[int, Field(multiple_of=4)]),
        (True, bool),
        (1, bool),
        (["x"], list[str]),
        ([5], list[str]),
        ("a", Literal["a", "b"]),
        ("c", Literal["a", "b"]),
        ([], list[Any] | str | None),
        (["x"], Annotated[list[str], Field(max_length=1)]),
        (["x", "y"], Annotated[list[str], Field(max_length=1)]),
        ({"a": 1}, Any),
    ],
)
@pytest.mark.parametrize("built", [False, True], ids=["plain", "by the model"])
def test_a_plain_argument_is_judged_as_pydantic_does(
    value: object, hint: Any, *, built: bool
) -> None:
    async def look(value: Any) -> None:
        """Look.

        Args:
            value: at this.
        """

    look.__annotations__["value"] = hint
    tool = Tool.of(look, group="x")
    if built:
        assert tool.parameters["properties"]["value"]
    try:
        expected = TypeAdapter(hint).validate_python(value)
    except ValidationError:
        for check in (tool.parse_arguments, tool.check_arguments):
            with pytest.raises(ToolError, match="value"):
                check({"value": value})
    else:
        found = tool.parse_arguments({"value": value})["value"]
        assert (found, type(found)) == (expected, type(expected))
        tool.check_arguments({"value": value})
