"""Google form: connects an account in four steps."""

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QLineEdit, QVBoxLayout, QWidget

from gui.settings.form_widgets import FormField, horizontal_row, push_button
from gui.settings.google_client_form import GoogleClientForm
from gui.settings.google_form_steps import PermissionChoice, SetupChecks, SignInWait
from gui.settings.wizard_step import WizardStep
from tools.accounts.google.permissions import Permission

if TYPE_CHECKING:
    from assistant.accounts.google_setup_checks import SetupCheck

_NAME_HINT = "Mail and events say it. Leave it empty for the address of the account."
_NOT_STORED_HINT = (
    "Its sign-in ends with the program, unless you choose below where sign-ins are kept, as in a"
    " file with a passphrase."
)
_CHECK_STEPS = {"client": 0, "consent": 2, "permission": 3, "mail": 3, "keyring": 3}


class GoogleForm(QFrame):
    """Connects an account, or lets one that is connected do more or sign in again.

    Signals:
        client_file_chosen: The client is in this file: its path.
        client_typed: The client is this: its ID, and its secret or "".
        wanted: The sign-in should begin: what to call the account, or which one signs in again,
            and what it may do.
        stopped: The sign-in that goes on should end.
        page_wanted: A page of the program's own choice should be opened: its address.
        link_wanted: A page that an answer names should be opened: its address.
        left: It should be closed.
        moved: Another step is the one to look at: it.
    """

    client_file_chosen = Signal(object)
    client_typed = Signal(str, str)
    wanted = Signal(str, object)
    stopped = Signal()
    page_wanted = Signal(str)
    link_wanted = Signal(str)
    left = Signal()
    moved = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("box")
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.again = ""  # the account that signs in again; "" for a new one
        self._title = QLabel()
        self._title.setObjectName("heading")
        self._name = QLineEdit()
        self.name = FormField("Name", self._name, _NAME_HINT)
        self.client, self.permissions = GoogleClientForm(), PermissionChoice()
        self.wait, self.checks = SignInWait(), SetupChecks()
        self._sign_in = push_button("Sign in with Google", "primary")
        self._try_again = push_button("Try again", "primary")
        self._leave = push_button("Cancel")
        self._may = _column(self.permissions, self.name)
        self._steps = (
            WizardStep(1, "Your client at Google", self.client),
            WizardStep(2, "What Deskhand may do", self._may),
            WizardStep(3, "Sign in, in your browser", self.wait),
            WizardStep(4, "See whether it works", self.checks),
        )
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(14)
        column.addWidget(self._title)
        for step in self._steps:
            column.addWidget(step)
        column.addLayout(horizontal_row(None, self._leave, self._try_again, self._sign_in))

    def _connect(self) -> None:
        client, permitting = self._steps[:2]
        client.again_wanted.connect(self._ask_for_client)
        permitting.again_wanted.connect(self._ask_what_it_may)
        for step in self._steps:
            step.link_wanted.connect(self.link_wanted)
        self.client.file_chosen.connect(self.client_file_chosen)
        self.client.typed.connect(self.client_typed)
        self.client.link_wanted.connect(self.page_wanted)
        self.checks.link_wanted.connect(self.link_wanted)
        self.wait.open_wanted.connect(self.page_wanted)
        self.wait.stopped.connect(self.stopped)
        self._sign_in.clicked.connect(self._go)
        self._try_again.clicked.connect(self._go)
        self._leave.clicked.connect(self.left)
        self.moved.connect(WizardStep.announce)
        self._name.returnPressed.connect(self._go)

    @property
    def steps(self) -> tuple[WizardStep, ...]:
        """The steps, in their order."""
        return self._steps

    @property
    def is_over(self) -> bool:
        """Whether the account that it was about is connected."""
        return self._steps[-1].stage == "done"

    def begin(self, client: str) -> None:
        """Connect a new account; `client` is the ID of the client that is there, or ""."""
        self._begin("", "Connect Google", (), ())
        self._name.clear()
        self.name.show()
        self._first(client)

    def begin_again(
        self,
        account: str,
        client: str,
        granted: Collection[Permission],
        wanted: Collection[Permission],
    ) -> None:
        """Let a connected account do more."""
        self._begin(account, f"Let Deskhand do more in {account}", granted, wanted)
        self.name.hide()
        self._first(client)

    def sign_in_again(self, account: str, client: str, granted: Collection[Permission]) -> None:
        """Have the person of a connected account sign in again, with what it may do already."""
        self._begin(account, f"Sign in to {account} again", granted, ())
        self.name.hide()
        self._first(client)
        if client:
            self._go()

    def show_client(self, client: str, words: str = "") -> None:
        """Go on with a client that is known now."""
        self._show_client(client, words)
        self._ask_what_it_may()

    def show_client_error(self, words: str) -> None:
        """Say why there is no client yet."""
        self._steps[0].show_stage("failed", words)

    def show_check(self, check: "SetupCheck") -> None:
        """Show where a check of the sign-in stands."""
        step = self._steps[_CHECK_STEPS[check.key]]
        if check.state == "failed" and check.key in {"client", "consent"}:
            self._show_failed(step, check.words, [link.url for link in check.links])
        elif check.key == "consent" and check.links:
            self.wait.show_page(check.links[0].url)
        elif check.key == "consent" and check.state == "done":
            self.wait.end()
            self.setFocus()  # nothing is to be pressed meanwhile
            step.show_stage("done", "You signed in.")
            self._steps[3].show_stage("now")
            self.moved.emit(self._steps[3])
        elif step is self._steps[3]:
            step.show_stage("now")
            self.checks.show_check(check)
            self.moved.emit(step)

    def show_failure(self, words: str) -> None:
        """Say that it came to nothing, where that was not said at its step."""
        self.wait.end()
        if not any(step.stage == "failed" for step in self._steps):
            last = self._steps[3] if self.checks.checks else self._steps[2]
            said = {check.words for check in self.checks.checks.values()}
            self._show_failed(last, "" if words in said else words)

    def show_stopped(self) -> None:
        """Ask once more what it may do, after the sign-in was ended."""
        self.wait.end()
        self._ask_what_it_may()

    def show_connected(self, words: str) -> None:
        """Say that it worked."""
        self.wait.end()
        kept = self.checks.checks.get("keyring")
        is_lost = kept is not None and kept.state == "failed"
        self._steps[3].show_stage("done", f"{words} {_NOT_STORED_HINT}" if is_lost else words)
        self.checks.show()
        self._offer(leave="Done")
        self._leave.setFocus()
        self.moved.emit(self._steps[3])

    def _begin(
        self,
        again: str,
        title: str,
        granted: Collection[Permission],
        wanted: Collection[Permission],
    ) -> None:
        self.again = again
        self._title.setText(title)
        self.permissions.show_granted(granted, wanted)
        self.checks.begin()
        self.client.begin()

    def _first(self, client: str) -> None:
        if client:
            self.show_client(client)
        else:
            self._ask_for_client()

    def _show_client(self, client: str, words: str) -> None:
        told = f"{_short_client_id(client)} is used. {words}".strip()
        self._steps[0].show_stage("done", told, changeable=True)

    def _ask_for_client(self) -> None:
        self._steps[0].show_stage("now")
        for step in self._steps[1:]:
            step.show_stage("later")
        self._offer()
        self.client.focus()
        self.moved.emit(self._steps[0])

    def _ask_what_it_may(self) -> None:
        self._steps[1].show_stage("now")
        for step in self._steps[2:]:
            step.show_stage("later")
        self._offer(self._sign_in)
        self.permissions.focus()
        self.moved.emit(self._steps[1])

    def _go(self) -> None:
        """Begin to sign in."""
        chosen = self.permissions.chosen
        words = "; ".join(each.words for each in Permission if each in chosen)
        self._steps[0].show_stage("done", self._steps[0].words)
        self._steps[1].show_stage("done", f"It may: {words}.")
        self._steps[2].show_stage("now")
        self._steps[3].show_stage("later")
        self.checks.begin()
        self.wait.begin()
        self._offer(leave="")
        self.moved.emit(self._steps[2])
        self.wanted.emit(self.again or self._name.text().strip(), chosen)

    def _show_failed(self, step: WizardStep, words: str, links: Iterable[str] = ()) -> None:
        self.wait.end()
        if step is self._steps[0]:
            self._ask_for_client()
        else:
            for before in self._steps[:2]:
                before.show_stage("done", before.words, changeable=True)
            self._offer(self._try_again)
            self._try_again.setFocus()
        step.show_stage("failed", words, links=links)
        self.wait.hide()  # its link leads nowhere any more
        self.moved.emit(step)

    def _offer(self, way: QWidget | None = None, leave: str = "Cancel") -> None:
        """Show the one button that goes on, and the one that leaves."""
        for each in (self._sign_in, self._try_again):
            each.setVisible(each is way)
        self._leave.setText(leave)
        self._leave.setVisible(bool(leave))


def _column(*parts: QWidget) -> QWidget:
    made = QWidget()
    column = QVBoxLayout(made)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(14)
    for part in parts:
        column.addWidget(part)
    return made


def _short_client_id(client: str) -> str:
    """A client ID as its person knows it: the number before its long end."""
    return client.removesuffix(".apps.googleusercontent.com")
