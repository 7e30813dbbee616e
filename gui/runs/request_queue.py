"""The request queue: requests per conversation that wait for the running one."""

from collections import defaultdict, deque


class RequestQueue:
    """Queues the requests of each conversation by its ID, first in, first out.

    The queue of `None` holds early requests: those submitted before requests can be run.
    """

    def __init__(self) -> None:
        self._requests: defaultdict[int | None, deque[str]] = defaultdict(deque)

    def add(self, conversation: int | None, text: str) -> None:
        """Append a request."""
        self._requests[conversation].append(text)

    def next(self, conversation: int) -> str | None:
        """Remove and return the next request; None if there is none."""
        return self._requests[conversation].popleft() if self._requests[conversation] else None

    def listed(self, conversation: int | None) -> list[str]:
        """Return the requests of a conversation, followed by the early requests."""
        own = self._requests[conversation] if conversation is not None else ()
        return [*own, *self._requests[None]]

    def take_back(self, conversation: int | None, number: int) -> None:
        """Remove a request by its index in `listed`."""
        own = self._requests[conversation]
        if number < len(own):
            del own[number]
        else:
            del self._requests[None][number - len(own)]

    def take_early(self) -> list[str]:
        """Remove and return the early requests."""
        return list(self._requests.pop(None, ()))

    def forget(self, conversation: int) -> None:
        """Remove all requests of a conversation."""
        self._requests.pop(conversation, None)

    def clear(self) -> None:
        """Remove all requests."""
        self._requests.clear()
