"""The doctor: checks profile, settings, database, accounts, models and document libraries."""

import asyncio
import importlib
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any

from assistant.database import DatabaseError, open_database
from assistant.profile import Profile
from assistant.settings import read_settings
from assistant.settings.model_settings import NO_MODEL
from assistant.workspace import Workspace
from tools.moments.clock import Clock
from tools.tool_errors import ToolError

DOCUMENT_LIBRARIES = {"docx": "docx", "odt": "odf", "pdf": "typst"}
"""Document formats and the libraries that write them."""


@dataclass(frozen=True)
class Finding:
    """The result of one check, in words."""

    what: str
    works: bool
    words: str

    def wire(self) -> dict[str, Any]:
        """Return the finding as JSON."""
        return asdict(self)


def diagnose(
    profile: Profile,
    clock: Clock,
    environment: Mapping[str, str],
    passphrase: Callable[[], str] = str,
) -> Sequence[Finding]:
    """Run all checks of a profile; a failed check does not stop the others. Blocks.

    Arguments as for `Workspace.open`.
    """
    checks: Mapping[str, Callable[[], str]] = {
        "Profile": lambda: _check_profile(profile),
        "Settings": lambda: _check_settings(profile, environment),
        "Database": lambda: _check_database(profile),
    }
    return [
        *_run_checks(checks),
        *asyncio.run(_check_workspace(profile, clock, environment, passphrase)),
    ]


async def _check_workspace(
    profile: Profile,
    clock: Clock,
    environment: Mapping[str, str],
    passphrase: Callable[[], str],
) -> Sequence[Finding]:
    """Check accounts and models; only the documents if the accounts cannot be opened."""
    documents = _run_checks({"Documents": _check_documents})
    try:
        workspace = Workspace.open(
            profile.folder, clock=clock, environment=environment, passphrase=passphrase
        )
        _ = workspace.providers.files
    except (ToolError, DatabaseError, OSError) as error:
        return [Finding("Accounts", works=False, words=str(error)), *documents]
    try:
        accounts, models = workspace.accounts, workspace.models
        online = [each.name for each in accounts.all if each.path is None]
        configured = [each.name for each in models.available]
        return [
            Finding("Accounts", works=True, words=workspace.summary),
            *documents,
            await _check_secrets(workspace),
            *[await _check(f"Account {name}", accounts.test(name)) for name in online],
            _check_planner(workspace),
            *[await _check(f"Model {name}", models.locate(name)) for name in configured],
            *_check_spending(workspace),
        ]
    finally:
        await workspace.close()


async def _check_secrets(workspace: Workspace) -> Finding:
    storage = await workspace.secrets.status()
    needed = any(each.path is None for each in workspace.accounts.all)
    return Finding("Secrets", works=storage.usable or not needed, words=storage.words)


async def _check(title: str, test: Awaitable[str]) -> Finding:
    try:
        return Finding(title, works=True, words=await test)
    except ToolError as error:
        return Finding(title, works=False, words=str(error))


def _check_planner(workspace: Workspace) -> Finding:
    chosen = workspace.settings.planning.model
    known = [each.name for each in workspace.models.available]
    if chosen in {"", NO_MODEL, *known}:
        return Finding("Planner", works=True, words=workspace.models.planner_label)
    words = (
        f"{chosen!r} was chosen to plan and is not connected: connect it again, or choose another"
        " with deskhand connect model"
    )
    return Finding("Planner", works=False, words=words)


def _check_spending(workspace: Workspace) -> Iterator[Finding]:
    if workspace.models.available:
        status = workspace.spending.status()
        words = status.warning or status.words
        yield Finding("Spending", works=not status.is_spent, words=words)


def _run_checks(checks: Mapping[str, Callable[[], str]]) -> Iterator[Finding]:
    for what, check in checks.items():
        try:
            yield Finding(what, works=True, words=check())
        except (ToolError, DatabaseError, OSError, ImportError) as error:
            yield Finding(what, works=False, words=str(error))


def _check_profile(profile: Profile) -> str:
    profile.create()
    if profile.folder.stat().st_mode & 0o077:
        raise ToolError(f"others can read {profile.folder}: run chmod 700 on it.")
    return str(profile.folder)


def _check_settings(profile: Profile, environment: Mapping[str, str]) -> str:
    settings = read_settings(profile.settings, environment)
    count = len(settings.accounts)
    return f"{count} connected" if count else "nothing connected yet; the sample is used"


def _check_database(profile: Profile) -> str:
    with closing(open_database(profile.database)) as database:
        (state,) = database.execute("PRAGMA quick_check").fetchone()
    if state != "ok":
        raise ToolError(f"{profile.database} is damaged ({state}); restore it from a backup.")
    return "in order"


def _check_documents() -> str:
    for library in DOCUMENT_LIBRARIES.values():
        importlib.import_module(library)
    return f"can be written as {', '.join(DOCUMENT_LIBRARIES)}, html and md"
