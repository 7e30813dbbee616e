from dataclasses import dataclass
from datetime import UTC, datetime

from tests.tools.summaries.conftest import MakeEmail
from tools.calendar.event import Event, Events
from tools.mail.message.emails import EmailWithThread
from tools.mail.reading_results import EmailList, FoundEmails
from tools.prose.source_material import SourceMaterial, unique_emails

LUNCH = Event(
    "e1",
    "Lunch",
    datetime(2026, 11, 26, 12, tzinfo=UTC),
    datetime(2026, 11, 26, 13, tzinfo=UTC),
    location="Canteen",
    attendees=("Mara <mara@a.example>",),
)


def shown(material: SourceMaterial) -> list[list[str]]:
    return [[str(passage) for passage in group] for group in material.groups]


def test_emails_are_numbered_by_conversation_with_their_day(make_email: MakeEmail) -> None:
    emails = (make_email("One.", thread="a"), make_email("Two."), make_email("Three.", thread="a"))
    material = SourceMaterial.of(EmailList(emails[::-1], 3), numbered=True)
    assert material.links == (
        "[Subject 0](mail:m0)",
        "[Subject 2](mail:m2)",
        "[Subject 1](mail:m1)",
    )
    assert shown(material)[0] == [
        "[1] Email\nFrom: Sarah Lindqvist <sarah@work.example>\nTo: Alex Winter "
        f"<alex@home.example>\nDate: Friday 20 November 2026, 09:0{minute}\n"
        f"Subject: Subject {minute}\n\n    {text}".replace("[1]", f"[{number}]")
        for number, minute, text in ((1, 0, "One."), (2, 2, "Three."))
    ]
    assert {email.id for email in material.emails} == {"m0", "m1", "m2"}


def test_duplicate_emails_are_dropped(make_email: MakeEmail) -> None:
    first, second = make_email("One.", thread="a"), make_email("Two.", thread="a")
    whole = EmailWithThread.of(second, (first, second))
    material = SourceMaterial.of([whole, [first], EmailList((second,), 1)], numbered=True)
    assert len(material.links) == 2
    assert [email.id for email in unique_emails(whole)] == ["m1", "m0"]


def test_an_email_that_cannot_be_read_is_counted_and_no_passage(make_email: MakeEmail) -> None:
    material = SourceMaterial.of([make_email("", problem="It cannot be opened.")], numbered=True)
    assert material.groups == ()
    assert len(material.emails) == 1


def test_events_are_sources_too() -> None:
    material = SourceMaterial.of(Events((LUNCH,)), numbered=True)
    assert material.links == ("[Lunch](event:e1)",)
    assert shown(material) == [
        [
            "[1] Event\nTitle: Lunch\nWhen: Thursday 26 November 2026, 12:00 to 13:00 (UTC)\n"
            "Where: Canteen\nWith: Mara <mara@a.example>"
        ]
    ]


def test_links_in_a_text_of_this_program_become_numbers() -> None:
    text = "- **Sarah**: sign it · [Budget](mail:m1)\n- eat · [Lunch](event:e1), [x](https://e.x)"
    material = SourceMaterial.of(text, numbered=True)
    assert shown(material) == [
        ["- **Sarah**: sign it · Budget [1]\n- eat · Lunch [2], [x](https://e.x)"]
    ]
    assert material.links == ("[Budget](mail:m1)", "[Lunch](event:e1)")


def test_a_letter_is_given_no_numbers(make_email: MakeEmail) -> None:
    material = SourceMaterial.of(
        [make_email("One."), LUNCH, "See [Budget](mail:m1)"], numbered=False
    )
    assert material.links == ()
    assert not any("[" in text for group in shown(material) for text in group)


def test_an_empty_search_result_is_part_of_the_material() -> None:
    material = SourceMaterial.of([FoundEmails((), 0, "budget"), Events()], numbered=True)
    assert shown(material) == [
        ["No emails match “budget”."],
        ["No events found matching your criteria."],
    ]


def test_any_other_value_is_given_as_it_reads() -> None:
    @dataclass(frozen=True)
    class Place:
        name: str

    assert shown(SourceMaterial.of([Place("Köln"), {"n": 1}, 7], numbered=True)) == [
        ['{"name": "Köln"}'],
        ['{"n": 1}'],
        ["7"],
    ]
    assert (
        SourceMaterial.of(None, numbered=True)
        == SourceMaterial.of("", numbered=True)
        == SourceMaterial()
    )


def test_a_long_list_of_recipients_is_truncated(make_email: MakeEmail) -> None:
    email = make_email("One.", to=tuple(f"a{n}@b.example" for n in range(5_000)))
    assert len(str(SourceMaterial.of(email, numbered=True).groups[0][0])) < 600
