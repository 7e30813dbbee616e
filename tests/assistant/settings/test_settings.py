from pathlib import Path

import pytest

from assistant.profile import Profile, find_profile
from assistant.settings import Settings, read_settings
from assistant.settings.account_settings import (
    ENVIRONMENT_ACCOUNT,
    Account,
    GoogleSettings,
    save_account,
    without_account_variables,
)
from assistant.settings.settings_file import remove_entry, save_value
from tools.tool_errors import ToolError

HOME = Account("home", "maildir", Path("mail"), "me@home.example")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "profile" / "settings.toml"


def test_without_a_file_the_defaults_apply(path: Path) -> None:
    assert read_settings(path, {}) == Settings()


def test_an_account_is_read_back_as_it_was_added(path: Path) -> None:
    save_account(path, HOME)
    save_account(path, Account("list", "mbox", Path("a b.mbox")))
    assert read_settings(path, {}).accounts == (HOME, Account("list", "mbox", Path("a b.mbox")))
    assert path.stat().st_mode & 0o077 == 0


def test_an_account_of_the_same_name_is_replaced_and_comments_stay(path: Path) -> None:
    path.parent.mkdir()
    path.write_text('# mine\n[mail]\npersonal_address = "me@x.example" # private\n')
    save_account(path, HOME)
    save_account(path, Account("home", "mbox", Path("other")))
    settings = read_settings(path, {})
    assert settings.accounts == (Account("home", "mbox", Path("other")),)
    assert settings.mail.personal_address == "me@x.example"
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
    assert (settings.mail.personal_address, settings.mail.sending) == ("env@x.example", False)


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ("accounts = [", "cannot be read"),
        ("accounts = 3", r"\[\[accounts\]\]"),
        ("mail = 3", r"\[mail\]"),
        ('[[accounts]]\nname = "a"\nkind = "maildir"', "lacks 'path'"),
        ('[[accounts]]\nname = "a"\nkind = "pop3"\npath = "x"', "this version knows maildir"),
        ('[[accounts]]\nname = "a"\nkind = "google"', "lacks 'address'"),
        ('[[accounts]]\nname = "a"\nkind = "smtp"\naddress = "a@b.example"\nport = "x"', "'port'"),
        (
            '[[accounts]]\nname = "a"\nkind = "smtp"\naddress = "a@b.example"\nsecurity = "none"',
            "'security'.*starttls, tls",
        ),
        (
            '[[accounts]]\nname = "a"\nkind = "smtp"\naddress = "a@b.example"\nhots = "x"',
            "'hots'.*takes name.*host",
        ),
        (
            '[[accounts]]\nname = "a"\nkind = "smtp"\naddress = "a@b.example"\nport = 99999',
            "'port'.*at most 65535",
        ),
        (
            '[[accounts]]\nname = "a"\nkind = "google"\naddress = "a@b.example"\nhost = "x"',
            "'host'",
        ),
        ('[[accounts]]\nname = "a"\nkind = "mbox"\npath = "x"\nperson = "Ana"', "'person'"),
        (2 * '[[accounts]]\nname = "a"\nkind = "google"\naddress = "a@b.example"\n', "rename one"),
        ("[google]\nclient = 1", "takes client_id"),
        ("[mail]\nsend_form = 'a'", "takes personal_address"),
        ("[calendar]\nadd = 'a'", "takes add_to"),
        ("[mail]\nnewsletter_seconds = 'a day'", "'newsletter_seconds'"),
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


def test_the_option_wins_over_the_environment_and_the_demo_has_its_own_profile(
    tmp_path: Path,
) -> None:
    environment = {"DESKHAND_PROFILE": str(tmp_path / "env")}
    assert find_profile(None, demo=False, environment=environment).folder == tmp_path / "env"
    given = find_profile(tmp_path / "given", demo=True, environment=environment)
    assert given == Profile(tmp_path / "given" / "demo")
    assert find_profile(None, demo=False, environment={}).folder.name == "deskhand"


def test_online_accounts_are_read_back_as_they_were_added_and_can_be_taken_out(path: Path) -> None:
    google = Account("work", "google", address="ana@work.example")
    smtp = Account(
        "club",
        "smtp",
        address="ana@club.example",
        host="mail.club.example",
        port=465,
        security="tls",
    )
    save_account(path, google)
    save_account(path, smtp)
    assert read_settings(path, {}).accounts == (google, smtp)
    remove_entry(path, "accounts", "work")
    assert read_settings(path, {}).accounts == (smtp,)


def test_the_environment_adds_a_sender_and_a_calendar_for_one_run(path: Path) -> None:
    environment = {
        "TOOLS_EMAIL_SENDER_EMAIL_ADDRESS": "ana@gmail.example",
        "GOOGLE_CALENDAR_REFRESH_TOKEN": "hidden",
        "GOOGLE_CALENDAR_ID": "team@group.example",
    }
    settings = read_settings(path, environment)
    assert [each.name for each in settings.accounts] == ["ana@gmail.example", ENVIRONMENT_ACCOUNT]
    assert all(each.of_environment and not each.has_mail for each in settings.accounts)
    assert settings.google.calendar_id == "team@group.example"
    assert "hidden" not in repr(settings)


def test_a_client_of_the_environment_does_not_get_the_secret_of_another(path: Path) -> None:
    save_value(path, "google", "client_id", "written")
    assert read_settings(path, {}).google == GoogleSettings("written")
    brought = read_settings(path, {"GOOGLE_CLIENT_ID": "brought"}).google
    assert (brought.client_id, brought.client_secret) == ("brought", "")


@pytest.mark.parametrize(
    ("environment", "sending", "calendar"),
    [
        ({}, False, True),
        ({"TOOLS_EMAIL_ENABLED": "true"}, True, True),
        ({"TOOLS_EMAIL_ENABLED": "true", "PLUGIN_GMAILPLUGIN_ENABLED": "false"}, False, True),
        ({"PLUGIN_GMAILPLUGIN_ENABLED": "true"}, False, True),
        ({"PLUGIN_GOOGLECALENDARPLUGIN_ENABLED": "false"}, False, False),
        ({"TOOLS_GOOGLE_CALENDAR_ENABLED": "no"}, False, False),
    ],
)
def test_the_environment_switches_sending_and_the_calendar(
    path: Path, environment: dict[str, str], sending: bool, calendar: bool
) -> None:
    path.parent.mkdir()
    path.write_text("[mail]\nsending = false\n")
    settings = read_settings(path, environment)
    assert (settings.mail.sending, settings.google.calendar) == (sending, calendar)


def test_the_demo_takes_models_from_the_environment_and_no_accounts() -> None:
    environment = {
        "OPENAI_API_KEY": "key",
        "GOOGLE_CALENDAR_REFRESH_TOKEN": "token",
        "TOOLS_EMAIL_SENDER_EMAIL_ADDRESS": "ana@x.example",
        "PATH": "/bin",
    }
    assert without_account_variables(environment) == {"OPENAI_API_KEY": "key", "PATH": "/bin"}
