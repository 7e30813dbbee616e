"""Model errors: translate server errors into messages for the user, with a remedy."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from assistant.model_client.endpoint import Endpoint, Timeouts
from assistant.model_client.language_model import ModelError
from assistant.model_client.server_errors import ConnectionFailure, ModelServerError
from tools.markdown.plain_text import escape_markdown
from tools.tool_errors import Remedy

_MAX_QUOTED = 200  # characters of words that are not this program's


@dataclass(frozen=True)
class ModelErrors:
    """The words for everything that goes wrong between this program and one model."""

    model: str
    address: Endpoint
    timeouts: Timeouts

    def refused(self, refusal: ModelServerError, now: datetime) -> ModelError:
        """For an error that the server answered with."""
        said = self._quoted("It says", refusal.message)
        for applies, words, remedy in self._reasons(refusal, now):
            if applies:
                return ModelError(f"{words}{said}", remedy)
        words = f"{self._host} did not take the request for {self.model} ({refusal.status})."
        return ModelError(f"{words}{said}", Remedy.MODEL_SETTINGS)

    def unreached(self, obstacle: ConnectionFailure) -> ModelError:
        """For a server that could not be heard."""
        words, remedy = self._obstacles()[obstacle]
        return ModelError(words, remedy)

    def broken_off(self, obstacle: ConnectionFailure = ConnectionFailure.BROKEN) -> ModelError:
        """For an answer that stops in its middle."""
        if obstacle is ConnectionFailure.SILENT:
            return ModelError(
                f"{self.model} stopped in the middle of its answer: {self._host} sent nothing for "
                f"{self.timeouts.between:g} seconds. Try again."
            )
        return ModelError(
            f"{self.model} stopped in the middle of its answer: the connection to {self._host} "
            "ended. Try again."
        )

    def not_understood(self, answer: bytes) -> ModelError:
        """For something that is no answer in any form known here."""
        if answer.lstrip().startswith(b"<"):
            return self._no_model()
        return ModelError(
            f"{self._host} sent no answer of {self.model} that can be read. Try again."
        )

    def empty(self) -> ModelError:
        """For an answer with nothing in it."""
        return ModelError(f"{self.model} answered with nothing. Try again, or say it differently.")

    def declined(self, words: str) -> ModelError:
        """For a model that refuses, in its own words."""
        said = self._quoted("It says", words)
        return ModelError(f"{self.model} refused to answer. Say it differently.{said}")

    def filtered(self) -> ModelError:
        """For an answer that a filter took away."""
        return ModelError(
            f"A filter at {self._host} held back the answer of {self.model}. Say it differently."
        )

    def wrong_key(self) -> ModelError:
        """For a key that cannot be sent."""
        return ModelError(
            f"The key for {self.model} has characters that keys do not have. Enter it again.",
            Remedy.MODEL_KEY,
        )

    def _reasons(
        self, refusal: ModelServerError, now: datetime
    ) -> Iterator[tuple[bool, str, Remedy]]:
        model, host, status, again = self.model, self._host, refusal.status, Remedy.TRY_AGAIN
        pause = refusal.retry_after(now)
        until = f"until {_local_time(now + timedelta(seconds=pause), now)}" if pause else "for now"
        yield status == 401, self._key_words(), Remedy.MODEL_KEY
        yield (
            refusal.is_about_money,
            f"The account at {host} has nothing left to pay for {model}. Add credit there, or "
            "choose another model.",
            Remedy.MODEL_SETTINGS,
        )
        yield (
            refusal.is_about_length,
            f"This is too much at once for {model}. Start a new chat, or ask for less.",
            Remedy.NEW_CHAT,
        )
        yield (
            status == 403,
            f"{host} does not let this key use {model}. Check what the key may do.",
            Remedy.MODEL_SETTINGS,
        )
        yield (
            refusal.is_about_model,
            f"{host} does not have {model}. Choose another model.",
            Remedy.CHOOSE_MODEL,
        )
        yield refusal.is_about_path, str(self._no_model()), Remedy.MODEL_SETTINGS
        yield (
            refusal.speaks_of("not support (tool|function)"),
            f"{model} cannot use tools. Choose another model.",
            Remedy.CHOOSE_MODEL,
        )
        yield refusal.speaks_of("content_(filter|policy)"), str(self.filtered()), again
        yield (
            status == 429,
            f"{host} takes no more requests for {model} {until}. Try again then.",
            again,
        )
        yield refusal.speaks_of("loading"), f"{host} is still loading {model}. Try again.", again
        yield (
            status in {503, 529},
            f"{host} cannot answer for {model} {until}. Try again then.",
            again,
        )
        yield status >= 500, f"{host} failed to answer for {model} ({status}). Try again.", again

    def _key_words(self) -> str:
        if self.address.key:
            return f"{self._host} did not accept the key for {self.model}. Enter a new one."
        return f"{self._host} wants a key for {self.model}, and there is none. Enter one."

    def _obstacles(self) -> dict[ConnectionFailure, tuple[str, Remedy]]:
        model, host, again = self.model, self._host, Remedy.TRY_AGAIN
        waited = self.timeouts
        settings = Remedy.MODEL_SETTINGS
        return {
            ConnectionFailure.NOT_THERE: (
                f"Nothing answers at {host} for {model}. Is it running?",
                again,
            ),
            ConnectionFailure.UNKNOWN: (
                f"{host} cannot be found for {model}. Check the network, and the address.",
                again,
            ),
            ConnectionFailure.UNANSWERED: (
                f"{host} took no connection for {model} within {waited.connect:g} seconds. "
                "Is it running?",
                again,
            ),
            ConnectionFailure.SILENT: (
                f"{model} at {host} did not answer within {waited.first:g} seconds. Try again.",
                again,
            ),
            ConnectionFailure.BROKEN: (
                f"The connection to {host} ended before {model} answered. Try again.",
                again,
            ),
            ConnectionFailure.NOT_SECURE: (
                f"The connection to {host} for {model} is not secure: its certificate cannot be "
                "trusted, or it does not speak https. Check the address.",
                settings,
            ),
            ConnectionFailure.NO_ADDRESS: (
                f"{self.address.shown} is no address of a server for {model}. "
                "It begins with http:// or https:// and usually ends in /v1.",
                settings,
            ),
        }

    def _no_model(self) -> ModelError:
        return ModelError(
            f"What answers at {self.address.shown} is no server for {self.model}. "
            "Check the address; it usually ends in /v1.",
            Remedy.MODEL_SETTINGS,
        )

    @property
    def _host(self) -> str:
        return self.address.host

    def _quoted(self, who: str, words: str) -> str:
        shown = words.replace(self.address.key, "…") if self.address.key else words
        if not shown.strip():
            return ""
        short = shown if len(shown) <= _MAX_QUOTED else f"{shown[:_MAX_QUOTED].rstrip()}…"
        return f" {who}: “{escape_markdown(short)}”"


def _local_time(moment: datetime, now: datetime) -> str:
    same_day = moment.date() == now.date()
    return f"{moment:%H:%M}" if same_day else f"{moment:%A %d %B, %H:%M}"
