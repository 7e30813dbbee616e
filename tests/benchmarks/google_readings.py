"""Ways to list the latest messages of a Gmail account and to read them, as others do it.

Each gives a function that does it once, on connections that stay open between two times.
"""

import http.client
import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import requests

from tests.benchmarks.google_process import GoogleProcess

BATCH = 50  # what Google recommends at most
THREADS = 20

Reading = Callable[[int], int]
"""Reads so many messages; gives back how many came."""

_PATH = "/gmail/v1/users/me/messages"


def _list_path(count: int) -> str:
    return f"{_PATH}?maxResults={count}&q=in%3Ainbox"


def limit(google: GoogleProcess) -> Reading:
    """One list, then batches at once, over bare connections; what came is not even looked at."""
    connections = [google.connection() for _ in range(2)]
    threads = ThreadPoolExecutor(len(connections))
    token = {"authorization": f"Bearer {google.token}"}

    def ask(connection: http.client.HTTPConnection, ids: Sequence[str]) -> int:
        get = "--b\r\nContent-Type: application/http\r\n\r\nGET {}/{} HTTP/1.1\r\n\r\n"
        body = "".join(get.format(_PATH, id) for id in ids) + "--b--"
        kind = {"content-type": "multipart/mixed; boundary=b"}
        connection.request("POST", "/batch", body, token | kind)
        return connection.getresponse().read().count(b"HTTP/1.1 200")

    def read(count: int) -> int:
        connections[0].request("GET", _list_path(count), headers=token)
        listed = json.loads(connections[0].getresponse().read())["messages"]
        ids = [each["id"] for each in listed]
        chunks = [ids[start : start + BATCH] for start in range(0, count, BATCH)]
        return sum(threads.map(ask, connections, chunks))

    return read


def _service(google: GoogleProcess) -> Any:
    from google.oauth2.credentials import Credentials
    from googleapiclient.discovery import build

    return build(
        "gmail",
        "v1",
        credentials=Credentials(google.token),
        static_discovery=True,
        client_options={"api_endpoint": google.url},
    )


def _listed(service: Any, count: int) -> list[str]:
    messages = service.users().messages()
    found = messages.list(userId="me", maxResults=count, q="in:inbox").execute()
    return [each["id"] for each in found["messages"]]


def clients_batch(google: GoogleProcess) -> Reading:
    """The batch of Google's own client, which is otherwise sent to the real Google."""
    service = _service(google)

    def read(count: int) -> int:
        came: list[Any] = []
        ids = _listed(service, count)
        for start in range(0, count, BATCH):
            batch = service.new_batch_http_request(lambda _id, answer, _error: came.append(answer))
            batch._batch_uri = f"{google.url}/batch"
            for id in ids[start : start + BATCH]:
                batch.add(service.users().messages().get(userId="me", id=id))
            batch.execute()
        return sum(each is not None for each in came)

    return read


def threads(google: GoogleProcess) -> Reading:
    """Twenty threads with a session of requests that has a connection for each."""
    session = requests.Session()
    session.mount("http://", requests.adapters.HTTPAdapter(pool_maxsize=THREADS))
    session.headers["authorization"] = f"Bearer {google.token}"
    pool = ThreadPoolExecutor(THREADS)

    def get(path: str) -> Any:
        return session.get(google.url + path, timeout=30).json()

    def read(count: int) -> int:
        ids = [each["id"] for each in get(_list_path(count))["messages"]]
        return sum("payload" in each for each in pool.map(get, [f"{_PATH}/{id}" for id in ids]))

    return read


def one_by_one(google: GoogleProcess) -> Reading:
    """Google's client as its guides show it."""
    service = _service(google)

    def read(count: int) -> int:
        messages = service.users().messages()
        return sum(
            "payload" in messages.get(userId="me", id=id).execute()
            for id in _listed(service, count)
        )

    return read


def langchain(google: GoogleProcess) -> Reading:
    """The search tool of LangChain's Gmail toolkit."""
    from langchain_google_community.gmail.search import GmailSearch

    tool = GmailSearch(api_resource=_service(google))

    def read(count: int) -> int:
        return len(tool.invoke({"query": "in:inbox", "max_results": count}))

    return read


def milliseconds(reading: Reading, count: int) -> float:
    """What one time took.

    Raises:
        RuntimeError: not everything came.
    """
    began = time.perf_counter()
    came = reading(count)
    taken = 1000 * (time.perf_counter() - began)
    if came != count:
        raise RuntimeError(f"{came} of {count} messages came")
    return taken
