"""The stepwise planner: a model calls tools, reads their outputs, and decides the next calls."""

from assistant.planners.stepwise.run_limits import Limits
from assistant.planners.stepwise.stepwise_planner import StepwisePlanner

__all__ = ["Limits", "StepwisePlanner"]
