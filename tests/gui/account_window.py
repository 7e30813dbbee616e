"""A window on a real workspace, whose Google is a server on this computer."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

from assistant.connections import AccountStanding
from assistant.workspace import Workspace
from gui.settings.accounts_page import AccountsPage
from gui.settings.google_form import GoogleForm
from tests.assistant.scripted import CLOCK
from tests.google.google import Google
from tests.gui.conftest import Shown
from tests.gui.model_window import ModelWindow, model_window, until
from tools.accounts.google.permissions import Permission


@dataclass
class Visits:
    """What the desktop does with a link: as `open` says; without it there is no browser."""

    open: Callable[[str], bool] = lambda _url: False
    urls: list[str] = field(default_factory=list)

    def __call__(self, url: str) -> bool:
        """Open a link."""
        self.urls.append(url)
        return self.open(url)


@dataclass
class AccountWindow:
    """The window at work, with the page about accounts."""

    window: ModelWindow
    google: Google

    @property
    def workspace(self) -> Workspace:
        """The one that is open now."""
        return self.window.desk.workspace

    @property
    def page(self) -> AccountsPage:
        """The page about accounts."""
        return self.window.settings.accounts

    @property
    def form(self) -> GoogleForm:
        """What connects Google."""
        return self.page.google

    @property
    def need(self) -> str:
        """What the line over the chat says."""
        return self.window.shown.window.need

    async def standing(self) -> AccountStanding:
        """How it stands with the one account."""
        (account,) = await self.workspace.connections.standing()
        return account

    async def begin(self) -> None:
        """Open the page and the form, and give the client."""
        await press(self.page, "Connect Google…")
        self.form.client._id.setText(self.google.client.id)
        self.form.client._secret.setText(self.google.client.secret)
        await press(self.form, "Use this client")
        await until(lambda: self.form.steps[1].stage == "now")

    async def connect(self, *more: str) -> None:
        """Connect Google, with more ticked than reading mail, to its end."""
        await self.begin()
        for words in more:
            await press(self.form, words)
        await press(self.form, "Sign in with Google")
        await until(lambda: self.form.steps[3].stage == "done")
        await self.settled()

    async def signed_in_before(self, *permissions: Permission) -> None:
        """Have the account connected as if that had been done long ago."""
        await self.connect(*(each.words[:1].upper() + each.words[1:] for each in permissions))
        await press(self.form, "Done")

    async def settled(self) -> None:
        """Wait until nothing is under way."""
        await until(lambda: len(self.window.tasks) == 0)


@asynccontextmanager
async def account_window(
    shown: Shown, folder: Path, google: Google, **environment: str
) -> AsyncIterator[AccountWindow]:
    """The window with the page about accounts open, until the end of the block."""
    workspace = await asyncio.to_thread(
        Workspace.open,
        folder,
        clock=CLOCK,
        environment={"DESKHAND_GOOGLE_ENDPOINT": google.url, **environment},
    )
    async with model_window(shown, workspace) as window:
        made = AccountWindow(window, google)
        shown.window.accounts_requested.emit()
        await made.settled()
        yield made


async def press(parent: QWidget, name: str) -> None:
    """Press the button that can be seen and says so, as a keyboard does."""
    await asyncio.sleep(0.02)  # what was just made is shown with the next turn of the loop
    button = next(one for one in buttons(parent) if name in {one.text(), one.accessibleName()})
    assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
    assert button.isEnabled()
    QTest.keyClick(button, Qt.Key.Key_Space)


def buttons(parent: QWidget) -> list[QAbstractButton]:
    """The buttons that can be seen."""
    return [one for one in parent.findChildren(QAbstractButton) if one.isVisible()]


def read(parent: QWidget) -> str:
    """Everything that can be read there."""
    return "\n".join(one.text() for one in parent.findChildren(QLabel) if one.isVisible())
