"""A keyring as some packages bring it: eager to be chosen, and in plain text."""

from pathlib import Path

from keyring.backend import KeyringBackend


class PlainKeyring(KeyringBackend):
    """Writes everything into a file that anybody can read."""

    priority = 9

    def get_password(self, service: str, username: str) -> str | None:
        del service, username
        return None

    def set_password(self, service: str, username: str, password: str) -> None:
        (Path.home() / "plain-keyring").write_text(f"{service} {username} {password}")

    def delete_password(self, service: str, username: str) -> None:
        del service, username
        (Path.home() / "plain-keyring").unlink()
