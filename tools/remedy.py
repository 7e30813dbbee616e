"""A remedy: what a button under a reply offers to mend."""

from enum import StrEnum


class Remedy(StrEnum):
    """What can be mended with a click, when something could not be done."""

    CONNECT_MODEL = "connect_model"  # there is none
    MODEL_KEY = "model_key"  # none, or a wrong one
    CHOOSE_MODEL = "choose_model"  # the server does not have it
    MODEL_SETTINGS = "model_settings"  # address, context and the like
    SPENDING_CAP = "spending_cap"  # the month's money is spent
    NEW_CHAT = "new_chat"  # the conversation is too long
    TRY_AGAIN = "try_again"  # the same request, as it was
    CONNECT_ACCOUNT = "connect_account"  # there is none that can do it
    SIGN_IN = "sign_in"  # an account wants its person to sign in again
    ALLOW = "allow"  # an account has not been allowed to do it yet
    UNLOCK = "unlock"  # what keeps the secrets is locked or absent
