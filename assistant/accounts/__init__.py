"""Connected accounts: status, connecting and disconnecting, and their mailboxes and calendars."""
