"""A passphrase: the words that a key is made of, slowly and with much memory on purpose."""

import secrets
import unicodedata
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from tools.accounts.keeping import KeyringError

SHORTEST = 10


@dataclass(frozen=True)
class KeyRecipe:
    """How a passphrase becomes a key, by Argon2id with the smaller numbers of RFC 9106, 4.

    `memory` is in KiB and `salt` in hexadecimal digits. The bounds keep a file that somebody
    else wrote from taking the whole computer.
    """

    salt: Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
    memory: Annotated[int, Field(ge=64, le=1 << 20)] = 64 * 1024
    iterations: Annotated[int, Field(ge=1, le=20)] = 3
    lanes: Annotated[int, Field(ge=1, le=8)] = 4

    @classmethod
    def fresh(cls) -> "KeyRecipe":
        """One that nobody else has."""
        return cls(secrets.token_hex(16))

    def key(self, passphrase: str) -> bytes:
        """The key of 32 bytes; takes a moment."""
        from cryptography.hazmat.primitives.kdf.argon2 import Argon2id  # noqa: PLC0415 — loaded late

        recipe = Argon2id(
            salt=bytes.fromhex(self.salt),
            length=32,
            iterations=self.iterations,
            lanes=self.lanes,
            memory_cost=self.memory,
        )
        # keyboards differ in how they make an accented letter
        return recipe.derive(unicodedata.normalize("NFC", passphrase).encode())


def refuse_short_passphrase(passphrase: str) -> None:
    """Refuse one that could be found by trying.

    Raises:
        KeyringError: says how long it has to be.
    """
    if len(passphrase.strip()) < SHORTEST:
        raise KeyringError(
            f"The passphrase needs at least {SHORTEST} characters: four or five words that do"
            " not belong together are good ones."
        )
