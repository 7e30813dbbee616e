"""Permissions: the actions a user can allow in a Google account, and their OAuth scopes."""

from collections.abc import Collection, Iterable
from enum import StrEnum

_AUTH = "https://www.googleapis.com/auth/"


class Permission(StrEnum):
    """A permission of the user; the first is requested on connecting, others when needed."""

    READ_MAIL = "read"
    WRITE_MAIL = "write"  # drafts and sending
    CALENDAR = "calendar"
    CHANGE_MAIL = "change"  # archive, mark, label, trash

    @property
    def scope(self) -> str:
        """The URL of the OAuth scope."""
        return _AUTH + _SCOPES[self]

    @property
    def words(self) -> str:
        """The permitted actions, as the predicate after "may"."""
        return _WORDS[self]


_SCOPES = {
    Permission.READ_MAIL: "gmail.readonly",
    Permission.WRITE_MAIL: "gmail.compose",
    Permission.CALENDAR: "calendar.events",
    Permission.CHANGE_MAIL: "gmail.modify",
}
_WORDS = {
    Permission.READ_MAIL: "read your mail",
    Permission.WRITE_MAIL: "write drafts and send what you approve",
    Permission.CALENDAR: "see and change your calendar",
    Permission.CHANGE_MAIL: "archive, mark, label and trash mail",
}
_MAIL_PERMISSIONS = {Permission.READ_MAIL, Permission.WRITE_MAIL, Permission.CHANGE_MAIL}
_WIDER_SCOPES = {
    Permission.CHANGE_MAIL.scope: _MAIL_PERMISSIONS,
    # never requested, but a token from elsewhere may have them
    "https://mail.google.com/": _MAIL_PERMISSIONS,
    _AUTH + "calendar": {Permission.CALENDAR},
}


def granted_by(scopes: Collection[str]) -> frozenset[Permission]:
    """Return the permissions of scopes; changing mail includes reading and writing it."""
    granted = {each for each in Permission if each.scope in scopes}
    for wide, included in _WIDER_SCOPES.items():
        if wide in scopes:
            granted |= included
    return frozenset(granted)


def scopes_of(permissions: Iterable[Permission]) -> tuple[str, ...]:
    """Return the scopes to request, in a fixed order."""
    wanted = set(permissions)
    return tuple(each.scope for each in Permission if each in wanted)
