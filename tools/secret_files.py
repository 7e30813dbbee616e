"""Secret files: keys, passwords and sign-ins, recognised by folder, name or content."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

_FOLDERS = {
    "SSH keys": (".ssh",),
    "GnuPG keys": (".gnupg",),
    "keyrings": (
        *(".local/share/keyrings", ".local/share/kwalletd", "Library/Keychains"),
        *("Microsoft/Credentials", "Microsoft/Protect", "Microsoft/Vault"),
    ),
    "stored passwords": (".password-store", ".local/share/gopass"),
    "service credentials": (
        *(".aws", ".azure", ".kube", ".docker", ".config/gcloud", ".config/gh"),
    ),
    "browser profiles": (
        *(".mozilla", ".config/mozilla", "snap/firefox", "org.mozilla.firefox"),
        *("Application Support/Firefox", "Roaming/Mozilla", "Local/Mozilla"),
        *(".config/google-chrome", ".config/chromium", "snap/chromium", "Google/Chrome"),
        *("com.google.Chrome", "org.chromium.Chromium", "Local/Chromium"),
        *("Application Support/Chromium", ".config/microsoft-edge", "Microsoft/Edge"),
        *("BraveSoftware", ".config/vivaldi", ".config/opera", "Library/Safari"),
    ),
    "mail profiles": (".thunderbird", "Roaming/Thunderbird", "Library/Thunderbird"),
}
_NAMES = re.compile(
    r"id_(rsa|dsa|ecdsa|ed25519)(?!.*\.pub$).*|ssh_host_.*_key"
    r"|[._]netrc|\.env(\.(?!example$|sample$|template$).*)?|\.pgpass|\.git-credentials|\.npmrc"
    r"|\.pypirc|\.htpasswd|\.my\.cnf|credentials|credentials\.json|client_secret.*\.json"
    r"|logins\.json|key[34]\.db|login data|cookies(\.sqlite)?|wallet\.dat|secrets\.sealed"
    r"|.*\.(kdbx?|ppk|p12|pfx|jks|keystore|keychain(-db)?|agilekeychain|1pux|opvault)",
    re.IGNORECASE,
)
_BEGINNINGS = (
    *(b"PuTTY-User-Key-File-", b"SSH PRIVATE KEY FILE", b"GnomeKeyring\n", b"KWALLET\n"),
    *(b"\x03\xd9\xa2\x9a\x65\xfb\x4b\xb5", b"\x03\xd9\xa2\x9a\x67\xfb\x4b\xb5"),  # KeePass
)
_PRIVATE_KEY = re.compile(  # PEM, OpenSSH and PGP, also within JSON
    rb"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY( BLOCK)?-----\s*?(\n|\\[nr]|[A-Za-z0-9+/=]{20})"
)


@dataclass(frozen=True)
class SecretFiles:
    """Rules for files that must never leave this computer.

    Everything in the folders `private` is secret except what is in the folders `public`.
    """

    private: Sequence[Path] = ()
    public: Sequence[Path] = ()

    def reason_by_path(self, path: Path) -> str:
        """Return why a file is secret by where it is or what it is called, or "".

        Args:
            path: absolute, with or without its symbolic links resolved.
        """
        parts = tuple(part.casefold() for part in path.parts)
        for content, folders in _FOLDERS.items():
            if any(_contains(parts, folder) for folder in folders):
                return f"it lies in a folder of {content}"
        if parts[1:2] == ("proc",):
            return "it belongs to a running program"
        if _is_within(path, self.private) and not _is_within(path, self.public):
            return "it belongs to Deskhand's own settings and data"
        return reason_by_name(path.name)


SECRET_ANYWHERE = SecretFiles()
"""The rules that hold on every computer."""


def reason_by_name(name: str) -> str:
    """Return why a file of this name is secret, or ""."""
    is_secret = _NAMES.fullmatch(PurePath(name).name.strip())
    return "files of this name hold keys or passwords" if is_secret else ""


def reason_by_content(content: bytes) -> str:
    """Return why a file with this content is secret, or ""."""
    if content.startswith(_BEGINNINGS):
        return "it holds keys or passwords"
    if b"PRIVATE KEY" in content and _PRIVATE_KEY.search(content):
        return "it contains a private key"
    return "it contains a private key" if b"\nAGE-SECRET-KEY-1" in b"\n" + content else ""


def _contains(parts: tuple[str, ...], folder: str) -> bool:
    wanted = tuple(folder.casefold().split("/"))
    ends = range(len(wanted), len(parts))  # the last part is the file
    return any(parts[end - len(wanted) : end] == wanted for end in ends)


def _is_within(path: Path, folders: Sequence[Path]) -> bool:
    return any(path.is_relative_to(each) or path.is_relative_to(each.resolve()) for each in folders)
