"""Sources: what a run has read or made that an answer may point to."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass

from assistant.execution import StepResult, outputs
from tools.calendar.event import Event
from tools.mail.message import Email


def sources(results: Iterable[StepResult]) -> frozenset[str]:
    """References to every email and event that steps gave out, such as "mail:<id>"."""
    found = outputs({each.step.id: each for each in results})
    return frozenset(source for output in found.values() for source in _in(output))


def files(results: Iterable[StepResult]) -> tuple[str, ...]:
    """The paths of the documents that steps made, in their order."""
    made = outputs({each.step.id: each for each in results}).values()
    paths = (getattr(output, "file_path", None) for output in made)
    return tuple(str(path) for path in paths if path)


def _in(value: object) -> Iterator[str]:
    if isinstance(value, Email):
        yield f"mail:{value.id}"
    elif isinstance(value, Event):
        yield f"event:{value.id}"
    for part in _parts(value):
        yield from _in(part)


def _parts(value: object) -> Iterable[object]:
    if is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, each.name) for each in fields(value)]
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list | tuple) else ()
