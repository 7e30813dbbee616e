from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assistant.runs.events import StepOutcome
from assistant.runs.execution import StepResult
from assistant.runs.plan import Step
from assistant.runs.reply import Reply
from assistant.runs.run_report import name_effects

SENT = "Sent to ana@example.org."


@dataclass(frozen=True)
class Document:
    """A created document."""

    file_path: Path

    def markdown(self) -> str:
        """State that it was created."""
        return f"Created the document “{self.file_path.name}”."


DOCUMENT = Document(Path("/documents/report.pdf"))


def _results(*outputs: Any, acted: bool = True) -> dict[int, StepResult]:
    return {
        id: StepResult(Step(id, "act", {}), StepOutcome.DONE, output, acted=acted)
        for id, output in enumerate(outputs, 1)
    }


def test_an_effect_that_the_reply_omits_is_listed_after_its_details() -> None:
    reply = name_effects(Reply("All quiet.", "Three emails."), _results(SENT), exposed=False)
    assert reply.details == f"Three emails.\n\n**What was done**\n\n- {SENT}"


def test_an_effect_that_the_reply_states_is_not_repeated() -> None:
    reply = Reply("Done.", SENT)
    assert name_effects(reply, _results(SENT), exposed=False) == reply


def test_a_document_among_the_artifacts_is_not_repeated() -> None:
    reply = Reply("Created a report.", "Three emails.", ("/documents/report.pdf",))
    assert name_effects(reply, _results(DOCUMENT), exposed=False) == reply
    listed = name_effects(Reply("Created a report."), _results(DOCUMENT), exposed=False)
    assert listed.details == "**What was done**\n\n- Created the document “report.pdf”."


def test_the_reply_of_a_planner_that_read_mail_comes_after_the_complete_list() -> None:
    reply = Reply("All quiet.", SENT, ("/documents/report.pdf",))
    results = _results(SENT, DOCUMENT) | {
        3: StepResult(Step(3, "say", {}), StepOutcome.DONE, reply)
    }
    details = name_effects(reply, results, exposed=True).details
    assert details.startswith(f"**What was done**\n\n- {SENT}\n- Created the document")
    assert details.endswith(f"\n\n{SENT}")


def test_results_that_only_read_are_not_effects() -> None:
    reply = Reply("Three emails.")
    assert name_effects(reply, _results("text", acted=False), exposed=False) == reply


def test_an_effect_cannot_hide_the_next_one_in_a_comment() -> None:
    results = _results("Saved <!-- ", SENT)
    assert name_effects(Reply("Done."), results, exposed=False).details.endswith(
        f"- Saved &lt;!--\n- {SENT}"
    )
