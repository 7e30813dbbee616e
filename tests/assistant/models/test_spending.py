"""What is spent is counted, known or not, and the cap holds."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from assistant.model_client.language_model import Completion, Message, ModelError, Prompt, Usage
from assistant.model_client.token_usage import UsageMeter, current_meter
from assistant.models.rate_card import RateCard
from assistant.models.spending import MeteredModel, SpendingLedger, SpendingStatus, format_dollars
from assistant.settings.model_settings import ConfiguredModel, TokenPrice
from tests.assistant.model_client.loopback import (
    Loopback,
    ReceivedRequest,
    ScriptedResponse,
    ScriptStep,
    loopback,
    no_response,
)
from tests.assistant.model_client.model_clients import model_at
from tests.assistant.model_client.model_responses import rejects, responds
from tools.tool_errors import Remedy

ROOT = Path(__file__).parents[3]
BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 20, 10, 30, tzinfo=BERLIN)
PROMPT = Prompt((Message("user", "What is the sea like? " * 10),))
DEAR = ConfiguredModel(
    "Dear", "m", "https://x.example/v1", price=TokenPrice(Decimal(1), Decimal(100))
)
GPT = ConfiguredModel("GPT", "gpt-5-mini", "https://api.openai.com/v1")
NEW = ConfiguredModel("New", "m", "https://x.example/v1")
HERE = ConfiguredModel("Here", "m", "http://127.0.0.1:1/v1")
MILLION = (1_000_000, 10_000, 0)


@dataclass
class Clock:
    """A clock that is set by hand."""

    now: datetime = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ledger(tmp_path: Path, clock: Clock) -> Iterator[SpendingLedger]:
    made = SpendingLedger(tmp_path / "deskhand.db", clock)
    yield made
    made.close()


@asynccontextmanager
async def metered(
    ledger: SpendingLedger, configured: ConfiguredModel, *script: ScriptStep
) -> AsyncIterator[tuple[MeteredModel, Loopback]]:
    """A model whose tariff is the configured one's, at a server that follows a script."""
    async with loopback(*script) as server, model_at(server, "chat") as model:
        yield MeteredModel(model, ledger, RateCard(configured)), server


async def test_a_call_is_counted_with_the_price_that_was_set(ledger: SpendingLedger) -> None:
    meter = UsageMeter()
    current_meter.set(meter)
    async with metered(ledger, DEAR, responds("Wide.", usage=MILLION)) as (model, _):
        await model.complete(PROMPT)
    assert ledger.status() == SpendingStatus(Decimal(2))
    assert meter.usage is not None
    assert (meter.usage.calls, meter.usage.money) == (1, Decimal(2))


async def test_a_streamed_call_is_counted_as_a_whole_one(ledger: SpendingLedger) -> None:
    async with metered(ledger, DEAR, responds("Wide", " it is.", usage=MILLION)) as (model, _):
        items = [item async for item in model.stream(PROMPT)]
    assert items[:-1] == ["Wide", " it is."]
    assert isinstance(items[-1], Completion)
    assert ledger.status().spent == Decimal(2)


@pytest.mark.parametrize(
    ("configured", "usage", "money"),
    [
        (GPT, Usage(1_000_000, 0), Decimal("0.25")),
        (GPT, Usage(1_000_000, 0, cached=1_000_000), Decimal("0.025")),
        (GPT, Usage(0, 1_000_000), Decimal(2)),
        (DEAR, Usage(10, 10), Decimal("0.00101")),
        (HERE, Usage(1_000_000, 1_000_000), Decimal(0)),
        (ConfiguredModel("File", file=Path("x.gguf")), Usage(1, 1), Decimal(0)),
        (NEW, Usage(1, 1), None),
        (ConfiguredModel("Odd", "no-such-model", GPT.url), Usage(1, 1), None),
    ],
)
async def test_a_price_is_the_one_that_was_set_or_listed_for_that_server_or_unknown(
    configured: ConfiguredModel, usage: Usage, money: Decimal | None
) -> None:
    assert await RateCard(configured).cost(usage) == money


async def test_a_call_without_a_known_price_is_said_as_such_and_never_as_nothing(
    ledger: SpendingLedger,
) -> None:
    meter = UsageMeter()
    current_meter.set(meter)
    async with metered(ledger, NEW, responds("a"), responds("b")) as (model, _):
        await model.complete(PROMPT)
        await model.complete(PROMPT)
    ledger.record("Dear", Usage(1, 1), Decimal("1.2"))
    standing = ledger.status()
    assert standing.words == "$1.20 this month, plus 2 calls whose price is not known"
    assert meter.usage is not None
    assert meter.usage.money is None


async def test_an_abandoned_stream_is_counted_by_its_text_so_far(ledger: SpendingLedger) -> None:
    meter = UsageMeter()
    current_meter.set(meter)
    async with metered(ledger, DEAR, responds("Wide ", "and ", "deep.", pause=30)) as (
        model,
        server,
    ):
        stream = model.stream(PROMPT)
        async with aclosing(stream):
            assert await anext(stream) == "Wide "
        await server.last.over.wait()
    ((usage, money),) = meter.calls
    assert usage.estimated
    assert usage.prompt > 50
    assert 1 <= usage.completion <= 5
    assert money == ledger.status().spent > 0


