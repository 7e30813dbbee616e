"""Settings file: reads `settings.toml` with its types, and changes it without losing comments.

Every function raises `ToolError` where the file is not TOML, or a value of it is wrong.
"""

import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields, is_dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from tools.atomic_file import replace_file
from tools.tool_errors import ToolError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from pydantic import GetCoreSchemaHandler, TypeAdapter
    from pydantic_core import CoreSchema, ErrorDetails
    from tomlkit import TOMLDocument
    from tomlkit.items import AoT

T = TypeVar("T", bound="DataclassInstance")


@dataclass(frozen=True)
class ValueRule:
    """Annotates a type for pydantic with a condition on the raw value, and its words."""

    is_valid: Callable[[Any], bool]
    words: str

    def __get_pydantic_core_schema__(
        self, source: Any, handler: "GetCoreSchemaHandler"
    ) -> "CoreSchema":
        """Check the raw value before pydantic converts it."""
        from pydantic_core import core_schema  # noqa: PLC0415 — with a table only

        return core_schema.no_info_before_validator_function(self._check, handler(source))

    def _check(self, value: object) -> object:
        if not self.is_valid(value):
            raise ValueError(self.words)
        return value


Switch = Annotated[bool, ValueRule(lambda value: type(value) is bool, "must be true or false")]
PositiveInt = Annotated[
    int,
    ValueRule(lambda value: type(value) is int and value > 0, "must be a whole number above zero"),
]
Amount = Annotated[
    Decimal,
    ValueRule(
        lambda value: type(value) in {int, Decimal} and Decimal(value).is_finite() and value >= 0,
        "must be a number of zero or more, such as 10 or 0.25",
    ),
]
"""A number of zero or more, exactly as it is written."""


@dataclass(frozen=True)
class SettingsTable:
    """One table of the file; `title` names it in errors.

    No error repeats a value: it might be an API key that was put into the wrong place.
    """

    path: Path
    title: str
    values: Mapping[str, Any]

    def __post_init__(self) -> None:
        if not isinstance(self.values, dict):
            raise ToolError(f"{self.path}: {self.title} must be a table.")

    def parse(self, kind: type[T], keys: Collection[str] = ()) -> T:
        """Validate the table as a dataclass, by its annotations.

        Args:
            kind: the dataclass.
            keys: the keys that the table takes; by default every field of the dataclass.
        """
        known = keys or [each.name for each in fields(kind)]
        for key in self.values:
            if key not in known:
                raise self.error(key, f"means nothing there; it takes {', '.join(known)}")
        from pydantic import ValidationError  # noqa: PLC0415 — with a table only

        try:
            validated: T = _adapter(kind).validate_python(self.values)
        except ValidationError as error:
            details = error.errors(include_url=False, include_input=False)[0]
        else:
            return validated
        key = str(details["loc"][0])
        self.require(key)
        raise self.error(key, _fix(details))

    def table(self, key: str) -> "SettingsTable":
        """Return a table within this one, which must be there."""
        return SettingsTable(self.path, f"{key!r} of {self.title}", self.values[key])

    def require(self, *keys: str) -> None:
        """Refuse the table where it lacks one of the keys."""
        for key in keys:
            if key not in self.values:
                raise ToolError(f"{self.path}: {self.title} lacks {key!r}: add it.")

    def error(self, key: str, problem: str) -> ToolError:
        """Return the error for a key, with the problem as the predicate of a sentence."""
        return ToolError(f"{self.path}: {key!r} of {self.title} {problem}.")


@cache
def _adapter(kind: type[T]) -> "TypeAdapter[T]":
    from pydantic import TypeAdapter  # noqa: PLC0415 — with a table only

    return TypeAdapter(kind)


def _fix(details: "ErrorDetails") -> str:
    """Say which value a key takes instead of the one that pydantic rejected."""
    context = details.get("ctx", {})
    if "error" in context:
        return str(context["error"])
    if "expected" in context:
        return f"must be one of {context['expected']}".replace("'", "").replace(" or ", ", ")
    return 'must be text in quotes, such as "home"'


