"""The run report: the reply that states the actual outcome when the plan's own reply does not."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assistant.runs.events import StepOutcome
from assistant.runs.execution import StepResult
from assistant.runs.plan import REPLY_ACTION, is_empty
from assistant.runs.reference import find_references
from assistant.runs.reply import Reply, ReplyStatus
from assistant.runs.value_markdown import to_markdown
from tools.tool import Tool

_TAG_START = re.compile(r"(?<!\\)<")


@dataclass(frozen=True)
class RunReport:
    """The state of a run at its end.

    `planning_error` is the reason that no further steps were planned; `text` is the part of the
    reply that was streamed before the user stopped the run.
    """

    results: Mapping[int, StepResult]
    tools: Mapping[str, Tool]
    stopped: bool = False
    planning_error: str = ""
    text: str = ""

    def reply(self) -> Reply:
        """Return the plan's reply, corrected for undone steps, or a reply made from the results."""
        reply = self._plan_reply
        if reply is None:
            return Reply(self._message(), self._details(), self._artifacts(), self._status())
        if not self._undone:
            return replace(reply, status="partial_success") if self._incomplete else reply
        details = _join_sections(reply.details, self._not_done_section())
        return replace(reply, details=details, status=self._status())

    @property
    def _plan_reply(self) -> Reply | None:
        outputs = (each.output for each in self.results.values())
        return next((output for output in outputs if isinstance(output, Reply)), None)

    @property
    def _work(self) -> Sequence[StepResult]:
        return [each for each in self.results.values() if each.step.action != REPLY_ACTION]

    def _with_outcome(self, outcome: StepOutcome) -> Sequence[StepResult]:
        return [each for each in self._work if each.outcome is outcome]

    @property
    def _undone(self) -> Sequence[StepResult]:
        """Steps that were not done, except those whose condition was not met."""
        return [
            each
            for each in self._work
            if each.outcome is not StepOutcome.DONE and not each.condition_unmet
        ]

    @property
    def _incomplete(self) -> bool:
        """Whether a step is done but its output incomplete."""
        return any(each.note for each in self._with_outcome(StepOutcome.DONE))

    @property
    def _unused_results(self) -> Sequence[StepResult]:
        """Done steps whose output no other done step used."""
        done = self._with_outcome(StepOutcome.DONE)
        used = {id for each in done for id in each.step.dependencies}
        return [each for each in done if each.step.id not in used]

    def _status(self) -> ReplyStatus:
        done = self._with_outcome(StepOutcome.DONE)
        acted = any(each.acted for each in self._work)
        failed = any(each.outcome is StepOutcome.FAILED for each in self.results.values())
        if self._incomplete or self.planning_error or failed:
            return "partial_success" if done or acted else "error"
        if self.stopped or self._with_outcome(StepOutcome.DECLINED):
            return "partial_success" if acted else "info"
        unmet = any(each.condition_unmet for each in self.results.values())
        return "info" if unmet and not acted else "success"

    def _message(self) -> str:
        done = self._with_outcome(StepOutcome.DONE)
        if self.planning_error:
            return _sentence(self.planning_error)
        if failed := self._with_outcome(StepOutcome.FAILED):
            return _sentence(failed[0].note)
        if self.stopped:
            return "Stopped before everything was done." if done else "Stopped."
        if declined := self._with_outcome(StepOutcome.DECLINED):
            return f"“{self._title(declined[0])}” was not done: {_sentence(declined[0].note)}"
        for each in self.results.values():
            if each.condition_unmet and each.step.when:
                return self._unmet_message(each)
        return f"Done: {'; '.join(self._title(each) for each in done)}."

    def _unmet_message(self, result: StepResult) -> str:
        """Say why a condition was not met: by the empty value it refers to, or in general."""
        value = result.step.when.value if result.step.when else None
        reference = next(find_references(value), None)
        source = self.results.get(reference.step) if reference else None
        if source and is_empty(source.output) and (text := to_markdown(source.output).strip()):
            return _sentence(text.splitlines()[0])
        return f"Nothing was to be done: the condition of “{self._title(result)}” did not hold."

    def _details(self) -> str:
        outputs = [to_markdown(each.output).strip() for each in self._unused_results]
        texts = [text for text in outputs if text and text != self._message()]
        return _join_sections(self.text, *texts, self._done_section(), self._not_done_section())

    def _done_section(self) -> str:
        if not (self._undone or self.planning_error):
            return ""
        lines = [f"- {self._title(each)}" for each in self._with_outcome(StepOutcome.DONE)]
        return "\n".join(["**Done**\n", *lines]) if lines else ""

    def _not_done_section(self) -> str:
        in_message = bool(self.text) if self.stopped else self._plan_reply is None
        if len(self._undone) == 1 and in_message:
            return ""
        lines = [f"- {self._title(each)}: {each.note}" for each in self._undone]
        return "\n".join(["**Not done**\n", *lines]) if lines else ""

    def _artifacts(self) -> tuple[str, ...]:
        outputs = [each.output for each in self._with_outcome(StepOutcome.DONE)]
        paths = [getattr(output, "file_path", None) for output in outputs]
        return tuple(str(path) for path in paths if path)

    def _title(self, result: StepResult) -> str:
        return self.tools[result.step.action].title


def name_effects(reply: Reply, results: Mapping[int, StepResult], *, exposed: bool) -> Reply:
    """Return the reply with each effect of the run named in it by the program.

    An effect stated in the reply, and a document among its artifacts, is not repeated, unless its
    planner had read mail: such a reply cannot be trusted, and the complete list comes first.
    """
    untrusted = exposed and any(isinstance(each.output, Reply) for each in results.values())
    outputs = [each.output for each in results.values() if each.acted]
    if not untrusted:
        outputs = [each for each in outputs if not _is_stated(each, reply)]
    effects = [text for each in outputs if (text := to_markdown(each).strip())]
    if not effects:
        return reply
    section = "\n".join(["**What was done**\n", *map(_list_item, effects)])
    parts = (section, reply.details) if untrusted else (reply.details, section)
    return replace(reply, details=_join_sections(*parts))


def _is_stated(output: Any, reply: Reply) -> bool:
    path = getattr(output, "file_path", None)
    in_text = to_markdown(output).strip() in f"{reply.message}\n{reply.details}"
    return in_text or str(path) in reply.artifacts


def _list_item(text: str) -> str:
    """Format a list item; an opening comment in the text cannot hide the items after it."""
    indented = text.replace("\n", "\n    ")
    return f"- {_TAG_START.sub('&lt;', indented)}"


def _sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _join_sections(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)
