"""Files, mails and events a reply produced: list, preview and safe opening."""
