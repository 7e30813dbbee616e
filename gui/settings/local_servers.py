"""Local servers: the model servers found on this computer, and advice where there are none."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from gui.settings.form_widgets import TextIcon, horizontal_row, push_button
from gui.widgets.elided_label import ElidedLabel

if TYPE_CHECKING:
    from assistant.model_client.model_discovery import FoundServer, ListedModel

_NO_SERVER_TEXT = (
    "No program with models runs on this computer. Install Ollama (ollama.com) or LM Studio"
    " (lmstudio.ai), load a model in it, for example with “ollama pull qwen2.5:7b”, and look again."
    " A model file on this computer, or a server elsewhere, can be used as well."
)


class LocalServerList(QFrame):
    """A line for each program that is looked for, with the models of those that run.

    Signals:
        look_wanted: They should be looked for again.
        chosen: A model should be connected: FoundServer and ListedModel.
        left: It should be closed.
    """

    look_wanted = Signal()
    chosen = Signal(object, object)
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("box")
        title = QLabel("Models on this computer")
        title.setObjectName("heading")
        self._again, close = push_button("Look again"), push_button("Close")
        self._again.clicked.connect(self.look_wanted)
        close.clicked.connect(self.left)
        self._shown: list[QWidget] = []
        self._lines = QVBoxLayout()
        self._lines.setSpacing(10)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(14)
        column.addWidget(title)
        column.addLayout(self._lines)
        column.addLayout(horizontal_row(None, self._again, close))

    def show_looking(self, ports: Mapping[str, int]) -> None:
        """Say what is being looked for, and at which port."""
        self._again.setEnabled(False)
        self._show(
            _line("wait", f"{kind} at port {port}: looking…") for kind, port in ports.items()
        )

    def show_found(
        self,
        ports: Mapping[str, int],
        servers: "Sequence[FoundServer]",
        connected: Collection[tuple[str, str]],
    ) -> None:
        """Show what was found; `connected` are address and id of models that are connected."""
        self._again.setEnabled(True)
        found = {server.kind: server for server in servers}
        lines: list[QWidget] = []
        for kind, port in ports.items():
            server = found.get(kind)
            if server is None:
                lines.append(_line("skip", f"{kind} at port {port}: not running"))
                continue
            lines.append(_line("check", f"{kind} at port {port}", "works"))
            lines.extend(self._choice(server, model, connected) for model in server.models)
        if not servers:
            lines.append(_advice())
        self._show(lines)

    def _choice(
        self, server: "FoundServer", model: "ListedModel", connected: Collection[tuple[str, str]]
    ) -> QWidget:
        name = ElidedLabel("told")
        context = f"  ·  {model.context:,} tokens" if model.context else ""
        name.show_text(f"{model.title}{context}")
        is_connected = (server.endpoint.url, model.id) in connected
        use = push_button("Connected" if is_connected else "Connect")
        use.setEnabled(not is_connected)
        use.setAccessibleName(f"{use.text()} {model.id}")
        use.clicked.connect(lambda: self.chosen.emit(server, model))
        made = QWidget()
        line = QHBoxLayout(made)
        line.setContentsMargins(26, 0, 0, 0)
        line.addWidget(name, 1)
        line.addWidget(use)
        return made

    def _show(self, lines: Iterable[QWidget]) -> None:
        for old in self._shown:
            old.hide()
            old.deleteLater()
        self._shown = list(lines)
        for line in self._shown:
            self._lines.addWidget(line)
        told = (line.accessibleName() for line in self._shown)
        self.setAccessibleName("\n".join(words for words in told if words))


def _line(drawing: str, words: str, name: str = "muted") -> QWidget:
    told = QLabel(words)
    told.setObjectName("muted" if name == "muted" else "told")
    made = QWidget()
    made.setAccessibleName(words)
    line = QHBoxLayout(made)
    line.setContentsMargins(0, 0, 0, 0)
    line.setSpacing(8)
    line.addWidget(TextIcon(drawing, name))
    line.addWidget(told, 1)
    return made


def _advice() -> QLabel:
    advice = QLabel(_NO_SERVER_TEXT)
    advice.setObjectName("told")
    advice.setWordWrap(True)
    advice.setAccessibleName(_NO_SERVER_TEXT)
    advice.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return advice
