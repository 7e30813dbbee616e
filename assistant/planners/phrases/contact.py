"""A contact: somebody's address."""

from assistant.plan import Plan
from assistant.planners.phrases.draft import Draft
from assistant.planners.phrases.grammar import rule
from assistant.planners.phrases.subject import Facets, Subject

RULES = (
    rule(
        "[<ask>] {name:name} (<s>) [email|e-mail|mail|contact] (address|details|contact|contacts)"
    ),
    rule("(what is|what 's) {name:name} (<s>) (email|e-mail)"),
    rule("[<ask>] [the|an] [email|e-mail|mail] address (of|for) {name:name}"),
    rule("[<ask>] [the] contact [details] [of|for|named|called] {name:name}"),
    rule("how (can|do|could) i (reach|contact|email|write to) {name:name}"),
    rule("[do] you (have|know) {name:name} (<s>) [email|e-mail] address"),
)
EXAMPLES = ("What's Sarah's email address?", "Find contact John")


def plan_contact(facets: Facets) -> Plan | None:
    """Look somebody up."""
    if "name" not in facets:
        return None
    name = str(facets["name"])
    draft = Draft(f"Find the address of {name}")
    found = draft.step("find_contact", name=name)
    draft.unless_empty(f"{found}.contacts")
    return draft.reply(f"Here is what I know of {name} ({found}.count found).", found)


CONTACT = Subject.of(*RULES, plan=plan_contact, examples=EXAMPLES)
