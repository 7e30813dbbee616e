"""The final answer: the model's text as the reply, with links to known sources only."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from assistant.runs.execution import StepResult
from assistant.runs.reference import parse_reference
from tools.calendar.event import Event
from tools.mail.message.emails import Email
from tools.markdown.plain_text import strip_markup
from tools.prose.markdown_sanitizer import sanitize_markdown

_SENTENCE = re.compile(
    r"""(?x)
      .*? [\u3002\uff01\uff1f]
    | .*? (?: [^\W_]{3} | [^\w\s.] ) [.!?…]+ ["”’»)*_]* (?= \s+ (?! [a-z] ) )
    """
)
_BLOCK_START = re.compile(r"[-*+>|#]\s|\d+[.)]\s|\||```|---")
_HEADING = re.compile(r"#{1,6}\s+(.+)")
_LINK_REFERENCE = re.compile(r"\]\(((?:mail|event):[^()\s]+)\)")
_REFERENCE_SCHEME = re.compile(r"\A\s*(?:mail|event):")
_DEFAULT_MESSAGE = "Here is the answer."
_MAX_MESSAGE = 400  # characters


def source_references(results: Iterable[StepResult]) -> frozenset[str]:
    """Return references to all emails and events in the outputs, such as "mail:<id>"."""
    return frozenset(source for each in results for source in _references_in(each.output))


def created_files(results: Iterable[StepResult]) -> tuple[str, ...]:
    """Return the paths of created documents, in the order of the steps."""
    paths = (getattr(each.output, "file_path", None) for each in results)
    return tuple(str(path) for path in paths if path)


def _references_in(value: object) -> Iterator[str]:
    if isinstance(value, Email):
        yield f"mail:{value.id}"
    elif isinstance(value, Event):
        yield f"event:{value.id}"
    for part in _children(value):
        yield from _references_in(part)


def _children(value: object) -> Iterable[object]:
    if is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, each.name) for each in fields(value)]
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list | tuple) else ()


@dataclass(frozen=True)
class FinalAnswer:
    """Builds the reply from a model's answer; only links to outputs of the steps stay live."""

    results: Sequence[StepResult]

    def from_text(self, text: str, note: str = "") -> Mapping[str, Any]:
        """Return the parameters of a reply for a text answer.

        The first sentence becomes the message; a `note` on missing parts makes it partial.
        """
        known = source_references(self.results)
        message, details = _without_unknown_links(*_split_message(text.strip()), known)
        linked = [each for each in _LINK_REFERENCE.findall(message) if each in known]
        parameters = {
            "message": strip_markup(message),
            "details": _paragraphs(details, note),
            "artifacts": [*created_files(self.results), *linked],
            "status": "partial_success" if note else "",
        }
        return {name: value for name, value in parameters.items() if value}

    def from_call(self, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the checked parameters of a reply that the model called as a tool."""
        known, created = source_references(self.results), created_files(self.results)
        message, details = parameters["message"], parameters.get("details") or ""
        message, details = _without_unknown_links(message, details, known)
        given = parameters.get("artifacts") or []
        listed = [given] if isinstance(given, str) else given
        kept = [each for each in listed if each in [*known, *created] or _is_reference(each)]
        checked = {"message": message, "details": details, "artifacts": [*kept, *created]}
        return {**parameters, **checked}


def _without_unknown_links(message: str, details: str, known: Collection[str]) -> tuple[str, str]:
    """Remove unknown links; a message must have no links at all, because it is plain text."""
    if sanitize_markdown(message, known) != message:
        message, details = _DEFAULT_MESSAGE, _paragraphs(message, details)
    return message, sanitize_markdown(details, known)


def _paragraphs(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def _is_reference(artifact: object) -> bool:
    return (
        isinstance(artifact, str)
        and parse_reference(_REFERENCE_SCHEME.sub("", artifact)) is not None
    )


def _split_message(text: str) -> tuple[str, str]:
    """Split off the first sentence; without one, return a default message and the whole text."""
    first, _, below = text.partition("\n")
    if heading := _HEADING.fullmatch(first.strip()):
        return heading[1], below.strip()
    if _BLOCK_START.match(first):
        return _DEFAULT_MESSAGE, text
    ended = _SENTENCE.match(f"{first}\n"[:_MAX_MESSAGE])
    if ended is None and len(first) > _MAX_MESSAGE:
        return _DEFAULT_MESSAGE, text
    end = ended.end() if ended else len(first)
    return first[:end].strip(), f"{first[end:]}\n{below}".strip()
