"""Options of the whole test suite: `--quick` runs what needs no process, display or network."""

import sys
import threading
from collections.abc import Iterator

import pytest
from hypothesis import settings

_PROCESS_EVENTS = {"subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn"}
_LEFT_OUT = ("corpus", "desktop", "process", "slow")
_LOOPBACK = ("127.", "::1", "localhost")

settings.register_profile("default", deadline=None)  # a busy machine fails no test
settings.register_profile("quick", deadline=None, max_examples=20)
settings.load_profile("default")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--quick`."""
    parser.addoption(
        "--quick",
        action="store_true",
        help="leave out slow tests and all that start a process or use another computer",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Watch what tests do where only quick ones are wanted."""
    if config.getoption("--quick"):
        settings.load_profile("quick")
        config.pluginmanager.register(_QuickTests())


class _QuickTests:
    """Skips a test at the moment it starts a process or connects to another computer."""

    def __init__(self) -> None:
        self._is_running = False
        sys.addaudithook(self._audit)

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Leave out the tests that are marked."""
        marked = [item for item in items if any(map(item.get_closest_marker, _LEFT_OUT))]
        config.hook.pytest_deselected(items=marked)
        items[:] = [item for item in items if item not in set(marked)]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Iterator[None]:
        """Watch one test with its fixtures."""
        self._is_running = True
        try:
            return (yield)
        finally:
            self._is_running = False

    def _audit(self, event: str, arguments: tuple[object, ...]) -> None:
        in_test = threading.current_thread() is threading.main_thread()
        if not (self._is_running and in_test):  # a skip would end no test from another thread
            return
        if event in _PROCESS_EVENTS:
            pytest.skip("starts a process")
        if event == "socket.connect" and _is_remote(arguments[1]):
            pytest.skip("uses the network")


def _is_remote(address: object) -> bool:
    return isinstance(address, tuple) and not str(address[0]).startswith(_LOOPBACK)
