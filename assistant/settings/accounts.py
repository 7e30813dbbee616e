"""Accounts: the sources of mail that a person connected."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from assistant.settings.file import SettingsFile, Table, put_entry
from tools.tool import ToolError

Kind = Literal["maildir", "mbox"]
"""What an account is made of."""


@dataclass(frozen=True)
class Account:
    """A source of mail; `address` is empty where nobody said it."""

    name: str
    kind: Kind
    path: Path
    address: str = ""


def read_accounts(file: SettingsFile) -> tuple[Account, ...]:
    """The accounts of a settings file.

    Raises:
        ToolError: names the entry at fault and how to mend it.
    """
    return tuple(_account(each) for each in file.entries("accounts", "account"))


def add_account(path: Path, account: Account) -> None:
    """Write an account into the settings; one with the same name is replaced.

    Raises:
        ToolError: the file that is there cannot be read.
    """
    entry = {"name": account.name, "kind": account.kind, "path": str(account.path)}
    put_entry(path, "accounts", entry | ({"address": account.address} if account.address else {}))


def _account(written: Table) -> Account:
    name, kind, path = (written.text(field) for field in ("name", "kind", "path"))
    for known in get_args(Kind):
        if kind == known:
            return Account(name, known, Path(path), written.text("address", ""))
    raise ToolError(
        f"{written.path}: the account {name!r} has the kind {kind!r};"
        f" this version knows {', '.join(get_args(Kind))}."
    )
