"""Logging: the profile's log file, and unexpected errors without any user content."""

import logging
import os
import traceback
from logging.handlers import RotatingFileHandler

from assistant.profile import Profile

_LOG = logging.getLogger("deskhand")


def log_unexpected(error: Exception) -> str:
    """Log the location of an unexpected error; return a message for the user.

    The log holds no error text, which may quote mail.
    """
    places = [f"{frame.name}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)]
    _LOG.error("unexpected %s at %s", type(error).__name__, " > ".join(places[-8:]))
    return (
        f"Something went wrong that should not have ({type(error).__name__}); the log says where."
    )


def configure_logging(profile: Profile) -> None:
    """Log to the profile's log file, readable by its owner only.

    The environment variable DESKHAND_LOG_LEVEL sets the level; the default is WARNING.
    """
    log = logging.getLogger("deskhand")
    if log.handlers:
        return
    profile.create()
    profile.log.parent.mkdir(exist_ok=True, mode=0o700)
    handler = RotatingFileHandler(profile.log, maxBytes=1_000_000, backupCount=2, delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    log.addHandler(handler)
    level = os.environ.get("DESKHAND_LOG_LEVEL", "WARNING").upper()
    try:
        log.setLevel(level)
    except ValueError:
        log.warning("DESKHAND_LOG_LEVEL is not one of DEBUG, INFO, WARNING, ERROR")
