"""Plan scores: how many requests a planner gets right."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assistant.planners.planner import NotUnderstoodError, Planner, PlanningContext
from assistant.planners.written.plan_schema import LOOK_FIRST
from assistant.runs.plan import Plan, PlanError, Step
from assistant.runs.plan_validation import validate_plan
from assistant.runs.reply import Reply
from assistant.runs.request import Exchange, Request
from tests.planning.plan_judge import CLOCK, Case, plan_fault
from tools.tool import Tool
from tools.tool_errors import ToolError


@dataclass(frozen=True)
class Score:
    """A request, what is wrong with its plan ("" for nothing), and how long it took."""

    text: str
    fault: str
    seconds: float


class LookFirstPlanner:
    """Stands where a planner would take over that looks first, so that the handing over shows."""

    async def next(self, situation: PlanningContext) -> Plan | None:
        """A plan that says so."""
        del situation
        return Plan((Step(1, LOOK_FIRST),))


async def score_case(planner: Planner, case: Case, tools: Mapping[str, Tool]) -> Score:
    """Plan a request as the agent does, a refused plan once more, and judge what came out."""
    begun = time.perf_counter()
    try:
        wrong = plan_fault(case, await _planned(planner, _situation(case, tools)), tools)
    except NotUnderstoodError:
        wrong = "not understood"
    except (PlanError, ToolError) as error:
        wrong = str(error)
    return Score(case.text, wrong, time.perf_counter() - begun)


async def _planned(planner: Planner, situation: PlanningContext) -> Plan:
    try:
        return await _checked(planner, situation)
    except PlanError as error:
        return await _checked(planner, replace(situation, rejection=str(error)))


async def _checked(planner: Planner, situation: PlanningContext) -> Plan:
    plan = await planner.next(situation)
    if plan is None:
        raise PlanError("no plan")
    looks = [step.action for step in plan.steps] == [LOOK_FIRST]
    return plan if looks else validate_plan(plan, situation.tools)


def _situation(case: Case, tools: Mapping[str, Tool]) -> PlanningContext:
    history = [Exchange(case.after, Reply("Done."), case.after_plan, "Here it is.")]
    request = Request(case.text, tuple(history if case.after else ()))
    return PlanningContext(request, tools, CLOCK)


def score_table(scores: Mapping[str, Sequence[Score]]) -> str:
    """The scores of several planners as Markdown: a line a request, and how many are right."""
    names = list(scores)
    rows = zip(*scores.values(), strict=True)
    lines = [f"| request | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
    lines += [f"| {row[0].text} | {' | '.join(_told(each) for each in row)} |" for row in rows]
    right = (sum(not each.fault for each in scores[name]) for name in names)
    lines.append(f"| **right** | {' | '.join(f'**{number}**' for number in right)} |")
    return "\n".join(lines)


def _told(score: Score) -> str:
    return f"no: {score.fault}".replace("|", "\\|") if score.fault else "yes"
