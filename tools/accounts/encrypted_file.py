"""Encrypted file: secrets under a key derived from a passphrase, where there is no keyring."""

import hashlib
import json
import re
import secrets
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from tools.accounts.secret_backend import SecretStoreError, SecretStoreStatus
from tools.atomic_file import replace_file

MIN_PASSPHRASE_LENGTH = 10


@dataclass(frozen=True)
class KeyDerivation:
    """The parameters of Argon2id, by default the second recommendation of RFC 9106, 4.

    `memory` is in KiB and `salt` in hexadecimal digits.

    Raises:
        ValueError: the costs are too low to be safe, or high enough to use up a computer.
    """

    salt: str
    memory: int = 64 * 1024
    iterations: int = 3
    lanes: int = 4

    def __post_init__(self) -> None:
        costs = ((self.memory, 64, 1 << 20), (self.iterations, 1, 20), (self.lanes, 1, 8))
        in_bounds = all(type(cost) is int and low <= cost <= high for cost, low, high in costs)
        if not in_bounds or not re.fullmatch("[0-9a-f]{32}", self.salt):
            raise ValueError("unusable parameters")

    def key(self, passphrase: str) -> bytes:
        """Derive a key of 32 bytes; deliberately slow."""
        from cryptography.hazmat.primitives.kdf.argon2 import Argon2id  # noqa: PLC0415 — loaded late

        argon2 = Argon2id(
            salt=bytes.fromhex(self.salt),
            length=32,
            iterations=self.iterations,
            lanes=self.lanes,
            memory_cost=self.memory,
        )
        # keyboards differ in how they make an accented letter
        return argon2.derive(unicodedata.normalize("NFC", passphrase).encode())


LOST_PASSPHRASE_WARNING = (
    "It cannot be opened without the passphrase, and a lost one cannot be recovered: then the"  # noqa: S105 — a warning
    " file has to be deleted, and every account be connected again."
)


@dataclass(frozen=True)
class _Header:
    """The first line of the file: not secret, and authenticated with the content."""

    recipe: KeyDerivation
    nonce: str
    format: str = "deskhand sealed secrets 1"
    key: str = "argon2id"
    cipher: str = "aes-256-gcm"

    @classmethod
    def parse(cls, line: bytes) -> "_Header":
        """Parse `line()`; a ValueError or TypeError says that it is no such header."""
        values = json.loads(line)
        header = cls(KeyDerivation(**values.pop("recipe")), values.pop("nonce"))
        if values != {"format": cls.format, "key": cls.key, "cipher": cls.cipher}:
            raise ValueError("another format")
        return header

    def line(self) -> bytes:
        return json.dumps(asdict(self), sort_keys=True).encode()