async def test_a_call_that_is_stopped_while_the_model_thinks_is_counted(
    ledger: SpendingLedger,
) -> None:
    asked = asyncio.Event()

    def silent(_: ReceivedRequest) -> ScriptedResponse:
        asked.set()
        return no_response()

    async with metered(ledger, DEAR, silent) as (model, _):
        task = asyncio.create_task(model.complete(PROMPT))
        await asked.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert ledger.status().spent > 0


async def test_a_request_refused_by_the_server_costs_nothing(ledger: SpendingLedger) -> None:
    async with metered(ledger, DEAR, rejects(401, "no"), rejects(401, "no")) as (model, _):
        with pytest.raises(ModelError):
            await model.complete(PROMPT)
        with pytest.raises(ModelError):
            _ = [item async for item in model.stream(PROMPT)]
    assert ledger.status() == SpendingStatus(Decimal())


async def test_at_the_cap_nothing_that_costs_money_is_asked(ledger: SpendingLedger) -> None:
    ledger.cap = Decimal(10)
    ledger.record("Dear", Usage(1, 1), Decimal(10))
    async with metered(ledger, DEAR) as (model, server):
        with pytest.raises(ModelError, match=r"\$10\.00 of \$10\.00") as caught:
            await model.complete(PROMPT)
        with pytest.raises(ModelError):
            _ = [item async for item in model.stream(PROMPT)]
        assert server.asked == []
    assert caught.value.remedy is Remedy.SPENDING_CAP
    async with metered(ledger, HERE, responds("Free.")) as (model, _):
        assert (await model.complete(PROMPT)).text == "Free."


@pytest.mark.parametrize(
    ("spent", "warning"),
    [
        ("7.99", ""),
        ("8", "80 % of this month's cap for models is spent: $8.00 of $10.00 this month."),
        ("9.5", "95 % of this month's cap for models is spent: $9.50 of $10.00 this month."),
        ("10", "This month's cap for models is reached: $10.00 of $10.00 this month."),
    ],
)
def test_from_80_percent_on_the_cap_is_warned_of(
    ledger: SpendingLedger, spent: str, warning: str
) -> None:
    ledger.cap = Decimal(10)
    ledger.record("Dear", Usage(1, 1), Decimal(spent))
    assert ledger.status().warning == warning
    ledger.cap = None
    assert ledger.status().warning == ""


def test_a_cap_of_nothing_lets_nothing_be_spent() -> None:
    assert SpendingStatus(Decimal(), Decimal()).is_spent


def test_a_month_begins_at_midnight_of_the_users_own_zone(
    ledger: SpendingLedger, clock: Clock
) -> None:
    clock.now = datetime(2026, 10, 31, 22, 59, tzinfo=UTC)  # 23:59 in Berlin
    ledger.record("Dear", Usage(1, 1), Decimal(1))
    clock.now = datetime(2026, 10, 31, 23, 1, tzinfo=UTC)  # 00:01 on the first
    ledger.record("Dear", Usage(1, 1), Decimal(2))
    clock.now = NOW
    assert ledger.status().spent == 2


def test_many_small_sums_add_up_to_the_last_digit(ledger: SpendingLedger) -> None:
    for _ in range(10):
        ledger.record("Dear", Usage(1, 1), Decimal("0.1"))
    assert ledger.status().spent == Decimal(1)


def test_the_record_outlives_the_program_and_is_for_its_owner_alone(
    tmp_path: Path, clock: Clock
) -> None:
    for _ in range(2):
        ledger = SpendingLedger(tmp_path / "deskhand.db", clock)
        ledger.record("Dear", Usage(1, 1), Decimal(1))
        ledger.close()
    ledger = SpendingLedger(tmp_path / "deskhand.db", clock)
    assert ledger.status().spent == 2
    ledger.close()
    assert all(file.stat().st_mode & 0o077 == 0 for file in tmp_path.iterdir())


@pytest.mark.parametrize(
    ("amount", "words"),
    [("0", "$0.00"), ("0.004", "less than $0.01"), ("0.01", "$0.01"), ("1234.5", "$1,234.50")],
)
def test_amounts_read_as_people_write_them(amount: str, words: str) -> None:
    assert format_dollars(Decimal(amount)) == words


def test_the_price_list_needs_no_network() -> None:
    program = (
        "import sys\n"
        "def refuse(event, arguments):\n"
        "    if event.startswith('socket.'): raise SystemExit(f'{event} {arguments}')\n"
        "sys.addaudithook(refuse)\n"
        "from assistant.model_client.language_model import Usage\n"
        "from assistant.models.rate_card import listed_context, listed_price\n"
        "url = 'https://api.openai.com/v1'\n"
        "assert listed_price(url, 'gpt-5-mini', Usage(1, 1))\n"
        "assert listed_context(url, 'gpt-5-mini') > 100_000\n"
        "assert listed_context('https://x.example', 'gpt-5-mini') is None\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr
