"""Markup: Markdown from anywhere turned into HTML that is safe to show.

The Markdown is CommonMark with tables, strikethrough, task marks and bare links. Raw HTML is shown
as it was typed and never obeyed; only `<br>` breaks the line, as it does in table cells everywhere.
"""

import re
import threading
from collections.abc import Sequence
from html import escape

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

LINK_SCHEMES = frozenset({"http", "https", "mailto", "mail", "event"})
"""What a link may lead to; `mail:` and `event:` are references inside the program."""

_DEEPEST_NESTING = 60  # levels of lists and quotes, two a list; beyond that text is left out
_LINE_BREAK_TAG = re.compile(r"<br\s*/?>", re.IGNORECASE)
_TASK_MARKS = {"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "}
_TAGS = (
    *("p", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "br", "a", "em", "strong", "s", "pre", "code"),
    *("ul", "ol", "li", "blockquote", "table", "thead", "tbody", "tr", "th", "td"),
)
_CODE_LANGUAGE = re.compile(r"language-[\w+#.-]{1,40}")


def safe_html(markdown: str) -> str:
    """Markdown as an HTML fragment without anything active in it.

    No script, style, image, form or handler survives, and links keep only the schemes of
    `LINK_SCHEMES` (any other link becomes its text). The same input always gives the same output.
    May be called from any thread.
    """
    readable = markdown.encode(errors="replace").decode()  # half a surrogate pair is no text
    return _CLEANER.clean(_THREAD.parser.render(readable))


class _ParserOfThread(threading.local):
    """One parser a thread: the link finder inside it remembers the text it is looking at."""

    def __init__(self) -> None:
        self.parser = _made_parser()


class _Parser(MarkdownIt):
    """A parser that leaves the judging of links to the cleaner, which keeps their text."""

    def validateLink(self, url: str) -> bool:  # noqa: ARG002, N802 — the parser's form
        return True


def _made_parser() -> MarkdownIt:
    options = {"html": False, "linkify": True, "maxNesting": _DEEPEST_NESTING}
    parser = _Parser("commonmark", options)
    parser.enable(["table", "strikethrough", "linkify"])
    parser.inline.ruler.before("html_inline", "line_break_tag", _break_line_at_tag)
    parser.core.ruler.after("inline", "task_marks", _show_task_marks)
    parser.add_render_rule("image", _image_as_its_text)
    parser.add_render_rule("th_open", _cell_with_alignment)
    parser.add_render_rule("td_open", _cell_with_alignment)
    if parser.linkify is not None:
        parser.linkify.set({"fuzzy_link": False, "fuzzy_email": False, "fuzzy_ip": False})
    return parser


def _break_line_at_tag(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 — the parser's form
    found = _LINE_BREAK_TAG.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        state.push("hardbreak", "br", 0)
    state.pos = found.end()
    return True


def _show_task_marks(state: StateCore) -> None:
    for item, paragraph, inline in zip(
        state.tokens, state.tokens[1:], state.tokens[2:], strict=False
    ):
        if item.type == "list_item_open" and paragraph.type == "paragraph_open" and inline.children:
            first = inline.children[0]
            mark = _TASK_MARKS.get(first.content[:4])
            if first.type == "text" and mark:
                first.content = mark + first.content[4:]


def _image_as_its_text(
    renderer: RendererHTML,
    tokens: Sequence[Token],
    index: int,
    options: OptionsDict,
    env: EnvType,
) -> str:
    alt = renderer.renderInlineAsText(tokens[index].children, options, env)
    return escape(alt)


def _cell_with_alignment(
    _renderer: RendererHTML,
    tokens: Sequence[Token],
    index: int,
    _options: OptionsDict,
    _env: EnvType,
) -> str:
    cell = tokens[index]
    alignment = str(cell.attrGet("style") or "").removeprefix("text-align:")
    return f'<{cell.tag} align="{alignment}">' if alignment else f"<{cell.tag}>"


def _only_code_language(_tag: str, attribute: str, value: str) -> str | None:
    if attribute == "class" and not _CODE_LANGUAGE.fullmatch(value):
        return None
    return value


_CLEANER = nh3.Cleaner(
    tags=set(_TAGS),
    attributes={
        "a": {"href"},
        "code": {"class"},
        "ol": {"start"},
        "th": {"align"},
        "td": {"align"},
    },
    attribute_filter=_only_code_language,
    url_schemes=set(LINK_SCHEMES),
    url_relative="deny",
    link_rel=None,
)
_THREAD = _ParserOfThread()
