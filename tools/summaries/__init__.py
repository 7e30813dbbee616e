"""Email summaries: sentence features, ranking, topics, and extractive or generated summaries."""
