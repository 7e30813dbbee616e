"""Local servers: the model servers found on this computer, and advice where there are none."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from gui.settings.form_fields import FormBox
from gui.settings.form_widgets import TextIcon, push_button, text_label
from gui.widgets.elided_label import ElidedLabel

if TYPE_CHECKING:
    from assistant.model_client.model_discovery import FoundServer, ListedModel

_NO_SERVER_TEXT = (
    "No program with models runs on this computer. Install Ollama (ollama.com) or LM Studio"
    " (lmstudio.ai), load a model in it, for example with “ollama pull qwen2.5:7b”, and look again."
    " A model file on this computer, or a server elsewhere, can be used as well."
)


class LocalServerList(FormBox):
    """A line for each known program, with the models of those that run.

    Signals:
        chosen: A model should be connected; emits FoundServer and ListedModel.
    """

    chosen = Signal(object, object)

    def __init__(self) -> None:
        super().__init__("Models on this computer", "Look again")
        self.submit.setObjectName("")  # not the primary button
        self._cancel.setText("Close")
        self._shown: list[QWidget] = []
        self._lines = QVBoxLayout()
        self._lines.setSpacing(10)
        self._lay_out(self._lines)

    def show_looking(self, ports: Mapping[str, int]) -> None:
        """Show the search for each program at its port."""
        self.submit.setEnabled(False)
        self._show(
            _line("wait", f"{kind} at port {port}: looking…") for kind, port in ports.items()
        )

    def show_found(
        self,
        ports: Mapping[str, int],
        servers: "Sequence[FoundServer]",
        connected: Collection[tuple[str, str]],
    ) -> None:
        """Show the result; `connected` are the URLs and IDs of connected models."""
        self.submit.setEnabled(True)
        found = {server.kind: server for server in servers}
        lines: list[QWidget] = []
        for kind, port in ports.items():
            server = found.get(kind)
            if server is None:
                lines.append(_line("skip", f"{kind} at port {port}: not running"))
                continue
            lines.append(_line("check", f"{kind} at port {port}", "success"))
            lines.extend(self._model_line(server, model, connected) for model in server.models)
        if not servers:
            lines.append(_advice())
        self._show(lines)

    def _model_line(
        self, server: "FoundServer", model: "ListedModel", connected: Collection[tuple[str, str]]
    ) -> QWidget:
        name = ElidedLabel("normal")
        context = f"  ·  {model.context:,} tokens" if model.context else ""
        name.show_text(f"{model.title}{context}")
        is_connected = (server.endpoint.url, model.id) in connected
        use = push_button("Connected" if is_connected else "Connect")
        use.setEnabled(not is_connected)
        use.setAccessibleName(f"{use.text()} {model.id}")
        use.clicked.connect(lambda: self.chosen.emit(server, model))
        widget = QWidget()
        line = QHBoxLayout(widget)
        line.setContentsMargins(26, 0, 0, 0)
        line.addWidget(name, 1)
        line.addWidget(use)
        return widget

    def _show(self, lines: Iterable[QWidget]) -> None:
        for old in self._shown:
            old.hide()
            old.deleteLater()
        self._shown = list(lines)
        for line in self._shown:
            self._lines.addWidget(line)
        spoken = (line.accessibleName() for line in self._shown)
        self.setAccessibleName("\n".join(text for text in spoken if text))


def _line(icon: str, text: str, name: str = "muted") -> QWidget:
    widget = QWidget()
    widget.setAccessibleName(text)
    line = QHBoxLayout(widget)
    line.setContentsMargins(0, 0, 0, 0)
    line.setSpacing(8)
    line.addWidget(TextIcon(icon, name))
    line.addWidget(text_label(text, "muted" if name == "muted" else "normal"), 1)
    return widget


def _advice() -> QLabel:
    advice = text_label(_NO_SERVER_TEXT)
    advice.setAccessibleName(_NO_SERVER_TEXT)
    return advice
