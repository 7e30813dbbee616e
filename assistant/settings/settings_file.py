"""Settings file: reads `settings.toml` with its types, and changes it without losing comments."""

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import AoT

from tools.atomic_file import replace_file
from tools.tool_errors import ToolError


@dataclass(frozen=True)
class SettingsTable:
    """One table of the file; `title` is what a sentence about it calls it.

    No sentence repeats a value: it might be a key that somebody put into the wrong place.
    """

    path: Path
    title: str
    values: Mapping[str, Any]

    def text(self, field: str, default: str | None = None) -> str:
        """A text; without a default it has to be there.

        Raises:
            ToolError: it is missing, or no text.
        """
        value = self.values.get(field, default)
        if value is None:
            raise ToolError(f"{self.path}: {self.title} lacks {field!r}: give it as text.")
        if not isinstance(value, str):
            raise self.wrong(field, 'must be text in quotes, such as "home"')
        return value

    def truth(self, field: str, *, default: bool) -> bool:
        """A yes or no.

        Raises:
            ToolError: it is something else.
        """
        value = self.values.get(field, default)
        if not isinstance(value, bool):
            raise self.wrong(field, "must be true or false")
        return value

    def count(self, field: str) -> int | None:
        """A whole number above zero, if it is there.

        Raises:
            ToolError: it is something else.
        """
        value = self.values.get(field)
        if value is not None and (type(value) is not int or value < 1):
            raise self.wrong(field, "must be a whole number above zero")
        return value

    def amount(self, field: str) -> Decimal | None:
        """A number of zero or more, exactly as it is written, if it is there.

        Raises:
            ToolError: it is something else.
        """
        value = self.values.get(field)
        if value is None:
            return None
        amount = Decimal(value if type(value) in {int, Decimal} else "nan")
        if not amount.is_finite() or amount < 0:
            raise self.wrong(field, "must be a number of zero or more, such as 10 or 0.25")
        return amount

    def one_of(self, field: str, known: Sequence[str], default: str) -> str:
        """One of the words that are known.

        Raises:
            ToolError: it is another.
        """
        value = self.text(field, default)
        if value not in known:
            raise self.wrong(field, f"must be one of {', '.join(known)}")
        return value

    def table(self, field: str) -> "SettingsTable | None":
        """A table within this one, if it is there.

        Raises:
            ToolError: it is something else.
        """
        value = self.values.get(field)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self.wrong(field, "must be a table, such as {prompt = 0.25, completion = 2}")
        return SettingsTable(self.path, f"{self.title} {field}", value)

    def refuse_others(self, known: Collection[str]) -> None:
        """Refuse a field that means nothing here, so that no misspelt one is passed over.

        Raises:
            ToolError: names the field.
        """
        for field in self.values:
            if field not in known:
                takes = ", ".join(known)
                raise self.wrong(field, f"means nothing there; it takes {takes}")

    def wrong(self, field: str, words: str) -> ToolError:
        """What is wrong with a field, as an error to be raised."""
        return ToolError(f"{self.path}: {field!r} of {self.title} {words}.")


@dataclass(frozen=True)
class SettingsFile:
    """The file as it was read."""

    path: Path
    values: Mapping[str, Any]

    def table(self, name: str) -> SettingsTable:
        """A table; empty where it is not written.

        Raises:
            ToolError: it is something else.
        """
        value = self.values.get(name, {})
        if not isinstance(value, dict):
            raise ToolError(f"{self.path}: [{name}] must be a table.")
        return SettingsTable(self.path, f"[{name}]", value)

    def entries(self, name: str, one: str) -> list[SettingsTable]:
        """The tables of a list; `one` is what a sentence calls each.

        Raises:
            ToolError: it is something else.
        """
        value = self.values.get(name, [])
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            raise ToolError(f"{self.path}: write each of {name} as a table [[{name}]].")
        return [SettingsTable(self.path, _called(one, each.get("name")), each) for each in value]


def read_settings_file(path: Path) -> SettingsFile:
    """Read the file; a missing one is empty.

    Raises:
        ToolError: it is not TOML.
    """
    return SettingsFile(path, _parsed(path) if path.exists() else {})


def save_entry(path: Path, name: str, entry: Mapping[str, Any]) -> None:
    """Write a table into a list; the one of the same name is changed in its place.

    Comments and everything else in the file stay as they are; the file is replaced as a whole.

    Raises:
        ToolError: the file that is there cannot be read.
    """
    document = _document(path)
    listed = _tables(document, name)
    for table in listed:
        if table.get("name") == entry["name"]:
            for field in set(table) - set(entry):
                del table[field]
            table.update(entry)
            break
    else:
        listed.append(tomlkit.item(dict(entry)))
    _replace(path, document)


def remove_entry(path: Path, name: str, called: str) -> None:
    """Take a table out of a list, if it is there.

    Raises:
        ToolError: the file that is there cannot be read.
    """
    document = _document(path)
    listed = _tables(document, name)
    kept = [table for table in listed if table.get("name") != called]
    document.pop(name)
    if kept:
        document[name] = tomlkit.aot()
        for table in kept:
            document[name].append(table)
    _replace(path, document)


def save_value(path: Path, table: str, field: str, value: str | float | None) -> None:
    """Write one value of a table; None takes it out.

    Raises:
        ToolError: the file that is there cannot be read.
    """
    document = _document(path)
    if value is not None:
        document.setdefault(table, tomlkit.table())[field] = value
    elif table in document:
        document[table].pop(field, None)
    _replace(path, document)


def _called(one: str, name: object) -> str:
    return f"the {one} {name!r}" if isinstance(name, str) else f"one {one}"


def _parsed(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"), parse_float=Decimal)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ToolError(f"{path} cannot be read: {error}. Mend that line or remove it.") from error


def _document(path: Path) -> tomlkit.TOMLDocument:
    if not path.exists():
        return tomlkit.document()
    _parsed(path)
    return tomlkit.parse(path.read_text("utf-8"))


def _tables(document: tomlkit.TOMLDocument, name: str) -> AoT:
    """The tables of a list, however they were written."""
    found = document.get(name)
    if isinstance(found, AoT):
        return found
    listed = tomlkit.aot()
    for each in found or []:
        listed.append(tomlkit.item(dict(each)))
    document[name] = listed
    return listed


def _replace(path: Path, document: tomlkit.TOMLDocument) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    replace_file(path, tomlkit.dumps(document).encode())
