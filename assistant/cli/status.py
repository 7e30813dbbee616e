"""The commands `tools`, `accounts`, `models`, `doctor` and `secrets`: the state of a profile."""

import argparse
import asyncio
import getpass
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, get_args

from assistant.accounts.connections import AccountStatus
from assistant.bus.bus_methods import describe_tool
from assistant.cli.common_options import (
    add_command,
    as_json,
    ask_passphrase,
    clock_of,
    profile_of,
    run_in_workspace,
)
from assistant.cli.printing import print_json
from assistant.cli.terminal import escape_control_characters
from assistant.doctor import diagnose
from assistant.models.model_registry import AvailableModel
from assistant.settings import MailFileKind
from assistant.workspace import PASSPHRASE_VARIABLE, Workspace
from tools.accounts.secret_backend import SecretStoreStatus
from tools.tool import Tool
from tools.tool_errors import ToolError

if TYPE_CHECKING:
    from assistant.cli.common_options import Commands


def add_status_commands(commands: "Commands") -> None:
    """Add the commands of this module."""
    add_command(commands, "tools", _tools, "the tools on offer")
    add_command(commands, "accounts", _accounts, "what is connected")
    add_command(commands, "models", _models, "the language models, and what they cost this month")
    add_command(commands, "doctor", _doctor, "what works and what does not")


def _tools(options: argparse.Namespace) -> int:
    offered = run_in_workspace(options, _all_tools)
    if as_json(options):
        print_json([describe_tool(tool) for tool in offered])
        return 0
    width = max(len(tool.name) for tool in offered)
    for tool in offered:
        print(f"{tool.name:{width}}  {tool.effect:6}  {tool.title}")
    return 0


def _accounts(options: argparse.Namespace) -> int:
    listed = run_in_workspace(options, _all_accounts)
    if as_json(options):
        print_json([_account(each) for each in listed])
        return 0
    for each in listed:
        print(
            escape_control_characters(f"{each.name}  ({each.kind})  {each.place}\n    {each.words}")
        )
    return 0


def _account(standing: AccountStatus) -> dict[str, Any]:
    """An account for other programs; there is no secret in it."""
    return {
        "name": standing.name,
        "kind": standing.kind,
        "address": standing.address,
        "path": standing.place if standing.kind in get_args(MailFileKind) else "",
        "place": standing.place,
        "state": standing.state,
        "words": standing.words,
        "granted": sorted(standing.granted),
    }


def _models(options: argparse.Namespace) -> int:
    listed, planner, spending = run_in_workspace(options, _all_models)
    if as_json(options):
        print_json([_model(each) for each in listed])
        return 0
    for each in listed:
        uses = [word for word, used in (("plans", each.plans), ("writes", each.writes)) if used]
        print(escape_control_characters("  ".join([each.name, each.where, *uses])))
    print(escape_control_characters(f"Requests are planned by: {planner}"))
    print(f"Spent: {spending}")
    return 0


def _model(offered: AvailableModel) -> dict[str, Any]:
    """A model for other programs; there is no secret in it."""
    model = offered.configured
    return {
        "name": model.name,
        "model": model.model,
        "url": model.url,
        "file": str(model.file) if model.file else "",
        "plans": offered.plans,
        "writes": offered.writes,
    }


def _doctor(options: argparse.Namespace) -> int:
    findings = diagnose(profile_of(options), clock_of(options), os.environ, ask_passphrase)
    if as_json(options):
        print_json([each.wire() for each in findings])
    else:
        for each in findings:
            print(
                escape_control_characters(f"{'✓' if each.works else '✗'} {each.what}: {each.words}")
            )
    return 0 if all(each.works for each in findings) else 1


async def _all_tools(workspace: Workspace) -> Sequence[Tool]:
    return list(workspace.tools.values())


async def _all_accounts(workspace: Workspace) -> Sequence[AccountStatus]:
    return await workspace.connections.standing()


async def _all_models(workspace: Workspace) -> tuple[Sequence[AvailableModel], str, str]:
    return workspace.models, workspace.planner_line, workspace.spending.words


def add_secrets(commands: "Commands") -> None:
    """Add `secrets`."""
    secrets = add_command(commands, "secrets", _secrets, "where keys and passwords are kept")
    secrets.add_argument(
        "--seal", action="store_true", help="keep them in a file that only a passphrase opens"
    )


def _secrets(options: argparse.Namespace) -> int:
    if options.seal:
        print(escape_control_characters(run_in_workspace(options, _seal_secrets)))
        return 0
    kept = run_in_workspace(options, _secret_storage)
    if as_json(options):
        print_json(asdict(kept))
    else:
        print(escape_control_characters(kept.words))
    return 0 if kept.usable else 1


async def _secret_storage(desk: Workspace) -> SecretStoreStatus:
    return await desk.secrets.status()


async def _seal_secrets(desk: Workspace) -> str:
    if desk.profile.secrets.exists():
        await desk.secrets.status()  # which asks for the passphrase of before, ahead of the new one
    return await desk.secrets.use_encrypted_file(
        desk.profile.secrets, await asyncio.to_thread(_new_passphrase)
    )


def _new_passphrase() -> str:
    """A passphrase that was typed twice, or that the environment has for this run."""
    if given := os.environ.get(PASSPHRASE_VARIABLE):
        return given
    if not sys.stdin.isatty():
        raise ToolError(
            f"There is no terminal to ask for a passphrase at: set {PASSPHRASE_VARIABLE}."
        )
    typed = getpass.getpass("New passphrase: ")
    if getpass.getpass("The same again: ") != typed:
        raise ToolError("These were two different passphrases; nothing was changed.")
    return typed
