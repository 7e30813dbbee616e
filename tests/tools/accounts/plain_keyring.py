"""A keyring backend of the highest priority that stores plain text, as some packages add it."""

from pathlib import Path

from keyring.backend import KeyringBackend


class PlainKeyring(KeyringBackend):
    """Writes everything into a world-readable file."""

    priority = 9

    def get_password(self, service: str, username: str) -> str | None:
        del service, username
        return None

    def set_password(self, service: str, username: str, password: str) -> None:
        (Path.home() / "plain-keyring").write_text(f"{service} {username} {password}")

    def delete_password(self, service: str, username: str) -> None:
        del service, username
        (Path.home() / "plain-keyring").unlink()
