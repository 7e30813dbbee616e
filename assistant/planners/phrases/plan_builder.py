"""The plan builder: numbers steps and adds the reply."""

from collections.abc import Sequence

from assistant.runs.plan import REPLY_ACTION, Condition, Plan, Step


class PlanBuilder:
    """Numbers the steps; what a step gives is named by what `step` returns."""

    def __init__(self, goal: str) -> None:
        self._goal = goal
        self._steps: list[Step] = []
        self._when: Condition | None = None

    def step(self, action: str, **parameters: object) -> str:
        """Add a step; parameters that are None are left to their defaults."""
        given = {name: value for name, value in parameters.items() if value is not None}
        when, self._when = self._when, None
        self._steps.append(Step(len(self._steps) + 1, action, given, when=when))
        return f"$step{len(self._steps)}"

    def unless_empty(self, value: str) -> None:
        """Let the next step run only when this holds something."""
        self._when = Condition(value, "not_empty")

    def reply(self, message: str, details: str = "", artifacts: Sequence[str] = ()) -> Plan:
        """The finished plan."""
        self.step(
            REPLY_ACTION,
            message=message,
            details=details or None,
            artifacts=list(artifacts) or None,
            status="success",
        )
        return Plan(tuple(self._steps), self._goal)
