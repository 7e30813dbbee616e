"""Mail rules: how people ask for mail to be read, found, summarised, written up and sent on."""

from assistant.planners.phrases import mail_filter_rules
from assistant.planners.phrases.phrase_grammar import rule

SELF = "SELF_EMAIL_RECIPIENT"

_SHOW = (
    rule(
        "(read|show|list|get|check|see|view|display|fetch|give|take) [me|us] [out|through]",
        asked=True,
    ),
    rule("(pull up|bring up|look at|look through|go through|scan|tell me) [about]", asked=True),
    rule("(reading|showing|listing|getting|checking|fetching|giving) [me|us]", asked=True),
    rule("what (came in|arrived|did i get|did i receive|have i received)", asked=True, mails=True),
    rule("(open|open up)|(check|look) for|[a|the] list of", asked=True),
    rule(
        "(did|has) (anyone|anybody) (write|written|email|emailed) [to] [me|us]",
        asked=True,
        mails=True,
    ),
    rule("(has|have) (anything|something) (come in|arrived)", asked=True, mails=True),
    rule("what (is|'s|are|was|were) [there] [new]|what do i have|what have i got", asked=True),
    rule(
        "what 's new|what is new|anything new|(is|are) there [anything|any] new",
        asked=True,
        mails=True,
    ),
    rule("(do|did|have|has) i (have|get|got|receive|received) [any|some]", asked=True),
    rule(
        "(have|did) i (have|get|got|receive|received) (anything|something)", asked=True, mails=True
    ),
    rule("(is|are) there [any]|any|which|what", asked=True),
    rule("anything|something", asked=True, mails=True),
    rule(
        "(did|has) {sender:who} (write|written|email|emailed|reply|replied|answer) [to] [me|us]",
        asked=True,
        mails=True,
    ),
    rule("(did|has) {sender:who} (send|sent) (me|us) [anything|something]", asked=True, mails=True),
    rule(
        "what (did|has) {sender:who} (say|said|write|written|send|sent|want) [me|to me]",
        asked=True,
        mails=True,
    ),
    rule("(did i get|have i got|i got|did i receive|have i received|do i have)", asked=True),
)
_SEARCH = (
    rule(
        "(search|look|find|hunt|look up|search for|look for|hunt for) [me] [in|through]", asked=True
    ),
    rule(
        "(search|look|look through) [in|through|within] [<det>] (<mails>) for {topic:topic}",
        asked=True,
        mails=True,
    ),
    rule(
        "(search for|look for|find) {topic:topic} (in|within) [<det>] (<mails>)",
        asked=True,
        mails=True,
    ),
)
_SUMMARISE = (
    rule("(summarise|summarize|sum up|recap|digest|condense) [<them>]", summary=True),
    rule("(summarising|summarizing) [<them>]|sum (<them>) up", summary=True),
    rule("(brief|update|fill in) me [on|about]|(catch|fill) me (up|in) [on|with]", summary=True),
    rule("bring me up to (speed|date) [on|with]|get me up to speed [on|with]", summary=True),
    rule(
        "[<make>|show me|prepare me] [me] [a|the|an] [<short>] (<summary>) [<of>] [<them>]",
        summary=True,
    ),
    rule("(with|in|into|as) [a] [<short>] (<summary>) [<of>]", summary=True),
    rule("what (did i miss|have i missed|did we miss) [in]", summary=True, mails=True),
    rule("what happened [in]|about ?", summary=True),
    rule("what (is|are|was|were) [<det>] (<mails>) about", summary=True, mails=True),
)
_FOCUS = (
    rule(
        "(focus|focusing|focussing|focused|concentrate|concentrating) [only] on {focus:text}",
        summary=True,
    ),
    rule("with [a|the] [special|particular] (focus|emphasis) on {focus:text}", summary=True),
    rule(
        "(highlight|highlighting|emphasise|emphasize|emphasising|stressing) [the|any] {focus:text}",
        summary=True,
    ),
    rule(
        "(just|only|especially|particularly|mainly) [the|any|my] {focus:focus} [in|from|of]",
        summary=True,
    ),
    rule("[what are] [the|any|my|all the] {focus:focus} (in|from|of)", summary=True),
    rule(
        "(extract|pull out|pick out|list|find|get|show|give) [me] [the|any|my|all|all the]"
        " {focus:focus} [out] [in|from|of]",
        summary=True,
    ),
)
_DOCUMENT = (
    rule(
        "[<make>] [me] [<a>|it] [<short>|summary|email] (<report>|file) [<of>|with] [<them>]",
        document=True,
    ),
    rule(
        "[<make>] [me] [<a>] {format:format} [<report>|file|version] [<of>|with|out of] [<them>]",
        document=True,
    ),
    rule("[as|in|into|to] [a|an] {format:format} [<report>|file|format|form]", document=True),
    rule(
        "(as|in|into|to) (a|one) [<short>|summary|nice|email] (<report>|file)"
        " [in|as] [a|an] {format:format} [format]",
        document=True,
    ),
    rule("(as|in|into|to) [a|an|one] [<short>|summary|nice|email] (<report>|file)", document=True),
    rule("(save|export|convert|turn|write|store|document) [<them>] [up|down|out]", document=True),
    rule("put [<them>] [down|together]", putting=True),
    rule("report on", document=True),
)
_SEND = (
    rule("(email|e-mail|send|mail) [<them>] [over|on|off]", sending=True),
    rule("(email|e-mail|mail|send) me [<them>|a copy|a copy of it]", sending=True, to=SELF),
    rule("(email|e-mail|mail|send) {to:address} [<them>|a copy|a copy of it]", sending=True),
    rule("(email|e-mail|mail|send) {to_name:name} [<them>]", sending=True),
    rule("send (me|myself) an (<email>) with", sending=True, to=SELF),
    rule("send an (<email>) to {to:address} with", sending=True),
    rule("to (<self>)", to=SELF),
    rule("to {to:address}|to {to_name:name}"),
    rule("(by|via|per) (email|e-mail|mail)"),
)
MAIL_EXAMPLES = (
    "Read my latest 5 emails",
    "Summarize emails from the past hour",
    "Show unread emails from Sarah",
    "Show me today's emails",
    "Search my emails for invoices",
    "Read the latest email from Sarah",
    "Summarize today's emails and focus on action items",
    "Read the latest 10 emails, summarize them, and create a report",
    "Summarize this week's emails as a PDF",
    "Summarize today's emails and email it to me",
)

MAIL_RULES = (
    *_SHOW,
    *_SEARCH,
    *_SUMMARISE,
    *_FOCUS,
    *_DOCUMENT,
    *_SEND,
    *mail_filter_rules.MAIL_FILTER_RULES,
)
