"""Options common to all commands, and the profile and clock that they name.

Imports argparse only, since the parser of every command is made of it.
"""

import argparse

TYPE_CHECKING = False  # the one of `typing`, which takes as long to import as argparse
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from assistant.profile import Profile
    from tools.moments.clock import Clock


def add_common_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that may stand before or after any command."""
    absent = argparse.SUPPRESS  # the parser of a command leaves alone what stands before it
    parser.add_argument(
        "--profile", default=absent, help="the folder that holds everything it keeps"
    )
    parser.add_argument(
        "--now", type=_parse_datetime, default=absent, help="a fixed clock, for trying (ISO 8601)"
    )
    parser.add_argument("--json", action="store_true", default=absent, help="print JSON alone")


def get_profile(options: argparse.Namespace) -> "Profile":
    """Return the profile that the options or the environment name."""
    import os  # noqa: PLC0415
    from pathlib import Path  # noqa: PLC0415

    from assistant.profile import find_profile  # noqa: PLC0415

    given = getattr(options, "profile", None)
    return find_profile(Path(given) if given else None, demo=False, environment=os.environ)


def get_clock(options: argparse.Namespace) -> "Clock":
    """Return the system's clock, or a fixed one where --now is given."""
    from tools.moments.clock import fixed_clock, system_clock  # noqa: PLC0415

    now = getattr(options, "now", None)
    return fixed_clock(now) if now else system_clock


def as_json(options: argparse.Namespace) -> bool:
    """Return whether JSON alone is to be printed."""
    return bool(getattr(options, "json", False))


def print_json(value: "Any") -> None:
    """Print a value for other programs."""
    import json  # noqa: PLC0415

    print(json.dumps(value, ensure_ascii=False, indent=2))


def _parse_datetime(text: str) -> "datetime":
    from datetime import datetime  # noqa: PLC0415

    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        message = f"{text!r} is not an ISO 8601 moment such as 2026-11-20T09:00"
        raise argparse.ArgumentTypeError(message) from error