class EncryptedFile:
    """Implements `SecretBackend` in a file of three lines: header, ciphertext and checksum.

    While it is unlocked the key is in memory, but neither the passphrase nor the secrets are. The
    file is replaced as a whole, and readable by its owner alone.
    """

    def __init__(self, path: Path, passphrase: Callable[[], str] = str) -> None:
        """Name the file, which need not exist.

        Args:
            path: the file.
            passphrase: called once, in a thread, when a secret is first needed; returns "" where
                `unlock` will be called instead.
        """
        self.path = path
        self._passphrase = passphrase
        self._unlocked: tuple[KeyDerivation, bytes] | None = None

    @property
    def exists(self) -> bool:
        """Whether the file exists."""
        return self.path.exists()

    def create(self, passphrase: str, content: Mapping[str, str]) -> None:
        """Write a new file in place of any existing one, and leave it unlocked.

        Raises:
            SecretStoreError: the passphrase is too short, or the file cannot be written.
        """
        if len(passphrase.strip()) < MIN_PASSPHRASE_LENGTH:  # it could be guessed
            raise SecretStoreError(
                f"The passphrase needs at least {MIN_PASSPHRASE_LENGTH} characters: use four or"
                " five words that do not belong together."
            )
        derivation = KeyDerivation(secrets.token_hex(16))
        key = derivation.key(passphrase)
        self._write(content, derivation, key)
        self._unlocked = (derivation, key)

    def unlock(self, passphrase: str) -> None:
        """Keep the key in memory until the program ends.

        Raises:
            SecretStoreError: the passphrase is wrong, or the file is damaged or missing.
        """
        header, ciphertext = self._read()
        key = header.recipe.key(passphrase)
        if _decrypt(key, header, ciphertext) is None:
            raise SecretStoreError(
                f"This is not the passphrase of {self.path}. Try again; if it is lost, delete the"
                " file and connect the accounts again.",
                locked=True,
            )
        self._unlocked = (header.recipe, key)

    def secrets(self) -> Mapping[str, str]:
        """Return all secrets by name.

        Raises:
            SecretStoreError: the file is locked, damaged or missing.
        """
        header, ciphertext = self._read()
        derivation, key = self._derivation_and_key()
        if header.recipe != derivation:
            self._unlocked = None
            raise SecretStoreError(
                f"{self.path} was given another passphrase meanwhile: unlock it with that.",
                locked=True,
            )
        content = _decrypt(key, header, ciphertext)
        if content is None:
            raise self._damaged()
        return content

    def get(self, name: str) -> str:
        """Return a secret, "" if there is none."""
        return self.secrets().get(name, "")

    def set(self, name: str, secret: str) -> None:
        """Store a secret, replacing the one of that name."""
        self._write({**self.secrets(), name: secret}, *self._derivation_and_key())

    def delete(self, name: str) -> None:
        """Delete a secret, if there is one."""
        rest = {each: secret for each, secret in self.secrets().items() if each != name}
        self._write(rest, *self._derivation_and_key())

    def status(self) -> SecretStoreStatus:
        """Check whether it is unlocked."""
        try:
            self.secrets()
        except SecretStoreError as error:
            return SecretStoreStatus("sealed", str(error), usable=False)
        words = f"Secrets are kept in {self.path}, encrypted with your passphrase."
        return SecretStoreStatus("sealed", words)

    def _derivation_and_key(self) -> tuple[KeyDerivation, bytes]:
        if self._unlocked is None:
            ask, self._passphrase = self._passphrase, str
            if passphrase := ask():
                self.unlock(passphrase)
        if self._unlocked is None:
            raise SecretStoreError(
                f"The secrets in {self.path} are locked: unlock them with your passphrase.",
                locked=True,
            )
        return self._unlocked

    def _read(self) -> tuple[_Header, bytes]:
        try:
            lines = self.path.read_bytes().split(b"\n")
        except OSError as error:
            raise SecretStoreError(f"{self.path} cannot be read: {error.strerror}.") from error
        try:
            header, ciphertext, checksum, _ = lines
            if hashlib.sha256(header + ciphertext).hexdigest() != checksum.decode():
                raise self._damaged()
            return _Header.parse(header), bytes.fromhex(ciphertext.decode())
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise self._damaged() from error

    def _damaged(self) -> SecretStoreError:
        return SecretStoreError(
            f"{self.path} is damaged and cannot be opened: put back a copy of it, or delete it"
            " and connect the accounts again."
        )

    def _write(self, content: Mapping[str, str], derivation: KeyDerivation, key: bytes) -> None:
        header = _Header(derivation, secrets.token_hex(12))
        ciphertext = _encrypt(key, header, content).hex().encode()
        checksum = hashlib.sha256(header.line() + ciphertext).hexdigest().encode()
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace_file(self.path, b"\n".join((header.line(), ciphertext, checksum, b"")))
        except OSError as error:
            raise SecretStoreError(f"{self.path} cannot be written: {error.strerror}.") from error


def _encrypt(key: bytes, header: _Header, content: Mapping[str, str]) -> bytes:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 — loaded late

    plaintext = json.dumps(dict(content)).encode()
    return AESGCM(key).encrypt(bytes.fromhex(header.nonce), plaintext, header.line())


def _decrypt(key: bytes, header: _Header, ciphertext: bytes) -> Mapping[str, str] | None:
    """Return the secrets by name, None if the key does not fit."""
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415 — loaded late
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415

    try:
        plaintext = AESGCM(key).decrypt(bytes.fromhex(header.nonce), ciphertext, header.line())
    except InvalidTag:
        return None
    stored: dict[str, str] = json.loads(plaintext)
    return stored
