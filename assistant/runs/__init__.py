"""A run: request, plan, checked steps, execution, events and reply."""
