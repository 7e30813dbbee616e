"""Model errors: why there is no answer from a model, in words, with the button that mends it."""

from tools.remedy import Remedy
from tools.tool import ToolError


class ModelError(ToolError):
    """There is no (whole) answer; the text says why and what the user can do."""

    def __init__(self, words: str, remedy: Remedy = Remedy.TRY_AGAIN) -> None:
        super().__init__(words, remedy)
