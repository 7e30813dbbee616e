"""Phrases: requests in ordinary English, understood by a small grammar and made into plans.

A request is taken apart into words once (`words`). Each subject (`subjects`) has rules, one line
each: how something is said and what it says (`grammar`, `pattern`). Rules laid end to end, in any
order, must account for every word; otherwise the request is not understood and is left to
whoever comes next. Among several ways the one wins that leaves the fewest words to free text.

To understand a new way of saying something known, add one line to the rules of its subject. A new
kind of value is one line in `vocabulary`. Something new to ask for is a module with a `Subject`,
and one line in `subjects`.
"""

from assistant.planners.phrases.phrase_planner import PhrasePlanner

__all__ = ["PhrasePlanner"]
