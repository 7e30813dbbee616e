"""Signals of the transcript; created before the transcript itself, which is loaded late."""

from PySide6.QtCore import QObject, Signal


class TranscriptSignals(QObject):
    """User actions in a transcript.

    Signals:
        link_activated: A link was clicked or entered: its target and its displayed text.
        artifact_activated: A chip was clicked: its reference.
        remedy_requested: The button of a reply was pressed: the name of its remedy, and the
            request that was replied to.
        request_suggested: A suggested request was clicked: its text.
        again_requested: The request of a turn should be asked again: the number of the turn.
        edit_requested: The request of a turn should be edited: the number of the turn.
        footer_action: A button under the last reply was pressed: its name.
        resized: A widget became taller or shorter.
    """

    link_activated = Signal(str, str)
    artifact_activated = Signal(str)
    remedy_requested = Signal(str, str)
    request_suggested = Signal(str)
    again_requested = Signal(int)
    edit_requested = Signal(int)
    footer_action = Signal(str)
    resized = Signal()
