"""Requests between chat and agent: session, queue, open turns and approval."""
