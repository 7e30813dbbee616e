"""The command `connect model`: finds a language model, asks for its key and tries it out."""

import argparse
import asyncio
import getpass
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import get_args

from assistant.cli.common_options import as_json, print_json
from assistant.cli.terminal import print_note, print_text, run_in_workspace
from assistant.model_client.endpoint import Endpoint
from assistant.model_client.language_model import ModelError
from assistant.model_client.model_discovery import PORTS, ListedModel, find_servers
from assistant.model_client.model_probe import ProbeResult
from assistant.models.model_registry import ModelRole
from assistant.settings.model_settings import (
    ConfiguredModel,
    parse_server_url,
    read_openai_environment,
)
from assistant.workspace import Workspace
from tools.tool_errors import Remedy, ToolError


def configure_model(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `connect model`."""
    source = parser.add_mutually_exclusive_group()
    source.add_argument("url", nargs="?", default="", help="the address of its server")
    source.add_argument("--file", type=Path, help="a GGUF file on this computer")
    parser.add_argument("--model", default="", metavar="ID", help="which of the server's models")
    parser.add_argument("--name", default="", help="what to call it")
    parser.add_argument("--use", choices=get_args(ModelRole), default="both", help="default: both")
    key = parser.add_mutually_exclusive_group()
    key.add_argument("--no-key", action="store_true", help="the server takes no key")
    key.add_argument("--key-stdin", action="store_true", help="read the key from standard input")


def connect_model(options: argparse.Namespace) -> int:
    """Find, try and connect a model, and print what it can do."""
    model, probe, problem = run_in_workspace(
        options, lambda workspace: _connect(workspace, options)
    )
    if as_json(options):
        print_json({"name": model.name, "model": model.model, "trial": asdict(probe)})
    else:
        print_text(_format_model(model, probe))
    if problem:
        print_note(problem)
    return 1 if problem else 0


async def _connect(
    workspace: Workspace, options: argparse.Namespace
) -> tuple[ConfiguredModel, ProbeResult, str]:
    """Connect a model; return it, its probe result and the problem of storing its key, or ""."""
    url = parse_server_url(options.url) if options.url else ""
    key = None if options.file else await asyncio.to_thread(_read_key, options, url)
    model = (
        _model_of_file(options)
        if options.file
        else await _model_of_server(workspace, options, url, key)
    )
    probe = await workspace.models.probe_new(model, key, _print_progress)
    problem = await workspace.models.connect(model, key, options.use)
    return model, probe, problem


def _model_of_file(options: argparse.Namespace) -> ConfiguredModel:
    file = options.file.expanduser().resolve()
    if not file.is_file():
        raise ToolError(f"There is no file {file}: give the path of a GGUF file.")
    return ConfiguredModel(options.name or file.stem, file=file)


async def _model_of_server(
    workspace: Workspace, options: argparse.Namespace, url: str, key: str | None
) -> ConfiguredModel:
    """Return the chosen model of a server.

    Raises:
        ToolError: none fits, or several do; lists the choices.
    """
    choices = await _list_choices(workspace, options, url, key)
    chosen = [each for each in choices if options.model in {"", each.model}]
    if len(chosen) == 1:
        return chosen[0]
    if url and options.model and not choices:  # a server need not list what it has
        return ConfiguredModel(options.name or options.model, options.model, url)
    raise ToolError(_choices_error(choices, options))


async def _list_choices(
    workspace: Workspace, options: argparse.Namespace, url: str, key: str | None
) -> Sequence[ConfiguredModel]:
    """List the models of a server; without an address, of the servers on this computer."""
    if not url:
        found = await find_servers()
        return [
            _configured_model(options, server.endpoint.url, each)
            for server in found
            for each in server.models
        ]
    try:
        listed = await workspace.models.list_models(url, key or "")
    except ModelError as error:
        if options.model and error.remedy is not Remedy.MODEL_KEY:
            return []
        raise
    return [_configured_model(options, url, each) for each in listed]


def _configured_model(
    options: argparse.Namespace, url: str, listed: ListedModel
) -> ConfiguredModel:
    return ConfiguredModel(options.name or listed.title, listed.id, url, context=listed.context)


def _choices_error(choices: Sequence[ConfiguredModel], options: argparse.Namespace) -> str:
    """Return the error that lists the choices."""
    if not choices:
        ports = ", ".join(f"{kind} at {port}" for kind, port in PORTS.items())
        return (
            f"No model was found on this computer ({ports}). Start one of these programs, or give"
            " an address: deskhand connect model https://api.openai.com/v1"
        )
    listed = "\n".join(f"- {each.model}  ({each.url})" for each in choices)
    if options.model:
        return f"There is no model {options.model!r}. There are:\n{listed}"
    return f"Say which with --model:\n{listed}"


def _read_key(options: argparse.Namespace, url: str) -> str | None:
    """Return the key from the options or the terminal; None to use the stored one. Blocks."""
    if options.key_stdin:
        return sys.stdin.readline().strip()
    if options.no_key:
        return ""
    needs_key = (
        url and not Endpoint(url).is_local and not read_openai_environment(os.environ).key_for(url)
    )
    if needs_key and sys.stdin.isatty():
        return getpass.getpass(f"Key for {Endpoint(url).host} (Enter for none): ").strip()
    return None


def _print_progress(words: str) -> None:
    if sys.stderr.isatty():
        print_note(f"{words} …")


def _format_model(model: ConfiguredModel, probe: ProbeResult) -> str:
    """Format the connected model with its probe result."""
    checks = [
        f"{'✓' if each.works else '✗'} {title}: {each.words}"
        for title, each in probe.checks.items()
    ]
    speed = [f"{probe.speed:.0f} tokens a second"] if probe.speed else []
    figures = ", ".join([f"{probe.context} tokens of context", *speed])
    return "\n".join([f"Connected “{model.name}” on {model.location}: {figures}.", *checks])
