"""The first frame: when it was, and what memory was resident by then."""

import json
import os
import sys
from pathlib import Path
from time import monotonic


def tell_frame(**more: object) -> None:
    """Print both as JSON, for whoever started the process; memory is known on Linux only."""
    statm = Path("/proc/self/statm")
    pages = int(statm.read_text().split()[1]) if statm.exists() else 0
    resident = pages * os.sysconf("SC_PAGE_SIZE")
    sys.stdout.write(json.dumps({"moment": monotonic(), "resident": resident, **more}))
