"""The account controller: connects, tests and disconnects accounts for the accounts page."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from assistant.settings import Account, MailFileKind
from gui.controllers.google_controller import GoogleController, ReopenWorkspace
from gui.controllers.secrets_controller import SecretsController
from gui.runs.agent_runner import BackgroundTasks
from gui.widgets import message_box
from tools.accounts.google.permissions import Permission
from tools.tool_errors import Remedy, ToolError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assistant.accounts.connections import AccountStatus
    from assistant.workspace import Workspace
    from gui.settings.account_row import AccountRow
    from gui.settings.accounts_page import AccountsPage
    from gui.shell.main_window import MainWindow

_MAIL_FOLDER_TEXT = (
    "Connect a mail folder",
    "Deskhand only reads it; nothing in it is changed and nothing leaves this computer.\n\n"
    "A Maildir is a folder with “cur” and “new” in it, as many mail programs for Linux keep it."
    " An mbox is one file, as Thunderbird keeps it and Google Takeout exports it.",
)


def choose_mail_folder(parent: QWidget, chosen: Callable[[MailFileKind, Path], None]) -> None:
    """Ask which kind and where; `chosen` is called once with both, or not at all."""
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setWindowTitle(_MAIL_FOLDER_TEXT[0])
    box.setText(_MAIL_FOLDER_TEXT[0])
    box.setInformativeText(_MAIL_FOLDER_TEXT[1])
    folder = box.addButton("Choose a Maildir…", QMessageBox.ButtonRole.AcceptRole)
    file = box.addButton("Choose an mbox file…", QMessageBox.ButtonRole.AcceptRole)
    box.addButton(QMessageBox.StandardButton.Cancel)
    directory, any_file = QFileDialog.FileMode.Directory, QFileDialog.FileMode.ExistingFile
    folder.clicked.connect(
        lambda: _choose_path(parent, directory, lambda path: chosen("maildir", path))
    )
    file.clicked.connect(lambda: _choose_path(parent, any_file, lambda path: chosen("mbox", path)))
    box.open()


def _choose_path(parent: QWidget, mode: QFileDialog.FileMode, then: Callable[[Path], None]) -> None:
    dialog = QFileDialog(parent, "Choose your mail")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setFileMode(mode)
    dialog.fileSelected.connect(lambda path: then(Path(path)))
    dialog.open()


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


class AccountController(QObject):
    """Shows what is connected, and changes it as the person wishes.

    Signals:
        asked_again: What could not be done before should be asked once more: its words.
        looked: How it stands with the accounts: a tuple of AccountStanding.
    """

    asked_again = Signal(str)
    looked = Signal(object)

    def __init__(
        self,
        window: "MainWindow",
        tasks: BackgroundTasks,
        workspace: "Callable[[], Workspace]",
        reopen: ReopenWorkspace,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._tasks = tasks
        self._at = workspace
        self._reopen = reopen
        self._page: AccountsPage | None = None
        self._google: GoogleController | None = None
        self._signing_in: asyncio.Task[None] | None = None  # to a server for sending
        self._looked_at: Workspace | None = None
        self._accounts: tuple[AccountStatus, ...] = ()
        self._unasked = ""  # the request that something kept from being done

    def serve(self, page: "AccountsPage") -> None:
        """Do from now on what this page asks for."""
        start = self._tasks.start
        self._page = page
        self._google = GoogleController(
            page.google, self._tasks, self._at, self._window.opener, self._reopen
        )
        keeping = SecretsController(page.keeping, self._tasks, self._at)
        self._google.changed.connect(lambda: start(self._take_up()))
        keeping.changed.connect(lambda: start(self._take_up()))
        page.row_added.connect(self._serve_row)
        page.google_wanted.connect(self._connect_google)
        page.mail_wanted.connect(self._ask_for_mail)
        page.smtp.filled.connect(lambda account, password: start(self._add_smtp(account, password)))
        page.smtp.left.connect(self._stop_signing_in)
        page.smtp.link_wanted.connect(self._window.opener.browse)
        page.again.wanted.connect(self.asked_again)

    def show(self, remedy: str = "", request: str = "") -> None:
        """Show what is connected, at what mends the thing that kept a request from being done."""
        self._unasked = request
        self._tasks.start(self._show(remedy))

    def stop(self) -> None:
        """End the sign-ins that go on."""
        self._stop_signing_in()
        if self._google is not None:
            self._google.stop()

    async def look(self) -> "tuple[AccountStatus, ...]":
        """See how it stands with the accounts, and say so on the page."""
        workspace = self._at()
        accounts = await workspace.connections.standing()
        if workspace is self._at():
            self._looked_at, self._accounts = workspace, accounts
            self._show_accounts(accounts)
        if self._page is not None:
            self._page.keeping.show_keeping(await workspace.secrets.status())
        return accounts

    def show_seen(self) -> None:
        """Say how the accounts stand that were looked at, as far as nobody need be asked."""
        workspace = self._at()
        if workspace is self._looked_at:
            self._show_accounts(workspace.connections.seen(self._accounts))

    def _show_accounts(self, accounts: "tuple[AccountStatus, ...]") -> None:
        if self._page is not None:
            self._page.show_accounts(accounts, is_sample=self._at().sample is not None)
        self.looked.emit(accounts)

    async def _show(self, remedy: str) -> None:
        accounts = await self.look()
        page, google = self._page, self._google
        if page is None or google is None:
            return
        page.again.hide()
        if page.google.is_over:
            page.close_ways()
        match remedy:
            case Remedy.CONNECT_ACCOUNT:
                page.show_ways()
            case Remedy.UNLOCK:
                page.show_keeping()
            case Remedy.SIGN_IN:
                _show_account_to_fix(page, accounts)
            case Remedy.ALLOW:
                wanting = next((one for one in accounts if one.wanted - one.granted), None)
                if wanting is not None:
                    page.open_google()
                    google.begin_again(wanting, wanting.wanted)

    async def _take_up(self) -> None:
        """Work with what is connected now, and offer what could not be done before."""
        await self._reopen()
        accounts = await self.look()
        if (
            self._page is not None
            and self._unasked
            and all(one.state == "ready" for one in accounts)
        ):
            self._page.again.offer(self._unasked)
            self._unasked = ""

    def _serve_row(self, row: "AccountRow") -> None:
        """Do what the buttons of an account say."""
        account, start = row.account, self._tasks.start
        row.test_wanted.connect(lambda: start(self._test(account.name)))
        row.sign_in_wanted.connect(lambda: self._sign_in(account))
        row.permission_wanted.connect(lambda permission: self._allow(account, permission))
        row.unlock_wanted.connect(self._show_keeping)
        row.removal_wanted.connect(lambda: self._ask_about_removal(account))

    def _connect_google(self) -> None:
        if self._page is not None and self._google is not None:
            self._page.open_google()
            self._google.begin()

    def _sign_in(self, account: "AccountStatus") -> None:
        """Have the person sign in again, or give the password anew."""
        page, google = self._page, self._google
        if page is None or google is None:
            return
        if account.kind == "smtp":
            page.change_smtp(self._configured(account.name))
        else:
            page.open_google()
            google.sign_in_again(account)

    def _allow(self, account: "AccountStatus", permission: Permission) -> None:
        if self._page is not None and self._google is not None:
            self._page.open_google()
            self._google.begin_again(account, {permission})

    def _show_keeping(self) -> None:
        if self._page is not None:
            self._page.show_keeping()

    def _configured(self, name: str) -> Account:
        return next(one for one in self._at().accounts if one.name == name)

    async def _test(self, name: str) -> None:
        page = self._page
        if page is None:
            return
        page.rows[name].test.show_doing("Asking")
        try:
            words = await self._at().connections.test(name)
        except ToolError as error:
            if name in page.rows:
                page.rows[name].test.show_failure(str(error))
            await self.look()  # the answer may say that its person is signed out
        else:
            if name in page.rows:
                page.rows[name].test.show_result([(True, words)])

    def _ask_about_removal(self, account: "AccountStatus") -> None:
        message_box.confirm(
            self._window if self._page is None else self._page.window(),
            f"Disconnect {account.name}?",
            _DISCONNECT_TEXTS[account.kind],
            "Disconnect",
            lambda: self._tasks.start(self._remove(account.name)),
        )

    async def _remove(self, name: str) -> None:
        try:
            words = await self._at().connections.disconnect(name)
        except ToolError as error:
            words = str(error)  # which says whether it is disconnected all the same
        await self._take_up()
        if self._page is not None:
            self._page.show_note(words)

    def _ask_for_mail(self) -> None:
        parent = self._window if self._page is None else self._page.window()
        choose_mail_folder(parent, lambda kind, path: self._tasks.start(self.add_mail(kind, path)))

    async def add_mail(self, kind: MailFileKind, path: Path) -> None:
        """Connect mail on this computer."""
        try:
            account = await asyncio.to_thread(self._at().connections.connect_files, kind, path)
        except ToolError as error:
            self._say(str(error))
            return
        await self._take_up()
        self._say(f"{account.name} is connected.")

    async def _add_smtp(self, account: Account, password: str) -> None:
        if self._page is None:
            return
        form = self._page.smtp
        self._stop_signing_in()
        self._signing_in = asyncio.current_task()
        form.show_doing("Signing in to the server…")
        try:
            words = await self._at().connections.connect_smtp(account, password)
        except ToolError as error:
            form.show_error(str(error))
            return
        self._signing_in = None  # from here on it is connected
        self._page.close_ways()
        await self._take_up()
        self._page.show_note(words)

    def _stop_signing_in(self) -> None:
        if self._signing_in is not None:
            self._signing_in.cancel()

    def _say(self, words: str) -> None:
        if self._page is not None:
            self._page.show_note(words)


def account_notice(accounts: "Sequence[AccountStatus]") -> tuple[str, str]:
    """What an account needs of its person, in a line, and what a button does about it."""
    needing = [one for one in accounts if one.state != "ready"]
    if len(needing) > 1:
        return f"{len(needing)} accounts need you before they can be used.", "Accounts…"
    for one in needing:
        if one.state == "locked":
            return one.words, "Unlock…"
        return f"You are signed out of {one.name}.", "Sign in…"
    return "", ""


def _show_account_to_fix(page: "AccountsPage", accounts: "Sequence[AccountStatus]") -> None:
    needing = [one for one in accounts if one.state != "ready"]
    if needing and needing[0].state == "locked":
        page.show_keeping()
    elif needing:
        page.show_account(needing[0].name)
