"""Longer texts of the window: sample requests, and notices with a title and what is under it."""

SUGGESTIONS = (
    "Read my latest 5 emails",
    "Summarize emails from the past hour",
    "Read the latest 10 emails, summarize them, and create a report",
)

ABOUT = (
    "Deskhand",
    "A desktop assistant for mail, calendar and documents. It asks before anything leaves this"
    " computer.\n\nFree software under the MIT licence.",
)

CONNECT_MODEL = (
    "Connecting a language model comes with a coming version",
    "A model would understand requests in your own words and write longer summaries and replies."
    " This version cannot connect one yet.\n\n"
    "What works today, without any model: reading, searching and summarizing your mail, looking at"
    " your calendar, making reports and documents, and sending mail after you have approved it.",
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
