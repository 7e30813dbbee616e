"""A removal: a series' text without one occurrence, the later ones, or all."""

from datetime import datetime

from tools.calendar.calendar import Scope
from tools.calendar.component_text import ComponentText
from tools.calendar.series_text import Revision, SeriesText


def without(series: SeriesText, wall: datetime | None, scope: Scope) -> Revision:
    """The revision that takes occurrences out.

    Args:
        series: what there is.
        wall: the occurrence meant, on the clock of the event; None for the event as a whole.
        scope: which occurrences from it.
    """
    if wall is None or scope == "all" or (scope == "following" and wall <= series.first):
        return dict.fromkeys(range(len(series.parts)), ())
    series.refuse_ranges()
    gone: dict[int, tuple[()]] = {
        at: ()
        for at, known in series.singles()
        if known == wall or (scope == "following" and known > wall)
    }
    if series.place in gone:  # there is nothing that speaks for all
        return gone
    return {**gone, series.place: (_rest(series, wall, scope),)}


def _rest(series: SeriesText, wall: datetime, scope: Scope) -> ComponentText:
    if scope == "following":
        return series.ended(wall)
    left_out = series.stamp.line("EXDATE", [wall])
    return series.noted(series.master.text.adding(left_out))
