"""Phrases: requests in ordinary English, parsed by a small grammar and turned into plans.

A request is split into words once (`tokenizer`). Each intent (`intent`) has rules in
`resources/phrases/english.toml` (`lexicon`), one line each: a pattern of words, and the slots it
fills (`phrase_pattern`, `phrase_grammar`). Rules in any order must cover every word; otherwise the
request is not understood and left to the next planner. Of several parses the one with the fewest
free words is used.

To understand another phrasing, add a rule to its intent's group in that file. A new kind of value
is one line in `vocabulary`. A new kind of request is a group of rules, a module with an `Intent`,
and one line in `INTENTS` of `phrase_planner`.
"""

from assistant.planners.phrases.phrase_planner import PhraseFirstPlanner, PhrasePlanner

__all__ = ["PhraseFirstPlanner", "PhrasePlanner"]
