"""The account controller: connects, tests and disconnects accounts for the accounts page."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from assistant.settings.account_settings import Account, MailFileKind
from assistant.workspace import Workspace
from gui.artifacts.opener import Opener
from gui.controllers.google_controller import GoogleController, ReopenWorkspace
from gui.controllers.secrets_controller import SecretsController
from gui.runs.agent_runner import BackgroundTasks
from gui.widgets.message_box import confirm
from tools.accounts.google.permissions import Permission
from tools.tool_errors import Remedy, ToolError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assistant.accounts.connections import AccountStatus
    from gui.settings.account_row import AccountRow
    from gui.settings.accounts_page import AccountsPage

_MAIL_FOLDER_TEXT = (
    "Connect a mail folder",
    "Deskhand only reads it; nothing in it is changed and nothing leaves this computer.\n\n"
    "A Maildir is a folder with “cur” and “new” in it, as many mail programs for Linux keep it."
    " An mbox is one file, as Thunderbird keeps it and Google Takeout exports it.",
)


def choose_mail_folder(parent: QWidget, chosen: Callable[[MailFileKind, Path], object]) -> None:
    """Ask for a Maildir or an mbox file; call `chosen` with kind and path unless cancelled."""
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setWindowTitle(_MAIL_FOLDER_TEXT[0])
    box.setText(_MAIL_FOLDER_TEXT[0])
    box.setInformativeText(_MAIL_FOLDER_TEXT[1])
    folder = box.addButton("Choose a Maildir…", QMessageBox.ButtonRole.AcceptRole)
    file = box.addButton("Choose an mbox file…", QMessageBox.ButtonRole.AcceptRole)
    box.addButton(QMessageBox.StandardButton.Cancel)

    def open_file_dialog(kind: MailFileKind, mode: QFileDialog.FileMode) -> None:
        dialog = QFileDialog(parent, "Choose your mail")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(mode)
        dialog.fileSelected.connect(lambda path: chosen(kind, Path(path)))
        dialog.open()

    folder.clicked.connect(lambda: open_file_dialog("maildir", QFileDialog.FileMode.Directory))
    file.clicked.connect(lambda: open_file_dialog("mbox", QFileDialog.FileMode.ExistingFile))
    box.open()


_GOOGLE_REVOKED = (
    "Deskhand gives its access back to Google, which takes it away at once, and forgets the"
    " sign-in. The mail and the calendar stay as they are."
)
_FILES_STAY = "Deskhand no longer reads it. The mail on this computer stays as it is."
_DISCONNECT_TEXTS = {
    "google": _GOOGLE_REVOKED,
    "smtp": "Deskhand forgets the server and its password, and sends nothing from there any more.",
    "maildir": _FILES_STAY,
    "mbox": _FILES_STAY,
}


class AccountStatuses(QObject):
    """The statuses of all accounts of the current workspace.

    Signals:
        checked: The statuses were checked or updated: a tuple of AccountStatus.
    """

    checked = Signal(object)

    def __init__(self, workspace: Callable[[], Workspace], parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._checked_workspace: Workspace | None = None
        self._statuses: tuple[AccountStatus, ...] = ()

    async def check(self) -> "tuple[AccountStatus, ...]":
        """Check all accounts, which may take network calls."""
        workspace = self._workspace()
        statuses = await workspace.accounts.statuses()
        if workspace is self._workspace():
            self._checked_workspace, self._statuses = workspace, statuses
            self.checked.emit(statuses)
        return statuses

    def update(self) -> None:
        """Add errors seen since the last check, without another check."""
        workspace = self._workspace()
        if workspace is self._checked_workspace:
            self.checked.emit(workspace.accounts.update_statuses(self._statuses))


class AccountController(QObject):
    """Connects, changes, tests and disconnects accounts for the accounts page.

    Args:
        page: the accounts page.
        statuses: checks the accounts.
        opener: opens web pages.
        tasks: keeps every task that is started here.
        workspace: returns the current workspace.
        reopen: opens the workspace again after a change.
        repeat_request: submits a request again.
    """

    def __init__(
        self,
        page: "AccountsPage",
        statuses: AccountStatuses,
        opener: Opener,
        tasks: BackgroundTasks,
        workspace: Callable[[], Workspace],
        reopen: ReopenWorkspace,
        repeat_request: Callable[[str], None],
    ) -> None:
        super().__init__(page)
        self._page = page
        self._statuses = statuses
        self._tasks = tasks
        self._workspace = workspace
        self._reopen = reopen
        self._google = GoogleController(page.google, tasks, workspace, opener, reopen)
        self._secrets = SecretsController(page.secret_store, tasks, workspace)
        self._smtp_sign_in: asyncio.Task[None] | None = None
        self._blocked_request = ""  # the request that needs an account to be fixed
        self._connect(opener, repeat_request)

    def _connect(self, opener: Opener, repeat_request: Callable[[str], None]) -> None:
        page, start = self._page, self._tasks.start
        self._statuses.checked.connect(self._show_accounts)
        self._google.changed.connect(lambda: start(self._reload()))
        self._secrets.changed.connect(lambda: start(self._reload()))
        page.secret_store.check_button.clicked.connect(lambda: start(self._reload()))
        page.row_added.connect(self._connect_row)
        page.connect_google.clicked.connect(self._connect_google)
        page.connect_mail.clicked.connect(self._choose_mail_folder)
        page.smtp.submitted.connect(
            lambda account, password: start(self._add_smtp(account, password))
        )
        page.smtp.cancelled.connect(self._cancel_smtp_sign_in)
        page.smtp.hint.linkActivated.connect(opener.browse)
        page.ask_again.wanted.connect(repeat_request)

    def show(self, remedy: str = "", request: str = "") -> None:
        """Show the accounts at a remedy; `request` is offered again once they are ready."""
        self._blocked_request = request
        self._tasks.start(self._show(remedy))

    def stop(self) -> None:
        """Cancel sign-ins in progress."""
        self._cancel_smtp_sign_in()
        self._google.stop()

    def _show_accounts(self, accounts: "tuple[AccountStatus, ...]") -> None:
        self._page.show_accounts(accounts, is_sample=self._workspace().sample is not None)

    async def _check(self) -> "tuple[AccountStatus, ...]":
        """Check the accounts and the secret store, and show both."""
        accounts = await self._statuses.check()
        self._page.secret_store.show_status(await self._workspace().secrets.status())
        return accounts

    async def _show(self, remedy: str) -> None:
        accounts = await self._check()
        page = self._page
        page.ask_again.hide()
        if page.google.is_over:
            page.close_forms()
        match remedy:
            case Remedy.CONNECT_ACCOUNT:
                page.focus_connect()
            case Remedy.UNLOCK:
                page.show_secret_store()
            case Remedy.SIGN_IN:
                _show_account_to_fix(page, accounts)
            case Remedy.ALLOW:
                to_allow = next((one for one in accounts if one.wanted - one.granted), None)
                if to_allow is not None:
                    page.open_google()
                    self._google.begin_again(to_allow, to_allow.wanted)

    async def _reload(self) -> None:
        """Reopen the workspace; offer the blocked request again once all accounts are ready."""
        await self._reopen()
        accounts = await self._check()
        if self._blocked_request and all(one.state == "ready" for one in accounts):
            self._page.ask_again.offer(self._blocked_request)
            self._blocked_request = ""

    def _connect_row(self, row: "AccountRow") -> None:
        """Handle the buttons of an account."""
        account, start = row.account, self._tasks.start
        row.test_button.clicked.connect(lambda: start(self._test(account.name)))
        row.sign_in_wanted.connect(lambda: self._sign_in(account))
        row.permission_wanted.connect(lambda permission: self._allow(account, permission))
        row.unlock_wanted.connect(self._page.show_secret_store)
        row.removal_wanted.connect(lambda: self._confirm_removal(account))

    def _connect_google(self) -> None:
        self._page.open_google()
        self._google.begin()

    def _sign_in(self, account: "AccountStatus") -> None:
        """Start a sign-in to Google, or show the form for another SMTP password."""
        if account.kind == "smtp":
            stored = next(one for one in self._workspace().accounts.all if one.name == account.name)
            self._page.change_smtp(stored)
        else:
            self._page.open_google()
            self._google.sign_in_again(account)

    def _allow(self, account: "AccountStatus", permission: Permission) -> None:
        self._page.open_google()
        self._google.begin_again(account, {permission})

    async def _test(self, name: str) -> None:
        page = self._page
        page.rows[name].results.show_progress("Asking")
        try:
            message = await self._workspace().accounts.test(name)
        except ToolError as error:
            if name in page.rows:
                page.rows[name].results.show_failure(str(error))
            await self._check()  # the error may mean signed out
        else:
            if name in page.rows:
                page.rows[name].results.show_result([(True, message)])

    def _confirm_removal(self, account: "AccountStatus") -> None:
        confirm(
            self._page.window(),
            f"Disconnect {account.name}?",
            _DISCONNECT_TEXTS[account.kind],
            "Disconnect",
            lambda: self._tasks.start(self._remove(account.name)),
        )

    async def _remove(self, name: str) -> None:
        try:
            message = await self._workspace().accounts.disconnect(name)
        except ToolError as error:
            message = str(error)  # says whether it is disconnected nevertheless
        await self._reload()
        self._page.show_note(message)

    def _choose_mail_folder(self) -> None:
        choose_mail_folder(
            self._page.window(),
            lambda kind, path: self._tasks.start(self.add_mail(kind, path)),
        )

    async def add_mail(self, kind: MailFileKind, path: Path) -> None:
        """Connect a Maildir or an mbox file."""
        try:
            account = await asyncio.to_thread(self._workspace().accounts.connect_files, kind, path)
        except ToolError as error:
            self._page.show_note(str(error))
            return
        await self._reload()
        self._page.show_note(f"{account.name} is connected.")

    async def _add_smtp(self, account: Account, password: str) -> None:
        form = self._page.smtp
        self._cancel_smtp_sign_in()
        self._smtp_sign_in = asyncio.current_task()
        form.show_progress("Signing in to the server…")
        try:
            message = await self._workspace().accounts.connect_smtp(account, password)
        except ToolError as error:
            form.show_error(str(error))
            return
        self._smtp_sign_in = None  # from here on it is connected
        self._page.close_forms()
        await self._reload()
        self._page.show_note(message)

    def _cancel_smtp_sign_in(self) -> None:
        if self._smtp_sign_in is not None:
            self._smtp_sign_in.cancel()


def account_notice(accounts: "Sequence[AccountStatus]") -> tuple[str, str]:
    """Return a message about accounts that are not ready and a button text, both "" if none."""
    not_ready = [one for one in accounts if one.state != "ready"]
    if len(not_ready) > 1:
        return f"{len(not_ready)} accounts need you before they can be used.", "Accounts…"
    for one in not_ready:
        if one.state == "locked":
            return one.words, "Unlock…"
        return f"You are signed out of {one.name}.", "Sign in…"
    return "", ""


def _show_account_to_fix(page: "AccountsPage", accounts: "Sequence[AccountStatus]") -> None:
    not_ready = [one for one in accounts if one.state != "ready"]
    if not_ready and not_ready[0].state == "locked":
        page.show_secret_store()
    elif not_ready:
        page.show_account(not_ready[0].name)
