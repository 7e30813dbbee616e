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
    """Builds the ModelErrors of one model: messages name the model, its host and a next step."""

    model: str
    endpoint: Endpoint
    timeouts: Timeouts

    def from_response(self, error: ModelServerError, now: datetime) -> ModelError:
        """Translate an error response; `now` is used for times of the next try."""
        quote = self._quoted(error.message)
        for applies, words, remedy in self._reasons(error, now):
            if applies:
                return ModelError(f"{words}{quote}", remedy)
        words = f"{self._host} did not accept the request for {self.model} ({error.status})."
        return ModelError(f"{words}{quote}", Remedy.MODEL_SETTINGS)

    def from_connection(self, failure: ConnectionFailure) -> ModelError:
        """Translate a failed connection."""
        model, host, timeouts = self.model, self._host, self.timeouts
        words = {
            ConnectionFailure.REFUSED: f"Nothing answers at {host} for {model}. Is it running?",
            ConnectionFailure.UNKNOWN_HOST: (
                f"{host} cannot be found for {model}. Check the network, and the address."
            ),
            ConnectionFailure.CONNECT_TIMEOUT: (
                f"{host} accepted no connection for {model} within {timeouts.connect:g} seconds."
                " Is it running?"
            ),
            ConnectionFailure.READ_TIMEOUT: (
                f"{model} at {host} did not answer within {timeouts.first_byte:g} seconds."
                " Try again."
            ),
            ConnectionFailure.CONNECTION_LOST: (
                f"The connection to {host} ended before {model} answered. Try again."
            ),
            ConnectionFailure.TLS: (
                f"The connection to {host} for {model} is not secure: its certificate cannot be"
                " trusted, or it does not speak https. Check the address."
            ),
            ConnectionFailure.INVALID_URL: (
                f"{self.endpoint.display_url} is not a valid server address for {model}. It must"
                " begin with http:// or https:// and usually ends in /v1."
            ),
        }[failure]
        is_setting = failure in {ConnectionFailure.TLS, ConnectionFailure.INVALID_URL}
        return ModelError(words, Remedy.MODEL_SETTINGS if is_setting else Remedy.TRY_AGAIN)

    def interrupted(
        self, failure: ConnectionFailure = ConnectionFailure.CONNECTION_LOST
    ) -> ModelError:
        """Return the error for a stream that stops in the middle."""
        reason = f"the connection to {self._host} ended"
        if failure is ConnectionFailure.READ_TIMEOUT:
            reason = f"{self._host} sent nothing for {self.timeouts.between_chunks:g} seconds"
        return ModelError(f"{self.model} stopped in the middle of its answer: {reason}. Try again.")

    def malformed(self, content: bytes) -> ModelError:
        """Return the error for a response of unknown format."""
        if content.lstrip().startswith(b"<"):
            return self._not_a_model_server()
        return ModelError(f"{self._host} sent an unreadable answer for {self.model}. Try again.")

    def empty(self) -> ModelError:
        """Return the error for an empty completion."""
        return ModelError(f"{self.model} gave an empty answer. Try again, or rephrase the request.")

    def refused(self, refusal: str) -> ModelError:
        """Return the error for a model that refuses, with its own words."""
        quote = self._quoted(refusal)
        return ModelError(f"{self.model} refused to answer. Rephrase the request.{quote}")

    def filtered(self) -> ModelError:
        """Return the error for a completion removed by a content filter."""
        return ModelError(
            f"A content filter at {self._host} blocked the answer of {self.model}."
            " Rephrase the request."
        )

    def invalid_key(self) -> ModelError:
        """Return the error for a key that is no valid HTTP header value."""
        return ModelError(
            f"The key for {self.model} contains invalid characters. Enter it again.",
            Remedy.MODEL_KEY,
        )

    def _reasons(
        self, error: ModelServerError, now: datetime
    ) -> Iterator[tuple[bool, str, Remedy]]:
        """Yield conditions with their messages and remedies; the first that holds applies."""
        model, host, status = self.model, self._host, error.status
        again, settings, choose = Remedy.TRY_AGAIN, Remedy.MODEL_SETTINGS, Remedy.CHOOSE_MODEL
        until = _until(error.retry_after(now), now)
        key = f"{host} needs a key for {model}. Enter one."
        if self.endpoint.key:
            key = f"{host} did not accept the key for {model}. Enter a new one."
        credit = f"The account at {host} has no credit left for {model}."
        forbidden = f"{host} does not allow this key to use {model}."
        yield status == 401, key, Remedy.MODEL_KEY
        yield (
            error.is_quota_exceeded,
            f"{credit} Add credit there, or choose another model.",
            settings,
        )
        length = f"This is too long for {model}. Start a new chat, or ask for less."
        yield error.is_prompt_too_long, length, Remedy.NEW_CHAT
        yield status == 403, f"{forbidden} Check the permissions of the key.", settings
        unknown = f"{host} does not have {model}. Choose another model."
        yield error.is_unknown_model, unknown, choose
        yield error.is_wrong_path, str(self._not_a_model_server()), settings
        tools = f"{model} cannot use tools. Choose another model."
        yield error.mentions("not support (tool|function)"), tools, choose
        yield error.mentions("content_(filter|policy)"), str(self.filtered()), again
        busy = f"{host} accepts no more requests for {model} {until}. Try again then."
        yield status == 429, busy, again
        yield error.mentions("loading"), f"{host} is still loading {model}. Try again.", again
        unavailable = f"{host} cannot answer for {model} {until}. Try again then."
        yield status in {503, 529}, unavailable, again
        yield status >= 500, f"{host} failed to answer for {model} ({status}). Try again.", again

    def _not_a_model_server(self) -> ModelError:
        return ModelError(
            f"The server at {self.endpoint.display_url} does not serve {self.model}. "
            "Check the address; it usually ends in /v1.",
            Remedy.MODEL_SETTINGS,
        )

    @property
    def _host(self) -> str:
        return self.endpoint.host

    def _quoted(self, words: str) -> str:
        """Quote the server's words without the key, as a sentence to append; "" for none."""
        key = self.endpoint.key
        shown = words.replace(key, "…") if key else words
        if not shown.strip():
            return ""
        short = shown if len(shown) <= _MAX_QUOTED else f"{shown[:_MAX_QUOTED].rstrip()}…"
        return f" It says: “{escape_markdown(short)}”"


def _until(delay: float | None, now: datetime) -> str:
    if not delay:
        return "for now"
    next_try = now + timedelta(seconds=delay)
    day = "" if next_try.date() == now.date() else f"{next_try:%A %d %B}, "
    return f"until {day}{next_try:%H:%M}"
