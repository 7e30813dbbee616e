"""Model server form: a server's address, one of its models, and the API key."""

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QIntValidator, QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox

from assistant.settings.model_settings import ConfiguredModel, parse_server_url
from gui.settings.form_fields import FormBox, FormField, LineField
from gui.settings.form_widgets import push_button
from gui.theme.icons import paint
from tools.tool_errors import ToolError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assistant.model_client.model_discovery import ListedModel

_NEW_KEY_HINT = (
    "Kept in the keyring of this computer, never in a file. Leave it empty if none is needed."
)
_KEPT_KEY_HINT = "Leave it empty to keep the current key."
_CONTEXT_HINT = "How much it reads and writes at once. Needed only if the server does not say."
_MAX_CONTEXT = 10_000_000  # tokens
_ARROW = 14  # pixels


class ModelComboBox(QComboBox):
    """An editable list of model IDs whose width does not depend on them."""

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


class ModelServerForm(FormBox):
    """Asks for a model on a server, or for changes to one.

    Signals:
        list_wanted: The models of a server should be listed; emits its URL, and the API key or
            None for the stored one.
        submitted: The form is complete; emits a ConfiguredModel, and the API key or None for the
            stored one.
    """

    list_wanted = Signal(str, object)
    submitted = Signal(object, object)

    def __init__(self) -> None:
        super().__init__()
        self.changed: ConfiguredModel | None = None
        self._contexts: dict[str, int | None] = {}
        self._list = push_button("List models")
        placeholder = "http://127.0.0.1:11434/v1 or https://api.openai.com/v1"
        self.address = LineField("Address", placeholder=placeholder)
        self.key = LineField("Key", _NEW_KEY_HINT, is_password=True)
        self.model_id = ModelComboBox()
        self.model = FormField("Model", self.model_id, button=self._list)
        self.context = LineField(
            "Context in tokens", _CONTEXT_HINT, placeholder="As the server says"
        )
        self.context.line.setValidator(QIntValidator(1, _MAX_CONTEXT, self))
        self._fields = (self.address, self.key, self.model, self.context)
        self._lay_out(*self._fields)
        self._list.clicked.connect(self.ask_for_list)
        self.submit.clicked.connect(self._submit)
        self._submit_on_enter()

    def begin(self, changed: ConfiguredModel | None = None) -> None:
        """Ask for a new model, or for changes to one."""
        self.changed = changed
        self._contexts = {}
        self._title.setText(f"Change {changed.name}" if changed else "A model on a server")
        self.submit.setText("Save" if changed else "Connect")
        self.address.line.setText(changed.url if changed else "")
        self.key.line.clear()
        self.model_id.clear()
        self.model_id.setEditText(changed.model if changed else "")
        self.context.line.setText(str(changed.context) if changed and changed.context else "")
        self.key.show_hint(_KEPT_KEY_HINT if changed and changed.has_key else _NEW_KEY_HINT)
        self._clear_errors()
        self.show_progress("")
        self.address.line.setFocus()

    def go_to(self, remedy: str) -> None:
        """Focus the field for a remedy."""
        if remedy == "model_key":
            self.key.line.setFocus()
        elif remedy == "choose_model":
            self.ask_for_list()

    def ask_for_list(self) -> None:
        """Request the list of the server's models."""
        url = self._checked_url()
        if url:
            self.list_wanted.emit(url, self._entered_key())

    def show_listed(self, models: "Sequence[ListedModel]") -> None:
        """Offer the models of the server."""
        self._contexts = {model.id: model.context for model in models}
        self.show_progress("")
        if not models:
            self.model.show_error("The server answers, but it has no model.")
        entered = self.model_id.currentText()
        self.model_id.clear()
        self.model_id.addItems(list(self._contexts))
        self.model_id.setEditText(entered or next(iter(self._contexts), ""))
        self.model_id.setFocus()
        if len(models) > 1:
            self.model_id.showPopup()

    def show_error(self, field: FormField, text: str) -> None:
        """Show an error at a field."""
        self.show_progress("")
        field.show_error(text)
        field.entry.setFocus()

    def show_progress(self, text: str) -> None:
        """Show the action in progress, during which no button works; "" ends it."""
        super().show_progress(text)
        self._list.setDisabled(bool(text))

    def _clear_errors(self) -> None:
        for field in self._fields:
            field.show_error("")

    def _checked_url(self) -> str:
        """Return the URL, or "" with an error shown."""
        self._clear_errors()
        try:
            return parse_server_url(self.address.text)
        except ToolError as error:
            self.show_error(self.address, str(error))
            return ""

    def _entered_key(self) -> str | None:
        """Return the API key, None for the stored one."""
        has_stored = self.changed is not None and self.changed.has_key
        return None if has_stored and not self.key.text else self.key.text

    def _submit(self) -> None:
        url, id = self._checked_url(), self.model_id.currentText().strip()
        if not url:
            return
        if not id:
            self.show_error(self.model, "Choose a model: list those of the server, or type one.")
            return
        entered = self.context.text
        context = int(entered) if entered else self._contexts.get(id)
        base = self.changed or ConfiguredModel(id)
        self.submitted.emit(replace(base, model=id, url=url, context=context), self._entered_key())
