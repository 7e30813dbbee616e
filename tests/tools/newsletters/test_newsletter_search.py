from datetime import UTC, datetime

import pytest

from tools.mail.message.emails import Email
from tools.newsletters.extractive_digest import headlines
from tools.newsletters.newsletter_search import group_by_source, is_newsletter

ANN = "Ann Ash <ann@x.org>"


def _email(sender: str = ANN, mailing_list: str = "", to: str = "me@x.org", id: str = "m") -> Email:
    date = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
    return Email(
        id, id, "home", sender, (to,), "Subject", date, "", "", unread=False, attachments=(),
        mailing_list=mailing_list,
    )  # fmt: skip


@pytest.mark.parametrize(
    "email",
    [
        _email(mailing_list="The Ledger <news.ledger.example>"),
        _email("Shop <hello@shop.example>", "Shop <hello@shop.example>"),
        _email("Medium <noreply@medium.example>", "Medium <noreply@medium.example>"),
        _email("The Ledger <newsletter@ledger.example>"),
        _email("digest@news.example"),
    ],
)
def test_a_newsletter_is_known_by_its_list_or_its_sender(email: Email) -> None:
    assert is_newsletter(email)


@pytest.mark.parametrize(
    "email",
    [
        _email(),
        _email("no-reply@shop.example"),
        _email("GitHub <notifications@github.example>", "me/it <it.me.github.example>"),
        _email(ANN, "Talk <talk.club.example>", to="Talk <talk@club.example>"),
        _email(ANN, "<python-list.python.example>", to="python-list@python.example"),
        _email("Bank <alerts@bank.example>", "Bank <alerts@bank.example>"),
    ],
)
def test_personal_mail_and_notices_are_not_newsletters(email: Email) -> None:
    assert not is_newsletter(email)


def test_issues_are_grouped_by_their_list_and_called_by_their_sender() -> None:
    ledger = "0a1b2c mc list <0a1b2c.lists.example>"
    emails = [
        _email("The Ledger <a@ledger.example>", ledger, id="1"),
        _email("Kitchen <b@kitchen.example>", "Kitchen <b@kitchen.example>", id="2"),
        _email("The Ledger <c@ledger.example>", ledger.upper(), id="3"),
    ]
    grouped = [(one.name, [email.id for email in one.emails]) for one in group_by_source(emails)]
    assert grouped == [("The Ledger", ["1", "3"]), ("Kitchen", ["2"])]


@pytest.mark.parametrize(
    ("mailing_list", "name"),
    [("Museum Notes <news.museum.example>", "Museum Notes"), ("<a.b.example>", "a.b.example")],
)
def test_a_source_of_several_senders_is_called_as_its_list(mailing_list: str, name: str) -> None:
    emails = [_email(ANN, mailing_list), _email("Ben <ben@x.org>", mailing_list, id="2")]
    assert [one.name for one in group_by_source(emails)] == [name]


def test_headlines_are_the_short_lines_in_capitals() -> None:
    content = "Hello.\n\nBRIDGE TO CLOSE\nFor eleven nights.\n\nBBC\nNOW ONLY: \n  MARKET DAY  \n"
    content += "BRIDGE TO CLOSE\n" + "A VERY LONG LINE " * 20
    assert headlines(content) == ("Bridge to close", "Market day")
