"""Certificates: self-signed, made for one test."""

import datetime as dt
import ssl
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Certificate:
    """A self-signed certificate and its key in one file."""

    file: Path

    @classmethod
    def create(
        cls, folder: Path, name: str = "localhost", *, expired: bool = False
    ) -> "Certificate":
        """Create one for a host name."""
        key = ec.generate_private_key(ec.SECP256R1())
        now = dt.datetime.now(dt.UTC)
        end = now + dt.timedelta(days=-1 if expired else 1)
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        certificate = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(days=2))
            .not_valid_after(end)
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
            .sign(key, hashes.SHA256())
        )
        file = folder / f"{name}{'-expired' if expired else ''}.pem"
        file.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
            + certificate.public_bytes(serialization.Encoding.PEM)
        )
        return cls(file)

    @property
    def server_context(self) -> ssl.SSLContext:
        """The context of a server with this certificate."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.file)
        return context

    @property
    def client_context(self) -> ssl.SSLContext:
        """The context of a client that trusts this certificate alone."""
        return ssl.create_default_context(cafile=str(self.file))
