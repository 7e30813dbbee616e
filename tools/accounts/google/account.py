"""A Google account: the grant of one person, kept, renewed and given to whoever calls Google."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tools.accounts.google.client import GoogleClient
from tools.accounts.google.endpoints import Endpoints
from tools.accounts.google.grant import Grant
from tools.accounts.google.permissions import Permission
from tools.accounts.secrets import Secrets
from tools.moments import Clock

if TYPE_CHECKING:
    from google.auth.transport.requests import AuthorizedSession

State = Literal["ready", "signed_out", "locked", "absent"]


@dataclass(frozen=True)
class Standing:
    """How it stands with an account, as it was last seen; nothing is asked for it.

    `locked`: the keyring cannot be asked. `absent`: nobody signed in yet. `lasting`: False where
    the sign-in ends with the program, as the keyring did not take it.
    """

    state: State
    words: str
    granted: frozenset[Permission] = frozenset()
    wanted: frozenset[Permission] = frozenset()
    lasting: bool = True


class GoogleAccount:
    """One account at Google, by the name that its person gave it.

    Nothing is asked, of the keyring or of Google, before the first call.
    """

    def __init__(
        self,
        name: str,
        address: str,
        client: GoogleClient,
        secrets: Secrets,
        endpoints: Endpoints,
        *,
        clock: Clock,
        secret_name: str = "",
        given: Grant | None = None,
    ) -> None:
        """Make one.

        Args:
            name: what its person calls it.
            address: its mail address.
            client: what Google knows this program by.
            secrets: where its grant is kept.
            endpoints: where Google is.
            clock: tells when a token ends.
            secret_name: what its grant is kept under; "google:<address>" if not given.
            given: a grant of the environment, which is used for this run and kept nowhere.
        """
        raise NotImplementedError

    @property
    def standing(self) -> Standing:
        """How it stands, as it was last seen."""
        raise NotImplementedError

    async def look(self) -> Standing:
        """How it stands; asks the keyring where that was not done yet, and never Google."""
        raise NotImplementedError

    async def authorized(self, permission: Permission) -> "AuthorizedSession":
        """A session that may do what `permission` says; its token lives for minutes at least.

        It is the same one each time, for use in several threads at once. It neither renews nor
        repeats by itself: after a 401 call `renew` with `session.credentials.token`, once.

        Raises:
            GoogleAccountError: the person has not allowed it, or has to sign in again.
            KeyringError: the keyring cannot be asked.
        """
        raise NotImplementedError

    async def renew(self, stale_token: str) -> "AuthorizedSession":
        """The session with another access token than `stale_token`, which Google did not take.

        Raises:
            GoogleAccountError: as `authorized`.
        """
        raise NotImplementedError

    async def take(self, grant: Grant) -> None:
        """Use and keep the grant of a sign-in; where no keyring takes it, for this session."""
        raise NotImplementedError

    async def disconnect(self) -> None:
        """Revoke the grant and keep it no longer.

        Raises:
            GoogleAccountError: Google could not be told; it is forgotten here all the same.
            KeyringError: the keyring does not forget it.
        """
        raise NotImplementedError

    async def close(self) -> None:
        """End what is under way, and the connections."""
        raise NotImplementedError
