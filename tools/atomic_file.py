"""Atomic files: a file is replaced or created as a whole and flushed to disk, or not at all."""

import errno
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

TEMPORARY_PREFIX = ".part-"
"""How the names of temporary files begin, which a crash may leave behind."""
_NOT_SYNCABLE = {errno.EINVAL, errno.ENOTSUP}  # file systems that cannot flush a folder


def replace_file(
    path: Path,
    content: bytes,
    *,
    keep_mode: bool = False,
    durable: bool = True,
    temporary_folder: Path | None = None,
    check: Callable[[], object] | None = None,
) -> None:
    """Replace a file, or create it: readers see all of the old content or all of the new.

    Args:
        path: The file. A symbolic link is replaced, not followed.
        content: The whole new content.
        keep_mode: Keep the permissions of an existing file; else they become 0600.
        durable: Flush the file and its folder to disk; False is faster, for many files that can be
            created again, such as those of the sample.
        temporary_folder: Where the content is written first, on the same file system; by default
            the folder of the file.
        check: Called last before the replacement; an exception it raises prevents that.

    Raises:
        OSError: The file could not be written; it is unchanged, and no temporary file remains.
    """
    with _temporary_file(content, temporary_folder or path.parent, durable=durable) as temporary:
        if keep_mode and path.exists():
            temporary.chmod(path.stat().st_mode & 0o777)
        if check is not None:
            check()
        temporary.replace(path)
    if durable:
        sync_folder(path.parent)


def create_file(path: Path, content: bytes) -> None:
    """Create a file with the permissions 0600; never overwrite one.

    The name is reserved by an empty file, which is then replaced, so that no reader sees half of
    the content.

    Raises:
        FileExistsError: The name is taken, even by a dangling symbolic link.
        OSError: The file could not be written; nothing of it remains.
    """
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        replace_file(path, content)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to disk, where the system can do that."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:  # Windows opens no folders
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NOT_SYNCABLE:
            raise
    finally:
        os.close(descriptor)


@contextmanager
def _temporary_file(content: bytes, folder: Path, *, durable: bool) -> Iterator[Path]:
    """Write content to a hidden file with the permissions 0600, removed at the end."""
    descriptor, name = tempfile.mkstemp(prefix=TEMPORARY_PREFIX, dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)
