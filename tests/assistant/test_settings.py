from pathlib import Path

import pytest

from assistant.profile import Profile, find_profile
from assistant.settings import Account, Settings, add_account, read_settings
from tools.tool import ToolError

HOME = Account("home", "maildir", Path("mail"), "me@home.example")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "profile" / "settings.toml"


def test_without_a_file_the_defaults_hold(path: Path) -> None:
    assert read_settings(path, {}) == Settings()


def test_an_account_is_read_back_as_it_was_added(path: Path) -> None:
    add_account(path, HOME)
    add_account(path, Account("list", "mbox", Path("a b.mbox")))
    assert read_settings(path, {}).accounts == (HOME, Account("list", "mbox", Path("a b.mbox")))
    assert path.stat().st_mode & 0o077 == 0


def test_an_account_of_the_same_name_is_replaced_and_comments_stay(path: Path) -> None:
    path.parent.mkdir()
    path.write_text('# mine\n[mail]\npersonal_address = "me@x.example" # private\n')
    add_account(path, HOME)
    add_account(path, Account("home", "mbox", Path("other")))
    settings = read_settings(path, {})
    assert settings.accounts == (Account("home", "mbox", Path("other")),)
    assert settings.personal_address == "me@x.example"
    assert "# mine" in path.read_text()
    assert "# private" in path.read_text()


def test_the_environment_wins_over_the_file(path: Path) -> None:
    path.parent.mkdir()
    path.write_text('[mail]\npersonal_address = "file@x.example"\nsending = true\n')
    environment = {
        "TOOLS_EMAIL_USER_PERSONAL_EMAIL_ADDRESS": "env@x.example",
        "TOOLS_EMAIL_ENABLED": "false",
    }
    settings = read_settings(path, environment)
    assert (settings.personal_address, settings.sending) == ("env@x.example", False)


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ("accounts = [", "cannot be read"),
        ("accounts = 3", r"\[\[accounts\]\]"),
        ("mail = 3", r"\[mail\]"),
        ('[[accounts]]\nname = "a"\nkind = "maildir"', "lacks 'path'"),
        ('[[accounts]]\nname = "a"\nkind = "pop3"\npath = "x"', "this version knows maildir"),
    ],
)
def test_a_mistake_in_the_file_is_named_and_the_file_stays_as_it_is(
    path: Path, written: str, named: str
) -> None:
    path.parent.mkdir()
    path.write_text(written)
    with pytest.raises(ToolError, match=named):
        read_settings(path, {})
    assert path.read_text() == written


def test_the_profile_is_the_one_named_last_and_the_demo_keeps_to_itself(tmp_path: Path) -> None:
    environment = {"DESKHAND_PROFILE": str(tmp_path / "env")}
    assert find_profile(None, demo=False, environment=environment).folder == tmp_path / "env"
    given = find_profile(tmp_path / "given", demo=True, environment=environment)
    assert given == Profile(tmp_path / "given" / "demo")
    assert find_profile(None, demo=False, environment={}).folder.name == "deskhand"
