"""An HTML file: one self-contained page with a light and a dark style."""

from html import escape
from importlib.resources import files

from tools.documents.document_model import (
    CodeBlock,
    DocumentBlock,
    DocumentModel,
    HeadingBlock,
    ListBlock,
    ParagraphBlock,
    QuoteBlock,
    Runs,
    TableBlock,
    TextRun,
)

_PAGE = """<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="date" content="{date}">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<main>
<header>
<h1 dir="auto">{title}</h1>
<p><time datetime="{date}">{day}</time></p>
</header>
{body}
</main>
</body>
</html>
"""


def html_bytes(model: DocumentModel) -> bytes:
    """Render the model as one HTML page with an embedded stylesheet."""
    page = _PAGE.format(
        title=escape(model.title),
        day=model.day,
        date=model.written.date().isoformat(),
        style=files("resources").joinpath("documents", "page.css").read_text("utf-8"),
        body=_joined(model.blocks),
    )
    return page.encode()


def _joined(blocks: tuple[DocumentBlock, ...]) -> str:
    return "\n".join(map(_block, blocks))


def _block(block: DocumentBlock) -> str:  # noqa: PLR0911 — one a kind of block
    match block:
        case HeadingBlock(level, runs):
            return _element(f"h{level}", _inline(runs), ' dir="auto"')
        case ParagraphBlock(runs):
            return _element("p", _inline(runs), ' dir="auto"')
        case ListBlock():
            return _list(block)
        case TableBlock():
            return _table(block)
        case CodeBlock(text):
            return f"<pre><code>{escape(text)}</code></pre>"
        case QuoteBlock(blocks):
            return _element("blockquote", _joined(blocks))
    return "<hr>"


def _element(tag: str, inner: str, attributes: str = "") -> str:
    return f"<{tag}{attributes}>{inner}</{tag}>"


def _list(block: ListBlock) -> str:
    items = "\n".join(_element("li", _item(item), ' dir="auto"') for item in block.items)
    start = f' start="{block.start}"' if block.ordered and block.start != 1 else ""
    return _element("ol" if block.ordered else "ul", f"\n{items}\n", start)


def _item(blocks: tuple[DocumentBlock, ...]) -> str:
    match blocks:
        case [ParagraphBlock(runs), *rest] if not any(
            isinstance(other, ParagraphBlock) for other in rest
        ):
            return "\n".join([_inline(runs), *map(_block, rest)])
    return _joined(blocks)


def _table(block: TableBlock) -> str:
    def row(tag: str, cells: tuple[Runs, ...]) -> str:
        places = zip(cells, block.alignments, strict=False)
        return _element(
            "tr", "".join(_element(tag, _inline(c), f' class="{a}"') for c, a in places)
        )

    header = _element("thead", row("th", block.header))
    body = _element("tbody", "\n".join(row("td", cells) for cells in block.rows))
    return f'<div class="wide"><table dir="auto">\n{header}\n{body}\n</table></div>'


def _inline(runs: Runs) -> str:
    return "".join(map(_run, runs))


def _run(run: TextRun) -> str:
    shown = escape(run.text).replace("\n", "<br>\n")
    styles: dict[str, bool] = {
        "code": run.code,
        "s": run.strike,
        "em": run.italic,
        "strong": run.bold,
    }
    for tag, wanted in styles.items():
        shown = _element(tag, shown) if wanted else shown
    return _element("a", shown, f' href="{escape(run.link)}"') if run.link else shown
