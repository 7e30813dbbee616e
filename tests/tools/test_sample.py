"""The sample workspace: believable at any moment, and the user's once it is installed."""

import email
import io
import os
import re
import resource
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage, Message
from email.policy import default
from email.utils import parsedate_to_datetime
from importlib.resources import files
from pathlib import Path
from zoneinfo import ZoneInfo

import docx
import icalendar
import pypdfium2
import pytest
import recurring_ical_events

from tools.moments.clock import fixed_clock
from tools.sample import SampleWorkspace, install_sample, reset_sample
from tools.sample_dates import resolve_date

BERLIN, NEW_YORK = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")
pytestmark = pytest.mark.slow
MOMENTS = [
    pytest.param(datetime(2026, 3, 2, 7, 30, tzinfo=BERLIN), id="a Monday morning"),
    pytest.param(datetime(2026, 11, 20, 23, 59, tzinfo=BERLIN), id="a Friday midnight"),
    pytest.param(datetime(2027, 1, 1, 0, 10, tzinfo=NEW_YORK), id="new year"),
    pytest.param(datetime(2026, 3, 29, 3, 20, tzinfo=BERLIN), id="spring forward, Berlin"),
    pytest.param(datetime(2026, 10, 25, 2, 40, fold=1, tzinfo=BERLIN), id="fall back, Berlin"),
    pytest.param(datetime(2026, 3, 8, 3, 5, tzinfo=NEW_YORK), id="spring forward, New York"),
    pytest.param(datetime(2026, 11, 1, 1, 30, tzinfo=NEW_YORK), id="fall back, New York"),
    pytest.param(datetime(2026, 6, 13, 15, 0, tzinfo=UTC), id="a Saturday in UTC"),
]
NOON = datetime(2026, 11, 18, 12, 0, tzinfo=BERLIN)
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def install(folder: Path, now: datetime) -> SampleWorkspace:
    return install_sample(folder, fixed_clock(now))


def message_files(sample: SampleWorkspace) -> list[Path]:
    return sorted(
        path
        for part in ("cur", "new")
        for folder in (sample.mail, *sample.mail.glob(".*"))
        for path in (folder / part).iterdir()
    )


def parsed(path: Path) -> EmailMessage:
    message = email.message_from_bytes(path.read_bytes(), policy=default)
    assert isinstance(message, EmailMessage)
    return message


def messages(sample: SampleWorkspace) -> list[EmailMessage]:
    return [parsed(path) for path in message_files(sample)]


def date_of(message: Message) -> datetime:
    return parsedate_to_datetime(str(message["Date"]))


def attached(sample: SampleWorkspace, type_: str) -> list[bytes]:
    return [
        bytes(part.get_payload(decode=True))
        for message in messages(sample)
        for part in message.iter_attachments()
        if part.get_content_type() == type_
    ]


