"""Known phrases: requests that the built-in planner wholly understands need no model."""

import re
from dataclasses import dataclass

from assistant.planners.phrases import PhrasePlanner
from assistant.planners.planner import Planner, PlanningContext
from assistant.runs.plan import Plan

_REFERS_BACK = re.compile(
    r"""(?xi) \b (?:
        its? | that | this | these | those | them | they | their | he | him | his | she | hers?
      | ones? | same | again | too | also | instead | previous | above | earlier | more | others?
      | another | rest
    ) \b
    (?! \s+ (?: minute | hour | morning | noon | afternoon | evening | night | day | week | weekend
      | month | quarter | year | (?: mon | tues | wednes | thurs | fri | satur | sun ) day ) s? \b )
    """
)


@dataclass(frozen=True)
class PhraseFirstPlanner:
    """Plans known phrases at once and for nothing; all else is left to the planner after it."""

    phrases: PhrasePlanner
    then: Planner

    async def next(self, situation: PlanningContext) -> Plan | None:
        """The plan for a phrase that needs nothing said before, else what the other makes of it."""
        return self._known(situation) or await self.then.next(situation)

    def _known(self, situation: PlanningContext) -> Plan | None:
        request = situation.request
        points_back = bool(request.history and _REFERS_BACK.search(request.text))
        if points_back or situation.refusal or situation.done:
            return None
        return self.phrases.understand(request.text, situation.tools)
