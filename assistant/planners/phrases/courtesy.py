"""Courtesy: words that carry no wish of their own, understood around every request."""

from assistant.planners.phrases.phrase_grammar import rule

COURTESY_RULES = (
    rule(", | . | ! | ? | ; | : | \u2013 | \u2014 | \u2026"),
    rule("and|then|also|and then|and also|first ,|finally|afterwards|after that"),
    rule("please|kindly|pls|thanks|thank you|thx|cheers|many thanks|thanks a lot"),
    rule("thanks in advance|thank you (so|very) much"),
    rule("hey|hi|hello|good morning|good afternoon|good evening|ok|okay|well|so|deskhand"),
    rule("now|right now|quickly|for me|at once|straight away|if you (can|could)|if possible"),
    rule("(can|could|would|will) (you|we|i)|would you mind|would you be so kind as to"),
    rule("i (would|'d) like [you] to|i (want|need) you to|i (want|need|have) to|i wish to"),
    rule("i (would|'d) like|i (want|need)"),
    rule("let (me|us)|let 's|help me|help me to|go ahead and|is it possible to|i was wondering if"),
    rule("just|briefly|in short|together"),
)
