"""OAuth errors of a Google account, with the remedy for each."""

from tools.tool_errors import Remedy, ToolError


class GoogleAccountError(ToolError):
    """Something about signing in to Google, or about an account that was signed in to."""


class TokenRefusedError(GoogleAccountError):
    """Google gave no token; `reason` is its OAuth error code, such as `invalid_grant`."""

    def __init__(self, words: str, remedy: Remedy | None = None, *, reason: str) -> None:
        super().__init__(words, remedy)
        self.reason = reason


class TokenUnavailableError(GoogleAccountError):
    """Google could not be asked for a token, or answered with none; it may later.

    `busy` says that it asked to be left alone, for `wished` seconds if it said how long.
    """

    def __init__(self, words: str, *, busy: bool = False, wished: float | None = None) -> None:
        super().__init__(words, Remedy.TRY_AGAIN)
        self.busy = busy
        self.wished = wished
