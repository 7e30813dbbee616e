"""Tries planners on forty requests: `python -m tests.planning` (see `--help`).

Prints what is wrong with each plan and how many are right, and writes `results.md` beside itself
when both planners were tried. Ends with status 1 when the model gets fewer than 36 right.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from assistant.model_client.local.local_model import LocalModel
from assistant.planners.phrases import PhrasePlanner
from assistant.planners.planner import Planner
from assistant.planners.written import WrittenPlanner
from assistant.runs.exchange_history import EarlierReplies
from tests.assistant.planners.declared_tools import declared_tools
from tests.planning.model_weights import weights
from tests.planning.plan_judge import cases
from tests.planning.plan_scores import LookFirstPlanner, Score, score_case, score_table
from tools.tool import Tool

ENOUGH = 36
RESULTS = Path(__file__).with_name("results.md")


def main() -> int:
    """Try them; gives the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.planning", description=__doc__)
    parser.add_argument("--phrases", action="store_true", help="the built-in planner alone")
    parser.add_argument("--file", type=Path, help="another GGUF file than the one of the results")
    options = parser.parse_args()
    scores = {"built-in": asyncio.run(_tried(PhrasePlanner()))}
    if options.phrases:
        return 0
    model = asyncio.run(_tried_with_model(options.file or weights()))
    scores = {"model of 1.5 billion parameters": model, **scores}
    if options.file is None:
        RESULTS.write_text(_page(scores), "utf-8")
    return 0 if _right(model) >= ENOUGH else 1


async def _tried_with_model(file: Path) -> Sequence[Score]:
    model = LocalModel(file, name="The model", context=8192, threads=1)
    try:
        return await _tried(WrittenPlanner(model, LookFirstPlanner()))
    finally:
        await model.close()


async def _tried(planner: Planner) -> Sequence[Score]:
    with tempfile.TemporaryDirectory() as folder:
        tools = declared_tools(Path(folder))
    scores = []
    for case in cases():
        scores.append(await score_case(planner, case, tools if not case.after else _later(tools)))
        print(
            f"{scores[-1].seconds:6.1f} s  {case.text}  {scores[-1].fault or 'right'}", flush=True
        )
    print(f"{_right(scores)} of {len(scores)} are right.", flush=True)
    return scores


def _later(tools: Mapping[str, Tool]) -> Mapping[str, Tool]:
    """The tools in a conversation that has begun."""
    earlier = Tool.of(EarlierReplies(()).earlier_reply, group="conversation")
    return {**tools, earlier.name: earlier}


def _right(scores: Sequence[Score]) -> int:
    return sum(not score.fault for score in scores)


def _page(scores: Mapping[str, Sequence[Score]]) -> str:
    return (
        "# How many of forty requests become the right plan\n\n"
        "Written by `make test-model`; `requests.toml` says what is right. The model is"
        " Qwen2.5-Coder-1.5B-Instruct in four bits on one thread; the built-in planner needs"
        f" none.\n\n{score_table(scores)}\n"
    )


if __name__ == "__main__":
    raise SystemExit(main())
