"""Server-sent events: the data of each, out of the bytes of a stream."""

_END = b"[DONE]"


class ServerEvents:
    """Takes bytes as they come and gives the data of every event that they complete.

    https://html.spec.whatwg.org/multipage/server-sent-events.html
    """

    def __init__(self) -> None:
        self._unread = b""
        self.done = False

    def of(self, chunk: bytes) -> list[bytes]:
        """The data of each event that is whole now; "[DONE]" is none, it sets `done`."""
        unread = self._unread + chunk
        if b"\r" in unread:
            unread = unread.replace(b"\r\n", b"\n")
        *events, self._unread = unread.split(b"\n\n")
        return [data for event in events if (data := self._data(event))]

    def rest(self) -> list[bytes]:
        """The data of an event that the end of the stream completes."""
        return self.of(b"\n\n")

    def _data(self, event: bytes) -> bytes:
        if event.startswith(b"data:") and b"\n" not in event:
            data = event[5:].strip()
        else:
            lines = [line[5:].strip() for line in event.split(b"\n") if line.startswith(b"data:")]
            data = b"\n".join(lines)
        if data == _END:
            self.done = True
            return b""
        return data
