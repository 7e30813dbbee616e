"""Instructions: what a writer is told, in the words of a file, with what the user said."""

from datetime import datetime
from importlib.resources import files

from tools.moments import in_words


def instructions(*names: str, now: datetime, **said: str) -> str:
    """The texts of files in `resources/prompts`, what time it is, and last what was said.

    Args:
        names: the files, without their ending.
        now: the present moment, aware.
        said: words of the user by what they are, such as `task`; those that are "" are left out.
    """
    told = [f"{label.capitalize()}: {words}" for label, words in said.items() if words]
    return "\n\n".join([*map(prompt, names), f"It is now {in_words(now)}.", *told])


def prompt(name: str) -> str:
    """The text of a file in `resources/prompts`."""
    return files("resources").joinpath("prompts", f"{name}.md").read_text("utf-8").strip()
