from tests.tools.mail.gmail.rig import Rig
from tests.tools.mail.letters import letter


async def test_a_first_reading_is_one_request_for_the_list_and_one_for_every_fifty(rig: Rig) -> None:
    for number in range(60):
        rig.google.add_mail(letter(f"Mail {number}", at=f"2026-11-19T09:{number:02}"))
    assert await rig.subjects("in:inbox", 100) == [f"Mail {n}" for n in reversed(range(60))]
    assert rig.asked() == ["POST /batch"] * 3


async def test_a_second_reading_with_nothing_new_is_one_request(rig: Rig) -> None:
    rig.google.add_mail(letter("Hello"))
    first = await rig.subjects()
    rig.asked()
    assert await rig.subjects() == first == ["Hello"]
    assert rig.asked() == ["POST /batch"]
