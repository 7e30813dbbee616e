"""The error of a Google account: what its person can do about it, and for which account."""

from tools.accounts.google.permissions import Permission
from tools.remedy import Remedy
from tools.tool import ToolError


class GoogleAccountError(ToolError):
    """Something about signing in to Google, or about an account that was signed in to.

    `account` is the account's name and `permission` what it lacks, where it is about one; a
    remedy needs both.
    """

    def __init__(
        self,
        words: str,
        remedy: Remedy | None = None,
        *,
        account: str = "",
        permission: Permission | None = None,
    ) -> None:
        super().__init__(words, remedy)
        self.account = account
        self.permission = permission
