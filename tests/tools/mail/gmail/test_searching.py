"""A search finds the same in Gmail as in local mail."""

import pytest

from tests.tools.mail.gmail.gmail_account import GmailTestAccount
from tests.tools.mail.raw_messages import raw_message
from tools.mail.mailbox import Contact
from tools.mail.search.query import Contains, InFolder, Query, TextField
from tools.tool_errors import ToolError

ATTACHED = (
    "--b\nContent-Type: text/plain\n\nSee the plan\n"
    "--b\nContent-Disposition: attachment; filename=Moon-Plan.pdf\n\nx\n--b--"
)
ME = "Anna <anna.berg@example.com>"


@pytest.fixture
def full(gmail_account: GmailTestAccount) -> GmailTestAccount:
    add = gmail_account.google.add_mail
    budget = raw_message(
        "Quarterly budget", sender="Sarah Lee <sarah@acme.com>", body="The numbers are"
    )
    add(budget)
    add(
        raw_message(
            "Lunch?", sender="bob@y.org", to=f"{ME}, Sarah <sarah@acme.com>", Cc="Cy <c@z.org>"
        )
    )
    add(raw_message("Moon", to=ME, Content_Type="multipart/mixed; boundary=b", body=ATTACHED))
    python = "Python folk <python-dev.python.org>"
    add(raw_message("Digest", List_Id=python, body="Grüße vom Straßenfest"), ["Label news"])
    add(raw_message("Old news", at="2024-02-01T08:00"), ["Work/To do"])
    add(raw_message("Prize"), ["SPAM"])
    add(raw_message("Thrown away"), ["TRASH"])
    return gmail_account


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("from:SARAH", {"Quarterly budget"}),
        ("from:acme.com", {"Quarterly budget"}),
        ("from:y.o", {"Lunch?"}),
        ("-from:ann -from:ara", {"Lunch?"}),
        ("to:sarah", {"Lunch?"}),
        ("cc:cy", {"Lunch?"}),
        ("from:bob OR cc:nobody", {"Lunch?"}),
        ("subject:budget", {"Quarterly budget"}),
        ("subject:numbers", set()),
        ("numbers", {"Quarterly budget"}),
        ('"numbers are"', {"Quarterly budget"}),
        ('"are numbers"', set()),
        ("sarah", {"Quarterly budget", "Lunch?"}),
        ("sarah -lunch", {"Quarterly budget"}),
        ("has:attachment", {"Moon"}),
        ("filename:pdf", {"Moon"}),
        ("filename:oon-pl", {"Moon"}),
        ("list:python-dev", {"Digest"}),
        ("list:ython", {"Digest"}),
        ("{moon digest}", {"Moon", "Digest"}),
        ("before:2025/1/1", {"Old news"}),
        ("after:2024/2/1 before:2024/2/2", {"Old news"}),
        ("older_than:1y", {"Old news"}),
        ("newer_than:2d subject:moon", {"Moon"}),
        ("larger:10M", set()),
        ("in:inbox subject:moon", {"Moon"}),
        ("in:work-to-do", {"Old news"}),
        ("-in:inbox", {"Digest", "Old news"}),
        ("in:archive", {"Digest", "Old news"}),
        ("in:spam", {"Prize"}),
        ("in:bin", {"Thrown away"}),
        ("in:anywhere -in:inbox -newer_than:1y", {"Old news"}),
        ("in:nowhere", set()),
        ("to:me subject:moon", {"Moon"}),
    ],
)
async def test_a_search_finds_the_intended_messages(
    full: GmailTestAccount, query: str, found: set[str]
) -> None:
    assert set(await full.subjects(query)) == found


async def test_times_match_to_the_second(gmail_account: GmailTestAccount) -> None:
    for second in (58, 59):
        gmail_account.google.add_mail(raw_message(f"At {second}", at=f"2026-11-19T09:00:{second}"))
    gmail_account.google.add_mail(raw_message("At 00", at="2026-11-19T09:01:00"))
    assert await gmail_account.subjects("after:1795075259 before:1795075260") == ["At 59"]


async def test_part_of_a_known_name_is_found_beyond_the_newest(
    gmail_account: GmailTestAccount,
) -> None:
    gmail_account.google.add_mail(
        raw_message("Old", sender="Sarah Lee <sarah@acme.com>", at="2026-01-01T09:00")
    )
    assert await gmail_account.subjects() == ["Old"]
    for number in range(120):
        gmail_account.google.add_mail(raw_message(f"New {number}", sender="bob@y.org"))
    gmail_account.asked()
    assert await gmail_account.subjects("from:arah") == ["Old"]
    assert gmail_account.asked() == ["POST /batch"]


async def test_pages_are_followed_until_there_is_enough(gmail_account: GmailTestAccount) -> None:
    for minute in range(30):
        sender = "annabel@x.org" if minute % 3 else "ann@x.org"
        name = "Ann" if minute % 3 == 1 else ""
        gmail_account.google.add_mail(
            raw_message(
                f"At {minute}", sender=f"{name} <{sender}>", at=f"2026-11-19T09:{minute:02}"
            )
        )
    query = Query(Contains("ann@x.org", TextField.FROM))
    assert len(await gmail_account.mailbox.search(query, 5)) == 5


async def test_a_label_created_meanwhile_is_found(gmail_account: GmailTestAccount) -> None:
    gmail_account.google.add_mail(raw_message("Old"))
    assert await gmail_account.subjects() == ["Old"]
    gmail_account.google.add_mail(raw_message("Filed"), ["Brand new"])
    assert await gmail_account.subjects("in:brand-new") == ["Filed"]


async def test_words_that_resemble_syntax_find_nothing_else(full: GmailTestAccount) -> None:
    for term in (
        Contains('x" OR subject:moon "', TextField.FILE_NAME),
        InFolder('x" OR subject:moon OR "'),
    ):
        assert await full.mailbox.search(Query(term), 10) == []


async def test_the_folders_are_system_folders_and_user_labels(full: GmailTestAccount) -> None:
    names = await full.mailbox.folders()
    assert {"INBOX", "Sent", "Trash", "Archive", "Work/To do"} <= set(names)
    full.asked()
    assert await full.mailbox.folders() == names
    assert full.asked() == []


async def test_people_are_found_by_part_of_name_or_address(full: GmailTestAccount) -> None:
    mailbox = full.mailbox
    assert await mailbox.contacts("sarah", 5) == [Contact("Sarah Lee", "sarah@acme.com", "mail")]
    assert [one.address for one in await mailbox.contacts("z.org", 5)] == ["c@z.org"]
    assert [one.address for one in await mailbox.contacts("ara", 5)] == ["sarah@acme.com"]
    assert await mailbox.contacts("zoe", 5) == []


async def test_an_unreachable_mailbox_is_an_error(gmail_account: GmailTestAccount) -> None:
    gmail_account.google.revoke_all()
    with pytest.raises(ToolError, match="work"):
        await gmail_account.subjects()
