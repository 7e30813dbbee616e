"""The commands `tools`, `accounts`, `models`, `doctor` and `secrets`: the state of a profile."""

import argparse
import asyncio
import getpass
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, get_args

from assistant.accounts.connections import AccountStatus
from assistant.bus.bus_methods import describe_tool
from assistant.cli.common_options import (
    as_json,
    get_clock,
    get_profile,
    print_json,
)
from assistant.cli.terminal import ask_passphrase, print_text, run_in_workspace
from assistant.doctor import diagnose
from assistant.models.model_registry import AvailableModel
from assistant.settings.account_settings import MailFileKind
from assistant.workspace import PASSPHRASE_VARIABLE, Workspace
from tools.accounts.secret_backend import SecretStoreStatus
from tools.tool import Tool
from tools.tool_errors import ToolError


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """Add the arguments of one of these commands."""
    commands = {
        "tools": _tools,
        "accounts": _accounts,
        "models": _models,
        "doctor": _doctor,
        "secrets": _secrets,
    }
    parser.set_defaults(command=commands[command])
    if command == "secrets":
        parser.add_argument(
            "--seal", action="store_true", help="keep them in a file that only a passphrase opens"
        )


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
        print_text(f"{each.name}  ({each.kind})  {each.place}\n    {each.words}")
    return 0


def _account(status: AccountStatus) -> dict[str, Any]:
    """Return the JSON of an account, without secrets."""
    return {
        "name": status.name,
        "kind": status.kind,
        "address": status.address,
        "path": status.place if status.kind in get_args(MailFileKind) else "",
        "place": status.place,
        "state": status.state,
        "words": status.words,
        "granted": sorted(status.granted),
    }


def _models(options: argparse.Namespace) -> int:
    listed, planner, spending = run_in_workspace(options, _all_models)
    if as_json(options):
        print_json([_model(each) for each in listed])
        return 0
    for each in listed:
        uses = [word for word, used in (("plans", each.plans), ("writes", each.writes)) if used]
        print_text("  ".join([each.name, each.where, *uses]))
    print_text(f"Requests are planned by: {planner}")
    print(f"Spent: {spending}")
    return 0


def _model(offered: AvailableModel) -> dict[str, Any]:
    """Return the JSON of a model, without secrets."""
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
    findings = diagnose(get_profile(options), get_clock(options), os.environ, ask_passphrase)
    if as_json(options):
        print_json([each.wire() for each in findings])
    else:
        for each in findings:
            print_text(f"{'✓' if each.works else '✗'} {each.what}: {each.words}")
    return 0 if all(each.works for each in findings) else 1


async def _all_tools(workspace: Workspace) -> Sequence[Tool]:
    return list(workspace.tools.values())


async def _all_accounts(workspace: Workspace) -> Sequence[AccountStatus]:
    return await workspace.accounts.statuses()


async def _all_models(workspace: Workspace) -> tuple[Sequence[AvailableModel], str, str]:
    return (
        workspace.models.available,
        workspace.models.planner_label,
        workspace.spending.status().words,
    )


def _secrets(options: argparse.Namespace) -> int:
    if options.seal:
        print_text(run_in_workspace(options, _seal_secrets))
        return 0
    kept = run_in_workspace(options, _secret_storage)
    if as_json(options):
        print_json(asdict(kept))
    else:
        print_text(kept.words)
    return 0 if kept.usable else 1


async def _secret_storage(workspace: Workspace) -> SecretStoreStatus:
    return await workspace.secrets.status()


async def _seal_secrets(workspace: Workspace) -> str:
    if workspace.profile.secrets.exists():
        await workspace.secrets.status()  # asks for the passphrase of before first
    return await workspace.secrets.use_encrypted_file(
        workspace.profile.secrets, await asyncio.to_thread(_new_passphrase)
    )


def _new_passphrase() -> str:
    """Return the new passphrase, of the environment or typed twice. Blocks."""
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
