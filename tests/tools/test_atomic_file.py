import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tools.atomic_file import create_file, replace_file, sync_folder


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_is_replaced_and_nothing_else_remains(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(b"old")

    replace_file(path, b"new")

    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("durable", [True, False])
def test_a_missing_file_is_created_for_its_owner_alone(tmp_path: Path, *, durable: bool) -> None:
    replace_file(tmp_path / "a.txt", b"new", keep_mode=True, durable=durable)

    assert (tmp_path / "a.txt").read_bytes() == b"new"
    assert mode_of(tmp_path / "a.txt") == 0o600


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_the_permissions_of_a_file_are_kept_on_request(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "shared.ics"
    path.write_bytes(b"old")
    path.chmod(mode)

    replace_file(path, b"new", keep_mode=True)

    assert mode_of(path) == mode


def test_a_file_becomes_private_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "secrets"
    path.write_bytes(b"old")
    path.chmod(0o644)

    replace_file(path, b"new")

    assert mode_of(path) == 0o600


def test_a_symbolic_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"of another program")
    (tmp_path / "link").symlink_to(target)

    replace_file(tmp_path / "link", b"new")

    assert target.read_bytes() == b"of another program"
    assert not (tmp_path / "link").is_symlink()


def test_a_failed_check_leaves_the_old_content(tmp_path: Path) -> None:
    path = tmp_path / "a.ics"
    path.write_bytes(b"old")

    def check() -> None:
        raise ValueError("changed meanwhile")

    with pytest.raises(ValueError, match="changed meanwhile"):
        replace_file(path, b"new", check=check)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_replacement_leaves_no_temporary_file(tmp_path: Path) -> None:
    (tmp_path / "folder" / "inner").mkdir(parents=True)

    with pytest.raises(OSError, match="folder"):
        replace_file(tmp_path / "folder", b"new")
    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]


def test_a_temporary_file_can_lie_in_another_folder(tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    (tmp_path / "cur").mkdir()
    seen: list[str] = []

    replace_file(
        tmp_path / "cur" / "mail",
        b"new",
        temporary_folder=tmp_path / "tmp",
        check=lambda: seen.extend(path.parent.name for path in tmp_path.glob("*/*")),
    )

    assert seen == ["tmp"]
    assert [path.parent.name for path in tmp_path.glob("*/*")] == ["cur"]


def test_readers_see_the_old_or_the_new_content(tmp_path: Path) -> None:
    path = tmp_path / "a"
    contents = {bytes([letter]) * 100_000 for letter in b"ab"}
    path.write_bytes(b"a" * 100_000)

    with ThreadPoolExecutor(1) as thread:
        writing = [
            thread.submit(replace_file, path, content)
            for content in sorted(contents)
            for _ in "12345"
        ]
        while not all(one.done() for one in writing):
            assert path.read_bytes() in contents


def test_a_new_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    create_file(tmp_path / "a.txt", b"x")
    assert mode_of(tmp_path / "a.txt") == 0o600


def test_a_file_that_is_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"old")
    with pytest.raises(FileExistsError):
        create_file(tmp_path / "a.txt", b"new")
    assert (tmp_path / "a.txt").read_bytes() == b"old"


def test_a_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        create_file(tmp_path / "a.txt", "no bytes")  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        sync_folder(tmp_path / "missing")
