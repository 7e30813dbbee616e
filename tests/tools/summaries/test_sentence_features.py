import pytest

from tools.summaries.sentence_features import SentenceKind, extract_features


@pytest.mark.parametrize(
    "sentence",
    [
        "Please send the signed contract.",
        "Could you check the figures?",
        "I need your registration number.",
        "Let me know what you think.",
        "Payment is due on 26 November 2026.",
        "Bitte überweisen Sie den Betrag bis zum 03.12.2026.",
        "Kannst du mir die Fotos zeigen?",
        "Merci de confirmer avant le 3 décembre.",
        "Pourriez-vous nous envoyer le devis ?",
    ],
)
def test_requests_are_recognised(sentence: str) -> None:
    assert extract_features(sentence).kind == SentenceKind.REQUEST


@pytest.mark.parametrize(
    "sentence",
    [
        "Which train are you on?",
        "Shall I ask if it is free?",
        "Sehen wir uns auf der Messe?",
        "Tu viens avec nous ?",
    ],
)
def test_questions_to_the_reader_are_recognised(sentence: str) -> None:
    assert extract_features(sentence).kind == SentenceKind.QUESTION


@pytest.mark.parametrize(
    "sentence",
    [
        "We agreed on the second draft.",
        "The budget has been approved.",
        "The meeting was cancelled.",
        "Wir haben uns auf Freitag geeinigt.",
        "Nous avons décidé de continuer.",
    ],
)
def test_decisions_are_recognised(sentence: str) -> None:
    assert extract_features(sentence).kind == SentenceKind.DECISION


@pytest.mark.parametrize(
    "sentence",
    [
        "Please find attached our invoice.",
        "If you have any questions, please contact us.",
        "Please note that the office is closed.",
        "We will collect it; you need not do anything.",
        "If the board agreed, we would have to wait.",
        "The gallery opens on 30 January.",
        "Not at home?",
    ],
)
def test_courtesy_and_news_ask_nothing(sentence: str) -> None:
    assert extract_features(sentence).kind == SentenceKind.FACT


@pytest.mark.parametrize(
    ("sentence", "deadline"),
    [
        ("Please sign by Tuesday 24 November, end of day.", "by Tuesday 24 November, end of day"),
        ("Send it before Friday.", "before Friday"),
        ("Confirm by tomorrow noon.", "by tomorrow noon"),
        ("Payment is due on 26 November 2026.", "due on 26 November 2026"),
        ("Please answer within 24 hours.", "within 24 hours"),
        ("Please apply by December 3rd.", "by December 3rd"),
        ("Please file it by 2026-12-01.", "by 2026-12-01"),
        ("Please enter your hours by Monday 17:00, so that …", "by Monday 17:00"),
        ("Bitte bis zum 03.12.2026 überweisen.", "bis zum 03.12.2026"),
        ("Antworte bitte bis Freitag.", "bis Freitag"),
        ("Merci de répondre avant le 3 décembre.", "avant le 3 décembre"),
        ("Please call me by 5pm.", "by 5pm"),
        ("Clouds by noon.", ""),
        ("We met on Friday.", ""),
        ("Please decide by the end of December.", "by the end of December"),
    ],
)
def test_deadlines_stand_as_they_were_written(sentence: str, deadline: str) -> None:
    assert extract_features(sentence).deadline == deadline


@pytest.mark.parametrize(
    ("sentence", "relative"),
    [
        ("Please sign by tomorrow.", True),
        ("Please sign by Friday.", True),
        ("Please sign by Friday 3 May.", False),
        ("Please sign.", False),
    ],
)
def test_a_deadline_may_need_the_day_it_was_written(sentence: str, relative: bool) -> None:
    assert extract_features(sentence).is_relative is relative


@pytest.mark.parametrize(
    ("sentence", "amounts"),
    [
        ("It is £1,245.60 in all, or £1.9 million.", ("£1,245.60", "£1.9 million")),
        ("Das macht 490,28 € netto.", ("490,28 €",)),
        ("USD 500 or 20 dollars", ("USD 500", "20 dollars")),
        ("Cela coûte 1 euro.", ("1 euro",)),
        ("30 / 40 / 30 in 2026", ()),
    ],
)
def test_amounts_have_a_currency(sentence: str, amounts: tuple[str, ...]) -> None:
    assert extract_features(sentence).amounts == amounts
