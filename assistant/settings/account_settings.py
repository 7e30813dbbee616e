"""Account settings: the accounts in `settings.toml`, the Google client, and their variables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from typing import Annotated, Literal, get_args

from assistant.settings.settings_file import (
    PositiveInt,
    SettingsFile,
    SettingsTable,
    Switch,
    ValueRule,
    save_entry,
)
from tools.mail.smtp.smtp_server import SmtpSecurity, SmtpServer
from tools.tool_errors import ToolError

AccountKind = Literal["maildir", "mbox", "google", "smtp"]

MailFileKind = Literal["maildir", "mbox"]
"""The formats of mail files on this computer."""

MAX_PORT = 65_535
ENVIRONMENT_ACCOUNT = "Google Calendar (from the environment)"
"""The name of the account of GOOGLE_CALENDAR_REFRESH_TOKEN."""

_PORT_RULE = ValueRule(
    lambda value: type(value) is not int or value <= MAX_PORT, f"must be at most {MAX_PORT}"
)
_KEYS: Mapping[str, Sequence[str]] = {
    "maildir": ("name", "kind", "path", "address"),
    "mbox": ("name", "kind", "path", "address"),
    "google": ("name", "kind", "address", "person"),
    "smtp": ("name", "kind", "address", "person", "host", "port", "security"),
}
_GOOGLE_KEYS = ("client_id", "calendar_id", "calendar", "redirect_uri")


@dataclass(frozen=True)
class Account:
    """A source of mail or calendars, or an SMTP server to send with.

    `address` may be empty for mail on this computer. `person` is the sender's name in outgoing
    mail, "" for none. `path` is the folder or file of mail on this computer. `of_environment`
    marks an account that is not in the settings file.
    """

    name: str
    kind: AccountKind
    path: Path | None = None
    address: str = ""
    person: str = ""
    host: str = SmtpServer.host
    port: Annotated[PositiveInt, _PORT_RULE] = SmtpServer.port
    security: SmtpSecurity = SmtpServer.security
    of_environment: bool = False

    @property
    def has_mail(self) -> bool:
        """Whether mail can be read from it."""
        return self.kind != "smtp" and not self.of_environment

    @property
    def location(self) -> str:
        """The path or server, for display."""
        if self.path is not None:
            return str(self.path)
        return f"{self.host}:{self.port}" if self.kind == "smtp" else "Google"


@dataclass(frozen=True)
class GoogleSettings:
    """The OAuth client and the calendar; secrets only where they come from the environment.

    `client_secret` is None where the secret store has it. `endpoint` is the base address of a
    server in place of Google's, for testing; "" for Google.
    """

    client_id: str = ""
    client_secret: str | None = field(default=None, repr=False)
    calendar_id: str = "primary"
    calendar: Switch = True
    redirect_uri: str = ""
    refresh_token: str = field(default="", repr=False)
    endpoint: str = ""


def read_accounts(file: SettingsFile) -> tuple[Account, ...]:
    """Read the accounts of a settings file."""
    return tuple(_parse_account(each) for each in file.entries("accounts", "account"))


def environment_accounts(environment: Mapping[str, str]) -> tuple[Account, ...]:
    """Return the accounts that the environment adds for one run."""
    address = environment.get("TOOLS_EMAIL_SENDER_EMAIL_ADDRESS", "").strip()
    found = [Account(address, "smtp", address=address, of_environment=True)] if address else []
    if environment.get("GOOGLE_CALENDAR_REFRESH_TOKEN"):
        found.append(Account(ENVIRONMENT_ACCOUNT, "google", of_environment=True))
    return tuple(found)


def read_google(file: SettingsFile, environment: Mapping[str, str]) -> GoogleSettings:
    """Read the Google settings; the environment wins over the file."""
    written = file.parse("google", GoogleSettings, _GOOGLE_KEYS)
    client_id = environment.get("GOOGLE_CLIENT_ID", "").strip()
    return GoogleSettings(
        client_id or written.client_id,
        environment.get("GOOGLE_CLIENT_SECRET", "").strip() if client_id else None,
        environment.get("GOOGLE_CALENDAR_ID", "").strip() or written.calendar_id,
        is_switched_on(environment, "PLUGIN_GOOGLECALENDARPLUGIN_ENABLED", default=True)
        and is_switched_on(environment, "TOOLS_GOOGLE_CALENDAR_ENABLED", default=written.calendar),
        environment.get("GOOGLE_REDIRECT_URI", "").strip() or written.redirect_uri,
        environment.get("GOOGLE_CALENDAR_REFRESH_TOKEN", "").strip(),
        environment.get("DESKHAND_GOOGLE_ENDPOINT", "").strip(),
    )


def is_switched_on(environment: Mapping[str, str], name: str, *, default: bool) -> bool:
    """Return whether a variable is 1, true, yes or on; `default` where it is not set."""
    value = environment.get(name, "").strip().lower()
    return value in {"1", "true", "yes", "on"} if value else default


def without_account_variables(environment: Mapping[str, str]) -> Mapping[str, str]:
    """Return the environment without the variables of mail and calendars, for the demo."""
    prefixes = ("TOOLS_", "PLUGIN_", "GOOGLE_")
    return {name: value for name, value in environment.items() if not name.startswith(prefixes)}


def unused_account_name(accounts: Sequence[Account], wanted: str, address: str, suffix: str) -> str:
    """Return a name for a new account that no other account has.

    Args:
        accounts: the existing accounts.
        wanted: the name that the user gave, or "".
        address: the name where `wanted` is taken.
        suffix: appended to the address in parentheses where that is taken too.
    """
    taken = {"", *(each.name for each in accounts)}
    numbered = (f"{address} ({suffix} {number})" for number in count(2))
    names = chain((wanted, address, f"{address} ({suffix})"), numbered)
    return next(name for name in names if name not in taken)


def save_account(path: Path, account: Account) -> None:
    """Write an account into the settings, in place of one with the same name."""
    save_entry(path, "accounts", account, _KEYS[account.kind])


def _parse_account(table: SettingsTable) -> Account:
    table.require("name", "kind")
    kind = str(table.values["kind"])
    if kind not in _KEYS:
        raise ToolError(
            f"{table.path}: {table.title} has the kind {kind!r};"
            f" this version knows {', '.join(_KEYS)}."
        )
    table.require("path" if kind in get_args(MailFileKind) else "address")
    return table.parse(Account, _KEYS[kind])
