"""The run report: the reply that states the actual outcome when the plan's own reply does not."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assistant.runs.events import StepOutcome
from assistant.runs.execution import StepResult
from assistant.runs.plan import REPLY_ACTION, is_empty
from assistant.runs.reference import find_references
from assistant.runs.reply import Reply, ReplyStatus
from assistant.runs.value_markdown import to_markdown
from tools.tool import Tool

_OPENED_TAG = re.compile(r"(?<!\\)<")


@dataclass(frozen=True)
class RunReport:
    """What is known when a run has ended.

    `trouble` says why no further steps could be planned; `text` is as much of the reply as was
    written before a stop.
    """

    results: Mapping[int, StepResult]
    tools: Mapping[str, Tool]
    stopped: bool = False
    trouble: str = ""
    text: str = ""

    def reply(self) -> Reply:
        """The plan's reply where it is true; with what was not done added; or an own one."""
        written = next(iter(self._written()), None)
        if written is not None and not self._undone:
            return replace(written, status="partial_success") if self._broken else written
        if written is not None:
            return replace(
                written,
                details=_join_sections(written.details, self._not_done_section()),
                status=self._status(),
            )
        return Reply(self._message(), self._details(), self._artifacts(), self._status())

    def _written(self) -> list[Reply]:
        outputs = [each.output for each in self.results.values()]
        return [each for each in outputs if isinstance(each, Reply)]

    @property
    def _work(self) -> Sequence[StepResult]:
        return [each for each in self.results.values() if each.step.action != REPLY_ACTION]

    def _of(self, *outcomes: StepOutcome) -> Sequence[StepResult]:
        return [each for each in self._work if each.outcome in outcomes]

    @property
    def _undone(self) -> Sequence[StepResult]:
        """What was meant to happen and did not; a condition that does not hold is meant."""
        return [each for each in self._work if not _went_as_planned(each)]

    @property
    def _broken(self) -> bool:
        """Whether something that was done is not whole."""
        return any(each.note for each in self._of(StepOutcome.DONE))

    @property
    def _leaves(self) -> Sequence[StepResult]:
        """Done steps whose output nothing else went on to use."""
        done = self._of(StepOutcome.DONE)
        used = {id for each in done for id in each.step.dependencies}
        return [each for each in done if each.step.id not in used]

    def _status(self) -> ReplyStatus:
        done, acted = self._of(StepOutcome.DONE), any(each.acted for each in self._work)
        if self._broken or self.trouble or self._of(StepOutcome.FAILED) or self._failed_replies():
            return "partial_success" if done or acted else "error"
        if self.stopped or self._of(StepOutcome.DECLINED):
            return "partial_success" if acted else "info"
        unmet = any(each.condition for each in self.results.values())
        return "info" if unmet and not acted else "success"

    def _failed_replies(self) -> Collection[StepResult]:
        replies = [each for each in self.results.values() if each.step.action == REPLY_ACTION]
        return [each for each in replies if each.outcome is StepOutcome.FAILED]

    def _message(self) -> str:
        if self.trouble:
            return _sentence(self.trouble)
        if failed := self._of(StepOutcome.FAILED):
            return _sentence(failed[0].note)
        if self.stopped:
            return (
                "Stopped."
                if not self._of(StepOutcome.DONE)
                else "Stopped before everything was done."
            )
        if declined := self._of(StepOutcome.DECLINED):
            return f"“{self._title(declined[0])}” was not done: {_sentence(declined[0].note)}"
        if unmet := [each for each in self._work_and_reply() if each.condition and each.step.when]:
            return self._unmet(unmet[0])
        return f"Done: {'; '.join(self._title(each) for each in self._of(StepOutcome.DONE))}."

    def _work_and_reply(self) -> Sequence[StepResult]:
        return list(self.results.values())

    def _unmet(self, result: StepResult) -> str:
        asked = [self._output(each.step) for each in find_references(_condition_value(result))]
        if asked and is_empty(asked[0]) and (said := to_markdown(asked[0]).strip()):
            return _sentence(said.splitlines()[0])
        return f"Nothing was to be done: the condition of “{self._title(result)}” did not hold."

    def _output(self, id: int) -> Any:
        return self.results[id].output if id in self.results else None

    def _details(self) -> str:
        found = [to_markdown(each.output).strip() for each in self._leaves]
        shown = [text for text in found if text and text != self._message()]
        return _join_sections(self.text, *shown, self._done_section(), self._not_done_section())

    def _done_section(self) -> str:
        if not (self._undone or self.trouble):
            return ""
        lines = [f"- {self._title(each)}" for each in self._of(StepOutcome.DONE)]
        return "\n".join(["**Done**\n", *lines]) if lines else ""

    def _not_done_section(self) -> str:
        said = bool(self.text) if self.stopped else not self._written()  # by the message
        if len(self._undone) == 1 and said:
            return ""
        lines = [f"- {self._title(each)}: {each.note}" for each in self._undone]
        return "\n".join(["**Not done**\n", *lines]) if lines else ""

    def _artifacts(self) -> tuple[str, ...]:
        outputs = [each.output for each in self._of(StepOutcome.DONE)]
        paths = [getattr(output, "file_path", None) for output in outputs]
        return tuple(str(path) for path in paths if path)

    def _title(self, result: StepResult) -> str:
        return self.tools[result.step.action].title


def name_effects(reply: Reply, results: Mapping[int, StepResult], *, exposed: bool) -> Reply:
    """Return the reply with each effect of the run named in it by the program.

    An effect that the reply states already is not repeated, unless a planner which had read
    mail wrote it: of such a reply nothing can be trusted, and the list comes first.
    """
    by_planner = any(isinstance(each.output, Reply) for each in results.values())
    written = "" if exposed and by_planner else f"{reply.message}\n{reply.details}"
    effects = [to_markdown(each.output).strip() for each in results.values() if each.acted]
    missing = [_list_item(effect) for effect in effects if effect and effect not in written]
    if not missing:
        return reply
    return replace(
        reply, details=_join_sections("\n".join(["**What was done**\n", *missing]), reply.details)
    )


def _list_item(text: str) -> str:
    """The text as an item of a list; no comment that begins in it hides the items after it."""
    indented = text.replace("\n", "\n    ")
    return f"- {_OPENED_TAG.sub('&lt;', indented)}"


def _went_as_planned(result: StepResult) -> bool:
    return result.outcome is StepOutcome.DONE or result.condition


def _condition_value(result: StepResult) -> Any:
    return result.step.when.value if result.step.when else None


def _sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _join_sections(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)
