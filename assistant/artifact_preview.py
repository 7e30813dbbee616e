"""Artifact previews: a mail, event or document named by a reply, as Markdown."""

from dataclasses import dataclass
from pathlib import Path

from tools.calendar.combined_calendar import CombinedCalendar
from tools.documents.document_reader import read_document
from tools.mail.mail_reading import MailReading


@dataclass(frozen=True)
class ArtifactPreview:
    """Looks into mail, events and documents."""

    reading: MailReading
    calendar: CombinedCalendar

    async def at(self, reference: str) -> str:
        """The Markdown of `mail:<id>`, `event:<id>`, or the path of a document.

        Raises:
            ToolError: it is not there any more, or there is no way to look into it.
        """
        kind, _, id = reference.partition(":")
        if kind == "mail":
            return (await self.reading.read_email(id)).markdown()
        if kind == "event":
            return (await self.calendar.read(id)).full_markdown()
        return await read_document(Path(reference))
