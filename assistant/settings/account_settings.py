"""Account settings: the mail, calendar and SMTP accounts in `settings.toml`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Any, Literal, get_args

from assistant.settings.settings_file import SettingsFile, SettingsTable, remove_entry, save_entry
from tools.mail.smtp.smtp_server import SmtpSecurity, SmtpServer
from tools.tool_errors import ToolError

AccountKind = Literal["maildir", "mbox", "google", "smtp"]
"""What an account is made of."""

MailFileKind = Literal["maildir", "mbox"]
"""Mail that lies on this computer."""

MAX_PORT = 65_535
ENVIRONMENT_ACCOUNT = "Google Calendar (from the environment)"
"""The name of the account that GOOGLE_CALENDAR_REFRESH_TOKEN brings."""

_FILES = ("name", "kind", "path", "address")
_ONLINE = ("name", "kind", "address", "person")
_FIELDS: Mapping[AccountKind, Sequence[str]] = {
    "maildir": _FILES,
    "mbox": _FILES,
    "google": _ONLINE,
    "smtp": (*_ONLINE, "host", "port", "security"),
}


@dataclass(frozen=True)
class Account:
    """A source of mail or a way out; `address` is empty where nobody said it.

    `person` is the name beside the address in mail that goes out, "" for none.
    `path` is where mail on this computer lies. `host`, `port` and `security` are those of an SMTP
    server. One `of_environment` is not in the settings file.
    """

    name: str
    kind: AccountKind
    path: Path | None = None
    address: str = ""
    person: str = ""
    host: str = SmtpServer.host
    port: int = SmtpServer.port
    security: SmtpSecurity = SmtpServer.security
    of_environment: bool = False

    @property
    def has_mail(self) -> bool:
        """Whether mail can be read there."""
        return self.kind != "smtp" and not self.of_environment

    @property
    def place(self) -> str:
        """Where it is, in words."""
        if self.path is not None:
            return str(self.path)
        return f"{self.host}:{self.port}" if self.kind == "smtp" else "Google"


def read_accounts(file: SettingsFile) -> tuple[Account, ...]:
    """The accounts of a settings file.

    Raises:
        ToolError: names the entry at fault and how to mend it.
    """
    read = tuple(_parse_account(each) for each in file.entries("accounts", "account"))
    for name in (names := [each.name for each in read]):
        if names.count(name) > 1:
            raise ToolError(
                f"{file.path}: two accounts have the name {name!r}: rename one of them."
            )
    return read


def environment_accounts(environment: Mapping[str, str]) -> tuple[Account, ...]:
    """The accounts that the environment brings for one run."""
    address = environment.get("TOOLS_EMAIL_SENDER_EMAIL_ADDRESS", "").strip()
    brought = [Account(address, "smtp", address=address, of_environment=True)] if address else []
    if environment.get("GOOGLE_CALENDAR_REFRESH_TOKEN"):
        brought.append(Account(ENVIRONMENT_ACCOUNT, "google", of_environment=True))
    return tuple(brought)


def unused_account_name(accounts: Sequence[Account], wanted: str, address: str, mark: str) -> str:
    """What to call a new account, as no other is called.

    Args:
        accounts: those that there are.
        wanted: the name that its person gave it, or "".
        address: its name where that is taken.
        mark: told after the address where that is taken too.
    """
    taken = {"", *(each.name for each in accounts)}
    numbered = (f"{address} ({mark} {number})" for number in count(2))
    names = chain((wanted, address, f"{address} ({mark})"), numbered)
    return next(name for name in names if name not in taken)


def save_account(path: Path, account: Account) -> None:
    """Write an account into the settings; one with the same name is replaced.

    Raises:
        ToolError: the file that is there cannot be read.
    """
    entry: dict[str, Any] = {"name": account.name, "kind": account.kind}
    if account.path is not None:
        entry["path"] = str(account.path)
    if account.address:
        entry["address"] = account.address
    if account.person:
        entry["person"] = account.person
    if account.kind == "smtp":
        entry |= {"host": account.host, "port": account.port, "security": account.security}
    save_entry(path, "accounts", entry)


def remove_account(path: Path, name: str) -> None:
    """Take an account out of the settings.

    Raises:
        ToolError: the file cannot be read.
    """
    remove_entry(path, "accounts", name)


def _parse_account(written: SettingsTable) -> Account:
    name, kind = written.text("name"), written.text("kind")
    for known in get_args(AccountKind):
        if kind == known:
            return _of_kind(written, name, known)
    raise ToolError(
        f"{written.path}: the account {name!r} has the kind {kind!r};"
        f" this version knows {', '.join(get_args(AccountKind))}."
    )


def _of_kind(written: SettingsTable, name: str, kind: AccountKind) -> Account:
    written.refuse_others(_FIELDS[kind])
    if kind in get_args(MailFileKind):
        return Account(name, kind, Path(written.text("path")), written.text("address", ""))
    address = written.text("address")
    if kind == "google":
        return Account(name, kind, address=address, person=written.text("person", ""))
    port = written.count("port") or Account.port
    if port > MAX_PORT:
        raise written.wrong("port", f"must be at most {MAX_PORT}")
    security = written.one_of("security", get_args(SmtpSecurity), Account.security)
    return Account(
        name,
        kind,
        address=address,
        person=written.text("person", ""),
        host=written.text("host", Account.host),
        port=port,
        security=next(known for known in get_args(SmtpSecurity) if known == security),
    )
