"""Parts: a long secret as several entries of a keyring, for systems that take only short ones."""

import secrets
from collections.abc import Sequence
from contextlib import suppress

from tools.accounts.keeping import Keeper, Keeping, KeyringError

LONGEST = 600
"""Characters in one entry: Windows takes 2,560 bytes, and four for the rarest of characters."""

_MARK = "deskhand parts:"  # and a word for this writing of the secret, and how many parts it has
_READINGS = 3


class InParts:
    """Implements `Keeper` over one that takes short secrets only.

    The entry of a long secret names its parts. It is written after all of them, and every writing
    has parts of its own, so that no half of one and half of another are ever read together.
    """

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper

    def get(self, name: str) -> str:
        """The secret, whole; "" where there is none."""
        for _ in range(_READINGS):  # another program may have kept it anew meanwhile
            entry = self._keeper.get(name)
            parts = [self._keeper.get(part) for part in _parts(name, entry)]
            if all(parts):
                return "".join(parts) or entry
        raise KeyringError(
            f"The keyring has lost a part of “{name}”: sign in to that account again."
        )

    def put(self, name: str, secret: str) -> None:
        """Keep a secret, in place of the one of that name."""
        before = _parts(name, self._keeper.get(name))
        entry = self._entry(name, secret)
        try:
            self._keeper.put(name, entry)
        except KeyringError:
            self._drop(_parts(name, entry))
            raise
        self._drop(before)

    def delete(self, name: str) -> None:
        """Keep a secret no longer; what names the parts goes last."""
        for part in _parts(name, self._keeper.get(name)):
            self._keeper.delete(part)
        self._keeper.delete(name)

    def look(self) -> Keeping:
        """Whether it can be used."""
        return self._keeper.look()

    def _entry(self, name: str, secret: str) -> str:
        """What stands under the name: the secret, or what names the parts it now has."""
        if len(secret) <= LONGEST and not secret.startswith(_MARK):
            return secret
        pieces = [secret[at : at + LONGEST] for at in range(0, len(secret), LONGEST)]
        entry = f"{_MARK}{secrets.token_hex(4)} {len(pieces)}"
        parts = _parts(name, entry)
        try:
            for part, piece in zip(parts, pieces, strict=True):
                self._keeper.put(part, piece)
        except KeyringError:
            self._drop(parts)
            raise
        return entry

    def _drop(self, parts: Sequence[str]) -> None:
        """Nothing names them, so that nothing is lost where the keyring does not let them go."""
        with suppress(KeyringError):
            for part in parts:
                self._keeper.delete(part)


def _parts(name: str, entry: str) -> Sequence[str]:
    """The names of the parts that an entry speaks of."""
    if not entry.startswith(_MARK):
        return ()
    writing, _, count = entry.removeprefix(_MARK).partition(" ")
    return tuple(f"{name} {writing}-{number}" for number in range(int(count)))
