"""Properties of the built-in planner over generated requests."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.planners.phrases import PhrasePlanner
from assistant.planners.phrases.phrase_planner import plan_search
from assistant.planners.planner import NotUnderstoodError, PlanningContext
from assistant.runs.plan import REPLY_ACTION, Plan
from assistant.runs.plan_validation import validate_plan
from assistant.runs.request import Request
from tests.assistant.planners.declared_tools import CLOCK, declared_tools
from tests.assistant.planners.phrases.phrasings import steps_of
from tools.mail.search.query import And, Before, InFolder, Since, Words
from tools.mail.search.query_syntax import parse_query
from tools.tool import Tool

PLANNER = PhrasePlanner()

SENDERS = ["from Sarah", "from john@example.com", "sent by Bob Smith", "by Ann"]
TIMES = ["since Monday", "from the past 2 hours", "from yesterday", "from last week", "today"]
TOPICS = ["about the budget", 'about "project apollo"', "regarding Lisbon", "with subject Invoice"]
STATES = ["with attachments", "that are unread", "in my archive"]
GOALS = ["", "Summarise", "Please read", "Could you please show me", "hey, list", "Find"]
THEN = ["", " and create a report", " as a PDF", " and focus on action items"]
BEFORE = ["", "please ", "hey, ", "Could you ", "I'd like you to ", "Hello! Would you kindly "]
AFTER = ["", " please", ", thanks", "!", ". Thank you very much!", " for me?"]

SYNTAX = [
    *["OR", "AND", "and", "NOT", "AROUND", "-budget", "+x", "from:bob", "is:unread", "in:sent"],
    *["budget", "{a", "b}", "(c", "d)", "|", "a:b", "9:30", "x@y.example", "l'été", "AT&T", "C++"],
]

modifiers = st.lists(st.sampled_from([SENDERS, TIMES, TOPICS, STATES]), unique_by=id, min_size=1)
some = modifiers.flatmap(lambda kinds: st.tuples(*(st.sampled_from(kind) for kind in kinds)))
words = st.sampled_from(
    sorted(
        {
            word
            for each in [*SENDERS, *TIMES, *TOPICS, *STATES, *GOALS, *THEN, "it to me not or"]
            for word in each.split()
        }
    )
)


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Tool]:
    return declared_tools(tmp_path_factory.mktemp("profile"))


def steps(text: str, tools: Mapping[str, Tool]) -> object:
    plan = PLANNER.understand(text, tools)
    assert plan is not None, text
    return steps_of(plan)


def assert_sound(plan: Plan, tools: Mapping[str, Tool]) -> None:
    """Ids in order, references only to earlier steps, and a reply at the end."""
    assert [step.id for step in plan.steps] == list(range(1, len(plan.steps) + 1))
    for step in validate_plan(plan, tools).steps:
        assert all(id < step.id for id in step.dependencies)
    assert [step.action for step in plan.steps].count(REPLY_ACTION) == 1
    assert plan.steps[-1].action == REPLY_ACTION


@pytest.mark.slow
@settings(deadline=None, max_examples=150)
@given(said=some, goal=st.sampled_from(GOALS), then=st.sampled_from(THEN), data=st.data())
def test_the_order_of_words_makes_no_difference(
    tools: Mapping[str, Tool], said: tuple[str, ...], goal: str, then: str, data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(said))
    first = f"{goal} emails {' '.join(said)}{then}"
    assert steps(first, tools) == steps(f"{goal} emails {' '.join(shuffled)}{then}", tools)
    in_front = f"{', '.join(said)}: {goal} emails{then}"
    assert steps(first, tools) == steps(in_front, tools)


@pytest.mark.slow
@settings(deadline=None, max_examples=150)
@given(
    said=some,
    goal=st.sampled_from(["Summarise", "read", "show me"]),
    before=st.sampled_from(BEFORE),
    after=st.sampled_from(AFTER),
)
def test_courtesy_makes_no_difference(
    tools: Mapping[str, Tool], said: tuple[str, ...], goal: str, before: str, after: str
) -> None:
    request = f"{goal} emails {' '.join(said)}"
    assert steps(f"{before}{request}{after}", tools) == steps(request, tools)


@pytest.mark.slow
@settings(deadline=None, max_examples=300)
@given(text=st.text(max_size=300) | st.lists(words, max_size=25).map(" ".join))
def test_any_text_gives_a_sound_plan_or_is_not_understood(
    tools: Mapping[str, Tool], text: str
) -> None:
    with suppress(NotUnderstoodError):
        plan = asyncio.run(PLANNER.next(PlanningContext(Request(text), tools, CLOCK)))
        assert plan is not None
        assert_sound(plan, tools)


@pytest.mark.slow
@settings(deadline=None, max_examples=200)
@given(
    topic=st.text(st.characters(exclude_characters='"“”„', exclude_categories=["C"]), min_size=1)
    | st.lists(st.sampled_from(SYNTAX), min_size=1, max_size=5).map(" ".join)
)
def test_words_of_a_topic_become_operators_only_where_they_name_a_time(
    tools: Mapping[str, Tool], topic: str
) -> None:
    for request in (f"search my emails for {topic}", f'emails about "{topic}"'):
        plan = None if plan_search(request) else PLANNER.understand(request, tools)
        if plan is not None and plan.steps[0].action == "search_emails":
            term = parse_query(plan.steps[0].parameters["query"], CLOCK).term
            terms = term.terms if isinstance(term, And) else (term,)
            assert all(isinstance(each, Words | Since | Before | InFolder) for each in terms)


@pytest.mark.parametrize("order", list(permutations(["from:bob", "OR", "-budget", "is:unread"], 2)))
def test_quoted_search_syntax_is_searched_literally(
    order: tuple[str, ...], tools: Mapping[str, Tool]
) -> None:
    typed = " ".join(order)
    assert steps(f'emails about "{typed}"', tools) == (("search_emails", {"query": f'"{typed}"'}),)


@pytest.mark.parametrize("typed", ["from:bob", "is:unread OR -budget", "{to:bob cc:bob} tax"])
def test_a_request_to_search_a_field_is_searched_as_it_was_typed(
    typed: str, tools: Mapping[str, Tool]
) -> None:
    request = f"search my emails for {typed}"
    assert steps(request, tools) == (("search_emails", {"query": typed}),)


@pytest.mark.parametrize("typed", ["-budget", "budget OR invoice"])
def test_search_syntax_without_a_field_is_not_half_understood(
    typed: str, tools: Mapping[str, Tool]
) -> None:
    assert PLANNER.understand(f"search my emails for {typed}", tools) is None
