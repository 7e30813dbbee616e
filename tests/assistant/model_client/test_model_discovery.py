"""Listing the models of a server, in every known format."""

import pytest

from assistant.model_client.endpoint import Endpoint, Timeouts
from assistant.model_client.language_model import ModelError
from assistant.model_client.model_discovery import ListedModel, list_models
from tests.assistant.model_client.loopback import (
    closed_connection,
    json_answer,
    loopback,
    no_response,
)
from tests.assistant.model_client.model_clients import KEY
from tests.assistant.model_client.model_responses import rejects
from tools.tool_errors import Remedy


@pytest.mark.parametrize(
    ("entry", "listed"),
    [
        ({"id": "qwen", "object": "model"}, ListedModel("qwen")),
        ({"id": "qwen", "max_model_len": 8192}, ListedModel("qwen", 8192)),
        ({"id": "qwen", "context_length": 4096}, ListedModel("qwen", 4096)),
        ({"id": "qwen", "context_window": "big"}, ListedModel("qwen")),
        ({"id": "qwen", "meta": {"n_ctx": 2048, "n_ctx_train": 32768}}, ListedModel("qwen", 2048)),
        ({"id": "qwen", "meta": None}, ListedModel("qwen")),
    ],
)
async def test_a_model_is_listed_with_its_reported_context(
    entry: object, listed: ListedModel
) -> None:
    async with loopback(json_answer({"object": "list", "data": [entry]})) as server:
        assert await list_models(Endpoint(server.url, KEY)) == (listed,)
    assert server.last.path == "/v1/models"
    assert server.last.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("value", [[], {"data": []}, {"data": None}])
async def test_a_server_may_have_no_models(value: object) -> None:
    async with loopback(json_answer(value)) as server:
        assert await list_models(Endpoint(server.url)) == ()


@pytest.mark.parametrize("value", [None, "text", {}, {"data": 7}, {"data": [7]}, {"data": [{}]}])
async def test_a_list_of_unknown_format_is_malformed(value: object) -> None:
    async with loopback(json_answer(value)) as server:
        with pytest.raises(ModelError, match="the list of models"):
            await list_models(Endpoint(server.url))


async def test_a_wrong_key_is_reported() -> None:
    async with loopback(rejects(401, "no")) as server:
        with pytest.raises(ModelError, match="did not accept the key") as raised:
            await list_models(Endpoint(server.url, KEY))
    assert raised.value.remedy is Remedy.MODEL_KEY


async def test_listing_is_not_retried() -> None:
    async with loopback(closed_connection(), no_response()) as server:
        with pytest.raises(ModelError, match="ended before"):
            await list_models(Endpoint(server.url))
        with pytest.raises(ModelError, match="did not answer within"):
            await list_models(Endpoint(server.url), timeouts=Timeouts(first_byte=0.2))
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("id", "title"),
    [
        ("qwen2.5:7b", "qwen2.5:7b"),
        ("org/model-Q4", "org/model-Q4"),
        ("/models/qwen.gguf", "qwen"),
        (r"C:\Models\Qwen 7B.GGUF", "Qwen 7B"),
    ],
)
def test_a_model_file_is_called_by_its_name_and_not_by_its_path(id: str, title: str) -> None:
    assert ListedModel(id).title == title
