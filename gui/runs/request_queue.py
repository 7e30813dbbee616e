"""The request queue: requests per conversation that wait for the running one."""

from collections import defaultdict, deque


class RequestQueue:
    """The requests of each conversation, in the order they were asked.

    `None` is where requests wait until there is somebody to run them.
    """

    def __init__(self) -> None:
        self._requests: defaultdict[int | None, deque[str]] = defaultdict(deque)

    def add(self, conversation: int | None, text: str) -> None:
        """Have a request wait."""
        self._requests[conversation].append(text)

    def next(self, conversation: int) -> str | None:
        """Take the request that comes next."""
        return self._requests[conversation].popleft() if self._requests[conversation] else None

    def shown(self, conversation: int | None) -> list[str]:
        """What waits in a conversation, and behind it what nobody runs yet."""
        own = self._requests[conversation] if conversation is not None else ()
        return [*own, *self._requests[None]]

    def take_back(self, conversation: int | None, number: int) -> None:
        """Drop one of those that are `shown`."""
        own = self._requests[conversation]
        if number < len(own):
            del own[number]
        else:
            del self._requests[None][number - len(own)]

    def take_early(self) -> list[str]:
        """Take everything that nobody ran yet."""
        return list(self._requests.pop(None, ()))

    def forget(self, conversation: int) -> None:
        """Drop what waits in a conversation."""
        self._requests.pop(conversation, None)

    def clear(self) -> None:
        """Drop everything."""
        self._requests.clear()
