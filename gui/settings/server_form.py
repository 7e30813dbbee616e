"""The server form: the address of a server, one of its models, and the key it is asked with."""

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import QFrame, QLabel, QLineEdit, QVBoxLayout

from assistant.settings.models import ConfiguredModel, server_address
from gui.settings.buttons import button, row_of
from gui.settings.field import Field
from gui.settings.model_box import ModelBox
from tools.tool import ToolError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assistant.model.listing import ListedModel

_KEY_IS_KEPT = "Kept in the keyring of this computer, never in a file. Leave it empty for none."
_KEY_STAYS = "Leave it empty to keep the key that is there."
_MOST = 10_000_000  # tokens


class ServerForm(QFrame):
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
        self._id = ModelBox()
        self._list, self._go = button("List models"), button("Connect", "primary")
        self._leave = button("Cancel")
        self._doing = QLabel()
        self._doing.setObjectName("muted")
        self._doing.setWordWrap(True)
        self.address = Field("Address", self._url)
        self.key = Field("Key", self._secret, _KEY_IS_KEPT)
        self.model = Field("Model", self._id, beside=self._list)
        self.context = Field(
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
        self._tokens.setValidator(QIntValidator(1, _MOST, self))
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(14)
        column.addWidget(self._title)
        for field in (self.address, self.key, self.model, self.context):
            column.addWidget(field)
        column.addWidget(self._doing)
        column.addLayout(row_of(None, self._leave, self._go))

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

    def show_error(self, field: Field, words: str) -> None:
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
        self.key.show_hint(_KEY_STAYS if model and model.has_key else _KEY_IS_KEPT)
        self._forget_errors()
        self.show_doing("")

    def _forget_errors(self) -> None:
        for field in (self.address, self.key, self.model, self.context):
            field.show_error("")

    def _checked_address(self) -> str:
        """The address, or nothing once it was said what is wrong with it."""
        self._forget_errors()
        try:
            return server_address(self._url.text())
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
