"""Markdown sanitizer: escape links, images and HTML that a model could make live."""

import re
from collections.abc import Collection

_HIDDEN_CHARACTERS = dict.fromkeys(
    [*range(9), *range(11, 32), 127, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
)  # what readers of Markdown skip, and what turns text around
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
    """The text with nothing live in it but links to `allowed`, such as "mail:<id>"."""
    defusing = MarkdownSanitizer(allowed)
    return defusing.take(text) + defusing.end()


def sanitize_line(line: str) -> str:
    """One line, or a part of one, with nothing live in it and no block of code begun."""
    return _sanitize(line.translate(_HIDDEN_CHARACTERS), 0, (), whole=True)[0]


class MarkdownSanitizer:
    """Defuses a text that comes in pieces, and gives out at once all that is certain."""

    def __init__(self, allowed: Collection[str] = ()) -> None:
        self._allowed = allowed
        self._line = ""  # from its beginning: what stands before a sign decides on it
        self._given = 0  # how much of the line was given out
        self._fence = ""  # what ends the block of code

    def take(self, piece: str) -> str:
        """What is certain now."""
        *ended, self._line = (self._line + piece.translate(_HIDDEN_CHARACTERS)).split("\n")
        return "".join([self._ended(f"{line}\n") for line in ended]) + self._begun()

    def end(self) -> str:
        """The rest; a block of code that is still open is closed."""
        rest, self._line = self._ended(self._line), ""
        closing, self._fence = f"\n{self._fence}" if self._fence else "", ""
        return rest + closing

    def _ended(self, line: str) -> str:
        given, self._given = self._given, 0
        if self._fence:
            return self._code(line)
        if not given and (opening := _FENCE.fullmatch(line)):
            self._fence = opening[1]
            return f"{opening[1]}{opening[2]}\n"
        return _sanitize(line, given, self._allowed, whole=True)[0]

    def _code(self, line: str) -> str:
        signs = line.strip()
        if not signs.startswith(self._fence) or signs.strip("`"):
            return line
        closing, self._fence = self._fence, ""
        return f"{closing}\n"

    def _begun(self) -> str:
        if self._fence or (not self._given and _MAYBE_FENCE.match(self._line)):
            return ""
        text, self._given = _sanitize(self._line, self._given, self._allowed, whole=False)
        return text


def _sanitize(text: str, start: int, allowed: Collection[str], *, whole: bool) -> tuple[str, int]:
    """What follows `start` in a line, as far as it is certain, and where that ends."""
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
    """Whether the next piece can make something else of the last signs that came."""
    after = found.string[found.end() :]
    if found["ticks"] or not after:
        return True
    if found[0] == "<":
        return bool(_BREAK_BEGUN.fullmatch(after))
    may_be_a_link = found["open"] == "(" and not found["target"]
    return may_be_a_link and any(target.startswith(after) for target in allowed)


def _escape(found: re.Match[str], allowed: Collection[str]) -> str:
    signs = found[0]
    if found["pair"] or found["code"] or found["target"] in allowed:
        return signs
    if found["ticks"] or found["tildes"]:
        return "".join(f"\\{sign}" for sign in signs)
    return "www\\" if signs == "www" else f"\\{signs}"
