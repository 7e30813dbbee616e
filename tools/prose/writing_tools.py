"""Writing tools: answer, explain, translate and draft with a language model."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from annotated_types import MinLen

from tools.moments.clock import Clock
from tools.proposal import StreamedResult
from tools.prose.text_writer import TextWriter, stream_result

Purpose = Literal["answer", "letter"]


@dataclass(frozen=True)
class WrittenText:
    """Text in Markdown; its only links are to the emails and events that it was made from."""

    text: str

    def markdown(self) -> str:
        """Return the text."""
        return self.text


class WritingTools:
    """Tool that writes texts, with no other effect."""

    def __init__(self, writer: TextWriter, clock: Clock, name: str = "") -> None:
        """Make the tool.

        Args:
            writer: the text writer.
            clock: the current time.
            name: the name with which the user signs; "" if unknown.
        """
        self._writer = writer
        self._clock = clock
        self._name = name

    async def write_text(
        self,
        instruction: Annotated[str, MinLen(1)],
        material: Any = None,
        purpose: Purpose = "answer",
    ) -> StreamedResult[WrittenText]:
        """Write a text.

        Use it for everything that needs wording: an answer to a question about emails or events
        that an earlier step found ("what does Sarah say about the budget?" is search_emails, then
        this), an explanation, a comparison, a translation, or the text of a letter or an email
        before it is sent. Without material it is written from general knowledge. Gives text.

        Args:
            instruction: The task, in the user's own words and language, with everything
                that the text needs to say.
            material: The subject: the whole result of an earlier step such as $step1, or a
                list of several.
            purpose: "answer" for the user to read, with links to the emails it comes from;
                "letter" for a text that goes out or into a document as it is, such as the body
                of an email.
        """
        # Loads the parsing of citations, which most runs do not need.
        from tools.prose.generated_text import generate_answer, generate_letter  # noqa: PLC0415

        now = self._clock()
        if purpose == "letter":
            pieces = generate_letter(self._writer, instruction, material, now, self._name)
        else:
            pieces = generate_answer(self._writer, instruction, material, now)
        return stream_result(pieces, WrittenText)
