"""SMTP server: host, port and encryption of an account's outgoing mail server."""

from dataclasses import dataclass
from typing import Literal

SmtpSecurity = Literal["starttls", "tls"]
"""Encryption of a connection: requested after it opened, or from its first byte."""


@dataclass(frozen=True)
class SmtpServer:
    """Host, port and encryption of a server; `timeout` in seconds applies to each reply."""

    host: str = "smtp.gmail.com"
    port: int = 587
    security: SmtpSecurity = "starttls"
    timeout: float = 60.0

    @property
    def is_google(self) -> bool:
        """Whether it is a server of Google."""
        return f".{self.host.lower()}".endswith((".gmail.com", ".googlemail.com", ".google.com"))
