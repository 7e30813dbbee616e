"""A sealed file: secrets in a file that only a passphrase opens, for who has no keyring."""

import hashlib
import json
import os
import secrets
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from tools.accounts.keeping import Keeping, KeyringError
from tools.accounts.passphrase import KeyRecipe, refuse_short_passphrase

ONCE_LOST = (
    "Nobody can open it without the passphrase, and nobody can find a lost one again: then the"
    " file has to be deleted, and every account be connected again."
)


@dataclass(frozen=True)
class _Header:
    """The first line of the file, which is not secret and cannot be changed unnoticed."""

    recipe: KeyRecipe
    nonce: Annotated[str, Field(pattern="^[0-9a-f]{24}$")]
    format: Literal["deskhand sealed secrets 1"] = "deskhand sealed secrets 1"
    key: Literal["argon2id"] = "argon2id"
    cipher: Literal["aes-256-gcm"] = "aes-256-gcm"


_HEADER = TypeAdapter(_Header)
_SECRETS = TypeAdapter(dict[str, str])


class SealedFile:
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
        self._opened: tuple[KeyRecipe, bytes] | None = None

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
        recipe = KeyRecipe.fresh()
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
        if _unsealed(key, header, sealed) is None:
            raise KeyringError(
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
            raise KeyringError(
                f"{self.path} was given another passphrase meanwhile: unlock it with that.",
                locked=True,
            )
        found = _unsealed(key, header, sealed)
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

    def look(self) -> Keeping:
        """Whether it is open."""
        try:
            self.secrets()
        except KeyringError as error:
            return Keeping("sealed", str(error), usable=False)
        return Keeping("sealed", f"Secrets are kept in {self.path}, sealed with your passphrase.")

    def _recipe_and_key(self) -> tuple[KeyRecipe, bytes]:
        if self._opened is None:
            ask, self._passphrase = self._passphrase, str
            if given := ask():
                self.open(given)
        if self._opened is None:
            raise KeyringError(
                f"The secrets in {self.path} are closed: unlock them with your passphrase.",
                locked=True,
            )
        return self._opened

    def _parsed(self) -> tuple[_Header, bytes]:
        try:
            lines = self.path.read_bytes().split(b"\n")
        except OSError as error:
            raise KeyringError(f"{self.path} cannot be read: {error.strerror}.") from error
        try:
            header, sealed, total, _ = lines
            if hashlib.sha256(header + sealed).hexdigest() != total.decode():
                raise self._damaged()
            return _HEADER.validate_json(header), bytes.fromhex(sealed.decode())
        except (ValueError, ValidationError) as error:
            raise self._damaged() from error

    def _damaged(self) -> KeyringError:
        return KeyringError(
            f"{self.path} is damaged and cannot be opened: put back a copy of it, or delete it"
            " and connect the accounts again."
        )

    def _write(self, holding: Mapping[str, str], recipe: KeyRecipe, key: bytes) -> None:
        header = _Header(recipe, secrets.token_hex(12))
        sealed = _sealed(key, header, holding).hex().encode()
        total = hashlib.sha256(_line(header) + sealed).hexdigest().encode()
        try:
            _replace(self.path, b"\n".join((_line(header), sealed, total, b"")))
        except OSError as error:
            raise KeyringError(f"{self.path} cannot be written: {error.strerror}.") from error


def _line(header: _Header) -> bytes:
    return json.dumps(asdict(header), sort_keys=True).encode()


def _sealed(key: bytes, header: _Header, holding: Mapping[str, str]) -> bytes:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 — loaded late

    content = _SECRETS.dump_json(dict(holding))
    return AESGCM(key).encrypt(bytes.fromhex(header.nonce), content, _line(header))


def _unsealed(key: bytes, header: _Header, sealed: bytes) -> Mapping[str, str] | None:
    """What is sealed; None where the key does not fit."""
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415 — loaded late
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415

    try:
        content = AESGCM(key).decrypt(bytes.fromhex(header.nonce), sealed, _line(header))
    except InvalidTag:
        return None
    return _SECRETS.validate_json(content)


def _replace(path: Path, content: bytes) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, written = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # of mode 0600
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(written).replace(path)
    except BaseException:
        Path(written).unlink(missing_ok=True)
        raise
