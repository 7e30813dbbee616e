"""The planner itself: it has one talk with the model for each run."""

from dataclasses import dataclass, field

from assistant.model.prompt import LanguageModel
from assistant.plan import Plan
from assistant.planners.planner import Situation
from assistant.planners.stepwise.limits import Limits
from assistant.planners.stepwise.talk import Talk


@dataclass(frozen=True, eq=False)
class StepwisePlanner:
    """Has a model decide round by round, until it answers or a limit is reached."""

    model: LanguageModel
    limits: Limits = field(default_factory=Limits)

    async def next(self, situation: Situation) -> Plan | None:
        """The calls that the model asks for now, or the reply.

        Raises:
            LimitError: the model came to no end within the limits.
            ModelError: there is no answer from the model.
        """
        talk = situation.memory.get(self)
        if talk is None:
            talk = situation.memory[self] = Talk(self.model, self.limits, situation)
        return await talk.next(situation)
