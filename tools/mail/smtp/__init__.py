"""SMTP: sending through any mail server with an address and an app password."""
