"""The catalogue: every method of Google's APIs, from the documents that describe them."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from tests.google.message import Asked
from tests.google.refusal import RefusalError, invalid, not_found

_DOCUMENTS = {"gmail": "gmail.v1.json", "calendar": "calendar.v3.json"}
_ALWAYS = {"alt", "fields", "key", "prettyPrint", "quotaUser", "access_token", "uploadType"}
_VARIABLE = re.compile(r"\{\+?(\w+)\}")


@dataclass(frozen=True)
class Method:
    """One method; `path` holds the name of each variable in braces."""

    id: str
    verb: str
    path: tuple[str, ...]
    scopes: frozenset[str]
    parameters: Mapping[str, Mapping[str, Any]]

    @property
    def api(self) -> str:
        """ "gmail" or "calendar"."""
        return self.id.partition(".")[0]

    def variables(self, segments: tuple[str, ...]) -> Mapping[str, str] | None:
        """Return the path parameters; None if the path does not match."""
        pairs = tuple(zip(self.path, segments, strict=True))
        if any(name != value for name, value in pairs if not name.startswith("{")):
            return None
        return {name[1:-1]: value for name, value in pairs if name.startswith("{")}


@dataclass(frozen=True)
class Call:
    """A method call: its path parameters, query and body."""

    method: Method
    asked: Asked
    variables: Mapping[str, str]

    @property
    def body(self) -> Any:
        """The JSON that came with it, {} where there is none.

        Raises:
            RefusalError: it is not a JSON object.
        """
        try:
            body = self.asked.json
        except ValueError as error:
            raise invalid("Parse Error", "parseError") from error
        if body is not None and not isinstance(body, dict):
            raise invalid("Invalid JSON payload received.", "parseError")
        return body or {}

    def one(self, name: str, default: str = "") -> str:
        """A parameter of the query."""
        return self.asked.query.get(name, [default])[-1]

    def many(self, name: str) -> list[str]:
        """A parameter that may come more than once."""
        return self.asked.query.get(name, [])

    def number(self, name: str, default: int, most: int) -> int:
        """A number; more than the most is the most, as Google has it."""
        try:
            wanted = int(self.one(name, str(default)))
        except ValueError as error:
            raise invalid(f"Invalid value for {name}.") from error
        if wanted < 0:
            raise invalid(f"Invalid value for {name}.")
        return min(wanted or default, most)

    def flag(self, name: str) -> bool:
        """A yes or no."""
        return self.one(name).lower() == "true"


def called(asked: Asked) -> Call:
    """The method that a request calls.

    Raises:
        RefusalError: there is none, or it knows no such parameter.
    """
    segments = asked.segments[1:] if asked.segments[0] == "upload" else asked.segments
    for method in _methods().get((asked.method, len(segments)), ()):
        variables = method.variables(segments)
        if variables is not None:
            _check(method, asked)
            return Call(method, asked, variables)
    raise not_found("Not Found")


def _check(method: Method, asked: Asked) -> None:
    for name, values in asked.query.items():
        known = method.parameters.get(name)
        if known is None and name not in _ALWAYS and not name.startswith("$"):
            words = f'Unknown name "{name}": Cannot bind query parameter.'
            raise invalid(f"Invalid JSON payload received. {words}")
        if known and "enum" in known and not set(values) <= set(known["enum"]):
            raise invalid(f"Invalid value at '{name}': {values[-1]}")


@cache
def _methods() -> Mapping[tuple[str, int], list[Method]]:
    """By verb and length of the path; those with the fewest variables first."""
    table: dict[tuple[str, int], list[Method]] = {}
    for api in _DOCUMENTS:
        for method in _described(api):
            table.setdefault((method.verb, len(method.path)), []).append(method)
    for methods in table.values():
        methods.sort(key=lambda method: sum(each.startswith("{") for each in method.path))
    return table


def _described(api: str) -> Iterator[Method]:
    folder = files("googleapiclient").joinpath("discovery_cache", "documents")
    document = json.loads(folder.joinpath(_DOCUMENTS[api]).read_text("utf-8"))
    for described in _walk(document):
        path = document["servicePath"] + described["path"]
        yield Method(
            described["id"],
            described["httpMethod"],
            tuple(_VARIABLE.sub(r"{\1}", path).split("/")),
            frozenset(described.get("scopes", ())),
            described.get("parameters", {}),
        )


def _walk(resource: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from resource.get("methods", {}).values()
    for inner in resource.get("resources", {}).values():
        yield from _walk(inner)


def missing_scope(method: Method) -> RefusalError:
    """Return the error for a token without the required scope."""
    scopes = " ".join(sorted(method.scopes))
    challenge = (
        f'Bearer realm="https://accounts.google.com/", error="insufficient_scope", scope="{scopes}"'
    )
    return RefusalError(403, "insufficientPermissions", headers={"www-authenticate": challenge})
