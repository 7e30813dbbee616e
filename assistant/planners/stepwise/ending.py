"""An ending: what a model answers at last, as the reply that ends the plan."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.execution import StepResult
from assistant.planners.stepwise.sources import files, sources
from assistant.reference import whole
from tools.plain_words import without_markup
from tools.prose.plain import defused

_SENTENCE = re.compile(
    r"""(?x)
      .*? [\u3002\uff01\uff1f]
    | .*? (?: [^\W_]{3} | [^\w\s.] ) [.!?…]+ ["”’»)*_]* (?= \s+ (?! [a-z] ) )
    """
)
_NO_SENTENCE = re.compile(r"[-*+>|#]\s|\d+[.)]\s|\||```|---")
_HEADING = re.compile(r"#{1,6}\s+(.+)")
_REFERENCE = re.compile(r"\]\(((?:mail|event):[^()\s]+)\)")
_KIND = re.compile(r"\A\s*(?:mail|event):")
_ANSWER = "Here is the answer."
_LONGEST_MESSAGE = 400  # characters


@dataclass(frozen=True)
class Ending:
    """What the steps gave, which an answer may point to; anything else in it is not live."""

    results: Sequence[StepResult]

    def told(self, text: str, note: str = "") -> Mapping[str, Any]:
        """The parameters of the reply in an answer that is text.

        Its first sentence is the message. `note` says what is missing, if anything is.
        """
        known = sources(self.results)
        message, details = _inert(*_parted(text.strip()), known)
        pointed = [each for each in _REFERENCE.findall(message) if each in known]
        written = {
            "message": without_markup(message),
            "details": _paragraphs(details, note),
            "artifacts": [*files(self.results), *pointed],
            "status": "partial_success" if note else "",
        }
        return {name: value for name, value in written.items() if value}

    def called(self, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        """The parameters of a reply that the model called for."""
        known, made = sources(self.results), files(self.results)
        message, details = parameters["message"], parameters.get("details") or ""
        message, details = _inert(message, details, known)
        given = parameters.get("artifacts") or []
        pointed = [given] if isinstance(given, str) else given
        kept = [each for each in pointed if each in [*known, *made] or _is_reference(each)]
        written = {"message": message, "details": details, "artifacts": [*kept, *made]}
        return {**parameters, **written}


def _inert(message: str, details: str, known: Collection[str]) -> tuple[str, str]:
    """Both with no link but to what is known; a message is shown as it is, so it has none."""
    if defused(message, known) != message:
        message, details = _ANSWER, _paragraphs(message, details)
    return message, defused(details, known)


def _paragraphs(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def _is_reference(artifact: object) -> bool:
    return isinstance(artifact, str) and whole(_KIND.sub("", artifact)) is not None


def _parted(text: str) -> tuple[str, str]:
    """The first sentence and the rest; where it begins with no sentence, all is the rest."""
    first, _, below = text.partition("\n")
    if heading := _HEADING.fullmatch(first.strip()):
        return heading[1], below.strip()
    if _NO_SENTENCE.match(first):
        return _ANSWER, text
    ended = _SENTENCE.match(f"{first}\n"[:_LONGEST_MESSAGE])
    if ended is None and len(first) > _LONGEST_MESSAGE:
        return _ANSWER, text
    end = ended.end() if ended else len(first)
    return first[:end].strip(), f"{first[end:]}\n{below}".strip()