@dataclass(frozen=True)
class SettingsFile:
    """The parsed file."""

    path: Path
    values: Mapping[str, Any]

    def table(self, name: str) -> SettingsTable:
        """Return a table, empty where the file has none."""
        return SettingsTable(self.path, f"[{name}]", self.values.get(name, {}))

    def parse(self, name: str, kind: type[T], keys: Collection[str] = ()) -> T:
        """Validate a table as a dataclass; return the defaults where the file has none."""
        return self.table(name).parse(kind, keys) if name in self.values else kind()

    def entries(self, name: str, one: str) -> list[SettingsTable]:
        """Return the tables of a list, no two of the same name; `one` is an entry in errors."""
        value = self.values.get(name, [])
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            raise ToolError(f"{self.path}: write each of {name} as a table [[{name}]].")
        names = [each["name"] for each in value if isinstance(each.get("name"), str)]
        for each in names:
            if names.count(each) > 1:
                raise ToolError(
                    f"{self.path}: two {name} have the name {each!r}: rename one of them."
                )
        return [SettingsTable(self.path, _title(one, each.get("name")), each) for each in value]


def read_settings_file(path: Path) -> SettingsFile:
    """Parse the file; a missing one is empty."""
    return SettingsFile(path, _parse(path) if path.exists() else {})


def save_value(path: Path, table: str, key: str, value: str | float | Decimal | None) -> None:
    """Write one value of a table; None and "" remove it."""
    document = _document(path)
    if value not in {None, ""}:
        plain = float(value) if isinstance(value, Decimal) else value
        document.setdefault(table, {})[key] = plain
    elif table in document:
        document[table].pop(key, None)
    _replace(path, document)


def save_entry(path: Path, name: str, entry: "DataclassInstance", keys: Collection[str]) -> None:
    """Write a dataclass as a table of a list, in place of the one with the same name.

    Fields that are None or "" are left out. Comments and everything else in the file stay.
    """
    values = {key: _plain(getattr(entry, key)) for key in keys}
    written = {key: value for key, value in values.items() if value not in (None, "")}
    document = _document(path)
    tables = _array(document, name)
    for table in tables:
        if table.get("name") == written["name"]:
            for key in set(table) - set(written):
                del table[key]
            table.update(written)
            break
    else:
        tables.append(written)
    _replace(path, document)


def remove_entry(path: Path, name: str, entry_name: str) -> None:
    """Remove a table from a list, if it is there."""
    document = _document(path)
    tables = _array(document, name)
    for index in reversed(range(len(tables))):
        if tables[index].get("name") == entry_name:
            del tables[index]
    if not tables:
        document.pop(name)
    _replace(path, document)


def _plain(value: object) -> object:
    """Return a field's value as TOML has it."""
    if is_dataclass(value):
        from tomlkit import inline_table  # noqa: PLC0415 — not to read

        table = inline_table()
        table.update({each.name: _plain(getattr(value, each.name)) for each in fields(value)})
        return table
    if isinstance(value, Path):
        return str(value)
    return float(value) if isinstance(value, Decimal) else value


def _title(one: str, name: object) -> str:
    return f"the {one} {name!r}" if isinstance(name, str) else f"one {one}"


def _parse(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"), parse_float=Decimal)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ToolError(f"{path} cannot be read: {error}. Mend that line or remove it.") from error


def _document(path: Path) -> "TOMLDocument":
    import tomlkit  # noqa: PLC0415 — not to read

    if not path.exists():
        return tomlkit.document()
    _parse(path)
    return tomlkit.parse(path.read_text("utf-8"))


def _array(document: "TOMLDocument", name: str) -> "AoT":
    """Return a list as an array of tables, also where it was written inline."""
    from tomlkit.items import AoT  # noqa: PLC0415 — not to read

    found = document.get(name)
    if isinstance(found, AoT):
        return found
    document[name] = AoT([])
    tables: AoT = document[name]
    for each in found or []:
        tables.append(dict(each))
    return tables


def _replace(path: Path, document: "TOMLDocument") -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    replace_file(path, document.as_string().encode())
