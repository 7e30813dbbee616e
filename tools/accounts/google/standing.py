"""A standing: how it is with an account, in a word and in a sentence."""

from dataclasses import dataclass
from typing import Literal

from tools.accounts.google.permissions import Permission

State = Literal["ready", "signed_out", "locked", "absent"]

SIGNED_OUT = (
    "Google wants you to sign in again: the access was taken back, was not used for half a year,"
    " or ended after 7 days, as it does while an app is in testing."
)
ABSENT = "Sign in to Google first."


@dataclass(frozen=True)
class Standing:
    """How it stands with an account, as it was last seen.

    `locked`: the keyring cannot be asked. `absent`: nobody signed in yet. `wanted`: what was
    asked for since and is not allowed. `lasting`: False where the sign-in ends with the program,
    as no keyring took it.
    """

    state: State
    words: str
    granted: frozenset[Permission] = frozenset()
    wanted: frozenset[Permission] = frozenset()
    lasting: bool = True


def ready(
    granted: frozenset[Permission], wanted: frozenset[Permission], *, lasting: bool
) -> Standing:
    """That of an account that somebody is signed in to."""
    return Standing("ready", _allowed(granted, lasting=lasting), granted, wanted, lasting)


def _allowed(granted: frozenset[Permission], *, lasting: bool) -> str:
    may = [each.words for each in Permission if each in granted]
    until = "" if lasting else ", until Deskhand is closed"
    if not may:
        return f"Signed in{until}, and Deskhand may do nothing."
    return f"Signed in{until}. Deskhand may {'; '.join(may)}."
