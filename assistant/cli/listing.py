"""Listing: `tools`, `accounts`, `models` and `doctor`, which say what there is."""

import argparse
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_args

from assistant.bus.methods import describe
from assistant.cli.opened import ask_passphrase, in_workspace
from assistant.cli.options import add_command, as_json, clock_of, profile_of
from assistant.cli.printing import print_json
from assistant.connections import AccountStanding
from assistant.doctor import diagnosis
from assistant.models import OfferedModel
from assistant.settings import FileKind
from assistant.terminal import plain
from assistant.workspace import Workspace
from tools.tool import Tool

if TYPE_CHECKING:
    from assistant.cli.options import Commands


def add_lists(commands: "Commands") -> None:
    """Add the commands of this module."""
    add_command(commands, "tools", _tools, "the tools on offer")
    add_command(commands, "accounts", _accounts, "what is connected")
    add_command(commands, "models", _models, "the language models, and what they cost this month")
    add_command(commands, "doctor", _doctor, "what works and what does not")


def _tools(options: argparse.Namespace) -> int:
    offered = in_workspace(options, _all_tools)
    if as_json(options):
        print_json([describe(tool) for tool in offered])
        return 0
    width = max(len(tool.name) for tool in offered)
    for tool in offered:
        print(f"{tool.name:{width}}  {tool.effect:6}  {tool.title}")
    return 0


def _accounts(options: argparse.Namespace) -> int:
    listed = in_workspace(options, _all_accounts)
    if as_json(options):
        print_json([_account(each) for each in listed])
        return 0
    for each in listed:
        print(plain(f"{each.name}  ({each.kind})  {each.place}\n    {each.words}"))
    return 0


def _account(standing: AccountStanding) -> dict[str, Any]:
    """An account for other programs; there is no secret in it."""
    return {
        "name": standing.name,
        "kind": standing.kind,
        "address": standing.address,
        "path": standing.place if standing.kind in get_args(FileKind) else "",
        "place": standing.place,
        "state": standing.state,
        "words": standing.words,
        "granted": sorted(standing.granted),
    }


def _models(options: argparse.Namespace) -> int:
    listed, planner, spending = in_workspace(options, _all_models)
    if as_json(options):
        print_json([_model(each) for each in listed])
        return 0
    for each in listed:
        uses = [word for word, used in (("plans", each.plans), ("writes", each.writes)) if used]
        print(plain("  ".join([each.name, each.where, *uses])))
    print(plain(f"Requests are planned by: {planner}"))
    print(f"Spent: {spending}")
    return 0


def _model(offered: OfferedModel) -> dict[str, Any]:
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
    findings = diagnosis(profile_of(options), clock_of(options), os.environ, ask_passphrase)
    if as_json(options):
        print_json([each.wire() for each in findings])
    else:
        for each in findings:
            print(plain(f"{'✓' if each.works else '✗'} {each.what}: {each.words}"))
    return 0 if all(each.works for each in findings) else 1


async def _all_tools(workspace: Workspace) -> Sequence[Tool]:
    return list(workspace.tools.values())


async def _all_accounts(workspace: Workspace) -> Sequence[AccountStanding]:
    return await workspace.connections.standing()


async def _all_models(workspace: Workspace) -> tuple[Sequence[OfferedModel], str, str]:
    return workspace.models, workspace.planner_line, workspace.spending.words
