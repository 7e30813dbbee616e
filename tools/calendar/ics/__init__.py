"""iCalendar (.ics) files: reading, recurrence expansion and editing in place."""
