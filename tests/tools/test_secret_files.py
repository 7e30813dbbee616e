"""Files that are never attached, by where they are, what they are called and what they contain."""

from pathlib import Path

import pytest

from tools.mail.compose.outgoing_attachments import read_attachments
from tools.secret_files import SECRET_ANYWHERE, SecretFiles, reason_by_content, reason_by_name
from tools.tool_errors import ToolError

PEM = b"-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----\n"


@pytest.mark.parametrize(
    "path",
    [
        "/home/ana/.ssh/config",
        "/home/ana/.gnupg/pubring.kbx",
        "/home/ana/.aws/config",
        "/home/ana/.config/gcloud/access_tokens.db",
        "/home/ana/.local/share/keyrings/login.keyring",
        "/Users/ana/Library/Keychains/x/list",
        "/home/ana/.mozilla/firefox/x.default/places.sqlite",
        "/home/ana/snap/firefox/common/.mozilla/firefox/x/prefs.js",
        "/home/ana/.config/google-chrome/Default/History",
        "/home/ana/.config/chromium/Default/History",
        "/Users/ana/Library/Application Support/Google/Chrome/Default/History",
        "/Users/ana/AppData/Local/Microsoft/Edge/User Data/History",
        "/home/ana/.password-store/bank.gpg",
        "/home/ana/.thunderbird/x/prefs.js",
        "/home/ana/.SSH/config",
        "/proc/1/environ",
        "/home/ana/.netrc",
        "/home/ana/project/.env",
        "/home/ana/project/.env.production",
        "/home/ana/id_rsa",
        "/home/ana/ID_ED25519.bak",
        "/home/ana/Passwords.kdbx",
        "/home/ana/server.ppk",
        "/home/ana/cert.p12",
        "/home/ana/client_secret_1.json",
    ],
)
def test_a_secret_is_recognised_by_folder_or_name(path: str) -> None:
    assert SECRET_ANYWHERE.reason_by_path(Path(path))


@pytest.mark.parametrize(
    "path",
    [
        "/home/ana/Documents/report.pdf",
        "/home/ana/id_rsa.pub",
        "/home/ana/.env.example",
        "/home/ana/environment.txt",
        "/home/ana/Keynote.key",
        "/home/ana/ssh/notes.txt",
        "/home/ana/.ssh",
        "/home/ana/process/proc.txt",
    ],
)
def test_an_ordinary_file_is_no_secret(path: str) -> None:
    assert SECRET_ANYWHERE.reason_by_path(Path(path)) == ""


@pytest.mark.parametrize(
    "content",
    [
        PEM,
        b"My key:\r\n-----BEGIN PRIVATE KEY-----\r\nMIIE",
        b"-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl",
        b"-----BEGIN ENCRYPTED PRIVATE KEY-----  \nMIIE",
        b"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQ",
        b'{"private_key": "-----BEGIN PRIVATE KEY-----\\nMIIE"}',
        b"PuTTY-User-Key-File-3: ssh-ed25519\r\n",
        b"SSH PRIVATE KEY FILE FORMAT 1.1\n",
        b"\x03\xd9\xa2\x9a\x67\xfb\x4b\xb5\x01",
        b"# created\nAGE-SECRET-KEY-1QQQQ",
    ],
)
def test_a_secret_is_recognised_by_its_content(content: bytes) -> None:
    assert reason_by_content(content)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"%PDF-1.7",
        b"-----BEGIN CERTIFICATE-----\nMIID",
        b"-----BEGIN PUBLIC KEY-----\nMIIB",
        b"A file with -----BEGIN PRIVATE KEY----- in its first line is a key.",
    ],
)
def test_an_ordinary_content_is_no_secret(content: bytes) -> None:
    assert reason_by_content(content) == ""


def test_a_name_is_judged_without_its_folder() -> None:
    assert reason_by_name("a/b/id_ecdsa_sk")
    assert not reason_by_name("minutes.docx")


def test_the_program_s_own_files_are_secret_except_its_documents(tmp_path: Path) -> None:
    rules = SecretFiles(private=(tmp_path,), public=(tmp_path / "documents",))
    assert rules.reason_by_path(tmp_path / "settings.toml")
    assert rules.reason_by_path(tmp_path / "documents/Report.docx") == ""


def test_links_to_a_key_and_renamed_keys_are_refused(tmp_path: Path) -> None:
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh/config").write_bytes(b"Host x")
    (tmp_path / "link.txt").symlink_to(tmp_path / ".ssh/config")
    (tmp_path / "notes.txt").write_bytes(PEM)
    (tmp_path / "fine.txt").write_bytes(b"words")
    with pytest.raises(ToolError) as caught:
        read_attachments([str(tmp_path / name) for name in ("link.txt", "notes.txt", "fine.txt")])
    assert str(caught.value) == (
        f"{tmp_path}/link.txt is never attached: it lies in a folder of SSH keys. "
        f"{tmp_path}/notes.txt is never attached: it contains a private key."
    )
    assert [each.name for each in read_attachments(str(tmp_path / "fine.txt"))] == ["fine.txt"]
