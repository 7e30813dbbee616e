"""The written planner: a model writes the whole plan in one call, under a strict schema."""

from assistant.planners.written.written_planner import WrittenPlanner

__all__ = ["WrittenPlanner"]
