"""Tool errors: failures a user can act on, each with the remedy a button can offer."""

from enum import StrEnum


class Remedy(StrEnum):
    """A remedy for a failure, offered as a button under the reply."""

    CONNECT_MODEL = "connect_model"  # no model is connected
    MODEL_KEY = "model_key"  # the API key is missing or wrong
    CHOOSE_MODEL = "choose_model"  # the server does not have this model
    MODEL_SETTINGS = "model_settings"  # address, context size and the like
    SPENDING_CAP = "spending_cap"  # the monthly cap is reached
    NEW_CHAT = "new_chat"  # the conversation is too long
    TRY_AGAIN = "try_again"  # repeat the same request
    CONNECT_ACCOUNT = "connect_account"  # no connected account can do it
    SIGN_IN = "sign_in"  # an account is signed out
    ALLOW = "allow"  # an account lacks a permission
    UNLOCK = "unlock"  # the keyring is locked or absent


class ToolError(Exception):
    """A failure the user can act on; the message is shown to the user."""

    def __init__(self, message: str, remedy: Remedy | None = None) -> None:
        super().__init__(message)
        self.remedy = remedy


class IncompleteTextError(ToolError):
    """A streamed text ended early; the text so far is the result."""

    def __init__(self, reason: ToolError) -> None:
        super().__init__(str(reason), reason.remedy)


class UnknownOutcomeError(ToolError):
    """An effect may or may not have happened; the message says where to check."""
