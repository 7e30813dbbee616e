"""What everybody does with mail works with the emulator by others too, which has no batch."""

from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

from tests.google.emulator import needed_emulator
from tests.google.letters import letter
from tests.google.raw_client import raw_client, signed_in
from tests.tools.mail.raw_messages import CLOCK
from tools.accounts.google.account import GoogleAccount
from tools.accounts.google.grant import Grant
from tools.accounts.google.permissions import Permission, scopes_of
from tools.accounts.secret_store import SecretStore
from tools.mail.gmail.mailbox import GmailMailbox
from tools.mail.mailbox import EmailChanges
from tools.mail.search.query_syntax import parse_query
from tools.moments.clock import add_duration, system_clock


async def test_mail_is_read_searched_answered_and_organized(tmp_path: Path) -> None:
    with needed_emulator(tmp_path) as google:
        tokens = signed_in(google, scopes_of(Permission))
        with raw_client(google, tokens["access_token"]) as guest:
            first = guest.insert(bytes(letter("Harbour fees")), "INBOX", "UNREAD")["id"]
            guest.insert(bytes(letter("Something else")), "INBOX")
        account = GoogleAccount(
            "work",
            google.address,
            google.client,
            SecretStore(),
            google.endpoints,
            clock=system_clock,
            grant=Grant(
                tokens["refresh_token"],
                frozenset(tokens["scope"].split()),
                tokens["access_token"],
                add_duration(system_clock(), timedelta(hours=1)),
            ),
        )
        mailbox = GmailMailbox(account, cache=tmp_path / "gmail.db", clock=CLOCK)

        async def found(words: str) -> list[str]:
            return [each.subject for each in await mailbox.search(parse_query(words, CLOCK), 9)]

        assert await found("subject:harbour from:ravi") == ["Harbour fees"]
        assert await found("is:unread in:inbox") == ["Harbour fees"]
        email = await mailbox.read(first)
        assert (email.content, email.unread) == ("Grüße aus Kochi.", True)
        assert b"Subject: Harbour fees" in await mailbox.source(first)

        await mailbox.sender.save_draft(_reply("Re: Harbour fees"), email.thread_id)
        assert await found("in:drafts") == ["Re: Harbour fees"]
        await mailbox.sender.send(_reply("Re: Harbour fees again"), email.thread_id)
        assert await found("in:sent") == ["Re: Harbour fees again"]
        assert len(await mailbox.thread(email.thread_id)) == 3

        await mailbox.mark([first], EmailChanges(read=True, add=("Work/To do",)))
        assert "Work/To do" in await mailbox.folders()
        assert await found("is:unread in:inbox") == []
        assert await found("in:work-to-do") == ["Harbour fees"]
        assert await mailbox.archive([first]) == []
        assert await found("in:inbox") == ["Something else"]
        assert await mailbox.trash([first]) == []
        assert await found("in:trash") == ["Harbour fees"]
        await mailbox.close()
        await account.close()


def _reply(subject: str) -> EmailMessage:
    reply = letter(subject, to="ravi@example.org", answers="<Harbour.fees@example.org>")
    del reply["From"]
    reply["From"] = "anna.berg@example.com"
    return reply
