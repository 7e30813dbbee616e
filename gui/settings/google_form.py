"""Google form: connects an account in four steps."""

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from gui.settings.form_fields import FormBox, LineField
from gui.settings.form_widgets import lay_out_column, push_button
from gui.settings.google_client_form import GoogleClientForm
from gui.settings.google_form_steps import PermissionChoice, SetupChecks, SignInWait
from gui.settings.wizard_step import WizardStep
from tools.accounts.google.permissions import Permission

if TYPE_CHECKING:
    from assistant.accounts.google_setup_checks import SetupCheck

_NAME_HINT = "Shown with mail and events. Leave it empty to use the address of the account."
_NOT_STORED_HINT = (
    "You will have to sign in again after a restart, unless you choose below where sign-ins are"
    " kept, such as in a file with a passphrase."
)
_CHECK_STEPS = {"client": 0, "consent": 2, "permission": 3, "mail": 3, "keyring": 3}


class GoogleForm(FormBox):
    """Connects an account, allows more in a connected one, or signs in to it again.

    Signals:
        sign_in_wanted: The sign-in should start; emits the name for a new account, or of the one
            to sign in to again, and the permissions.
        step_changed: Another step is the current one; emits it.
    """

    sign_in_wanted = Signal(str, object)
    step_changed = Signal(object)

    def __init__(self) -> None:
        super().__init__(submit="Sign in with Google")
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.again = ""  # the account that signs in again; "" for a new one
        self.name = LineField("Name", _NAME_HINT)
        self.client, self.permissions = GoogleClientForm(), PermissionChoice()
        self.wait, self.checks = SignInWait(), SetupChecks()
        self.try_again = push_button("Try again", "primary")
        consent = QWidget()
        lay_out_column(consent, self.permissions, self.name, spacing=14)
        self.steps = (
            WizardStep(1, "Your Google client", self.client),
            WizardStep(2, "What Deskhand may do", consent),
            WizardStep(3, "Sign in in your browser", self.wait),
            WizardStep(4, "Check the connection", self.checks),
        )
        self._lay_out(*self.steps, buttons=(self.try_again,))
        self._connect()

    def _connect(self) -> None:
        client, consent = self.steps[:2]
        client.change_button.clicked.connect(self._ask_for_client)
        consent.change_button.clicked.connect(self._ask_for_permissions)
        self.submit.clicked.connect(self._start)
        self.try_again.clicked.connect(self._start)
        self.name.line.returnPressed.connect(self._start)
        self.step_changed.connect(WizardStep.announce)

    @property
    def is_over(self) -> bool:
        """Whether the account is connected."""
        return self.steps[-1].stage == "done"

    def begin(self, client: str) -> None:
        """Connect a new account; `client` is the ID of the stored client, or ""."""
        self.name.line.clear()
        self._begin("", "Connect Google", client)

    def begin_again(
        self,
        account: str,
        client: str,
        granted: Collection[Permission],
        wanted: Collection[Permission],
    ) -> None:
        """Ask for more permissions of a connected account."""
        self._begin(account, f"Let Deskhand do more in {account}", client, granted, wanted)

    def sign_in_again(self, account: str, client: str, granted: Collection[Permission]) -> None:
        """Sign in to a connected account again, with the same permissions."""
        self._begin(account, f"Sign in to {account} again", client, granted)
        if client:
            self._start()

    def show_client(self, client: str, words: str = "") -> None:
        """Go on with the client."""
        summary = f"{_short_client_id(client)} is used. {words}".strip()
        self.steps[0].show_stage("done", summary, changeable=True)
        self._ask_for_permissions()

    def show_client_error(self, words: str) -> None:
        """Show the reason why there is no client."""
        self.steps[0].show_stage("failed", words)

    def show_check(self, check: "SetupCheck") -> None:
        """Show a check of the sign-in."""
        step = self.steps[_CHECK_STEPS[check.key]]
        if check.state == "failed" and check.key in {"client", "consent"}:
            self._show_failed(step, check.words, [link.url for link in check.links])
        elif check.key == "consent" and check.links:
            self.wait.show_page(check.links[0].url)
        elif check.key == "consent" and check.state == "done":
            self.wait.end()
            self.setFocus()  # on no button
            step.show_stage("done", "You signed in.")
            self.steps[3].show_stage("now")
            self.step_changed.emit(self.steps[3])
        elif step is self.steps[3]:
            step.show_stage("now")
            self.checks.show_check(check)
            self.step_changed.emit(step)

    def show_failure(self, words: str) -> None:
        """Show the error of the sign-in, unless a step shows it."""
        self.wait.end()
        if not any(step.stage == "failed" for step in self.steps):
            last = self.steps[3] if self.checks.checks else self.steps[2]
            shown = {check.words for check in self.checks.checks.values()}
            self._show_failed(last, "" if words in shown else words)

    def show_stopped(self) -> None:
        """Go back to the permissions after the sign-in was cancelled."""
        self.wait.end()
        self._ask_for_permissions()

    def show_connected(self, words: str) -> None:
        """Show that the account is connected."""
        self.wait.end()
        stored = self.checks.checks.get("keyring")
        is_lost = stored is not None and stored.state == "failed"
        self.steps[3].show_stage("done", f"{words} {_NOT_STORED_HINT}" if is_lost else words)
        self.checks.show()
        self._offer(cancel="Done")
        self._cancel.setFocus()
        self.step_changed.emit(self.steps[3])

    def _begin(
        self,
        again: str,
        title: str,
        client: str,
        granted: Collection[Permission] = (),
        wanted: Collection[Permission] = (),
    ) -> None:
        self.again = again
        self._title.setText(title)
        self.name.setHidden(bool(again))
        self.permissions.show_granted(granted, wanted)
        self.checks.begin()
        self.client.begin()
        if client:
            self.show_client(client)
        else:
            self._ask_for_client()

    def _ask_for_client(self) -> None:
        self._go_back(0)
        self._offer()
        self.client.focus()

    def _ask_for_permissions(self) -> None:
        self._go_back(1)
        self._offer(self.submit)
        self.permissions.focus()

    def _go_back(self, index: int) -> None:
        self.steps[index].show_stage("now")
        for step in self.steps[index + 1 :]:
            step.show_stage("later")
        self.step_changed.emit(self.steps[index])

    def _start(self) -> None:
        chosen = self.permissions.chosen
        words = "; ".join(each.words for each in Permission if each in chosen)
        self.steps[0].show_stage("done", self.steps[0].words)
        self.steps[1].show_stage("done", f"It may: {words}.")
        self.steps[2].show_stage("now")
        self.steps[3].show_stage("later")
        self.checks.begin()
        self.wait.begin()
        self._offer(cancel="")
        self.step_changed.emit(self.steps[2])
        self.sign_in_wanted.emit(self.again or self.name.text, chosen)

    def _show_failed(self, step: WizardStep, words: str, links: Iterable[str] = ()) -> None:
        self.wait.end()
        if step is self.steps[0]:
            self._ask_for_client()
        else:
            for before in self.steps[:2]:
                before.show_stage("done", before.words, changeable=True)
            self._offer(self.try_again)
            self.try_again.setFocus()
        step.show_stage("failed", words, links=links)
        self.wait.hide()  # its link has expired
        self.step_changed.emit(step)

    def _offer(self, button: QWidget | None = None, cancel: str = "Cancel") -> None:
        """Show one button that goes on, and the one that closes the form."""
        for each in (self.submit, self.try_again):
            each.setVisible(each is button)
        self._cancel.setText(cancel)
        self._cancel.setVisible(bool(cancel))


def _short_client_id(client: str) -> str:
    """Return a client ID without the suffix that all have."""
    return client.removesuffix(".apps.googleusercontent.com")
