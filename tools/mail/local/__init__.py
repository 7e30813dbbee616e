"""Local mail: Maildir and mbox accounts on this disk, indexed in SQLite."""
