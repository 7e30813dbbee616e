"""The vocabulary of all rules: kinds of slots, and named patterns."""

from assistant.planners.phrases import time_slots, value_slots
from assistant.planners.phrases.lexicon import FOCUS_TERMS
from assistant.planners.phrases.phrase_pattern import Vocabulary

_FORMATS = value_slots.one_of(
    pdf="pdf",
    docx="word|ms word|microsoft word|docx|pages",
    odt="odt|opendocument|open document|libreoffice",
    html="html|web page|webpage",
    md="markdown|md",
)
_FILE_TYPES = value_slots.one_of(
    pdf="pdf", docx="word|docx", xlsx="excel|xlsx", pptx="powerpoint", zip="zip", ics="ics|calendar"
)
_FOLDERS = value_slots.one_of(
    inbox="inbox",
    sent="sent|sent items|sent mail|outbox",
    archive="archive|archives",
    spam="spam|junk",
    trash="trash|bin",
    drafts="drafts",
)
VOCABULARY = Vocabulary(
    readers={
        "number": value_slots.number,
        "address": value_slots.address,
        "name": value_slots.name,
        "who": value_slots.who,
        "topic": value_slots.topic,
        "quoted": value_slots.quoted,
        "text": value_slots.text,
        "rest": value_slots.rest,
        "quoted_text": value_slots.quoted_text,
        "title": value_slots.title,
        "location": value_slots.location,
        "room": value_slots.room,
        "day": time_slots.day,
        "next_weekday": time_slots.next_weekday,
        "weekday": time_slots.weekday,
        "date": time_slots.date,
        "clock": time_slots.clock,
        "moment": time_slots.moment,
        "ago": time_slots.ago,
        "ahead": time_slots.ahead,
        "duration": time_slots.duration,
        "format": _FORMATS,
        "folder": _FOLDERS,
        "focus": value_slots.one_of(**{term: term for term in FOCUS_TERMS}),
        "file_type": _FILE_TYPES,
    },
    named={
        "det": "the|my|our|any|some",
        "a": "a|an|the|another",
        "short": "quick|short|brief|little|concise|detailed|one-page",
        "email": "email|e-mail|mail|message",
        "one_email": "email|e-mail|message",
        "emails": "emails|e-mails|mails|messages",
        "mails": "emails|e-mails|mails|messages|mail|inbox|mailbox|correspondence",
        "newest": "latest|last|newest|most recent|recent",
        "past": "past|last|previous|recent",
        "during": "from|in|within|during|over|of|for|on",
        "summary": "summary|digest|recap|overview|rundown|briefing|tl;dr|tldr|gist|synopsis",
        "report": "report|document|doc|write-up|writeup",
        "make": "create|make|write|generate|prepare|produce|build|compile|put together|give me"
        "|get me|do|draw up|i want|i need",
        "them": "it|them|the result|the results|the lot|everything|all of it"
        "|all of them|[the] (copy|list)",
        "self": "me|myself|my address|my own address|my own email|my email|my e-mail|my inbox"
        "|my email address|my personal email|my personal address",
        "say": "saying|that says|which says|and say|to say|body|and (body|text)"
        "|with [the] (text|body|message|words)|(telling|and tell|to tell) (him|her|them) that",
        "for": "for|on|in|over|during|of",
        "letter": "email|e-mail|mail|message|note|line",
        "ask": "(find|get|show|give|tell) [me]|look up|what is|what 's|i need",
        "of": "of|on|for|from|about|in",
        "calendar": "calendar|agenda|diary|schedule|timetable",
        "event": "event|meeting|appointment",
        "events": "events|meetings|appointments|plans|commitments",
        "s": "'s|'",
    },
)
