"""Model server form: a server's address, one of its models, and the API key."""

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QIntValidator, QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QFrame, QLabel, QLineEdit, QVBoxLayout

from assistant.settings.model_settings import ConfiguredModel, parse_server_url
from gui.settings.form_widgets import FormField, horizontal_row, push_button
from gui.theme.icons import paint
from tools.tool_errors import ToolError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assistant.model_client.model_discovery import ListedModel

_ARROW = 14  # pixels


class ModelComboBox(QComboBox):
    """A field with a list, which does not grow with the names in it."""

    def __init__(self) -> None:
        super().__init__()
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setMinimumContentsLength(12)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the arrow too, which a style sheet would take from a file."""
        super().paintEvent(event)
        painter = QPainter(self)
        area = QRectF(self.width() - _ARROW - 8, (self.height() - _ARROW) / 2, _ARROW, _ARROW)
        paint(painter, "chevron-down", area, self.palette().text().color())


_NEW_KEY_HINT = "Kept in the keyring of this computer, never in a file. Leave it empty for none."
_KEPT_KEY_HINT = "Leave it empty to keep the key that is there."
_MAX_CONTEXT = 10_000_000  # tokens


class ModelServerForm(QFrame):
    """Asks for a model on a server, or for what is to be changed about one.

    Signals:
        list_wanted: The models of a server should be listed: its address, and the key or None
            for the one that is there.
        filled: Everything is there: ConfiguredModel, and the key or None for the one that is there.
        left: It should be closed without a change.
    """

    list_wanted = Signal(str, object)
    filled = Signal(object, object)
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("box")
        self.changed: ConfiguredModel | None = None
        self._contexts: dict[str, int | None] = {}
        self._title = QLabel()
        self._title.setObjectName("heading")
        self._url, self._secret, self._tokens = QLineEdit(), QLineEdit(), QLineEdit()
        self._id = ModelComboBox()
        self._list, self._go = push_button("List models"), push_button("Connect", "primary")
        self._leave = push_button("Cancel")
        self._doing = QLabel()
        self._doing.setObjectName("muted")
        self._doing.setWordWrap(True)
        self.address = FormField("Address", self._url)
        self.key = FormField("Key", self._secret, _NEW_KEY_HINT)
        self.model = FormField("Model", self._id, beside=self._list)
        self.context = FormField(
            "Context in tokens",
            self._tokens,
            "How much it reads and writes at once. Only needed where its server does not say.",
        )
        self._set_up()
        self._connect()

    def _set_up(self) -> None:
        self._url.setPlaceholderText("http://127.0.0.1:11434/v1 or https://api.openai.com/v1")
        self._secret.setEchoMode(QLineEdit.EchoMode.Password)
        self._tokens.setPlaceholderText("As the server says")
        self._tokens.setValidator(QIntValidator(1, _MAX_CONTEXT, self))
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(14)
        column.addWidget(self._title)
        for field in (self.address, self.key, self.model, self.context):
            column.addWidget(field)
        column.addWidget(self._doing)
        column.addLayout(horizontal_row(None, self._leave, self._go))

    def _connect(self) -> None:
        self._list.clicked.connect(self.ask_for_list)
        self._go.clicked.connect(self._finish)
        self._leave.clicked.connect(self.left)
        for line in self.findChildren(QLineEdit):
            line.returnPressed.connect(self._go.click)

    def begin(self) -> None:
        """Ask for a new one."""
        self._fill(None)
        self._url.setFocus()

    def change(self, model: ConfiguredModel) -> None:
        """Ask what is to be another about a model."""
        self._fill(model)
        self._url.setFocus()

    def go_to(self, remedy: str) -> None:
        """Go to the field that mends a thing, by the name of the remedy."""
        if remedy == "model_key":
            self._secret.setFocus()
        elif remedy == "choose_model":
            self.ask_for_list()

    def ask_for_list(self) -> None:
        """Have the models of the server listed."""
        address = self._checked_address()
        if address:
            self.list_wanted.emit(address, self._key())

    def show_listed(self, models: "Sequence[ListedModel]") -> None:
        """Offer the models of the server."""
        self._contexts = {model.id: model.context for model in models}
        self.show_doing("" if models else "The server answers, but it has no model.")
        typed = self._id.currentText()
        self._id.clear()
        self._id.addItems(list(self._contexts))
        self._id.setEditText(typed or next(iter(self._contexts), ""))
        self._id.setFocus()
        if len(models) > 1:
            self._id.showPopup()

    def show_error(self, field: FormField, words: str) -> None:
        """Say beside a field what is wrong."""
        self.show_doing("")
        field.show_error(words)
        field.entry.setFocus()

    def show_doing(self, words: str, *, busy: bool = False) -> None:
        """Say what goes on; while it is busy nothing can be sent."""
        self._doing.setText(words)
        self._doing.setVisible(bool(words))
        self._go.setEnabled(not busy)
        self._list.setEnabled(not busy)

    def _fill(self, model: ConfiguredModel | None) -> None:
        self.changed = model
        self._contexts = {}
        self._title.setText(f"Change {model.name}" if model else "A model on a server")
        self._go.setText("Save" if model else "Connect")
        self._url.setText(model.url if model else "")
        self._secret.clear()
        self._id.clear()
        self._id.setEditText(model.model if model else "")
        self._tokens.setText(str(model.context) if model and model.context else "")
        self.key.show_hint(_KEPT_KEY_HINT if model and model.has_key else _NEW_KEY_HINT)
        self._forget_errors()
        self.show_doing("")

    def _forget_errors(self) -> None:
        for field in (self.address, self.key, self.model, self.context):
            field.show_error("")

    def _checked_address(self) -> str:
        """The address, or nothing once it was said what is wrong with it."""
        self._forget_errors()
        try:
            return parse_server_url(self._url.text())
        except ToolError as error:
            self.show_error(self.address, str(error))
            return ""

    def _key(self) -> str | None:
        typed = self._secret.text().strip()
        return typed if typed or not (self.changed and self.changed.has_key) else None

    def _finish(self) -> None:
        address, id = self._checked_address(), self._id.currentText().strip()
        if not address:
            return
        if not id:
            self.show_error(self.model, "Choose a model: list those of the server, or type one.")
            return
        typed = self._tokens.text()
        context = int(typed) if typed else self._contexts.get(id)
        base = self.changed or ConfiguredModel(id)
        self.filled.emit(replace(base, model=id, url=address, context=context), self._key())
