"""The lexicon: English words by their function in a request."""


def _words(words: str) -> list[str]:
    return words.split()


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_ONES = _words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
_TENS = _words("twenty thirty forty fifty sixty seventy eighty ninety")
NUMBERS = {word: number for number, word in enumerate(_ONES)}
NUMBERS |= {word: 10 * (place + 2) for place, word in enumerate(_TENS)}
NUMBERS |= {
    f"{ten}-{one}": 10 * (place + 2) + number
    for place, ten in enumerate(_TENS)
    for number, one in enumerate(_ONES[:10])
    if number
}
APPROXIMATE_NUMBERS = {"couple": 2, "few": 3, "handful": 5, "dozen": 12, "hundred": 100}

FUNCTION_WORDS = _set(
    "a an the and or but nor not no if then else than as at by for from in into of off on onto out "
    "over per since so till to until up upon via with without within before after between during "
    "about regarding concerning against every each both all any some this that these those "
    "who whom whose which what when where why how because while though although unless except "
    "i me my mine we us our ours you your yours he him his she her hers it its they them their "
    "is are was were be been being am do does did have has had will would can could shall should "
    "may might must please thanks let 's 'd 'm 're 've 'll"
)
_TIME_WORDS = _set(
    "now today tonight tomorrow yesterday morning afternoon evening night noon midnight day days "
    "week weeks weekend month months year years hour hours minute minutes last past next previous "
    "recent latest newest oldest first monday tuesday wednesday thursday friday saturday "
    "sunday"
)
_MONTHS = _set("january february march july august september october november december")
_MAIL_WORDS = _set(
    "email emails e-mail e-mails mail mails message messages inbox mailbox newsletter newsletters "
    "calendar agenda event events meeting meetings attachment attachments unread starred "
    "address addresses list lists folder"
)
_INDEFINITE_PERSONS = _set(
    "anybody anyone anything boss bosses brother candidate candidates child client clients "
    "colleague colleagues contact contacts coworker coworkers customer customers dad daughter "
    "employee employees everybody everyone everything family father folks friend friends guy guys "
    "husband kid kids manager managers man men mom mother mum nobody noone other others parents "
    "partner people person persons recruiter recruiters sender senders sister somebody someone "
    "something son stranger strangers supplier suppliers team there users vendor vendors wife "
    "woman women strangers abroad here elsewhere myself yourself"
)
NON_NAME_WORDS = (
    (FUNCTION_WORDS - {"will", "may"})
    | _TIME_WORDS
    | _MONTHS
    | _MAIL_WORDS
    | _INDEFINITE_PERSONS
    | NUMBERS.keys()
)
NON_NAME_WORDS |= {"forward", "fwd"}  # unlike Mark and other commands
TOPIC_STOP_WORDS = _set(
    "who whom whose which that what when where why how because while though although unless "
    "except but not no nor or if then without never nothing i me we us you he him she it they them "
    "myself yourself"
)
COMMAND_VERBS = _set(
    "add answer archive book call cancel check convert copy create decline delete do draft email "
    "export file find flag forward give make mark move open print put read remind remove reply "
    "respond save schedule send share show sort star summarise summarize tell translate turn "
    "unsubscribe write"
)
SEARCH_STOP_WORDS = _set("a an the of on in for to and with by from at my our your")
SEARCH_OPERATORS = _set("or and not around")
FOCUS_TERMS = (
    *_words("actions amounts appointments commitments dates deadlines decisions follow-ups"),
    *_words("meetings money payments questions requests tasks to-dos todos"),
    *("action items", "action points", "due dates", "key points", "main points", "next steps"),
    "open questions",
)
TITLE_STOP_WORDS = _set(
    "email emails e-mail e-mails mail mails message messages inbox newsletter newsletters summary "
    "summaries digest report document every each daily weekly monthly hourly mondays tuesdays "
    "wednesdays thursdays fridays saturdays sundays weekdays reminder reminders task tasks file "
    "files contact note list today tomorrow yesterday tonight monday tuesday wednesday thursday "
    "friday saturday sunday noon midnight"
)
PURCHASES = _set(
    "cab car cruise ferry flight flights holiday hotel restaurant room rooms seat seats table taxi "
    "ticket tickets train trip"
)
EVENT_NOUNS = _set(
    "appointment appointments breakfast brunch call catch-up check-in checkup class coffee "
    "conference course date demo dentist dinner doctor drinks event flight gym haircut interview "
    "lesson lunch meetup meeting party rehearsal retrospective review seminar session stand-up "
    "standup sync talk training visit webinar workout workshop yoga"
)
