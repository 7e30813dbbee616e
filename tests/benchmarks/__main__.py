"""Runs every measurement and prints what it found; nothing here passes or fails.

python -m tests.benchmarks [name …]
"""

import importlib
import pkgutil
import sys
from collections.abc import Sequence
from pathlib import Path

FOLDER = Path(__file__).parent
PREFIX = "bench_"


def main(chosen: Sequence[str]) -> None:
    """Run the measurements named, or all."""
    names = sorted(module.name for module in pkgutil.iter_modules([str(FOLDER)]))
    known = [name.removeprefix(PREFIX) for name in names if name.startswith(PREFIX)]
    for name in chosen or known:
        print(f"\n## {name}", flush=True)
        importlib.import_module(f"tests.benchmarks.{PREFIX}{name}").main()


if __name__ == "__main__":
    main(sys.argv[1:])
