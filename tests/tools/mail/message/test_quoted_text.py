from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.mail.message.quoted_text import remove_quoted_text

OWN = "Thursday suits me.\n\nBring the plan, please."
HISTORIES = {
    "gmail": "On Tue, Nov 17, 2026 at 9:12 AM Jane Doe <jane@x.org> wrote:\n\n> When?\n>\n> Jane",
    "gmail, wrapped": (
        "On Tue, Nov 17, 2026 at 9:12 AM Jane Doe\n<jane@example.org>\nwrote:\n\n> When?"
    ),
    "html made into text": "On Tue, Nov 17, 2026, Jane <jane@x.org> wrote:\n\nWhen?\n\nJane",
    "thunderbird, german": "Am 17.11.26 um 09:12 schrieb Jane Doe:\n> Wann?",
    "gmail, german": "Am Di., 17. Nov. 2026 um 09:12 Uhr schrieb Jane <j@x.org>:\n\n> Wann?",
    "french": "Le mar. 17 nov. 2026 à 09:12, Jane Doe <jane@x.org> a écrit :\n\n> Quand ?",
    "spanish": "El mar, 17 nov 2026 a las 9:12, Jane (<jane@x.org>) escribió:\n\n> ¿Cuándo?",
    "italian": "Il giorno mar 17 nov 2026 alle ore 09:12 Jane <jane@x.org> ha scritto:\n> Quando?",
    "dutch": "Op di 17 nov 2026 om 09:12 schreef Jane Doe <jane@x.org>:\n\n> Wanneer?",
    "portuguese": "Em ter., 17 de nov. de 2026 às 09:12, Jane <jane@x.org> escreveu:\n\n> Quando?",
    "russian": "17.11.2026 09:12, Jane Doe пишет:\n> Когда?",
    "old unix": "Jane Doe writes:\n> When?\n> Jane",
    "outlook": "-----Original Message-----\nFrom: Jane\nSent: Tuesday\nSubject: Plan\n\nWhen?",
    "outlook, german": "-----Ursprüngliche Nachricht-----\nVon: Jane\n\nWann?",
    "new outlook": (
        "From: Jane Doe <jane@x.org>\nSent: Tuesday, 17 November 2026 09:12\nTo: Bob\n"
        "Subject: Plan\n\nWhen?"
    ),
    "outlook on the web, german": (
        "________________\nVon: Jane <j@x.org>\nGesendet: Dienstag, 17. November\n"
        "An: Bob\nBetreff: Plan\n\nWann?"
    ),
    "outlook, french": "De : Jane\nEnvoyé : mardi 17 novembre 2026\nObjet : Plan\n\nQuand ?",
}


@pytest.mark.parametrize("history", HISTORIES.values(), ids=HISTORIES.keys())
def test_quoted_history_is_removed(history: str) -> None:
    assert remove_quoted_text(f"{OWN}\n\n{history}") == OWN


def test_answers_between_quotations_stay() -> None:
    text = dedent(
        """\
        On Monday 16 November Jane wrote:
        > Shall we meet on Thursday?
        Yes, at noon.
        > And who brings the plan?
        I do."""
    )
    assert remove_quoted_text(text) == "Yes, at noon.\nI do."


@pytest.mark.parametrize(
    "signature",
    [
        "-- \nBob Brown\nExample Ltd",
        "--\nBob",
        "Sent from my iPhone",
        "Von meinem iPhone gesendet",
        "Envoyé de mon iPhone",
        "Get Outlook for iOS <https://aka.ms/x>",
        "_______________\nexample mailing list\nlist@x.org\nhttps://x.org/mailman/listinfo/example",
    ],
)
def test_signatures_and_footers_are_removed(signature: str) -> None:
    assert remove_quoted_text(f"{OWN}\n\n{signature}") == OWN


def test_a_signature_above_history_is_removed() -> None:
    assert remove_quoted_text(f"{OWN}\n\n-- \nBob\n\n{HISTORIES['gmail']}") == OWN


def test_a_forwarded_mail_stays() -> None:
    forwarded = (
        "---------- Forwarded message ---------\nFrom: Jane <jane@x.org>\nDate: Tue, 17 Nov 2026\n"
        "Subject: Plan\nTo: Bob\n\nThe plan is ready."
    )
    assert remove_quoted_text(f"FYI\n\n{forwarded}").endswith("The plan is ready.")
    assert remove_quoted_text(f"FYI\n\n{HISTORIES['outlook']}", "FW: Plan").endswith("When?")


@pytest.mark.parametrize(
    "text",
    [
        "On Monday we ship. Here is what Bob said:\nIt is done.",
        "Three things, as the manual says on page 5:\n\n1. Stop\n2. Look",
        "From: the garden\nwith love",
        "| Item  | Price |\n| Bread | 2 €   |",
        "Prices:\n\nOn 5 May I noted: nothing\n",
        "Sent from my setup in Berlin, a letter about dogs and all that they eat in a day.",
    ],
)
def test_text_that_resembles_history_stays(text: str) -> None:
    assert remove_quoted_text(text) == text.strip()


def test_an_email_of_quoted_text_alone_stays_whole() -> None:
    assert remove_quoted_text("> All of it\n> is quoted") == "> All of it\n> is quoted"


@settings(deadline=None)
@given(st.text(alphabet="On wrote:>-\n @1", max_size=300))
def test_removing_quoted_text_never_adds_text(text: str) -> None:
    folded = remove_quoted_text(text)
    assert len(folded) <= len(text)
    assert bool(folded) == bool(text.strip())
