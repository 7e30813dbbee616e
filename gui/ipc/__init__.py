"""Inter-process communication: the local socket of the running instance and its approvals."""
