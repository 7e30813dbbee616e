"""Sent: what became of a letter, gone out or kept."""

from dataclasses import dataclass

from tools.plain_words import in_markdown


@dataclass(frozen=True)
class SentEmail:
    """An email that went out; `note` is what else the user should know about that."""

    to: tuple[str, ...]
    subject: str
    note: str = ""

    def __str__(self) -> str:
        """The sentence of the public contract."""
        return f'Email successfully sent to {", ".join(self.to)} with subject "{self.subject}".'

    def wire(self) -> str:
        """The sentence of the public contract."""
        return str(self)

    def markdown(self) -> str:
        """The sentence, and what else the user should know."""
        said = f"Email successfully sent to {in_markdown(', '.join(self.to))} with subject "
        return f'{said}"{in_markdown(self.subject)}". {self.note}'.strip()


@dataclass(frozen=True)
class SavedDraft:
    """An email that was kept and not sent; `place` says where."""

    to: tuple[str, ...]
    subject: str
    place: str

    def __str__(self) -> str:
        """What happened, in a sentence."""
        to = ", ".join(self.to)
        return f'Saved as a draft in {self.place}, not sent: "{self.subject}" to {to}.'

    def markdown(self) -> str:
        """What happened, in a sentence."""
        return in_markdown(str(self))
