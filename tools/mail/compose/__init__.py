"""Compose: outgoing messages with their attachments, replies, forwards and drafts."""
