"""A given plan: one that came ready-made, over the bus or from a test."""

from dataclasses import dataclass

from assistant.plan import Plan, PlanError, read_plan
from assistant.planners.planner import Situation


@dataclass(frozen=True)
class GivenPlan:
    """A planner that has one plan: a `Plan`, or one in any form that `read_plan` takes."""

    written: object

    async def next(self, situation: Situation) -> Plan | None:
        """The plan; it does not get better by being refused.

        Raises:
            PlanError: there is no plan in what was given, or it was refused before.
        """
        if situation.refusal:
            raise PlanError(situation.refusal)
        return self.written if isinstance(self.written, Plan) else read_plan(self.written)
