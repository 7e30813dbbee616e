from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.runs.plan import PlanError
from assistant.runs.reference import (
    Reference,
    find_references,
    parse_reference,
    resolve_references,
    resolve_type,
)
from assistant.runs.value_markdown import to_markdown
from tests.assistant.scripted import Note, Notes

NOTES = Notes((Note("Sarah", ("a", "b")), Note("John")), 2)
OUTPUTS: Mapping[int, Any] = {1: NOTES, 2: {"summary": "short", "0": "zero"}, 12: "twelve"}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("$step1", NOTES),
        (" $step1 ", NOTES),
        ("{$step1}", NOTES),
        ("$step1.count", 2),
        ("{$step1.count}", 2),
        ("$step1.notes[0].sender", "Sarah"),
        ("$step1.notes.0.sender", "Sarah"),
        ("$step1.notes[*].sender", ["Sarah", "John"]),
        ("$step1.notes[*].words[*]", [["a", "b"], []]),
        ("$step1.notes[0].words", ("a", "b")),
        ("$step2.summary", "short"),
        ("$step2.0", "zero"),
        ("$step12", "twelve"),
        ("Total: $step1.count.", "Total: 2."),
        ("($step1.count)", "(2)"),
        ("“$step2.summary”, said $step1.notes[0].sender!", "“short”, said Sarah!"),
        ("{$step1.count}nd of $step1.count; $step1.count?", "2nd of 2; 2?"),
        ("All:\n$step1", "All:\n- Sarah\n- John"),
        ("costs $steps and $5", "costs $steps and $5"),
        (["$step1.count", {"deep": ["x $step2.summary"]}], [2, {"deep": ["x short"]}]),
        (7, 7),
        (None, None),
    ],
)
def test_references_are_replaced_by_their_values(written: Any, value: Any) -> None:
    assert resolve_references(written, OUTPUTS, to_markdown) == value


@pytest.mark.parametrize(
    "written",
    ["$step3", "$step1.notes[9]", "$step1.nothing", "$step2[*]", "$step12.x", "$step1[0]"],
)
def test_a_reference_to_nothing_is_refused(written: str) -> None:
    with pytest.raises(PlanError, match=r"\$step"):
        resolve_references(written, OUTPUTS, to_markdown)


def test_methods_and_private_attributes_are_not_fields() -> None:
    for name in ("markdown", "__class__", "_secret"):
        with pytest.raises(PlanError):
            resolve_references(f"$step1.{name}", OUTPUTS, to_markdown)


def test_every_reference_is_found_at_any_depth() -> None:
    written = {"a": ["$step1.x", {"b": "see {$step2} and $step3[0]"}], "c": 4}
    assert [str(each) for each in find_references(written)] == ["$step1.x", "$step2", "$step3[0]"]


def test_only_a_lone_reference_is_parsed() -> None:
    assert parse_reference("$step1.count") == Reference(1, ("count",))
    assert parse_reference("$step1.count.") is None
    assert parse_reference("see $step1") is None
    assert parse_reference(5) is None


@dataclass(frozen=True)
class Listed(Sequence[Note]):
    """A result that is a sequence."""

    items: tuple[Note, ...]

    def __getitem__(self, index: Any) -> Any:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)


@pytest.mark.parametrize(
    ("written", "result", "expected"),
    [
        ("$step1", Notes, Notes),
        ("$step1.count", Notes, int),
        ("$step1.notes[0].sender", Notes, str),
        ("$step1.notes[*].sender", Notes, list[str]),
        ("$step1.notes.0.words[1]", Notes, str),
        ("$step1.anything.at.all", Any, Any),
        ("$step1.x", dict[str, int], int),
        ("$step1[0].sender", Listed, str),
        ("$step1[0].sender", list[Note] | None, str),
        ("$step1.count", str | Notes, int),
    ],
)
def test_the_type_of_a_reference_is_known_before_the_run(
    written: str, result: Any, expected: Any
) -> None:
    reference = parse_reference(written)
    assert reference is not None
    assert resolve_type(reference, result) == expected


@pytest.mark.parametrize(
    ("written", "result"),
    [
        ("$step1.senders", Notes),
        ("$step1.notes.sender", Notes),
        ("$step1.count[0]", Notes),
        ("$step1[0]", Notes),
        ("$step1.upper", str),
        ("$step1[0]", str),
        ("$step1[*]", dict[str, int]),
    ],
)
def test_a_field_that_a_type_does_not_have_is_refused(written: str, result: Any) -> None:
    reference = parse_reference(written)
    assert reference is not None
    with pytest.raises(PlanError, match=r"\$step1"):
        resolve_type(reference, result)


def test_the_fields_on_offer_are_named() -> None:
    with pytest.raises(PlanError, match="it has notes, count"):
        resolve_type(Reference(1, ("senders",)), Notes)


@given(st.text())
def test_text_without_a_reference_stays_as_it_is(text: str) -> None:
    if not list(find_references(text)):
        assert resolve_references(text, {}, to_markdown) == text


@given(
    st.integers(1, 10**6),
    st.lists(st.sampled_from(["name", "x_1", 0, 7, "*"]), max_size=5).map(tuple),
)
def test_a_reference_reads_back_as_it_was_written(step: int, path: tuple[str | int, ...]) -> None:
    reference = Reference(step, path)
    assert parse_reference(str(reference)) == reference
