"""The log: what went wrong and where, in the profile, without anybody's words."""

import logging
from logging.handlers import RotatingFileHandler

from assistant.profile import Profile


def keep_log(profile: Profile) -> None:
    """Write what the program itself logs to the profile's log file, for its owner alone."""
    log = logging.getLogger("deskhand")
    if log.handlers:
        return
    profile.make()
    profile.log.parent.mkdir(exist_ok=True, mode=0o700)
    handler = RotatingFileHandler(profile.log, maxBytes=1_000_000, backupCount=2, delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    log.addHandler(handler)
