"""The vocabulary that all rules are written in: kinds of values, and pieces of pattern."""

from assistant.planners.phrases import times, values
from assistant.planners.phrases.lexicon import FOCUSES
from assistant.planners.phrases.pattern import Vocabulary

FORMATS = {
    "pdf": "pdf",
    "word": "docx",
    "ms word": "docx",
    "microsoft word": "docx",
    "docx": "docx",
    "pages": "docx",
    "odt": "odt",
    "opendocument": "odt",
    "open document": "odt",
    "libreoffice": "odt",
    "html": "html",
    "web page": "html",
    "webpage": "html",
    "markdown": "md",
    "md": "md",
}
FOLDERS = {
    "inbox": "inbox",
    "sent": "sent",
    "sent items": "sent",
    "sent mail": "sent",
    "outbox": "sent",
    "archive": "archive",
    "archives": "archive",
    "spam": "spam",
    "junk": "spam",
    "trash": "trash",
    "bin": "trash",
    "drafts": "drafts",
}
VOCABULARY = Vocabulary(
    kinds={
        "number": values.number,
        "address": values.address,
        "name": values.name,
        "who": values.who,
        "topic": values.topic,
        "quoted": values.quoted,
        "text": values.text,
        "rest": values.rest,
        "quoted_text": values.quoted_text,
        "title": values.title,
        "place": values.place,
        "room": values.room,
        "day": times.day,
        "next_weekday": times.next_weekday,
        "weekday": times.weekday,
        "date": times.date,
        "clock": times.clock,
        "moment": times.moment,
        "ago": times.ago,
        "ahead": times.ahead,
        "duration": times.duration,
        "format": values.one_of(FORMATS),
        "folder": values.one_of(FOLDERS),
        "focus": values.one_of(FOCUSES),
    },
    pieces={
        "det": "the|my|our|any|some|all the|all my|these|those|this",
        "a": "a|an|the|another",
        "short": "quick|short|brief|little|concise|detailed|one-page",
        "email": "email|e-mail|mail|message",
        "one_email": "email|e-mail|message",
        "emails": "emails|e-mails|mails|messages",
        "mails": "emails|e-mails|mails|messages|mail|inbox|mailbox|correspondence",
        "newest": "latest|last|newest|most recent|recent",
        "past": "past|last|previous|recent",
        "during": "from|in|within|during|over|of|for|on|sent|received|that came in|which came in",
        "summary": "summary|digest|recap|overview|rundown|briefing|tl;dr|tldr|gist|synopsis",
        "report": "report|document|doc|write-up|writeup",
        "make": "create|make|write|generate|prepare|produce|build|compile|put together|give me"
        "|get me|do|draw up|i want|i need",
        "them": "it|them|that|this|those|these|the result|the results|the lot|everything|all of it"
        "|all of them|[the|that|this] (copy|list)",
        "self": "me|myself|my address|my own address|my own email|my email|my e-mail|my inbox"
        "|my email address|my personal email|my personal address",
        "say": "saying|that says|which says|and say|to say|with the (text|body|message|words)"
        "|with (text|body|message)|telling (him|her|them)|and tell (him|her|them)|to tell"
        " (him|her|them)",
        "for": "for|on|in|over|during",
        "letter": "email|e-mail|mail|message|note|line",
        "ask": "(find|get|show|give|tell) [me]|look up|what is|what 's|i need",
        "of": "of|on|for|from|about|in",
        "calendar": "calendar|agenda|diary|schedule|timetable",
        "event": "event|meeting|appointment",
        "events": "events|meetings|appointments|plans|commitments",
        "s": "'s|'",
    },
)
