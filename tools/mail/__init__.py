"""Mail: messages, mailboxes, reading and sending."""
