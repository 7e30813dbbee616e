import os
import socket
import stat
import tempfile
from pathlib import Path

import pytest

from assistant.bus.socket_address import (
    MAX_PATH_BYTES,
    create_socket_folder,
    is_private,
    socket_address,
)

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pipes have no paths")


@pytest.mark.parametrize("length", [10, 60, 86, 87, 88, 100, 200])
@pytest.mark.parametrize("runtime", ["", "/run/user/1000", "/run/user/" + "9" * 80])
def test_every_profile_has_a_valid_socket_path(length: int, runtime: str) -> None:
    address = socket_address(Path("/" + "p" * (length - 1)), {"XDG_RUNTIME_DIR": runtime})
    assert Path(address).is_absolute()
    assert len(address) <= MAX_PATH_BYTES


def test_the_socket_is_in_the_profile_or_the_runtime_or_temporary_folder() -> None:
    short, long = Path("/home/ana/.local/share/deskhand"), Path("/" + "p" * 120)
    runtime = {"XDG_RUNTIME_DIR": "/run/user/1000"}
    assert socket_address(short, runtime).startswith(f"{short}/run/")
    assert socket_address(long, runtime).startswith("/run/user/1000/deskhand-")
    assert socket_address(long, {}).startswith(f"{tempfile.gettempdir()}/deskhand-")


def test_two_profiles_never_share_an_address() -> None:
    one, other = Path("/" + "p" * 120), Path("/" + "p" * 121)
    assert socket_address(one, {}) != socket_address(other, {})


def test_path_length_is_measured_in_bytes() -> None:
    assert not socket_address(Path("/" + "ü" * 60), {}).startswith("/ü")


def test_the_socket_folder_is_private(tmp_path: Path) -> None:
    address = socket_address(tmp_path, {})
    create_socket_folder(address)
    create_socket_folder(address)
    assert stat.S_IMODE(Path(address).parent.stat().st_mode) == 0o700
    with socket.socket(socket.AF_UNIX) as end:
        end.bind(address)
    assert is_private(address)


@pytest.mark.parametrize("mode", [0o755, 0o710, 0o777])
def test_a_folder_open_to_others_is_refused(tmp_path: Path, mode: int) -> None:
    address = socket_address(tmp_path, {})
    create_socket_folder(address)
    Path(address).parent.chmod(mode)
    assert not is_private(address)
    with pytest.raises(PermissionError):
        create_socket_folder(address)


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root gives away")
def test_a_folder_of_another_user_is_refused(tmp_path: Path) -> None:
    address = socket_address(tmp_path, {})
    create_socket_folder(address)
    os.chown(Path(address).parent, 65534, 65534)
    with pytest.raises(PermissionError):
        create_socket_folder(address)


def test_a_symlink_instead_of_the_folder_is_refused(tmp_path: Path) -> None:
    address = socket_address(tmp_path, {})
    Path(address).parent.symlink_to(tmp_path, target_is_directory=True)
    with pytest.raises(PermissionError):
        create_socket_folder(address)
