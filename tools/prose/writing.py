"""Writing prose: the tool that answers, explains, translates and drafts in words of its own."""

from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from tools.moments import Clock
from tools.plain_words import in_markdown
from tools.prose.citations import Sources
from tools.prose.cited import Checking, CitedText, checked
from tools.prose.coverage import coverage
from tools.prose.instructions import instructions
from tools.prose.material import Material
from tools.prose.parts import Order, written
from tools.prose.plain import Defusing
from tools.prose.writer import Writer, writing
from tools.tool import BrokenOffError, ToolError, Writing

Purpose = Literal["answer", "letter"]


@dataclass(frozen=True)
class Prose:
    """A text in Markdown; the only links in it are to the emails and events it was made from."""

    text: str

    def markdown(self) -> str:
        """The text."""
        return self.text


class ProseWriting:
    """Lets a writer write; what it writes is text and nothing else."""

    def __init__(self, writer: Writer, clock: Clock, name: str = "") -> None:
        """Nothing is written yet.

        Args:
            writer: who writes.
            clock: gives the present moment.
            name: how the user signs; "" where that is unknown.
        """
        self._writer = writer
        self._clock = clock
        self._name = name

    async def write_text(
        self,
        instruction: Annotated[str, Field(min_length=1)],
        material: Any = None,
        purpose: Purpose = "answer",
    ) -> Writing[Prose]:
        """Write a text.

        Use it for what has to be put into words: an answer to a question about emails or events
        that an earlier step found ("what does Sarah say about the budget?" is search_emails, then
        this), an explanation, a comparison, a translation, or the text of a letter or an email
        before it is sent. Without material it is written from general knowledge. Gives text.

        Args:
            instruction: What to write, in the user's own words and language, with everything
                that the text needs to say.
            material: What it is about: the whole result of an earlier step such as $step1, or a
                list of several.
            purpose: "answer" for the user to read, with links to the emails it comes from;
                "letter" for a text that goes out or into a document as it is, such as the body
                of an email.
        """
        if purpose == "letter":
            return writing(self._letter(instruction, Material.of(material, numbered=False)), Prose)
        return writing(self._answer(instruction, Material.of(material, numbered=True)), Prose)

    async def _letter(self, task: str, material: Material) -> AsyncGenerator[str]:
        """A letter that breaks off is none, since it could be sent."""
        pieces = written(
            self._writer, material.groups, self._order(("letter",), task, self._name), Sources(())
        )
        async for said in checked(pieces, Defusing()):
            yield said

    async def _answer(self, task: str, material: Material) -> AsyncGenerator[str]:
        sources, begun, broken = Sources(material.links), False, None
        order = self._order(("answer", "cite") if material.links else ("answer",), task)
        pieces = written(self._writer, material.groups, order, sources)
        text: Checking = CitedText(sources) if material.links else Defusing()
        try:
            async for said in checked(pieces, text):
                begun = begun or bool(said)
                yield said
        except ToolError as error:
            if not begun:
                raise
            broken = BrokenOffError(error)
        for note in _notes(sources, material, broken):
            yield f"\n\n{note}"
        if broken:
            raise broken

    def _order(self, names: tuple[str, ...], task: str, signature: str = "") -> Order:
        now = self._clock()
        return Order(
            instructions(*names, now=now, task=task, signature=signature),
            instructions("notes", now=now, task=task),
        )


def _notes(sources: Sources, material: Material, broken: BrokenOffError | None) -> Iterator[str]:
    """What the reader should know about a text."""
    if broken:
        yield f"*The text broke off here: {in_markdown(str(broken))}*"
    elif sources.kept and not sources.named:
        yield sources.unnamed()
    yield from filter(None, [sources.left_out()])
    if material.emails and not broken:
        yield coverage(material.emails)
