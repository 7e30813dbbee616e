"""Mail filter rules: sender, time, topic, state and folder, in any order."""

from assistant.planners.phrases.phrase_grammar import rule

_COUNT = (
    rule("[the|my] <newest> {limit:number} [of]", newest=True),
    rule("[the|my] {limit:number} [of the|of my] (<newest>)", newest=True),
    rule("[the|my] (<newest>)", newest=True),
    rule("[the|my] {limit:number} [of the|of my]"),
    rule("all [of] [the|my|our]|every|everything|each", everything=True),
)
_PEOPLE = (
    rule("(from|by|sent by|written by|that came from) {sender:who}"),
    rule("{sender:who} (<s>)"),
    rule(
        "what {sender:who} (sent|wrote|said|has sent|has written) [me|us|to me|to us]", mails=True
    ),
    rule(
        "[the] (<emails>) [that|which] {sender:who} (sent|wrote) [me|us|to me|to us]",
        mails=True,
        plural=True,
    ),
    rule(
        "[the] (mail|correspondence) [that|which] {sender:who} (sent|wrote) [me|us|to me|to us]",
        mails=True,
    ),
    rule("(from|by) (me|myself)|i (sent|have sent|wrote)|[that] i (sent|wrote)", folder="sent"),
    rule("(<emails>) to {recipient:who}", mails=True, plural=True, noun="emails"),
    rule("(sent|addressed) to {recipient:who}"),
    rule("(i sent|i wrote|that i sent|i have sent) to {recipient:who}", folder="sent"),
)
_TIME = (
    rule("[<during>] [the] (<past>) hour [<s>]", hours=1),
    rule("[<during>] [the] (<past>) hour and a half", minutes=90),
    rule("[<during>] [the] (<past>) {hours:number} (hours|hour|hrs|hr|h) [<s>]"),
    rule("[<during>] [the] (<past>) (half hour|half an hour)|[<during>] half an hour", minutes=30),
    rule("[<during>] [the] (<past>) {minutes:number} (minutes|minute|mins|min|m)"),
    rule("[<during>] [the] past day|[<during>] [the] last day", hours=24),
    rule("[<during>] [the] (<past>) {days:number} (days|day|d)"),
    rule("[<during>] the past week", weeks=1),
    rule("[<during>] [the] (<past>) {weeks:number} (weeks|week)"),
    rule("[<during>] the past month", months=1),
    rule("[<during>] [the] (<past>) {months:number} (months|month)"),
    rule("[<during>] (today|the day) [<s>]", since="today"),
    rule("[<during>] yesterday [<s>]", since="yesterday", until="today"),
    rule("[<during>] yesterday morning", since="yesterday", until="yesterday at noon"),
    rule("[<during>] yesterday afternoon", since="yesterday at noon", until="yesterday at 6pm"),
    rule("[<during>] yesterday evening", since="yesterday at 6pm", until="today"),
    rule("[<during>] this morning [<s>]", since="today", until="today at noon"),
    rule("[<during>] this afternoon [<s>]", since="today at noon"),
    rule("tonight [<s>]|[<during>] this evening [<s>]", since="today at 6pm"),
    rule("[<during>] last night [<s>]", since="yesterday at 6pm", until="today at 6am"),
    rule("[<during>] this week [<s>]", since="start of this week"),
    rule("[<during>] last week [<s>]", since="start of last week", until="end of last week"),
    rule("[<during>] this month [<s>]", since="start of this month"),
    rule("[<during>] last month [<s>]", since="start of last month", until="end of last month"),
    rule("[<during>] this year [<s>]", since="start of this year"),
    rule("[<during>] last year [<s>]", since="start of last year", until="end of last year"),
    rule("(since|after) {since:moment}"),
    rule("since {since:ago}"),
    rule("since this morning", since="today"),
    rule("since last week", since="start of last week"),
    rule("(before|until|till|up to) {until:moment}"),
    rule("(on|from) [last] {weekday:weekday} [<s>]|last {weekday:weekday} [<s>]"),
    rule("{weekday:weekday} (<s>)"),
    rule("(on|from) [the] {date:date}"),
)
_STATE = (
    rule(
        "unread|unopened|that are unread|(that|which) i (have not|haven't) read [yet]", unread=True
    ),
    rule("i (have not|haven't) read [yet]", unread=True),
    rule("new", unread=True, new=True),
    rule("starred|flagged|with a (star|flag)|that are (starred|flagged)", starred=True),
    rule(
        "(with|having|that have|which have|that has|that contain|including) [a|an|any|some]"
        " (attachment|attachments|files|attached files|a file attached|files attached)",
        attached=True,
    ),
    rule(
        "(with|having|that have|that contain) [a|an|any|some] {file_type:file_type}"
        " [attachment|attachments|attached|file|files]"
    ),
)
_TOPIC = (
    rule("(about|regarding|concerning|mentioning|containing|discussing) {topic:topic}"),
    rule("(related to|relating to|to do with|on the topic of|on the subject of) {topic:topic}"),
    rule("(that|which) (mention|mentions|discuss|contain|say|talk about|are about) {topic:topic}"),
    rule("with the (word|words|phrase) {topic:topic}"),
    rule("[with|saying] {topic:quoted}"),
    rule(
        "(with|whose|having) [the] subject [line] [is|contains|containing|like|of] {subject:topic}"
    ),
    rule("with {subject:topic} in the (subject|title|subject line)"),
    rule("(titled|entitled|called|named) {called:topic}"),
)
_FOLDER = (
    rule("(in|from|of) [the|my] {folder:folder} [folder|mailbox|box]"),
    rule("sent (<emails>)", folder="sent", mails=True, plural=True),
    rule("archived", folder="archive"),
    rule("(in|from) ([the] (folder|label) {label:name}|[the|my] {label:name} (folder|label))"),
    rule("(labelled|labeled|tagged) [as|with] {label:name}|with [the] label {label:name}"),
    rule("(in|from|on) [the|my] {mailing_list:name} [mailing] list"),
    rule("in [my|the] (account|gmail|mail account|email account)"),
)
_NOUN = (
    rule(
        "[<during>|through|at|to|across|with] [<det>] (mail|inbox|mailbox|correspondence)",
        mails=True,
        noun="mail",
    ),
    rule("[<during>|through|at|to|across|with] [<det>] (<emails>)", mails=True, plural=True),
    rule("[<during>|through|at|to|with] [<det>|a|an] (<one_email>)", mails=True, plural=False),
    rule("<det>"),
    rule("of|in|(of|in|from) (the|my|our)"),
    rule("[that|which] (came in|arrived|i got|i received|i have received|received)"),
    rule("[that|which] i ('ve) (got|received)"),
)

MAIL_FILTER_RULES = (*_COUNT, *_PEOPLE, *_TIME, *_STATE, *_TOPIC, *_FOLDER, *_NOUN)
