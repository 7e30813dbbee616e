"""Markdown sanitizer: escape links, images and HTML that a model could make live.

Everything that could become a link, an image, a reference or HTML gets a backslash and is shown as
it was typed; headings, lists, tables, emphasis and code are kept. Code is left as it is only if
every Markdown parser finds its end at the same place; other code marks are escaped.
"""

import re
from collections.abc import Collection

_HIDDEN_CHARACTERS = dict.fromkeys(
    [*range(9), *range(11, 32), 127, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
)  # ignored by Markdown parsers, or reversing the direction of text
_RISKS = re.compile(
    r"""(?xs)
    (?P<pair> \\ . )
  | (?P<slash> \\ \Z )
  | (?P<code> (?P<fence> `++ ) (?: [^`|\]\n] | \] (?! [:(] ) )++ (?P=fence) (?! ` ) )
  | (?P<ticks> `++ )
  | (?P<tildes> ~{3,}+ )
  | (?<= \] ) (?P<open> [(:] ) (?= (?P<target> (?:mail|event): [^()\s]*+ ) \) | )
  | : (?= // )
  | \b www (?= \. )
  | < (?= [^\s<] ) (?! (?<= \S < ) br \s* /? > )
    """
)
_INCOMPLETE = re.compile(r"(?: \\ | :/? | \bw{1,3} | ~{1,2} | < )?\Z", re.VERBOSE)
_BREAK_BEGUN = re.compile(r"br?\s*/?")
_FENCE = re.compile(r"[ \t]*(`{3,})([^`|\n]*)\n?")
_MAYBE_FENCE = re.compile(r"[ \t]*(?:`|\Z)")


def sanitize_markdown(text: str, allowed: Collection[str] = ()) -> str:
    """Escape everything live except links to `allowed`, such as "mail:<id>"."""
    sanitizer = MarkdownSanitizer(allowed)
    return sanitizer.feed(text) + sanitizer.finish()


def sanitize_line(line: str) -> str:
    """Sanitize a line, or a part of one, so that it starts no code block either."""
    return _sanitize(line.translate(_HIDDEN_CHARACTERS), 0, (), whole=True)[0]


class MarkdownSanitizer:
    """Sanitizes streamed text; passes on all of it that can no longer change."""

    def __init__(self, allowed: Collection[str] = ()) -> None:
        self._allowed = allowed
        self._line = ""  # whole, because earlier characters decide on later ones
        self._passed = 0  # characters of the line that were passed on
        self._fence = ""  # that ends the code block

    def feed(self, piece: str) -> str:
        """Take a piece; return the text that is final now."""
        *lines, self._line = (self._line + piece.translate(_HIDDEN_CHARACTERS)).split("\n")
        return "".join([self._end_line(f"{line}\n") for line in lines]) + self._unfinished_line()

    def finish(self) -> str:
        """Return the rest of the text; an open code block is closed."""
        rest, self._line = self._end_line(self._line), ""
        closing, self._fence = f"\n{self._fence}" if self._fence else "", ""
        return rest + closing

    def _end_line(self, line: str) -> str:
        passed, self._passed = self._passed, 0
        if self._fence:
            return self._code(line)
        if not passed and (opening := _FENCE.fullmatch(line)):
            self._fence = opening[1]
            return f"{opening[1]}{opening[2]}\n"
        return _sanitize(line, passed, self._allowed, whole=True)[0]

    def _code(self, line: str) -> str:
        text = line.strip()
        if not text.startswith(self._fence) or text.strip("`"):
            return line
        closing, self._fence = self._fence, ""
        return f"{closing}\n"

    def _unfinished_line(self) -> str:
        if self._fence or (not self._passed and _MAYBE_FENCE.match(self._line)):
            return ""
        text, self._passed = _sanitize(self._line, self._passed, self._allowed, whole=False)
        return text


def _sanitize(text: str, start: int, allowed: Collection[str], *, whole: bool) -> tuple[str, int]:
    """Sanitize a line from `start`; return the final text and the index of its end."""
    made, at = [], start
    for found in _RISKS.finditer(text, start):
        made.append(text[at : found.start()])
        if not whole and _may_go_on(found, allowed):
            return "".join(made), found.start()
        made.append(_escape(found, allowed))
        at = found.end()
    rest = _INCOMPLETE.search(text, at)
    end = len(text) if whole or rest is None else rest.start()
    return "".join([*made, text[at:end]]), end


def _may_go_on(found: re.Match[str], allowed: Collection[str]) -> bool:
    """Whether the next piece can change the meaning of the last characters."""
    after = found.string[found.end() :]
    if found["ticks"] or not after:
        return True
    if found[0] == "<":
        return bool(_BREAK_BEGUN.fullmatch(after))
    may_be_a_link = found["open"] == "(" and not found["target"]
    return may_be_a_link and any(target.startswith(after) for target in allowed)


def _escape(found: re.Match[str], allowed: Collection[str]) -> str:
    signs = found[0]
    is_allowed_link = found["open"] == "(" and found["target"] in allowed
    if found["pair"] or found["code"] or is_allowed_link:
        return signs
    if found["ticks"] or found["tildes"]:
        return "".join(f"\\{sign}" for sign in signs)
    return "www\\" if signs == "www" else f"\\{signs}"
