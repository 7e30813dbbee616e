"""Motion: whether the desktop wants things to move, and for how long."""

from PySide6.QtWidgets import QStyle, QWidget

LONGEST = 150  # milliseconds


def duration(widget: QWidget, milliseconds: int = LONGEST) -> int:
    """Give how long a movement takes, in milliseconds: zero where the desktop wants none."""
    hint = QStyle.StyleHint.SH_Widget_Animation_Duration
    wanted = widget.style().styleHint(hint, None, widget)
    return min(milliseconds, LONGEST) if wanted > 0 else 0