def tree(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def the_one(sample: SampleWorkspace, stem: str) -> Path:
    (path,) = (path for path in message_files(sample) if stem in path.name)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "profile" / "sample"


@pytest.mark.parametrize("now", MOMENTS)
def test_every_message_is_well_formed(folder: Path, now: datetime) -> None:
    for message in messages(install(folder, now)):
        assert [part.defects for part in message.walk() if part.defects] == []
        assert all(message[name] for name in ("From", "To", "Subject", "Date", "Message-ID"))
        assert [value.defects for value in message.values() if value.defects] == []
        assert "{{" not in str(message["Subject"])
        texts = [part for part in message.walk() if part.get_content_maintype() == "text"]
        assert not any("{{" in part.get_content() for part in texts)


@pytest.mark.parametrize("now", MOMENTS)
def test_dates_span_the_last_month_and_the_last_hour(folder: Path, now: datetime) -> None:
    ages = [now - date_of(message) for message in messages(install(folder, now))]
    assert len(ages) >= 115
    assert min(ages) >= timedelta(0)
    assert timedelta(days=25) < max(ages) < timedelta(days=35)
    assert 2 <= sum(age <= timedelta(hours=1) for age in ages) <= 4
    assert sum(age <= timedelta(days=1) for age in ages) >= 8
    assert sum(age <= timedelta(days=7) for age in ages) >= 30


@pytest.mark.parametrize("now", MOMENTS)
def test_every_reply_is_later_than_its_parent(folder: Path, now: datetime) -> None:
    by_id = {str(message["Message-ID"]): message for message in messages(install(folder, now))}
    assert len(by_id) == len(messages(install(folder, now)))
    answers = [message for message in by_id.values() if message["In-Reply-To"]]
    assert len(answers) >= 30
    for answer in answers:
        parent = by_id[str(answer["In-Reply-To"])]
        assert date_of(answer) > date_of(parent)
        assert str(answer["References"]).split()[-1] == str(answer["In-Reply-To"])
        assert all(reference in by_id for reference in str(answer["References"]).split())


def test_threads_stay_in_order_at_any_hour_of_a_fortnight() -> None:
    source = files("resources").joinpath("sample", "mail")
    bundled = [
        email.message_from_string(file.read_text(encoding="utf-8"))
        for folder in source.iterdir()
        for file in folder.iterdir()
    ]
    date_of_id = {m["Message-ID"]: m["Date"].strip("{}").removesuffix("|date") for m in bundled}
    answers = [(m["Message-ID"], m["In-Reply-To"]) for m in bundled if m["In-Reply-To"]]
    for hours in range(0, 14 * 24, 3):
        now = datetime(2026, 10, 19, 0, 5, tzinfo=BERLIN) + timedelta(hours=hours)
        sent = {id: resolve_date(date, now) for id, date in date_of_id.items()}
        assert [answer for answer, parent in answers if sent[answer] <= sent[parent]] == [], now
        assert max(sent.values()) <= now


@pytest.mark.slow
def test_every_attachment_opens_with_its_own_reader(folder: Path) -> None:
    sample = install(folder, NOON)
    pdfs = attached(sample, "application/pdf")
    assert len(pdfs) >= 4
    assert all(len(pypdfium2.PdfDocument(pdf)) >= 1 for pdf in pdfs)
    (agreement,) = attached(sample, DOCX)
    assert "Termination" in "\n".join(
        p.text for p in docx.Document(io.BytesIO(agreement)).paragraphs
    )
    assert all(
        icalendar.Calendar.from_ical(ics).events for ics in attached(sample, "text/calendar")
    )
    assert all(png.startswith(b"\x89PNG\r\n\x1a\n") for png in attached(sample, "image/png"))
    assert all(jpeg.startswith(b"\xff\xd8\xff") for jpeg in attached(sample, "image/jpeg"))
    assert attached(sample, "image/png")
    assert attached(sample, "image/jpeg")
    assert attached(sample, "text/csv")


def test_invitations_carry_events_that_the_calendar_knows(folder: Path) -> None:
    sample = install(folder, NOON)
    known = {str(event["UID"]): event for event in calendar_of(sample).events}
    invitations = [
        icalendar.Calendar.from_ical(part.get_content()).events[0]
        for message in messages(sample)
        for part in message.walk()
        if part.get_content_type() == "text/calendar" and part.get_param("method") == "REQUEST"
    ]
    assert len(invitations) == 2
    for event in invitations:
        assert known[str(event["UID"])].start == event.start


def test_newsletters_have_list_headers(folder: Path) -> None:
    lists = [message for message in messages(install(folder, NOON)) if message["List-Id"]]
    assert len({str(message["List-Id"]) for message in lists}) >= 5
    for message in lists:
        assert "https://" in str(message["List-Unsubscribe"])
        assert {part.get_content_type() for part in message.walk()} >= {"text/plain", "text/html"}


def test_every_address_is_made_up(folder: Path) -> None:
    sample = install(folder, NOON)
    texts = [
        part.get_content()
        for message in messages(sample)
        for part in message.walk()
        if part.get_content_maintype() == "text"
    ]
    texts += [str(message[name]) for message in messages(sample) for name in ("From", "To")]
    hosts = re.findall(r"(?:[\w.+-]@|https?://)([\w.-]+)", "\n".join(texts))
    assert len(hosts) > 300
    assert {host for host in hosts if not host.rstrip(".").endswith(".example")} == set()


@pytest.mark.parametrize("now", MOMENTS)
def test_the_calendar_has_something_today(folder: Path, now: datetime) -> None:
    calendar = calendar_of(install(folder, now))
    today = recurring_ical_events.of(calendar).at(now.date())
    assert len(today) >= 3
    assert 20 <= len(calendar.events) <= 30
    assert any("RRULE" in event for event in calendar.events)
    assert all(event.end > event.start for event in calendar.events)


def calendar_of(sample: SampleWorkspace) -> icalendar.Calendar:
    calendar = icalendar.Calendar.from_ical(sample.calendar.read_bytes())
    assert isinstance(calendar, icalendar.Calendar)
    return calendar


def test_the_mailbox_belongs_to_alex(folder: Path) -> None:
    sample = install(folder, NOON)
    assert (sample.name, sample.address) == ("Alex Winter", "alex@tidewell.example")
    inbox = [path for path in message_files(sample) if path.parent.parent == sample.mail]
    assert len(inbox) >= 70
    assert 10 <= sum(path.parent.name == "new" for path in inbox) <= 25
    for place in (".Sent", ".Archive", ".Junk", ".Drafts"):
        assert any(place in path.parts for path in message_files(sample))


def test_other_users_have_no_access(folder: Path) -> None:
    install(folder, NOON)
    for path in (folder, *folder.rglob("*")):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


def test_the_same_moment_gives_the_same_bytes(tmp_path: Path) -> None:
    install(tmp_path / "one", NOON)
    install(tmp_path / "two", NOON)
    assert tree(tmp_path / "one") == tree(tmp_path / "two")


def test_concurrent_installations_wait_for_each_other(folder: Path, tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as both:
        list(both.map(lambda _: install(folder, NOON), range(2)))
    install(tmp_path / "fresh", NOON)
    assert tree(folder) == tree(tmp_path / "fresh")


def test_a_call_within_half_an_hour_touches_nothing(folder: Path) -> None:
    install(folder, NOON)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    install(folder, NOON + timedelta(minutes=29))
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


@pytest.mark.parametrize(
    "later",
    [timedelta(minutes=31), timedelta(minutes=-1), timedelta(days=40)],
    ids=["half an hour later", "a clock set back", "weeks later"],
)
def test_the_sample_follows_the_clock(folder: Path, tmp_path: Path, later: timedelta) -> None:
    first = install(folder, NOON)
    names, before = message_files(first), tree(folder)
    then = install(folder, NOON + later)
    install(tmp_path / "fresh", NOON + later)
    assert tree(folder) == tree(tmp_path / "fresh")
    assert tree(folder) != before
    assert message_files(then) == names


def test_midnight_moves_the_day_along(folder: Path) -> None:
    late = datetime(2026, 11, 18, 23, 50, tzinfo=BERLIN)
    install(folder, late)
    calendar = calendar_of(install(folder, late + timedelta(minutes=15)))
    assert len(recurring_ical_events.of(calendar).at((late + timedelta(minutes=15)).date())) >= 3


def test_a_folder_with_new_dates_shows_it_to_an_index(folder: Path) -> None:
    sample = install(folder, NOON)
    parts = [sample.mail / "new", sample.mail / "cur", sample.mail / ".Sent" / "cur"]
    for part in parts:
        os.utime(part, (0, 0))
    install(folder, NOON + timedelta(days=1))
    assert all(part.stat().st_mtime > 0 for part in parts)


def users_own(sample: SampleWorkspace) -> Iterator[tuple[Path, bytes]]:
    """Return files that a user may have added, with their content."""
    yield sample.mail / ".Sent/cur/1791234567.M1P1.desk:2,S", b"From: alex@tidewell.example\n\nHi\n"
    yield sample.mail / ".Drafts/cur/1791234568.M1P1.desk:2,DS", b"Subject: later\n\n\xff\n"
    yield sample.documents / "Report.docx", b"not really"
    yield sample.documents / "Notes.md", b"{{-2h}} stays as it is\r\n"


def test_files_of_the_user_keep_their_bytes(folder: Path) -> None:
    sample = install(folder, NOON)
    own = list(users_own(sample))
    for path, content in own:
        path.write_bytes(content)
    install(folder, NOON + timedelta(days=3))
    assert [(path, path.read_bytes()) for path, _ in own] == own


def test_removed_files_stay_removed(folder: Path) -> None:
    sample = install(folder, NOON)
    gone = [the_one(sample, "agreement-draft-3"), sample.documents / "Expenses policy.md"]
    for path in gone:
        path.unlink()
    without = re.sub(
        rb"BEGIN:VEVENT\r\n(?:(?!END:VEVENT).)*UID:dentist@.*?END:VEVENT\r\n",
        b"",
        sample.calendar.read_bytes(),
        flags=re.DOTALL,
    )
    sample.calendar.write_bytes(without)
    install(folder, NOON + timedelta(days=3))
    assert not any(path.exists() for path in gone)
    assert b"UID:dentist@" not in sample.calendar.read_bytes()
    assert len(calendar_of(sample).events) == 23


def test_changed_files_stay_changed(folder: Path) -> None:
    sample = install(folder, NOON)
    plan = sample.documents / "Travel plan - Norhaven.md"
    plan.write_bytes(plan.read_bytes() + b"\n- umbrella\n")
    edited = sample.calendar.read_bytes().replace(b"SUMMARY:Boiler service", b"SUMMARY:Heating")
    sample.calendar.write_bytes(edited)
    changed = plan.read_bytes()
    install(folder, NOON + timedelta(days=3))
    assert plan.read_bytes() == changed
    (boiler,) = (event for event in calendar_of(sample).events if "boiler" in str(event["UID"]))
    assert (str(boiler["SUMMARY"]), boiler.start) == (
        "Heating",
        resolve_date("+3w tue 08:00", NOON),
    )


def test_an_event_the_user_made_keeps_its_bytes(folder: Path) -> None:
    sample = install(folder, NOON)
    own = b"BEGIN:VEVENT\r\nUID:mine\r\nX-ODD: as is \r\nDTSTART:20270101T100000Z\r\nEND:VEVENT\r\n"
    whole = sample.calendar.read_bytes()
    sample.calendar.write_bytes(whole.replace(b"END:VCALENDAR", own + b"END:VCALENDAR"))
    install(folder, NOON + timedelta(days=3))
    assert own in sample.calendar.read_bytes()
    (dentist,) = (e for e in calendar_of(sample).events if "dentist" in str(e["UID"]))
    assert dentist.start == resolve_date("+3b 08:40", NOON + timedelta(days=3))


def test_a_message_read_and_moved_gets_its_new_date_where_it_lies(folder: Path) -> None:
    sample = install(folder, NOON)
    unread = the_one(sample, "mums-seventieth-train")
    moved = sample.mail / ".Archive" / "cur" / f"{unread.name}:2,S"
    unread.rename(moved)
    later = NOON + timedelta(days=3)
    install(folder, later)
    assert not unread.exists()
    assert later - date_of(parsed(moved)) == timedelta(minutes=6)


def test_reset_puts_the_original_back(folder: Path, tmp_path: Path) -> None:
    sample = install(folder, NOON)
    the_one(sample, "agreement-draft-3").unlink()
    (sample.documents / "Mine.md").write_text("mine")
    sample.calendar.write_text("BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n")
    reset_sample(folder, fixed_clock(NOON + timedelta(days=2)))
    install(tmp_path / "fresh", NOON + timedelta(days=2))
    assert tree(folder) == tree(tmp_path / "fresh")


@contextmanager
def disk_full_for_large_files() -> Iterator[None]:
    """Fail on writing the first large file, half-way through the mail."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_an_interrupted_first_installation_is_completed(folder: Path, tmp_path: Path) -> None:
    with disk_full_for_large_files():
        install(folder, NOON)
    assert 0 < len(list((folder / "mail").rglob("0*"))) < 50
    later = NOON + timedelta(hours=5)
    install(folder, later)
    install(tmp_path / "fresh", later)
    assert tree(folder) == tree(tmp_path / "fresh")


def test_an_interrupted_update_is_completed_and_keeps_the_users_files(
    folder: Path, tmp_path: Path
) -> None:
    sample = install(folder, NOON)
    own = list(users_own(sample))
    for path, content in own:
        path.write_bytes(content)
    gone = the_one(sample, "033-coffee-machine")
    gone.unlink()
    with disk_full_for_large_files():
        install(folder, NOON + timedelta(days=1))
    later = NOON + timedelta(days=1, minutes=1)
    install(folder, later)
    assert [(path, path.read_bytes()) for path, _ in own] == own
    assert not gone.exists()
    for path in (gone, *(path for path, _ in own)):
        path.unlink(missing_ok=True)
    fresh = install(tmp_path / "fresh", later)
    the_one(fresh, "033-coffee-machine").unlink()
    assert tree(folder) == tree(tmp_path / "fresh")


def test_a_sample_that_lost_its_record_starts_over(folder: Path, tmp_path: Path) -> None:
    sample = install(folder, NOON)
    (folder / "sample.json").unlink()
    for path in message_files(sample)[::2]:
        path.unlink()
    install(folder, NOON + timedelta(hours=5))
    install(tmp_path / "fresh", NOON + timedelta(hours=5))
    assert tree(folder) == tree(tmp_path / "fresh")
