"""Planning: the planner that was chosen, over the model that was chosen."""

from assistant.model.prompt import LanguageModel
from assistant.planners.phrases import PhrasePlanner
from assistant.planners.planner import Planner
from assistant.settings import Planning


def chosen_planner(planning: Planning, model: LanguageModel | None) -> Planner:
    """The planner to ask; without a model nothing that needs one is imported."""
    if model is None or planning.planner == "built-in":
        return PhrasePlanner()
    from assistant.planners.known import KnownPhrases  # noqa: PLC0415
    from assistant.planners.stepwise import StepwisePlanner  # noqa: PLC0415
    from assistant.planners.written import WrittenPlanner  # noqa: PLC0415

    stepwise = StepwisePlanner(model)
    if planning.planner == "stepwise":
        return stepwise
    written = WrittenPlanner(model, then=stepwise)
    return KnownPhrases(PhrasePlanner(), written) if planning.known_phrases else written
