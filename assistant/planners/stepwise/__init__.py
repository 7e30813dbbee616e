"""The stepwise planner: a model calls tools, looks at what they give, and goes on from there."""

from assistant.planners.stepwise.run_limits import Limits
from assistant.planners.stepwise.stepwise_planner import StepwisePlanner

__all__ = ["Limits", "StepwisePlanner"]
