"""Settings: what a person chose, in a TOML file of the profile; the environment wins over it."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import tomlkit

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


@dataclass(frozen=True)
class Settings:
    """Everything that is set; secrets are never among it."""

    accounts: tuple[Account, ...] = ()
    personal_address: str = ""
    sending: bool = True


def read_settings(path: Path, environment: Mapping[str, str]) -> Settings:
    """The settings of a profile; a missing file means the defaults.

    Raises:
        ToolError: names the entry at fault and how to mend it.
    """
    written = _written(path)
    accounts = tuple(_account(each, path) for each in _table_list(written, "accounts", path))
    mail = _table(written, "mail", path)
    personal = environment.get("TOOLS_EMAIL_USER_PERSONAL_EMAIL_ADDRESS")
    enabled = environment.get("TOOLS_EMAIL_ENABLED")
    return Settings(
        accounts,
        personal or str(mail.get("personal_address", "")),
        _truth(enabled) if enabled else bool(mail.get("sending", True)),
    )


def add_account(path: Path, account: Account) -> None:
    """Write an account into the settings; one with the same name is replaced.

    Comments and everything else in the file stay as they are; the file is replaced as a whole.

    Raises:
        ToolError: the file that is there cannot be read.
    """
    _written(path)
    document = tomlkit.parse(path.read_text("utf-8")) if path.exists() else tomlkit.document()
    kept = [each for each in document.get("accounts", []) if each.get("name") != account.name]
    entry = {"name": account.name, "kind": account.kind, "path": str(account.path)}
    listed = tomlkit.aot()
    for each in [*kept, entry | ({"address": account.address} if account.address else {})]:
        listed.append(tomlkit.item(dict(each)))
    document["accounts"] = listed
    _replace(path, tomlkit.dumps(document))


def _written(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ToolError(f"{path} cannot be read: {error}. Mend that line or remove it.") from error


def _table(written: Mapping[str, Any], name: str, path: Path) -> Mapping[str, Any]:
    value = written.get(name, {})
    if not isinstance(value, dict):
        raise ToolError(f"{path}: [{name}] must be a table.")
    return value


def _table_list(written: Mapping[str, Any], name: str, path: Path) -> list[Mapping[str, Any]]:
    value = written.get(name, [])
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise ToolError(f"{path}: write each of {name} as a table [[{name}]].")
    return value


def _account(written: Mapping[str, Any], path: Path) -> Account:
    for field in ("name", "kind", "path"):
        if not isinstance(written.get(field), str):
            raise ToolError(f"{path}: an account lacks {field!r}: give it as text.")
    for kind in get_args(Kind):
        if written["kind"] == kind:
            address = str(written.get("address", ""))
            return Account(written["name"], kind, Path(written["path"]), address)
    known = ", ".join(get_args(Kind))
    raise ToolError(
        f"{path}: the account {written['name']!r} has the kind {written['kind']!r};"
        f" this version knows {known}."
    )


def _truth(text: str) -> bool:
    return text.strip().lower() in {"1", "true", "yes", "on"}


def _replace(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_text(text, "utf-8")
    fresh.chmod(0o600)
    fresh.replace(path)
