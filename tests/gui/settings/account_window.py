"""A window on a real workspace with a Google server on this computer."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QToolButton, QWidget

from assistant.accounts.connections import AccountStatus
from assistant.workspace import Workspace
from gui.settings.account_row import AccountRow
from gui.settings.accounts_page import AccountsPage
from gui.settings.google_form import GoogleForm
from gui.settings.wizard_step import StepStage
from gui.shell.header import Banner
from tests.assistant.scripted import CLOCK
from tests.google.browser import browser
from tests.google.google import Google
from tests.gui.conftest import Shown
from tests.gui.settings.model_window import ModelWindow, model_window, until


@dataclass
class Visits:
    """Opens links with `open`; without it there is no browser."""

    open: Callable[[str], bool] = lambda _url: False
    urls: list[str] = field(default_factory=list)

    def __call__(self, url: str) -> bool:
        """Open a link."""
        self.urls.append(url)
        return self.open(url)


@dataclass
class AccountWindow:
    """A running window with the accounts page."""

    window: ModelWindow
    google: Google
    visits: Visits

    @property
    def workspace(self) -> Workspace:
        """The current workspace."""
        return self.window.desk.workspace

    @property
    def page(self) -> AccountsPage:
        """The accounts page."""
        return self.window.settings.accounts

    @property
    def form(self) -> GoogleForm:
        """The Google form."""
        return self.page.google

    @property
    def need(self) -> str:
        """The text of the banner over the chat."""
        banner = self.window.shown.window.findChild(Banner)
        return banner.accessibleName() if banner and not banner.isHidden() else ""

    async def standing(self) -> AccountStatus:
        """The status of the only account."""
        (account,) = await self.workspace.accounts.statuses()
        return account

    async def begin(self) -> None:
        """Open the page and the form, and enter the client."""
        await press(self.page, "Connect Google…")
        self.form.client.id.line.setText(self.google.client.id)
        self.form.client.secret.line.setText(self.google.client.secret)
        await press(self.form, "Use this client")
        await until(lambda: self.form.steps[1].stage == "now")

    async def sign_in(
        self, button: str, *, step: int = 3, ends: StepStage = "done", **person: Any
    ) -> None:
        """Start a sign-in, act as this user in the browser, and wait for the stage of a step."""
        with browser(**person) as opened:
            self.visits.open = opened
            await press(self.page, button)
            await until(lambda: self.form.steps[step].stage == ends)
        await self.settled()

    async def connect(self) -> None:
        """Connect Google completely."""
        await self.begin()
        await self.sign_in("Sign in with Google")

    async def wait_in_browser(self, button: str) -> None:
        """Start a sign-in without opening its page."""
        self.visits.open = lambda _url: True
        before = self.form.wait.url
        await press(self.page, button)
        await until(lambda: self.form.wait.url not in {"", before})

    async def settled(self) -> None:
        """Wait until no task is running."""
        await until(lambda: len(self.window.tasks) == 0)


@asynccontextmanager
async def account_window(
    shown: Shown, folder: Path, google: Google, visits: Visits | None = None
) -> AsyncIterator[AccountWindow]:
    """Open the window on the accounts page for the block."""
    workspace = await asyncio.to_thread(
        Workspace.open,
        folder,
        clock=CLOCK,
        environment={"DESKHAND_GOOGLE_ENDPOINT": google.url},
    )
    async with model_window(shown, workspace) as window:
        made = AccountWindow(window, google, visits or Visits())
        shown.controller.actions["accounts"].trigger()
        await made.settled()
        yield made


async def press(parent: QWidget, name: str) -> None:
    """Press the visible button of that name, by keyboard."""
    await until(lambda: _named(parent, name))  # what was just made is shown a little later
    (button, *_) = _named(parent, name)
    assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
    assert button.isEnabled()
    QTest.keyClick(button, Qt.Key.Key_Space)


async def follow(parent: QWidget, words: str) -> None:
    """Follow the link on these words, by keyboard."""
    await until(lambda: _linked(parent, words))
    label, place = _linked(parent, words)[0]
    label.setFocus()
    for _ in range(place + 1):
        QTest.keyClick(label, Qt.Key.Key_Tab)
    QTest.keyClick(label, Qt.Key.Key_Return)


def choose(row: AccountRow, words: str) -> None:
    """Choose an entry of an account's menu."""
    (more,) = (one for one in row.findChildren(QToolButton) if one.menu() is not None)
    next(one for one in more.menu().actions() if one.text() == words).trigger()


def _named(parent: QWidget, name: str) -> list[QAbstractButton]:
    return [one for one in buttons(parent) if name in {one.text(), one.accessibleName()}]


def _linked(parent: QWidget, words: str) -> list[tuple[QLabel, int]]:
    """Return the visible labels with such a link, and its position in each."""
    shown = [one for one in parent.findChildren(QLabel) if one.isVisible()]
    links = [(one, re.findall(r">([^<]*)</a>", one.text())) for one in shown]
    return [(one, under.index(words)) for one, under in links if words in under]


def buttons(parent: QWidget) -> list[QAbstractButton]:
    """Return the visible buttons."""
    return [one for one in parent.findChildren(QAbstractButton) if one.isVisible()]


def read(parent: QWidget) -> str:
    """Return all visible text."""
    return "\n".join(one.text() for one in parent.findChildren(QLabel) if one.isVisible())
