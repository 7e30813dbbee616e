"""Icons in any colour and pixel density."""

import pytest

from gui.theme.icons import DRAWINGS, drawing_path, icon, pixmap


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_drawing_stays_within_its_grid(name: str) -> None:
    drawn = drawing_path(DRAWINGS[name]).boundingRect()
    assert 1 <= drawn.left() <= drawn.right() <= 23
    assert 1 <= drawn.top() <= drawn.bottom() <= 23


@pytest.mark.usefixtures("qapp")
def test_an_icon_is_painted_in_its_colour() -> None:
    image = pixmap("plus", "#b3261e", 24).toImage()
    assert image.pixelColor(12, 12).name() == "#b3261e"
    assert image.pixelColor(1, 1).alpha() == 0


@pytest.mark.usefixtures("qapp")
def test_an_icon_has_a_pixmap_for_high_resolution() -> None:
    assert icon("mail", "#000000", 20).availableSizes()
    assert pixmap("mail", "#000000", 20, density=2).width() == 40
