"""Encrypted file: secrets under a key derived from a passphrase, where there is no keyring."""

import hashlib
import json
import secrets
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from tools.accounts.secret_backend import SecretStoreError, SecretStoreStatus
from tools.atomic_file import replace_file

MIN_PASSPHRASE_LENGTH = 10


@dataclass(frozen=True)
class KeyDerivation:
    """How a passphrase becomes a key, by Argon2id with the smaller numbers of RFC 9106, 4.

    `memory` is in KiB and `salt` in hexadecimal digits. The bounds keep a file that somebody
    else wrote from taking the whole computer.
    """

    salt: Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
    memory: Annotated[int, Field(ge=64, le=1 << 20)] = 64 * 1024
    iterations: Annotated[int, Field(ge=1, le=20)] = 3
    lanes: Annotated[int, Field(ge=1, le=8)] = 4

    @classmethod
    def fresh(cls) -> "KeyDerivation":
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
    if len(passphrase.strip()) < MIN_PASSPHRASE_LENGTH:
        raise SecretStoreError(
            f"The passphrase needs at least {MIN_PASSPHRASE_LENGTH} characters: "
            "four or five words that do"
            " not belong together are good ones."
        )


LOST_PASSPHRASE_WARNING = (
    "Nobody can open it without the passphrase, and nobody can find a lost one again: then the"  # noqa: S105 — a warning
    " file has to be deleted, and every account be connected again."
)


@dataclass(frozen=True)
class _Header:
    """The first line of the file, which is not secret and cannot be changed unnoticed."""

    recipe: KeyDerivation
    nonce: Annotated[str, Field(pattern="^[0-9a-f]{24}$")]
    format: Literal["deskhand sealed secrets 1"] = "deskhand sealed secrets 1"
    key: Literal["argon2id"] = "argon2id"
    cipher: Literal["aes-256-gcm"] = "aes-256-gcm"


_HEADER = TypeAdapter(_Header)
_SECRETS = TypeAdapter(dict[str, str])


class EncryptedFile:
    """Implements `Keeper` in a file of three lines: how it is sealed, what is sealed, its sum.

    While it is open the key is in memory, and neither the passphrase nor the secrets are. The
    file is replaced as a whole, and readable by its owner alone.
    """

    def __init__(self, path: Path, passphrase: Callable[[], str] = str) -> None:
        """Name the file, which need not be there.

        Args:
            path: where it is.
            passphrase: asked once, in a thread, when a secret is first wanted; gives "" where
                `open` will be called instead.
        """
        self.path = path
        self._passphrase = passphrase
        self._opened: tuple[KeyDerivation, bytes] | None = None

    @property
    def exists(self) -> bool:
        """Whether there is one."""
        return self.path.exists()

    def create(self, passphrase: str, holding: Mapping[str, str]) -> None:
        """Write the file anew, in place of any that was there, and leave it open.

        Raises:
            KeyringError: the passphrase is too short, or the file cannot be written.
        """
        refuse_short_passphrase(passphrase)
        recipe = KeyDerivation.fresh()
        key = recipe.key(passphrase)
        self._write(holding, recipe, key)
        self._opened = (recipe, key)

    def open(self, passphrase: str) -> None:
        """Open the file until the program ends.

        Raises:
            KeyringError: it is not the passphrase, or the file is damaged or gone.
        """
        header, sealed = self._parsed()
        key = header.recipe.key(passphrase)
        if _decrypt(key, header, sealed) is None:
            raise SecretStoreError(
                f"This is not the passphrase of {self.path}. Try again; if it is lost, delete the"
                " file and connect the accounts again.",
                locked=True,
            )
        self._opened = (header.recipe, key)

    def secrets(self) -> Mapping[str, str]:
        """All of them, by name.

        Raises:
            KeyringError: it is closed, damaged or gone.
        """
        header, sealed = self._parsed()
        recipe, key = self._recipe_and_key()
        if header.recipe != recipe:
            self._opened = None
            raise SecretStoreError(
                f"{self.path} was given another passphrase meanwhile: unlock it with that.",
                locked=True,
            )
        found = _decrypt(key, header, sealed)
        if found is None:
            raise self._damaged()
        return found

    def get(self, name: str) -> str:
        """The secret; "" where there is none."""
        return self.secrets().get(name, "")

    def put(self, name: str, secret: str) -> None:
        """Keep a secret, in place of the one of that name."""
        self._write({**self.secrets(), name: secret}, *self._recipe_and_key())

    def delete(self, name: str) -> None:
        """Keep a secret no longer; one that is not there is no error."""
        kept = {each: secret for each, secret in self.secrets().items() if each != name}
        self._write(kept, *self._recipe_and_key())

    def look(self) -> SecretStoreStatus:
        """Whether it is open."""
        try:
            self.secrets()
        except SecretStoreError as error:
            return SecretStoreStatus("sealed", str(error), usable=False)
        return SecretStoreStatus(
            "sealed", f"Secrets are kept in {self.path}, sealed with your passphrase."
        )

    def _recipe_and_key(self) -> tuple[KeyDerivation, bytes]:
        if self._opened is None:
            ask, self._passphrase = self._passphrase, str
            if given := ask():
                self.open(given)
        if self._opened is None:
            raise SecretStoreError(
                f"The secrets in {self.path} are closed: unlock them with your passphrase.",
                locked=True,
            )
        return self._opened

    def _parsed(self) -> tuple[_Header, bytes]:
        try:
            lines = self.path.read_bytes().split(b"\n")
        except OSError as error:
            raise SecretStoreError(f"{self.path} cannot be read: {error.strerror}.") from error
        try:
            header, sealed, total, _ = lines
            if hashlib.sha256(header + sealed).hexdigest() != total.decode():
                raise self._damaged()
            return _HEADER.validate_json(header), bytes.fromhex(sealed.decode())
        except (ValueError, ValidationError) as error:
            raise self._damaged() from error

    def _damaged(self) -> SecretStoreError:
        return SecretStoreError(
            f"{self.path} is damaged and cannot be opened: put back a copy of it, or delete it"
            " and connect the accounts again."
        )

    def _write(self, holding: Mapping[str, str], recipe: KeyDerivation, key: bytes) -> None:
        header = _Header(recipe, secrets.token_hex(12))
        sealed = _encrypt(key, header, holding).hex().encode()
        total = hashlib.sha256(_line(header) + sealed).hexdigest().encode()
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace_file(self.path, b"\n".join((_line(header), sealed, total, b"")))
        except OSError as error:
            raise SecretStoreError(f"{self.path} cannot be written: {error.strerror}.") from error


def _line(header: _Header) -> bytes:
    return json.dumps(asdict(header), sort_keys=True).encode()


def _encrypt(key: bytes, header: _Header, holding: Mapping[str, str]) -> bytes:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 — loaded late

    content = _SECRETS.dump_json(dict(holding))
    return AESGCM(key).encrypt(bytes.fromhex(header.nonce), content, _line(header))


def _decrypt(key: bytes, header: _Header, sealed: bytes) -> Mapping[str, str] | None:
    """What is sealed; None where the key does not fit."""
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415 — loaded late
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415

    try:
        content = AESGCM(key).decrypt(bytes.fromhex(header.nonce), sealed, _line(header))
    except InvalidTag:
        return None
    return _SECRETS.validate_json(content)
