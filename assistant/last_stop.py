"""The last stop: what happens to an error that nobody expected."""

import logging
import traceback

_LOG = logging.getLogger("deskhand")


def unexpected(error: Exception) -> str:
    """Log where a bug showed, without what was being read, and give words for the user."""
    places = [f"{frame.name}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)]
    _LOG.error("unexpected %s at %s", type(error).__name__, " > ".join(places[-8:]))
    return (
        f"Something went wrong that should not have ({type(error).__name__}); the log says where."
    )
