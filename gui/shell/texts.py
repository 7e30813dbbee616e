"""Longer texts of the window: sample requests, and notices of a title and a paragraph."""

SAMPLE_REQUESTS = (
    "Read my latest 5 emails",
    "Summarize emails from the past hour",
    "Read the latest 10 emails, summarize them, and create a report",
)

ABOUT = (
    "Deskhand",
    "A desktop assistant for mail, calendar and documents. It asks before anything is sent or"
    " changed.\n\nFree software under the MIT licence.",
)

STAYS_IN_TRAY = (
    "Deskhand keeps running",
    "It waits in the tray. Quit it from there or with Ctrl+Q.",
)

RESET_SAMPLE = (
    "Reset the sample workspace?",
    "Mail you sent here and changes you made to the sample are lost; it becomes as it was at the"
    " start. Your conversations and documents stay.",
)

EXTERNAL_REQUEST = (
    "Another program asks",
    "A program on this computer wants Deskhand to do this; you did not ask for it in the window."
    " Cancel it if you do not know why it is asked.",
)
