"""Imports: reading local mail loads neither the other providers nor their libraries."""

import subprocess
import sys

FORBIDDEN = {
    *("tools.mail.gmail", "tools.mail.smtp", "tools.mail.compose", "tools.accounts"),
    *("email.message", "email.utils", "google", "googleapiclient", "selectolax", "smtplib"),
}


def test_reading_local_mail_imports_no_other_provider() -> None:
    program = (
        "import sys, tools.mail.local.mailbox, tools.mail.mail_reading; print(*sorted(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    loaded = set(done.stdout.decode().split())
    assert "tools.mail.local.index" in loaded
    assert not FORBIDDEN & loaded
